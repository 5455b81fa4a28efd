"""Tables and functions of the schema `jp_tui`, as numbered steps. Text only; runs nothing.

An append is one call of `append_events`: the lease is checked, numbers are given, and what is derived from events is
kept, all in one statement. A released step never changes; a new version is a new step.
"""

from __future__ import annotations

from jp_tui.journal.port import OUTSIDE, SPAN
from jp_tui.journal.postgres.row_security import CHANNEL as CHANNEL
from jp_tui.journal.postgres.row_security import GRANTS as GRANTS
from jp_tui.journal.postgres.row_security import POLICIES
from jp_tui.journal.postgres.sql_answers import ANSWERS
from jp_tui.journal.postgres.sql_claims import CLAIMS
from jp_tui.journal.postgres.sql_people import AUDIT, PEOPLE, WHO
from jp_tui.journal.postgres.sql_writes import OTHERS, WRITES

VERSION, OLDEST_CLIENT = 2, 2
"""Version that this client knows, and the oldest client that can use what it makes (D7)."""
FITS = f"{VERSION} >= least(version, oldest_client)"
"""True of the row of `schema_version` while this client may write (D7)."""

_FIRST = (
    """
    CREATE TABLE jp_tui.schema_version (
      version        int NOT NULL,
      oldest_client  int NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX schema_version_one ON jp_tui.schema_version ((true))",
    # who may use the store (D5, D6); the name is that of a database role
    """
    CREATE TABLE jp_tui.roles (
      role   text COLLATE "C" PRIMARY KEY,
      kind   text NOT NULL CHECK (kind IN ('owner', 'person', 'worker', 'auditor')),
      since  timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
    """
    CREATE TABLE jp_tui.conversations (
      key        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id         text COLLATE "C" NOT NULL UNIQUE,
      owner      text COLLATE "C" NOT NULL DEFAULT session_user,
      machine    text NOT NULL DEFAULT '',
      workspace  text COLLATE "C" NOT NULL,
      title      text NOT NULL,
      model      text NOT NULL,
      created    text COLLATE "C" NOT NULL,
      updated    text COLLATE "C" NOT NULL,
      parent     text COLLATE "C",
      archived   boolean NOT NULL DEFAULT false,
      events     bigint NOT NULL DEFAULT 0,
      turns      bigint NOT NULL DEFAULT 0,
      last_seq   bigint NOT NULL DEFAULT 0,
      ended      bigint NOT NULL DEFAULT 0,
      hidden     text COLLATE "C" NOT NULL DEFAULT '',
      origin     text,
      imported   text COLLATE "C",
      copied     bigint NOT NULL DEFAULT 0,
      titled     smallint NOT NULL DEFAULT 0,
      outside    boolean NOT NULL DEFAULT false,
      indexed    bigint NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX conversations_recent ON jp_tui.conversations (updated DESC, key DESC) WHERE hidden = ''",
    "CREATE INDEX conversations_here ON jp_tui.conversations (workspace, updated DESC, key DESC) WHERE hidden = ''",
    "CREATE INDEX conversations_behind ON jp_tui.conversations (key) WHERE indexed < last_seq",
    "CREATE INDEX conversations_hidden ON jp_tui.conversations (hidden) WHERE hidden <> ''",
    "CREATE INDEX conversations_imported ON jp_tui.conversations (imported) WHERE imported IS NOT NULL",
    "CREATE INDEX conversations_parent ON jp_tui.conversations (parent) WHERE parent IS NOT NULL",
    """
    CREATE TABLE jp_tui.events (
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key),
      seq           bigint NOT NULL,
      turn          bigint NOT NULL,
      kind          text COLLATE "C" NOT NULL,
      inquiry       text COLLATE "C",
      at            text COLLATE "C" NOT NULL,
      lines         bigint NOT NULL,
      characters    bigint NOT NULL,
      payload       text COLLATE "C" NOT NULL,
      text          text COLLATE "C" NOT NULL,
      fence         bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (conversation, seq)
    )
    """,
    "CREATE INDEX events_turn ON jp_tui.events (conversation, turn)",
    "CREATE INDEX events_inquiry ON jp_tui.events (conversation, inquiry, seq) WHERE inquiry IS NOT NULL",
    "CREATE INDEX events_asked ON jp_tui.events (conversation, seq) WHERE kind = 'chat_request'",
    """
    CREATE TABLE jp_tui.spans (
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key),
      number        bigint NOT NULL,
      first_seq     bigint NOT NULL,
      last_seq      bigint NOT NULL,
      events        bigint NOT NULL,
      characters    bigint NOT NULL,
      lines         bigint NOT NULL,
      PRIMARY KEY (conversation, number)
    )
    """,
    """
    CREATE TABLE jp_tui.partials (
      number        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key),
      part          text COLLATE "C" NOT NULL,
      kind          text NOT NULL,
      text          text NOT NULL
    )
    """,
    "CREATE INDEX partials_here ON jp_tui.partials (conversation, number)",
    """
    CREATE TABLE jp_tui.drafts (
      owner         text COLLATE "C" NOT NULL DEFAULT session_user,
      conversation  text COLLATE "C" NOT NULL,
      key           text COLLATE "C" NOT NULL,
      text          text NOT NULL,
      PRIMARY KEY (conversation, key)
    )
    """,
    # requests minus responses of each inquiry of an unfinished last turn; a row at zero is deleted
    """
    CREATE TABLE jp_tui.waiting (
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key),
      inquiry       text COLLATE "C" NOT NULL,
      missing       int NOT NULL,
      seq           bigint NOT NULL,
      PRIMARY KEY (conversation, inquiry)
    )
    """,
    """
    CREATE TABLE jp_tui.offers (
      id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      conversation  text COLLATE "C" NOT NULL,
      inquiry       text COLLATE "C" NOT NULL,
      payload       text NOT NULL,
      at            text COLLATE "C" NOT NULL,
      state         text NOT NULL DEFAULT 'open',
      words         text NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX offers_open ON jp_tui.offers (conversation) WHERE state = 'open'",
    "CREATE INDEX offers_at ON jp_tui.offers (at)",
    # one row for each name that was ever locked: its fencing number only grows (D9)
    """
    CREATE TABLE jp_tui.leases (
      name     text COLLATE "C" PRIMARY KEY,
      fence    bigint NOT NULL,
      token    text COLLATE "C" NOT NULL,
      role     text NOT NULL DEFAULT session_user,
      machine  text NOT NULL,
      program  text NOT NULL,
      pid      bigint NOT NULL,
      since    timestamptz NOT NULL,
      expires  timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE jp_tui.search (
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key),
      seq           bigint NOT NULL,
      words         tsvector NOT NULL,
      PRIMARY KEY (conversation, seq)
    )
    """,
    "CREATE INDEX search_words ON jp_tui.search USING gin (words)",
    # the transactions of the last day (`writer.py`)
    """
    CREATE TABLE jp_tui.writes (
      id  text COLLATE "C" PRIMARY KEY,
      at  timestamptz NOT NULL DEFAULT clock_timestamp()
    )
    """,
    "CREATE INDEX writes_at ON jp_tui.writes (at)",
    # NULL if this writer may append, else `held`
    """
    CREATE FUNCTION jp_tui.refusal(p_id text, p_fence bigint, p_token text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
      IF p_fence IS NULL THEN
        PERFORM 1 FROM jp_tui.leases WHERE name = p_id AND token <> '' AND expires > clock_timestamp() FOR SHARE;
        RETURN CASE WHEN FOUND THEN 'held' END;
      END IF;
      -- the row stays locked until the commit: whoever takes the lease comes after it
      PERFORM 1 FROM jp_tui.leases WHERE name = p_id AND fence = p_fence AND token = p_token FOR SHARE;
      RETURN CASE WHEN NOT FOUND THEN 'held' END;
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.append_events(
      p_id text, p_fence bigint, p_token text, p_kinds text[], p_turns bigint[], p_inquiries text[], p_ats text[],
      p_lines bigint[], p_sizes bigint[], p_payloads text[], p_texts text[], p_parts text[],
      OUT status text, OUT last bigint
    ) LANGUAGE plpgsql AS $$
    DECLARE
      c record;
      n int := cardinality(p_kinds);
      v_turns bigint;
      v_ended bigint;
      told boolean := false;
    BEGIN
      SELECT key, last_seq, turns, ended INTO c FROM jp_tui.conversations WHERE id = p_id FOR UPDATE;
      IF NOT FOUND THEN
        status := 'unknown';
        RETURN;
      END IF;
      status := jp_tui.refusal(p_id, p_fence, p_token);
      IF status IS NOT NULL THEN
        RETURN;
      END IF;
      last := c.last_seq;
      v_turns := c.turns;
      v_ended := c.ended;
      IF n > 0 THEN
        INSERT INTO jp_tui.events
          SELECT c.key, last + e.n, e.turn, e.kind, e.inquiry, e.at, e.lines, e.size, e.payload, e.text,
            coalesce(p_fence, 0)
          FROM unnest(p_turns, p_kinds, p_inquiries, p_ats, p_lines, p_sizes, p_payloads, p_texts) WITH ORDINALITY
            AS e (turn, kind, inquiry, at, lines, size, payload, text, n);
        INSERT INTO jp_tui.spans AS s
          SELECT c.key, (last + e.n - 1) / {SPAN}, min(last + e.n), max(last + e.n), count(*), sum(e.size), sum(e.lines)
          FROM unnest(p_sizes, p_lines) WITH ORDINALITY AS e (size, lines, n) GROUP BY 2
          ON CONFLICT (conversation, number) DO UPDATE SET
            last_seq = excluded.last_seq, events = s.events + excluded.events,
            characters = s.characters + excluded.characters, lines = s.lines + excluded.lines;
        FOR i IN 1..n LOOP
          IF (p_kinds[i] = 'turn_outcome' AND p_turns[i] >= v_turns) OR p_turns[i] > v_turns THEN
            DELETE FROM jp_tui.waiting WHERE conversation = c.key;
            told := told OR FOUND;
          END IF;
          IF p_kinds[i] = 'turn_outcome' AND p_turns[i] >= v_turns THEN
            v_ended := p_turns[i];
            told := true;
          END IF;
          v_turns := greatest(v_turns, p_turns[i]);
          IF p_kinds[i] IN ('inquiry_request', 'inquiry_response') AND p_inquiries[i] IS NOT NULL
              AND v_ended < p_turns[i] AND p_turns[i] = v_turns THEN
            told := true;
            DELETE FROM jp_tui.waiting WHERE conversation = c.key AND inquiry = p_inquiries[i];
            INSERT INTO jp_tui.waiting (conversation, inquiry, missing, seq)
              SELECT c.key, p_inquiries[i], sum(CASE WHEN kind = 'inquiry_request' THEN 1 ELSE -1 END),
                coalesce(max(seq) FILTER (WHERE kind = 'inquiry_request'), max(seq))
              FROM jp_tui.events
              WHERE conversation = c.key AND inquiry = p_inquiries[i] AND turn = p_turns[i]
                AND kind IN ('inquiry_request', 'inquiry_response') AND seq <= last + n
              HAVING sum(CASE WHEN kind = 'inquiry_request' THEN 1 ELSE -1 END) <> 0;
          END IF;
        END LOOP;
        UPDATE jp_tui.conversations AS r SET
          events = r.events + n, last_seq = last + n, turns = v_turns, ended = v_ended,
          updated = greatest(r.updated, (SELECT max(a COLLATE "C") FROM unnest(p_ats) AS a)),
          hidden = CASE WHEN r.hidden = 'making' THEN r.hidden ELSE '' END,
          outside = r.outside OR (last = 0 AND p_kinds[1] = '{OUTSIDE}')
        WHERE r.key = c.key;
      END IF;
      IF cardinality(p_parts) > 0 THEN
        DELETE FROM jp_tui.partials WHERE conversation = c.key AND part = ANY (p_parts);
      END IF;
      IF told THEN
        PERFORM pg_notify('{CHANNEL}', left(p_id, 200));
      END IF;
    END $$
    """,
)

# people (D13-D18)
_OWNER = "(SELECT role FROM jp_tui.roles WHERE kind = 'owner' ORDER BY since LIMIT 1)"
_COLUMNS = (
    "ALTER TABLE jp_tui.conversations ADD COLUMN may_act boolean NOT NULL DEFAULT false",
    # an unfinished turn holds copied answers of other people: no worker carries it on
    "ALTER TABLE jp_tui.conversations ADD COLUMN barred boolean NOT NULL DEFAULT false",
    # the role that wrote it, or that gave the answer; NULL where another store says so
    'ALTER TABLE jp_tui.events ADD COLUMN who text COLLATE "C"',
    'ALTER TABLE jp_tui.waiting ADD COLUMN owner text COLLATE "C"',
    # whom it asks now: a person, `role:GROUP`, or `*` for everybody
    'ALTER TABLE jp_tui.waiting ADD COLUMN asks text COLLATE "C"',
    "DELETE FROM jp_tui.offers",
    """ALTER TABLE jp_tui.offers ADD COLUMN who text COLLATE "C" NOT NULL, ADD COLUMN machine text NOT NULL DEFAULT '',
    ADD COLUMN owner text COLLATE "C" NOT NULL""",
    "ALTER TABLE jp_tui.drafts DROP CONSTRAINT drafts_pkey",
    "ALTER TABLE jp_tui.leases ALTER COLUMN role DROP DEFAULT",
    "ALTER TABLE jp_tui.roles DROP CONSTRAINT roles_kind_check",
    """ALTER TABLE jp_tui.roles ADD CONSTRAINT roles_kind_check
    CHECK (kind IN ('owner', 'person', 'worker', 'auditor', 'none'))""",
    "ALTER TABLE jp_tui.roles ADD COLUMN until timestamptz, ADD COLUMN away_until timestamptz",
    'ALTER TABLE jp_tui.roles ADD COLUMN deputy text COLLATE "C"',
    # everybody of other conversations who was asked or who answered
    """
    CREATE TABLE jp_tui.parties (
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key),
      inquiry       text COLLATE "C" NOT NULL,
      name          text COLLATE "C" NOT NULL,
      PRIMARY KEY (conversation, inquiry, name)
    )
    """,
    "CREATE INDEX parties_name ON jp_tui.parties (name)",
    'ALTER TABLE jp_tui.writes ADD COLUMN role text COLLATE "C"',
    # a store of version 1 was one person's, and its workers carried on everything
    f"UPDATE jp_tui.conversations SET owner = {_OWNER}",
    "UPDATE jp_tui.conversations SET may_act = true WHERE EXISTS (SELECT 1 FROM jp_tui.roles WHERE kind = 'worker')",
    f"UPDATE jp_tui.drafts SET owner = {_OWNER}",
    """UPDATE jp_tui.waiting AS w SET owner = c.owner, asks = c.owner FROM jp_tui.conversations AS c
    WHERE c.key = w.conversation""",
    "ALTER TABLE jp_tui.waiting ALTER COLUMN owner SET NOT NULL, ALTER COLUMN asks SET NOT NULL",
    "ALTER TABLE jp_tui.drafts ADD PRIMARY KEY (owner, conversation, key)",
    "CREATE INDEX conversations_own ON jp_tui.conversations (owner, updated DESC, key DESC) WHERE hidden = ''",
    "CREATE INDEX waiting_owner ON jp_tui.waiting (owner)",
    "CREATE INDEX waiting_asks ON jp_tui.waiting (asks)",
)

_SECOND = (
    *_COLUMNS,
    *WHO,
    "ALTER TABLE jp_tui.writes ALTER COLUMN role SET DEFAULT jp_tui.me()",
    "ALTER TABLE jp_tui.drafts ALTER COLUMN owner SET DEFAULT jp_tui.me()",
    "ALTER TABLE jp_tui.conversations ALTER COLUMN owner SET DEFAULT jp_tui.me()",
    "ALTER TABLE jp_tui.waiting ALTER COLUMN owner SET DEFAULT jp_tui.me(), ALTER COLUMN asks SET DEFAULT jp_tui.me()",
    "ALTER TABLE jp_tui.offers ALTER COLUMN owner SET DEFAULT jp_tui.me(), ALTER COLUMN who SET DEFAULT jp_tui.me()",
    *ANSWERS,
    *WRITES,
    *OTHERS,
    *PEOPLE,
    *CLAIMS,
    *POLICIES,
    *AUDIT,
    "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA jp_tui FROM PUBLIC",
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST, _SECOND)
"""Step n takes a store of version n to version n + 1."""

"""Functions and views about roles: who acts, who may answer for whom, who is away, and the audit (store.md D13, D17,
D18). Text only; runs nothing."""

from __future__ import annotations

from jp_tui.journal.postgres.row_security import CHANNEL, DEFINER, HELPER, PATH, PLAIN, REFUSED

WHO = (
    # the acting role: one that a pooler takes on by SET LOCAL ROLE, else the one that logged in. In a function that
    # runs as its owner neither current_user nor session_user is it
    """
    CREATE FUNCTION jp_tui.me() RETURNS text LANGUAGE sql STABLE RETURN
      CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END
    """,
    # true in a function that runs as the schema's owner, who alone may create in it, under the path of such functions
    f"""
    CREATE FUNCTION jp_tui.inside() RETURNS boolean LANGUAGE sql STABLE RETURN
      current_setting('search_path') = '{PATH}'
      AND has_schema_privilege('jp_tui', 'CREATE')
    """,
    f"""
    CREATE FUNCTION jp_tui.my_kind() RETURNS text LANGUAGE plpgsql STABLE {DEFINER} AS $$
    BEGIN
      RETURN coalesce((SELECT kind FROM jp_tui.roles WHERE role = jp_tui.me()), 'none');
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.refuse(p_words text) RETURNS void LANGUAGE plpgsql {PLAIN} AS $$
    BEGIN
      RAISE EXCEPTION USING ERRCODE = '{REFUSED}', MESSAGE = p_words;
    END $$
    """,
    # roles of which this one is a member, also through others; a superuser isn't a member of all
    f"""
    CREATE FUNCTION jp_tui.groups_of(p_role text) RETURNS text[] LANGUAGE sql STABLE {PLAIN} AS $$
      WITH RECURSIVE above (oid) AS (
        SELECT m.roleid FROM pg_auth_members AS m JOIN pg_roles AS p ON p.oid = m.member WHERE p.rolname = p_role
        UNION SELECT m.roleid FROM above AS a JOIN pg_auth_members AS m ON m.member = a.oid
      )
      SELECT coalesce(array_agg(g.rolname::text ORDER BY g.rolname), '{{}}') FROM above AS a
      JOIN pg_roles AS g ON g.oid = a.oid WHERE g.rolname !~ '^pg_'
    $$
    """,
    f"""
    CREATE FUNCTION jp_tui.is_person(p_role text) RETURNS boolean LANGUAGE plpgsql STABLE {HELPER} AS $$
    BEGIN
      RETURN EXISTS (SELECT 1 FROM jp_tui.roles WHERE role = p_role AND kind IN ('owner', 'person'));
    END $$
    """,
    # true if this person answers for the other now; a deputy has no deputy
    f"""
    CREATE FUNCTION jp_tui.answers_for(p_role text, p_for text) RETURNS boolean LANGUAGE plpgsql STABLE {HELPER} AS $$
    BEGIN
      RETURN EXISTS (SELECT 1 FROM jp_tui.roles WHERE role = p_for AND kind IN ('owner', 'person')
        AND deputy = p_role AND away_until > clock_timestamp());
    END $$
    """,
    # everything under which the acting person may be asked: everybody, the name, its groups, and the same of those
    # whose deputy it is
    f"""
    CREATE FUNCTION jp_tui.names() RETURNS text[] LANGUAGE plpgsql STABLE {DEFINER} AS $$
    DECLARE
      v_me text := jp_tui.me();
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM jp_tui.roles WHERE role = v_me AND kind IN ('owner', 'person')) THEN
        RETURN '{{}}';
      END IF;
      RETURN ARRAY(
        WITH RECURSIVE mine (name) AS (
          SELECT v_me UNION ALL SELECT role FROM jp_tui.roles
          WHERE deputy = v_me AND away_until > clock_timestamp() AND kind IN ('owner', 'person')
        ), above (oid) AS (
          SELECT m.roleid FROM mine JOIN pg_roles AS p ON p.rolname = mine.name
            JOIN pg_auth_members AS m ON m.member = p.oid
          UNION SELECT m.roleid FROM above AS a JOIN pg_auth_members AS m ON m.member = a.oid
        )
        SELECT '*' UNION ALL SELECT name FROM mine
        UNION ALL SELECT 'role:' || g.rolname FROM above AS a JOIN pg_roles AS g ON g.oid = a.oid);
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.is_mine(p_key bigint) RETURNS boolean LANGUAGE plpgsql STABLE {DEFINER} AS $$
    BEGIN
      RETURN coalesce(
        (SELECT jp_tui.writes(owner, may_act, barred) FROM jp_tui.conversations WHERE key = p_key), false);
    END $$
    """,
    # true if the acting person was asked, is asked, or answered
    f"""
    CREATE FUNCTION jp_tui.is_party(p_key bigint, p_inquiry text) RETURNS boolean
    LANGUAGE plpgsql STABLE {DEFINER} AS $$
    DECLARE
      v_names text[] := jp_tui.names();
    BEGIN
      RETURN EXISTS (SELECT 1 FROM jp_tui.waiting WHERE conversation = p_key AND inquiry = p_inquiry
          AND asks = ANY (v_names))
        OR EXISTS (SELECT 1 FROM jp_tui.parties WHERE conversation = p_key AND inquiry = p_inquiry
          AND name = ANY (v_names));
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.is_asked(p_name text, p_asks text) RETURNS boolean LANGUAGE plpgsql STABLE {HELPER} AS $$
    BEGIN
      RETURN p_asks IN ('*', p_name)
        OR (starts_with(p_asks, 'role:') AND substr(p_asks, 6) = ANY (jp_tui.groups_of(p_name)));
    END $$
    """,
    # true if the acting role writes this conversation
    f"""
    CREATE FUNCTION jp_tui.writes(p_owner text, p_may_act boolean, p_barred boolean) RETURNS boolean
    LANGUAGE plpgsql STABLE {HELPER} AS $$
    BEGIN
      -- roles of other kinds own nothing, and may not call what asks this
      RETURN p_owner = jp_tui.me() OR (p_may_act AND NOT p_barred AND jp_tui.my_kind() = 'worker');
    END $$
    """,
)

PEOPLE = (
    f"""
    CREATE FUNCTION jp_tui.set_away(p_until timestamptz, p_deputy text) RETURNS void LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_me text := jp_tui.me();
      v_there timestamptz;
    BEGIN
      IF NOT jp_tui.is_person(v_me) THEN
        PERFORM jp_tui.refuse('only people are away; this role is none');
      ELSIF p_until <= clock_timestamp() THEN
        PERFORM jp_tui.refuse('the end is in the past');
      ELSIF p_deputy = v_me THEN
        PERFORM jp_tui.refuse('you can''t be your own deputy');
      ELSIF p_deputy IS NOT NULL AND NOT jp_tui.is_person(p_deputy) THEN
        PERFORM jp_tui.refuse(p_deputy || ' isn''t a person of this store');
      END IF;
      SELECT away_until INTO v_there FROM jp_tui.roles WHERE role = p_deputy AND away_until > clock_timestamp();
      IF FOUND AND p_until IS NOT NULL THEN
        PERFORM jp_tui.refuse(p_deputy || ' is away, too; a deputy has no deputy');
      END IF;
      UPDATE jp_tui.roles SET away_until = p_until, deputy = CASE WHEN p_until IS NOT NULL THEN p_deputy END
        WHERE role = v_me;
      PERFORM pg_notify('{CHANNEL}', '');
    END $$
    """,
    # the store's owner lets a role in, or lets it go (kind `none`)
    f"""
    CREATE FUNCTION jp_tui.set_role(p_role text, p_kind text) RETURNS void LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      IF jp_tui.my_kind() <> 'owner' OR p_role = jp_tui.me() OR p_kind = 'owner' THEN
        PERFORM jp_tui.refuse('only the owner of the store lets others in');
      ELSIF p_kind = 'person' AND (p_role ~ '[:*]' OR p_role = '') THEN
        PERFORM jp_tui.refuse('a person''s name has no colon and no asterisk');
      END IF;
      IF p_kind = 'none' THEN
        UPDATE jp_tui.roles SET kind = 'none', until = clock_timestamp(), away_until = NULL, deputy = NULL
          WHERE role = p_role AND kind <> 'none';
        DELETE FROM jp_tui.claims WHERE role = p_role;
      ELSE
        INSERT INTO jp_tui.roles AS r (role, kind) VALUES (p_role, p_kind)
          ON CONFLICT (role) DO UPDATE SET kind = excluded.kind, until = NULL,
            since = CASE WHEN r.kind = 'none' THEN excluded.since ELSE r.since END;
      END IF;
      UPDATE jp_tui.roles SET deputy = NULL WHERE deputy = p_role AND p_kind NOT IN ('owner', 'person');
    END $$
    """,
    # the conversations of a leaver go to another person
    f"""
    CREATE FUNCTION jp_tui.give_conversations(p_from text, p_to text) RETURNS bigint LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_count bigint;
    BEGIN
      IF jp_tui.my_kind() <> 'owner' OR p_from = jp_tui.me() OR NOT jp_tui.is_person(p_to) THEN
        PERFORM jp_tui.refuse('only the owner of the store gives the conversations of others to a person');
      END IF;
      UPDATE jp_tui.conversations SET owner = p_to, may_act = false WHERE owner = p_from;
      GET DIAGNOSTICS v_count = ROW_COUNT;
      UPDATE jp_tui.waiting SET owner = p_to, asks = CASE WHEN asks = p_from THEN p_to ELSE asks END
        WHERE owner = p_from;
      UPDATE jp_tui.offers SET owner = p_to WHERE owner = p_from;
      PERFORM pg_notify('{CHANNEL}', '');
      RETURN v_count;
    END $$
    """,
)

AUDIT = (
    """
    CREATE VIEW jp_tui.audit_inquiries WITH (security_barrier) AS
      SELECT q.at AS asked_at, c.id AS conversation, q.inquiry, c.owner, c.machine, q.who AS asked_by,
        coalesce(h.doc ->> 'to', q.about ->> 'to', '') AS asked_to,
        CASE WHEN q.about ->> 'approvals' ~ '^[0-9]{1,2}$' THEN (q.about ->> 'approvals')::int ELSE 1 END AS approvals,
        q.about ->> 'digest' AS digest, q.about ->> 'why' AS why, q.who IS NULL AS copied,
        a.at AS answered_at, a.doc ->> 'outcome' AS outcome,
        CASE WHEN jsonb_typeof(a.doc -> 'answer') = 'boolean' THEN (a.doc -> 'answer')::boolean END AS yes,
        a.doc -> 'responder' ->> 'kind' AS kind, a.who AS answered_by, a.doc -> 'responder' ->> 'for' AS answered_for,
        a.doc -> 'responder' ->> 'machine' AS answered_on, v.votes
      FROM (
        SELECT DISTINCT ON (e.conversation, e.inquiry) e.conversation, e.inquiry, e.seq, e.at, e.who,
          jp_tui.read_json(e.payload) -> 'metadata' AS about
        FROM jp_tui.events AS e WHERE e.kind = 'inquiry_request' AND e.inquiry IS NOT NULL
        ORDER BY e.conversation, e.inquiry, e.seq DESC
      ) AS q
      JOIN jp_tui.conversations AS c ON c.key = q.conversation
      LEFT JOIN LATERAL (
        SELECT e.at, e.who, jp_tui.read_json(e.payload) AS doc FROM jp_tui.events AS e
        WHERE e.conversation = q.conversation AND e.inquiry = q.inquiry AND e.seq > q.seq
          AND e.kind = 'inquiry_response'
        ORDER BY e.seq LIMIT 1
      ) AS a ON true
      LEFT JOIN LATERAL (
        SELECT jp_tui.read_json(e.payload) AS doc FROM jp_tui.events AS e
        WHERE e.conversation = q.conversation AND e.inquiry = q.inquiry AND e.seq > q.seq
          AND e.kind = 'inquiry_assigned'
        ORDER BY e.seq DESC LIMIT 1
      ) AS h ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_agg(jsonb_build_object('who', e.who, 'for', d.doc -> 'responder' ->> 'for', 'vote',
          d.doc -> 'vote', 'at', e.at) ORDER BY e.seq), '[]') AS votes
        FROM jp_tui.events AS e CROSS JOIN LATERAL (SELECT jp_tui.read_json(e.payload) AS doc OFFSET 0) AS d
        WHERE e.conversation = q.conversation AND e.inquiry = q.inquiry AND e.kind = 'inquiry_vote'
      ) AS v
    """,
    """
    CREATE VIEW jp_tui.audit_people WITH (security_barrier) AS
      SELECT role, kind, since, until, jp_tui.groups_of(role) AS groups, away_until, deputy FROM jp_tui.roles
    """,
)

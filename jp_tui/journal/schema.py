"""Tables as numbered steps from an empty file to the current version.

Text only; runs nothing. An event's place is one number, conversation << 32 | seq, and the table's key: a page of events
is one contiguous range, found equally fast in long and short conversations. A released step never changes; a new
version is a new step.
"""

from __future__ import annotations

SHIFT = 32
LAST = (1 << SHIFT) - 1

APPLICATION = 0x6A707475
"""`jptu`: identifies jp-tui's files (PRAGMA application_id)."""

_FIRST = (
    """
    CREATE TABLE conversations (
      key        INTEGER PRIMARY KEY,
      id         TEXT NOT NULL UNIQUE,
      workspace  TEXT NOT NULL,
      title      TEXT NOT NULL,
      model      TEXT NOT NULL,
      created    TEXT NOT NULL,
      updated    TEXT NOT NULL,
      parent     TEXT,
      archived   INTEGER NOT NULL DEFAULT 0,
      events     INTEGER NOT NULL DEFAULT 0,
      turns      INTEGER NOT NULL DEFAULT 0,
      last_seq   INTEGER NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX conversations_recent ON conversations (updated)",
    "CREATE INDEX conversations_here ON conversations (workspace, updated)",
    """
    CREATE TABLE events (
      place         INTEGER PRIMARY KEY,
      conversation  INTEGER NOT NULL REFERENCES conversations (key),
      seq           INTEGER NOT NULL,
      turn          INTEGER NOT NULL,
      kind          TEXT NOT NULL,
      inquiry       TEXT,
      at            TEXT NOT NULL,
      lines         INTEGER NOT NULL,
      characters    INTEGER NOT NULL,
      payload       TEXT NOT NULL,
      text          TEXT NOT NULL,
      CHECK (place = conversation << 32 | seq)
    )
    """,
    "CREATE INDEX events_turn ON events (conversation, turn)",
    "CREATE INDEX events_inquiry ON events (conversation, inquiry) WHERE inquiry IS NOT NULL",
    "CREATE INDEX events_inquiries ON events (conversation) WHERE inquiry IS NOT NULL",
    "CREATE INDEX events_asked ON events (conversation) WHERE kind = 'chat_request'",
    """
    CREATE TABLE spans (
      conversation  INTEGER NOT NULL REFERENCES conversations (key),
      number        INTEGER NOT NULL,
      first_seq     INTEGER NOT NULL,
      last_seq      INTEGER NOT NULL,
      events        INTEGER NOT NULL,
      characters    INTEGER NOT NULL,
      lines         INTEGER NOT NULL,
      PRIMARY KEY (conversation, number)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE partials (
      number        INTEGER PRIMARY KEY,
      conversation  INTEGER NOT NULL REFERENCES conversations (key),
      part          TEXT NOT NULL,
      kind          TEXT NOT NULL,
      text          TEXT NOT NULL
    )
    """,
    "CREATE INDEX partials_here ON partials (conversation)",
    """
    CREATE TABLE drafts (
      conversation  TEXT NOT NULL,
      key           TEXT NOT NULL,
      text          TEXT NOT NULL,
      PRIMARY KEY (conversation, key)
    ) WITHOUT ROWID
    """,
)

_SECOND = (
    "ALTER TABLE conversations ADD COLUMN ended INTEGER NOT NULL DEFAULT 0",  # the last turn that has an outcome
    """
    UPDATE conversations SET ended = turns WHERE EXISTS (
      SELECT 1 FROM events WHERE conversation = key AND turn = turns AND kind = 'turn_outcome'
    )
    """,
    # requests minus responses of each inquiry of an unfinished last turn; a row at zero is deleted
    """
    CREATE TABLE waiting (
      conversation  INTEGER NOT NULL REFERENCES conversations (key),
      inquiry       TEXT NOT NULL,
      missing       INTEGER NOT NULL,
      place         INTEGER NOT NULL,
      PRIMARY KEY (conversation, inquiry)
    ) WITHOUT ROWID
    """,
    """
    INSERT INTO waiting
    SELECT conversation, inquiry, sum(iif(kind = 'inquiry_request', 1, -1)) AS missing,
      coalesce(max(place) FILTER (WHERE kind = 'inquiry_request'), max(place))
    FROM conversations JOIN events ON conversation = key AND turn = turns
    WHERE ended < turns AND inquiry IS NOT NULL AND kind IN ('inquiry_request', 'inquiry_response')
    GROUP BY conversation, inquiry HAVING missing <> 0
    """,
    # AUTOINCREMENT: the number of a withdrawn offer is never reused
    """
    CREATE TABLE offers (
      id            INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation  TEXT NOT NULL,
      inquiry       TEXT NOT NULL,
      payload       TEXT NOT NULL,
      at            TEXT NOT NULL,
      state         TEXT NOT NULL DEFAULT 'open',
      words         TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX offers_open ON offers (conversation) WHERE state = 'open'",
    "CREATE INDEX offers_at ON offers (at)",
)

_THIRD = (
    # empty; `making` while it is being copied; else the time of deletion
    "ALTER TABLE conversations ADD COLUMN hidden TEXT NOT NULL DEFAULT ''",
    # source of its first `copied` events: a conversation here, or one of another program
    "ALTER TABLE conversations ADD COLUMN origin TEXT",
    "ALTER TABLE conversations ADD COLUMN imported TEXT",
    "ALTER TABLE conversations ADD COLUMN copied INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN titled INTEGER NOT NULL DEFAULT 0",  # an index of port.TITLED
    "ALTER TABLE conversations ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0",  # the last event that a search finds
    "CREATE INDEX conversations_behind ON conversations (key) WHERE indexed < last_seq",
    "CREATE INDEX conversations_hidden ON conversations (hidden) WHERE hidden <> ''",
    "CREATE INDEX conversations_imported ON conversations (imported) WHERE imported IS NOT NULL",
    "CREATE INDEX conversations_parent ON conversations (parent) WHERE parent IS NOT NULL",
)

_FOURTH = (
    # a second record of what can't be computed from the events; a lost row is restored from it
    """
    CREATE TABLE names (
      key        INTEGER PRIMARY KEY,
      id         TEXT NOT NULL,
      workspace  TEXT NOT NULL,
      title      TEXT NOT NULL,
      model      TEXT NOT NULL,
      created    TEXT NOT NULL,
      parent     TEXT,
      titled     INTEGER NOT NULL DEFAULT 0
    )
    """,
    "INSERT OR IGNORE INTO names SELECT key, id, workspace, title, model, created, parent, titled FROM conversations",
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST, _SECOND, _THIRD, _FOURTH)
"""Step n takes a file of version n to version n + 1 (PRAGMA user_version)."""

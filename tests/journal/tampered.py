"""What another program may do to what is derived from events, as SQL: it costs nothing (Z25). c1 has a question."""

from __future__ import annotations

import sqlite3
from pathlib import Path

OF = "WHERE id = 'c1'"
KEY = "(SELECT key FROM conversations WHERE id = 'c1')"
TAMPERED: dict[str, tuple[str, ...]] = {
    **{
        f"{column} = {value}": (f"UPDATE conversations SET {column} = {value} {OF}",)
        for column in ("last_seq", "turns", "ended", "events", "indexed")
        for value in ("0", "7", "1000000000", "-1", "'x'", "x'ff'", "1.5")
    },
    "updated long ago": (f"UPDATE conversations SET updated = '1970' {OF}",),
    "updated tomorrow": ("UPDATE conversations SET updated = '9999' WHERE id = 'c2'",),
    "all numbers": ("UPDATE conversations SET last_seq = 0, turns = 0, ended = 0, events = 0",),
    "nothing waits": ("DELETE FROM waiting",),
    "more waits": (f"INSERT INTO waiting VALUES ({KEY}, 'z.q.9', 1, {KEY} << 32 | 3)",),
    "what ended waits": ("INSERT INTO waiting SELECT key, 'z.q.9', 1, key << 32 | 1 FROM conversations",),
    "it waits elsewhere": ("UPDATE waiting SET place = place - 1",),
    "no spans": ("DELETE FROM spans",),
    "a span less": ("DELETE FROM spans WHERE number = 1",),
    "a span more": (f"INSERT INTO spans VALUES ({KEY}, 9, 2305, 2400, 96, 1, 1)",),
    "spans of others": ("UPDATE spans SET last_seq = last_seq - 3, events = events + 1",),
    "no row": (f"DELETE FROM conversations {OF}",),
    "no rows": ("DELETE FROM conversations",),
    "no second record": ("DELETE FROM names",),
    "no tables but two": tuple(f"DROP TABLE {name}" for name in ("spans", "waiting", "partials", "offers", "names")),
    "no drafts": ("DROP TABLE drafts",),
    "no indexes": tuple(
        f"DROP INDEX {name}"
        for name in ("events_turn", "events_inquiry", "events_asked", "conversations_recent", "conversations_here")
    ),
}


def tamper(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for table in ("conversations", "spans"):  # NULL and odd values where our tables have none
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = ?", (table,))
        db.execute("PRAGMA writable_schema = RESET")
        for statement in statements:
            db.execute(statement)
    finally:
        db.close()

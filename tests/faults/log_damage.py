"""What may have happened to a store: files that are none, cut, flipped or of another kind, and rows that nobody wrote.

Each is a function on the path of a closed database. `ROWS` touch the conversation `victim` alone, or things beside
all conversations; `FILES` may take everything with them.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

from jp_tui.conversation.ids import timestamp
from jp_tui.engine.record.event_codec import entry
from jp_tui.journal.schema import STEPS
from jp_tui.journal.store import open_journal
from jp_tui.system.paths import Paths
from tests.bench import store

GOOD, VICTIM = ("good1", "good2"), "victim"
WORD = "zqfind"
EVENTS = 40
PAGE = 4096
Change = Callable[[Path], object]


def made(home: Path) -> Path:
    """A sound store under this JP_TUI_HOME: three conversations, two of which nothing is done to, all indexed."""
    from jp_tui.conversation import events as ev

    paths = Paths.of({"JP_TUI_HOME": str(home)})
    paths.prepare()
    journal = open_journal(paths.database)
    try:
        for number, name in enumerate((*GOOD, VICTIM)):
            at = timestamp(store.BEGAN.replace(hour=number))
            journal.create(name, workspace=str(home), model="demo/x", at=at, title=f"About {name}").result()
            said = ev.ChatRequest(timestamp=at, content=f"{WORD} in {name}")
            journal.append(name, [entry(said, 1, at)[0]]).result()
            for turn in range(1, EVENTS // 5):
                journal.append(name, store.turn(turn, last=False)).result()
        while journal.index().result():
            pass
    finally:
        journal.close()
    return paths.database


# -- rows

HUGE, TINY = (1 << 63) - 1, -(1 << 63)
ODD: dict[str, str] = {
    "null": "NULL",
    "a number": "7",
    "a large number": str(HUGE),
    "a negative number": str(TINY),
    "a fraction": "1.5",
    "infinity": "9e999",
    "text": "'many'",
    "no text": "''",
    "bytes": "x'00ff80'",
    "half a character": "CAST(x'61eda08062' AS TEXT)",
    "cut UTF-8": "CAST(x'61e282' AS TEXT)",
    "a null character": "'a' || char(0) || 'b'",
    "controls": "'a' || char(27) || '[2J' || char(155) || char(8238) || 'b'",
    "a megabyte": "printf('%.*c', 1000000, 'm')",
    "far ahead": "'9999-12-31 23:59:59.999999999'",
    "no day": "'2026-99-99 99:99:99.0'",
}
"""Values that may stand in any column, as SQL: SQLite keeps what it is given whatever the column is for."""
COLUMNS = {
    "events": ("turn", "kind", "inquiry", "at", "lines", "characters", "payload", "text"),
    "conversations": (
        "workspace", "title", "model", "created", "updated", "parent", "archived", "events", "turns", "last_seq",
        "ended", "hidden", "origin", "imported", "copied", "titled", "indexed",
    ),
    "spans": ("first_seq", "characters"),
}  # fmt: skip
PAYLOADS: dict[str, str] = {
    "no JSON": "'{broken'",
    "a list": "'[1]'",
    "null": "'null'",
    "deep": "printf('%.*c', 100000, '[')",
    "endless digits": "'{\"type\":\"chat_request\",\"content\":1' || printf('%.*c', 5000, '0') || '}'",
    "twice the same key": '\'{"type":"chat_request","type":"v99"}\'',
    "an escaped half": '\'{"type":"chat_request","content":"\\ud800"}\'',
    "no type": '\'{"content":"x"}\'',
    "a type of tomorrow": '\'{"type":"v99","id":7,"x":[1]}\'',
    "a type that is none": '\'{"type":{"a":1}}\'',
    "wrong parts": '\'{"type":"tool_call_request","id":[],"name":7,"arguments":"x"}\'',
    "an inquiry of nothing": '\'{"type":"inquiry_request","id":"a.b","question":{"answer_type":9}}\'',
    "a turn's end in no time": '\'{"type":"turn_outcome","outcome":"done","ms":-1e308,"usage":{"input":1e300}}\'',
    "twenty megabytes": "'{\"type\":\"chat_response\",\"message\":\"' || printf('%.*c', 20000000, 'x') || '\"}'",
}
_WHERE = {
    "events": "conversation = (SELECT key FROM conversations WHERE id = 'victim') AND seq = 4",
    "conversations": "id = 'victim'",
    "spans": "conversation = (SELECT key FROM conversations WHERE id = 'victim')",
}
_EVENT = "(SELECT key FROM conversations WHERE id = 'victim')"
STATEMENTS: dict[str, tuple[str, ...]] = {
    "a parent that is itself": ("UPDATE conversations SET parent = id WHERE id = 'victim'",),
    "parents in a circle": (
        """INSERT INTO conversations (id, workspace, title, model, created, updated, parent)
        VALUES ('other', '/', '', '', '2026-01-01 00:00:00.0', '2026-01-01 00:00:00.0', 'victim')""",
        "UPDATE conversations SET parent = 'other' WHERE id = 'victim'",
    ),
    "a parent that is not there": ("UPDATE conversations SET parent = 'nobody' WHERE id = 'victim'",),
    "a gap": (f"DELETE FROM events WHERE conversation = {_EVENT} AND seq BETWEEN 5 AND 9",),
    "no events": (f"DELETE FROM events WHERE conversation = {_EVENT}",),
    "no spans": (f"DELETE FROM spans WHERE conversation = {_EVENT}",),
    "an event twice": (
        f"""INSERT INTO events SELECT conversation << 32 | 1000, conversation, 1000, turn, kind, inquiry, at, lines,
        characters, payload, text FROM events WHERE conversation = {_EVENT} AND seq = 4""",
    ),
    "events of nobody": (
        f"""INSERT INTO events SELECT 999 << 32 | seq, 999, seq, turn, kind, inquiry, at, lines, characters, payload,
        text FROM events WHERE conversation = {_EVENT}""",
    ),
    "waits for nothing": (f"INSERT INTO waiting VALUES ({_EVENT}, 'a.b.c', 1, 77)",),
    "waits for what is no question": (f"INSERT INTO waiting VALUES ({_EVENT}, 'a.b.c', 1, {_EVENT} << 32 | 4)",),
    "waits in odd words": (f"INSERT INTO waiting VALUES ({_EVENT}, x'00ff', 'x', 'y')",),
    "offers in odd words": (
        "INSERT INTO offers (id, conversation, inquiry, payload, at) VALUES (7, 'victim', x'ff', x'ff', 'x')",
    ),
    "an offer that is no JSON": (
        "INSERT INTO offers (conversation, inquiry, payload, at) VALUES ('victim', 'a', '{', '9999')",
    ),
    "drafts in odd words": ("INSERT INTO drafts VALUES ('victim', '', x'ff'), ('victim', x'00', 'x')",),
    "parts in odd words": (
        f"""INSERT INTO partials (conversation, part, kind, text) VALUES ({_EVENT}, x'ff', 'x', x'ff'),
        ({_EVENT}, 'p', 'message', 'half a reply')""",
    ),
    "an index of another's": ("DROP TABLE search", "CREATE TABLE search (text)"),
    "an index of other texts": ("DELETE FROM search_data WHERE id > 10",),
    "no index": ("DROP TABLE search",),
    "a table more": ("CREATE TABLE theirs (x)", "INSERT INTO theirs VALUES (1)"),
}

# -- the whole file

_ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
SCHEMAS: dict[str, tuple[str, ...]] = {
    "no events table": ("DROP TABLE events",),
    "no conversations table": ("DROP TABLE conversations",),
    "no spans table": ("DROP TABLE spans",),
    "a column less": ("ALTER TABLE conversations RENAME COLUMN title TO name",),
    "a view without an end": (
        "ALTER TABLE conversations RENAME TO before",
        f"CREATE VIEW conversations AS {_ENDLESS} SELECT before.* FROM before, n",
    ),
    "a trigger without an end": (
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT count(*) FROM (" + _ENDLESS + " SELECT x FROM n); END",
    ),
    "a trigger that deletes": ("CREATE TRIGGER t AFTER INSERT ON conversations BEGIN DELETE FROM events; END",),
    "a newer version": (f"PRAGMA user_version = {len(STEPS) + 1}",),
    "a version of long ago": ("PRAGMA user_version = 1",),
    "a version below nothing": ("PRAGMA user_version = -5",),
    "version 0 with tables": ("PRAGMA user_version = 0",),
    "another program's mark": ("PRAGMA application_id = 42",),
}


def rows() -> dict[str, Change]:
    """Every change of rows, by its name."""
    found: dict[str, Change] = {}
    for table, columns in COLUMNS.items():
        for column in columns:
            for name, value in ODD.items():
                found[f"{table}.{column} is {name}"] = _sql(
                    f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE {_WHERE[table]}"
                )
    for name, value in PAYLOADS.items():
        found[f"a payload: {name}"] = _sql(f"UPDATE events SET payload = {value} WHERE {_WHERE['events']}")
    for name, statements in STATEMENTS.items():
        found[name] = _sql(*statements)
    return found


def files(rand: random.Random, count: int) -> dict[str, Change]:
    """Changes of the whole file, `count` of each kind that chance makes."""
    found: dict[str, Change] = {name: _sql(*statements) for name, statements in SCHEMAS.items()}
    found["nothing in it"] = lambda path: path.write_bytes(b"")
    found["a folder in its place"] = lambda path: (path.unlink(), path.mkdir())
    found["a pipe in its place"] = lambda path: (path.unlink(), os.mkfifo(path))
    found["a link to itself"] = lambda path: (path.unlink(), path.symlink_to(path))
    found["a link to nothing"] = lambda path: (path.unlink(), path.symlink_to(path.with_name("nothing")))
    found["text"] = lambda path: path.write_text("conversations\n" * 1000)
    found["a log of another's beside it"] = lambda path: Path(f"{path}-wal").write_bytes(bytes(range(256)) * 64)
    found["an index of another's beside it"] = lambda path: Path(f"{path}-shm").write_bytes(b"\xff" * 32768)
    for number in range(count):
        seed = rand.randrange(1 << 30)
        found[f"random bytes {number}"] = lambda path, seed=seed: path.write_bytes(  # type: ignore[misc]
            random.Random(seed).randbytes(1 + seed % 50_000)
        )
        found[f"a head and random bytes {number}"] = lambda path, seed=seed: _over(  # type: ignore[misc]
            path, 100, random.Random(seed).randbytes(20_000)
        )
        found[f"cut {number}"] = lambda path, seed=seed: os.truncate(  # type: ignore[misc]
            path, seed % os.path.getsize(path)
        )
        found[f"a page of noise {number}"] = lambda path, seed=seed: _over(  # type: ignore[misc]
            path, _page(path, seed), random.Random(seed).randbytes(PAGE)
        )
        found[f"a page of nothing {number}"] = lambda path, seed=seed: _over(  # type: ignore[misc]
            path, _page(path, seed), bytes(PAGE)
        )
        found[f"a page of another {number}"] = (
            lambda path, seed=seed: _over(  # type: ignore[misc]
                path, _page(path, seed), path.read_bytes()[_page(path, seed // 7) :][:PAGE]
            )
        )
        found[f"bits flipped {number}"] = lambda path, seed=seed: _flip(path, random.Random(seed))  # type: ignore[misc]
    return found


def _sql(*statements: str) -> Change:
    def change(path: Path) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        try:
            db.execute("PRAGMA ignore_check_constraints = ON")
            for table in ("events", "conversations"):  # NULL where our tables have none
                db.execute("PRAGMA writable_schema = ON")
                db.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = ?", (table,))
            db.execute("PRAGMA writable_schema = RESET")
            for statement in statements:
                db.execute(statement)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.close()

    return change


def _page(path: Path, seed: int) -> int:
    return seed % (os.path.getsize(path) // PAGE) * PAGE


def _over(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def _flip(path: Path, rand: random.Random) -> None:
    for _ in range(1 + rand.randrange(30)):
        at = rand.randrange(os.path.getsize(path))
        with path.open("r+b") as file:
            file.seek(at)
            before = file.read(1)[0]
            file.seek(at)
            file.write(bytes([before ^ 1 << rand.randrange(8)]))

"""Copy everything readable of a damaged database to a new one: each row in any page.

A row's table is recognized by its shape, an event by its rowid, which repeats its conversation and number. So neither
the file's header nor inner pages are needed. Incomplete rows are kept as far as they go. Free pages and older page
images count only where they fill a gap in a known conversation.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jp_tui.journal import derived
from jp_tui.journal.connect import connect, trouble
from jp_tui.journal.port import MISSING
from jp_tui.journal.repair.pages import Cell, DatabasePages, Value
from jp_tui.journal.schema import APPLICATION, LAST, SHIFT, STEPS
from jp_tui.system.paths import private_open

_BATCH = 500
_KEYS = 1 << 31
"""More conversations than any file has."""
_INSERT = {
    "events": "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "conversations": "INSERT OR IGNORE INTO conversations (key, id, workspace, title, model, created, updated, parent,"
    " archived, events, turns, last_seq, ended, hidden, origin, imported, copied, titled)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "names": "INSERT OR IGNORE INTO names VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "spans": "INSERT OR IGNORE INTO spans VALUES (?, ?, ?, ?, ?, ?, ?)",
    "partials": "INSERT OR IGNORE INTO partials VALUES (?, ?, ?, ?, ?)",
    "drafts": "INSERT OR IGNORE INTO drafts VALUES (?, ?, ?)",
    "offers": "INSERT OR IGNORE INTO offers VALUES (?, ?, ?, ?, ?, ?, ?)",
}
Row = tuple[str, tuple[Value, ...], bool]
"""Table, values of one row, and True if a part of it is missing."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Result: `missing` events are known to be lost, `cut` ones are incomplete."""

    conversations: int = 0
    events: int = 0
    missing: int = 0
    cut: int = 0


def fresh(path: Path) -> sqlite3.Connection:
    """Return a connection to a new, empty database; writes aren't safe before `finish`. Raises OSError,
    JournalError."""
    os.close(private_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    db = connect(path, "rw")
    db.execute("PRAGMA journal_mode = OFF")  # it becomes the database only when complete; otherwise it is made again
    db.execute("PRAGMA synchronous = OFF")
    for step in STEPS:
        for statement in step:
            db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {len(STEPS)}")
    return db


def finish(db: sqlite3.Connection, path: Path) -> None:
    """Close it with everything on the disk. Raises sqlite3.Error, OSError."""
    db.execute("PRAGMA journal_mode = WAL")
    db.close()
    sync(path)


def sync(path: Path) -> None:
    """Flush a file or folder to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def salvage(file: Path, log: Path, target: Path, add: Callable[[sqlite3.Connection], object]) -> Saved:
    """Create `target` from `file` and its log, either of which may be missing; `add` adds known data before gaps are
    marked. Raises OSError or JournalError; `target` is then unusable."""
    pages = DatabasePages(file, log)
    db = fresh(target)
    try:
        cut = _fill(db, pages)
        add(db)
        saved = _whole(db, cut)
        finish(db, target)
    except sqlite3.Error as error:
        raise trouble(error, target) from error
    finally:
        db.close()
    return saved


def _fill(db: sqlite3.Connection, pages: DatabasePages) -> int:
    """Copy every row of every page; return the number of incomplete events."""
    free = pages.free()
    db.execute("BEGIN")
    used = (pages.page(number) for number in pages.numbers() if number not in free)
    cut = _insert(db, (row for page in used for row in _rows(pages, page)))
    spare = (pages.page(number) for number in sorted(free))
    for images in (spare, pages.superseded()):
        _insert(db, _fitting(db, (row for page in images for row in _rows(pages, page))))
    db.execute("COMMIT")
    return cut


def _insert(db: sqlite3.Connection, rows: Iterable[Row]) -> int:
    held: dict[str, list[tuple[Value, ...]]] = {table: [] for table in _INSERT}
    cut = 0
    for table, values, broken in rows:
        batch = held[table]
        batch.append(values)
        cut += broken and table == "events"
        if len(batch) >= _BATCH:
            db.executemany(_INSERT[table], batch)
            batch.clear()
    for table, batch in held.items():
        db.executemany(_INSERT[table], batch)
    return cut


def _fitting(db: sqlite3.Connection, rows: Iterable[Row]) -> Iterator[Row]:
    """Select rows that may have been removed: complete events of an existing conversation that aren't older than it.
    Keys are reused after a conversation is removed."""
    begun = dict(db.execute("SELECT key, created FROM conversations WHERE typeof(created) = 'text'"))
    for table, values, broken in rows:
        if table == "events" and not broken and str(values[6]) >= begun.get(values[1], "\U0010ffff"):
            yield table, values, broken


def _rows(pages: DatabasePages, page: bytes) -> Iterator[Row]:
    for number, cell in enumerate(pages.cells(page)):
        if (row := _row(cell)) is not None:
            yield row
        elif number == 0 and cell.rowid == 0:
            return  # an index, or an unneeded table


def _row(cell: Cell) -> Row | None:
    """Return the table and row by its shape."""
    columns, key = cell.columns, cell.rowid
    if not key:
        return _of_an_index(columns) if not cell.cut else None
    if not columns or columns[0] is not None:
        return None
    match len(columns):
        case 11 if 0 < key >> SHIFT < _KEYS and key & LAST:
            return "events", _event(key, columns), cell.cut
        case 5 if not cell.cut and isinstance(columns[1], int):
            return "partials", (key, columns[1], *_texts(columns[2:])), False
        case 7 if not cell.cut:
            return "offers", (key, *_texts(columns[1:])), False
        case 8 if not cell.cut:
            return "names", (key, *_texts(columns[1:6]), columns[6], columns[7] or 0), False
        case 12 | 13 | 19 if 0 < key < _KEYS:
            return "conversations", _conversation(key, columns), cell.cut
        case _:
            return None


def _event(place: int, columns: tuple[Value, ...]) -> tuple[Value, ...]:
    turn, kind, inquiry, at, lines, characters, payload, text = columns[3:]
    plain = (_some(turn, 0), _some(kind, ""), inquiry, _some(at, ""), _some(lines, 0), _some(characters, 0))
    return (place, place >> SHIFT, place & LAST, *plain, _some(payload, ""), _some(text, ""))


def _conversation(key: int, columns: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return a row of any version; earlier ones had fewer columns."""
    texts, parent, counts, rest = columns[1:7], columns[7], columns[8:12], columns[12:18]
    defaults: tuple[Value, ...] = (0, "", None, None, 0, 0)
    later = (*rest, *defaults[len(rest) :])
    numbers = (_some(later[0], 0), _some(later[1], ""), later[2], later[3], _some(later[4], 0), _some(later[5], 0))
    return (key, *_texts(texts), parent, *(_some(one, 0) for one in counts), *numbers)


def _of_an_index(columns: tuple[Value, ...]) -> Row | None:
    if len(columns) == 7 and all(isinstance(one, int) for one in columns):
        return "spans", columns, False
    if len(columns) == 3 and all(isinstance(one, str) for one in columns):
        return "drafts", columns, False
    return None


def _texts(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(_some(one, "") for one in values)


def _some(value: Value, instead: Value) -> Value:
    return instead if value is None else value


def _whole(db: sqlite3.Connection, cut: int) -> Saved:
    """Create rows for events without one, compute derived data, mark what is missing."""
    db.execute("BEGIN")
    for (key,) in db.execute(
        "SELECT DISTINCT conversation FROM events UNION SELECT key FROM names EXCEPT SELECT key FROM conversations"
    ).fetchall():
        derived.adopt(db, key)
    _restore_last_numbers(db)
    for (key,) in db.execute("SELECT key FROM conversations").fetchall():
        derived.rebuild(db, key)
    db.execute("DELETE FROM spans WHERE conversation NOT IN (SELECT key FROM conversations)")
    db.execute("DELETE FROM partials WHERE conversation NOT IN (SELECT key FROM conversations)")
    conversations = db.execute("SELECT count(*) FROM conversations WHERE hidden = ''").fetchone()[0]
    events = db.execute("SELECT count(*) FROM events WHERE kind <> ?", (MISSING,)).fetchone()[0]
    missing = db.execute(
        "SELECT CAST(total(characters) AS INTEGER) FROM events WHERE kind = ? AND payload = ''", (MISSING,)
    ).fetchone()[0]
    db.execute("COMMIT")
    return Saved(conversations, events, missing, cut)


def _restore_last_numbers(db: sqlite3.Connection) -> None:
    """Use the spans for the last number: it is stored in the row as well, and either may be lost or outdated."""
    db.execute(
        f"UPDATE conversations SET last_seq = coalesce((SELECT max(last_seq) FROM spans WHERE conversation = key"
        f" AND last_seq <= {LAST}), iif(typeof(last_seq) = 'integer' AND last_seq BETWEEN 0 AND {LAST}, last_seq, 0))"
    )
    db.execute(
        "INSERT OR IGNORE INTO spans SELECT key, 0, 1, last_seq, 0, 0, 0 FROM conversations"
        " WHERE last_seq > 0 AND key NOT IN (SELECT conversation FROM spans)"
    )

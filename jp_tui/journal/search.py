"""Full-text index over the searchable text of events, updated and queried in slices.

It follows the log instead of being written with each append, so appends stay fast, and old databases and those written
without FTS5 are indexed the same way. A conversation records the number up to which it is indexed. The index stores no
text: removing an entry needs its text again. A damaged, replaced or missing index is rebuilt from the log.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from itertools import count

from jp_tui.journal.connect import IndexDamaged
from jp_tui.journal.port import SearchHitRef
from jp_tui.journal.schema import LAST, SHIFT

MODULE = "fts5"
LONGEST = 1 << 18
"""Indexed characters per event; of a large result only the beginning is searchable."""
SLICE_EVENTS, SLICE_CHARACTERS = 400, 400_000
"""Indexed by one job of the writer; an append then waits 50 ms at most."""
_OURS = f"CREATE VIRTUAL TABLE search USING {MODULE}(text, content=''"
_CREATE = f"{_OURS}, tokenize='unicode61 remove_diacritics 2', prefix='1 2')"
_ITS_TABLES = ("search_data", "search_idx", "search_docsize", "search_config")
_DAMAGED = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT_VTAB, sqlite3.SQLITE_CONSTRAINT})
"""SQLite's errors for an unreadable index. Our statements contain no user input, so an error can't come from it."""
_ADD = f"INSERT INTO search (rowid, text) SELECT place, substr(text, 1, {LONGEST}) FROM events"
_TAKE = f"INSERT INTO search (search, rowid, text) SELECT 'delete', place, substr(text, 1, {LONGEST}) FROM events"


def possible(db: sqlite3.Connection) -> bool:
    """True if this SQLite supports full-text search."""
    return db.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", (MODULE,)).fetchone() is not None


def _standing(db: sqlite3.Connection) -> str | None:
    """Return the SQL of what has the index's name."""
    row = db.execute("SELECT sql FROM sqlite_master WHERE name = 'search' COLLATE NOCASE").fetchone()
    return None if row is None else str(row[0])


def made(db: sqlite3.Connection) -> bool:
    """True if there is a usable index."""
    return _standing(db) == _CREATE and possible(db)


@contextlib.contextmanager
def asking() -> Iterator[None]:
    """Raise IndexDamaged for errors of the index. The transaction may be lost with it, so the repair needs another."""
    try:
        yield
    except (sqlite3.Error, MemoryError) as error:
        if not _damaged(error):
            raise
        raise IndexDamaged(str(error) or "out of memory") from error


def _damaged(error: sqlite3.Error | MemoryError) -> bool:
    """True for index errors. A damaged length makes SQLite request too much memory."""
    return isinstance(error, MemoryError) or getattr(error, "sqlite_errorcode", None) in _DAMAGED


def renew(db: sqlite3.Connection) -> None:
    """Drop the index in any state; it is rebuilt from the log. A foreign table with its name, or that of one of its
    parts, is renamed. Runs inside a transaction. Raises IndexDamaged."""
    with asking():
        if (_standing(db) or "").startswith(_OURS):
            try:
                db.execute("DROP TABLE search")
            except (sqlite3.Error, MemoryError) as error:
                if not _damaged(error):
                    raise
                _strike_out(db)  # its own module refuses to drop it
        for name in ("search", *_ITS_TABLES):
            _clear(db, name)
        db.execute("UPDATE conversations SET indexed = 0 WHERE indexed <> 0")


def _strike_out(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA writable_schema = ON")
    try:
        db.execute("DELETE FROM sqlite_master WHERE name = 'search'")
    finally:
        db.execute("PRAGMA writable_schema = RESET")


def _clear(db: sqlite3.Connection, name: str) -> None:
    """Make this name free."""
    row = db.execute("SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE", (name,)).fetchone()
    if row is None:
        return
    if row[0] == "table" and not str(row[1]).startswith(f"CREATE TABLE '{name}'("):  # the module's quoting style
        taken = {other for (other,) in db.execute("SELECT name FROM sqlite_master")}
        free = next(new for at in count(1) if (new := f"{name}_of_another_program_{at}") not in taken)
        db.execute(f"ALTER TABLE {name} RENAME TO {free}")
    else:  # part of the index, or without content: a view, an index
        db.execute(f"DROP {row[0]} {name}")


def index(db: sqlite3.Connection) -> int:
    """Index one more slice, newest conversations first. Return the number of events, 0 at the end or without FTS5. Runs
    inside a transaction. Raises IndexDamaged."""
    if not possible(db):
        return 0
    stands = _standing(db) == _CREATE
    if not stands:
        renew(db)
    row = db.execute(
        "SELECT key, indexed, last_seq FROM conversations WHERE indexed < last_seq"
        f" AND typeof(indexed) = 'integer' AND typeof(last_seq) = 'integer' AND indexed >= 0 AND last_seq <= {LAST}"
        " ORDER BY key DESC LIMIT 1"  # one conversation with a wrong count must not hide all others
    ).fetchone()
    if row is None:
        return 0
    if not stands:
        with asking():
            db.execute(_CREATE)
    key, indexed, last = row
    upto, size = indexed, 0
    for seq, characters in db.execute(
        "SELECT seq, characters FROM events WHERE place > ? AND place <= ? ORDER BY place LIMIT ?",
        (key << SHIFT | indexed, key << SHIFT | last, SLICE_EVENTS),
    ):
        upto, size = seq, size + min(characters, LONGEST)
        if size > SLICE_CHARACTERS:
            break
    if upto == indexed:  # an unexpected gap: skip it for good
        upto = last
    _write(db, _ADD, key << SHIFT | indexed, key << SHIFT | upto)
    db.execute("UPDATE conversations SET indexed = ? WHERE key = ?", (upto, key))
    return int(upto - indexed)


def forget(db: sqlite3.Connection, first: int, last: int) -> None:
    """Remove these places from the index, before the events are deleted. Raises IndexDamaged."""
    if made(db):
        _write(db, _TAKE, first - 1, last)


def _write(db: sqlite3.Connection, statement: str, after: int, last: int) -> None:
    with asking():
        db.execute(f"{statement} WHERE place > ? AND place <= ? AND text <> ''", (after, last))
        db.execute("SAVEPOINT written")  # newer modules defer the write until a savepoint or the commit
        db.execute("RELEASE written")


class EventSearch:
    """Search in slices, newest conversations first. `wants` selects conversations by key; at most `hits` places per
    conversation and `limit` conversations."""

    def __init__(
        self, db: sqlite3.Connection, expression: str, wants: Callable[[int], bool], limit: int, hits: int
    ) -> None:
        self.db, self.expression, self.wants, self.limit, self.hits = db, expression, wants, limit, hits
        self.more = False
        self.places: dict[int, list[SearchHitRef]] = {}
        self.others: set[int] = set()
        self._below = (1 << 63) - 1
        self._passed: dict[int, bool] = {}

    def run_for(self, seconds: float) -> bool:
        """Search for about `seconds`; return True at the end. Raises sqlite3.Error, including IndexDamaged."""
        began = time.monotonic()
        asked, cost, passing = (
            "SELECT rowid FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC",
            0.0,
            0.0,
        )
        for (place,) in self.db.execute(asked, (self.expression, self._below)):
            now = time.monotonic()
            cost = cost or now - began  # the cost of a new query
            key = place >> SHIFT
            wanted = self._add_match(key, place & LAST)
            if self.more:
                return True
            passing = 0.0 if wanted else passing or now
            over = now - began > max(seconds, 2 * cost)
            # enough hits of this one: skip to the next, if a new query costs less than reading on
            leaves = not wanted and (over or now - passing > cost)
            self._below = key << SHIFT if leaves else place
            if over or leaves:
                return False
        return True

    def _add_match(self, key: int, seq: int) -> bool:
        held = self.places.get(key)
        if held is not None:
            if len(held) >= self.hits:
                self.others.add(key)
                return False
            held.append(SearchHitRef(key, seq))
            return True
        if key not in self._passed:
            self._passed[key] = self.wants(key)
        if not self._passed[key]:
            return False
        if len(self.places) >= self.limit:
            self.more = True
            return False
        self.places[key] = [SearchHitRef(key, seq)]
        return True

"""The full-text index over the searchable text of events: brought up to date in slices, asked in slices.

It follows the log instead of being written with each append: appending costs what it did, a database of before is
indexed by the same means, and one that was written to by a program without FTS5 as well. A conversation knows up to
which number it is indexed. The index holds no text of its own: what is taken out is named by its text again. One that
another program damaged, replaced or took away is made anew from the log.
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
"""Characters of one event that are indexed: a result of megabytes is found by its beginning."""
SLICE_EVENTS, SLICE_CHARACTERS = 400, 400_000
"""What one job of the writer indexes: an append waits some tens of milliseconds at most."""
_OURS = f"CREATE VIRTUAL TABLE search USING {MODULE}(text, content=''"
_CREATE = f"{_OURS}, tokenize='unicode61 remove_diacritics 2', prefix='1 2')"
_ITS_TABLES = ("search_data", "search_idx", "search_docsize", "search_config")
_DAMAGED = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT_VTAB, sqlite3.SQLITE_CONSTRAINT})
"""What SQLite says of an index that cannot be read, by our statements: they name nothing that a user typed."""
_ADD = f"INSERT INTO search (rowid, text) SELECT place, substr(text, 1, {LONGEST}) FROM events"
_TAKE = f"INSERT INTO search (search, rowid, text) SELECT 'delete', place, substr(text, 1, {LONGEST}) FROM events"


def possible(db: sqlite3.Connection) -> bool:
    """Whether this SQLite can search texts."""
    return db.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", (MODULE,)).fetchone() is not None


def _standing(db: sqlite3.Connection) -> str | None:
    """What stands where the index does, in SQL."""
    row = db.execute("SELECT sql FROM sqlite_master WHERE name = 'search' COLLATE NOCASE").fetchone()
    return None if row is None else str(row[0])


def made(db: sqlite3.Connection) -> bool:
    """Whether there is an index that can be asked."""
    return _standing(db) == _CREATE and possible(db)


@contextlib.contextmanager
def asking() -> Iterator[None]:
    """What the index says of itself as IndexDamaged. The transaction may be gone with it, so nothing is mended in the
    same one."""
    try:
        yield
    except (sqlite3.Error, MemoryError) as error:
        if not _damaged(error):
            raise
        raise IndexDamaged(str(error) or "out of memory") from error


def _damaged(error: sqlite3.Error | MemoryError) -> bool:
    """A damaged length makes SQLite ask for more memory than there is."""
    return isinstance(error, MemoryError) or getattr(error, "sqlite_errorcode", None) in _DAMAGED


def renew(db: sqlite3.Connection) -> None:
    """Take the index away, whatever became of it; it is made again from the log. A table of another program that has
    its name, or that of one of its parts, is kept under another. Runs inside a transaction. Raises IndexDamaged."""
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
    """From now on nothing has this name."""
    row = db.execute("SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE", (name,)).fetchone()
    if row is None:
        return
    if row[0] == "table" and not str(row[1]).startswith(f"CREATE TABLE '{name}'("):  # the module quotes so
        taken = {other for (other,) in db.execute("SELECT name FROM sqlite_master")}
        free = next(new for at in count(1) if (new := f"{name}_of_another_program_{at}") not in taken)
        db.execute(f"ALTER TABLE {name} RENAME TO {free}")
    else:  # a part of ours, or what holds nothing: a view, an index
        db.execute(f"DROP {row[0]} {name}")


def index(db: sqlite3.Connection) -> int:
    """Index one slice more, the newest conversations first; how many events that was, 0 when nothing is left, or
    nothing can be. Runs inside a transaction. Raises IndexDamaged."""
    if not possible(db):
        return 0
    stands = _standing(db) == _CREATE
    if not stands:
        renew(db)
    row = db.execute(
        "SELECT key, indexed, last_seq FROM conversations WHERE indexed < last_seq"
        f" AND typeof(indexed) = 'integer' AND typeof(last_seq) = 'integer' AND indexed >= 0 AND last_seq <= {LAST}"
        " ORDER BY key DESC LIMIT 1"  # an odd count of one must not keep all others from being found
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
    if upto == indexed:  # a gap that should not be: never asked again
        upto = last
    _write(db, _ADD, key << SHIFT | indexed, key << SHIFT | upto)
    db.execute("UPDATE conversations SET indexed = ? WHERE key = ?", (upto, key))
    return int(upto - indexed)


def forget(db: sqlite3.Connection, first: int, last: int) -> None:
    """Take what was indexed of these places out, before the events go. Raises IndexDamaged."""
    if made(db):
        _write(db, _TAKE, first - 1, last)


def _write(db: sqlite3.Connection, statement: str, after: int, last: int) -> None:
    with asking():
        db.execute(f"{statement} WHERE place > ? AND place <= ? AND text <> ''", (after, last))
        db.execute("SAVEPOINT written")  # newer modules hold it back until now, or else until the end of everything
        db.execute("RELEASE written")


class EventSearch:
    """A search that goes on slice by slice, the newest conversations first. `wants` says whether a conversation, by its
    key, counts; of one that does at most `hits` places are found, of at most `limit` conversations."""

    def __init__(
        self, db: sqlite3.Connection, expression: str, wants: Callable[[int], bool], limit: int, hits: int
    ) -> None:
        self.db, self.expression, self.wants, self.limit, self.hits = db, expression, wants, limit, hits
        self.more = False
        self.places: dict[int, list[SearchHitRef]] = {}
        self.others: set[int] = set()
        self._below = (1 << 63) - 1
        self._passed: dict[int, bool] = {}

    def go_on(self, seconds: float) -> bool:
        """Search for about so long; True when it is over. Raises sqlite3.Error, and so IndexDamaged."""
        began = time.monotonic()
        asked, cost, passing = (
            "SELECT rowid FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC",
            0.0,
            0.0,
        )
        for (place,) in self.db.execute(asked, (self.expression, self._below)):
            now = time.monotonic()
            cost = cost or now - began  # what it takes to ask anew
            key = place >> SHIFT
            wanted = self._take(key, place & LAST)
            if self.more:
                return True
            passing = 0.0 if wanted else passing or now
            over = now - began > max(seconds, 2 * cost)
            # nothing more is wanted of this one: straight to the next, where that is no more work than going through
            leaves = not wanted and (over or now - passing > cost)
            self._below = key << SHIFT if leaves else place
            if over or leaves:
                return False
        return True

    def _take(self, key: int, seq: int) -> bool:
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

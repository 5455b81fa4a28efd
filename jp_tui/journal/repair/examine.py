"""Check that the database is sound and of the current version, and repair what is only derived.

`find_missing` is fast and runs at each start; `find_damage` reads the whole file.
"""

from __future__ import annotations

import re
import sqlite3
import time
from functools import cache
from itertools import chain

from jp_tui.journal import derived
from jp_tui.journal.doubt import Suspect
from jp_tui.journal.schema import STEPS

ESSENTIAL = ("conversations", "events")
"""Without these it isn't jp-tui's database; all other tables can be rebuilt."""
_MADE = re.compile(r"\s*CREATE (TABLE|INDEX) (\w+)")
_STEPS = 10_000  # of SQLite's machine, between two checks of the clock


@cache
def _parts() -> dict[str, str]:
    """Return the statement for each table and index by name, in a working order."""
    found = {}
    for statement in chain.from_iterable(STEPS):
        if made := _MADE.match(statement):
            found[made[2]] = statement
    return found


def find_missing(db: sqlite3.Connection) -> list[str]:
    """Return missing tables and indexes. Raises Suspect if one is essential."""
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'index')")}
    found = [name for name in _parts() if name not in there]
    if any(name in ESSENTIAL for name in found):
        raise Suspect(f"it has no table {found[0]}")
    return found


def complete(db: sqlite3.Connection, names: list[str]) -> None:
    """Create them empty; examining the conversations fills them. Runs inside a transaction."""
    for name in names:
        db.execute(_parts()[name])
    if "names" in names:
        db.execute(
            "INSERT OR IGNORE INTO names SELECT key, id, workspace, title, model, created, parent, titled"
            " FROM conversations"
        )


def agree(db: sqlite3.Connection, seconds: float) -> int:
    """Rebuild derived data that disagrees with its events; return the number of conversations. Runs inside a
    transaction."""
    wrong, orphans = derived.disagreeing(db, seconds)
    for key in orphans:
        derived.adopt(db, key)
    for key in (*wrong, *orphans):
        derived.rebuild(db, key)
    return len(wrong) + len(orphans)


def strange(db: sqlite3.Connection) -> str:
    """Describe what isn't part of jp-tui's schema; empty if there is nothing. Raises sqlite3.Error, Suspect."""
    if missing := find_missing(db):
        return f"it has no {missing[0]}"
    if other := db.execute("SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone():
        return f"it has {other[0]}, which jp-tui didn't create"
    for table, wanted in _columns().items():
        if (found := _columns_of(db, table)) != wanted:
            return f"the columns of {table} are {', '.join(found)}"
    return ""


@cache
def _columns() -> dict[str, list[str]]:
    """Return the columns of each table."""
    made = sqlite3.connect(":memory:")
    try:
        for statement in chain.from_iterable(STEPS):
            made.execute(statement)
        tables = made.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return {name: _columns_of(made, name) for (name,) in tables.fetchall()}
    finally:
        made.close()


def _columns_of(db: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def find_damage(db: sqlite3.Connection, seconds: float | None = None) -> str:
    """Return what SQLite's check finds wrong in jp-tui's tables and indexes, in its words; empty if nothing, or if it
    doesn't end in time. The text index is rebuilt separately."""
    if seconds is not None:
        until = time.monotonic() + seconds
        db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        for table in _columns():
            said = str(db.execute(f"PRAGMA integrity_check({table})").fetchone()[0])
            if said != "ok":
                return said
    except sqlite3.DatabaseError as error:
        if "interrupted" in str(error):
            return ""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return str(error)
        raise
    finally:
        db.set_progress_handler(None, 0)
    return ""

"""Changes to whole conversations: hide and restore, copy, remove slice by slice.

Each function runs inside a transaction that the caller begins and ends (as in `changes.py`). A sub-agent's conversation
follows its parent. No vacuum: freed space is reused.
"""

from __future__ import annotations

import sqlite3

from jp_tui.journal import search
from jp_tui.journal.changes import create, key_of
from jp_tui.journal.conversation_rows import FAMILY
from jp_tui.journal.port import MAKING, TITLED, Copied, JournalError, Titled
from jp_tui.journal.row_values import whole
from jp_tui.journal.schema import LAST, SHIFT

SLICE = 400
"""Events removed by one job, so that other writes wait only some 10 ms."""


def make(db: sqlite3.Connection, copied: Copied) -> None:
    """Create a conversation that stays hidden until `reveal`. Raises JournalError `exists`."""
    create(db, copied.id, copied.workspace, copied.title, copied.model, copied.at, copied.parent)
    db.execute(
        "UPDATE conversations SET hidden = ?, origin = ?, imported = ?, copied = ?, titled = ? WHERE id = ?",
        (MAKING, copied.origin, copied.imported, copied.copied, TITLED.index(copied.titled), copied.id),
    )
    db.execute("UPDATE names SET titled = ? WHERE id = ?", (TITLED.index(copied.titled), copied.id))


def reveal(db: sqlite3.Connection, conversation: str) -> None:
    """Mark it as complete."""
    db.execute("UPDATE conversations SET hidden = '' WHERE key = ?", (key_of(db, conversation),))


def hide(db: sqlite3.Connection, conversation: str, at: str) -> None:
    """Delete it with those of its sub-agents, as of this time."""
    _family(db, conversation, "hidden", at, "AND hidden = ''")


def restore(db: sqlite3.Connection, conversation: str) -> None:
    """Restore it with everything deleted at the same time."""
    key = key_of(db, conversation)
    (at,) = db.execute("SELECT hidden FROM conversations WHERE key = ?", (key,)).fetchone()
    if at == MAKING:
        raise JournalError("unknown", f"there is no conversation {conversation}")
    _family(db, conversation, "hidden", "", "AND hidden = ?", at)


def set_archived(db: sqlite3.Connection, conversation: str, archived: bool) -> None:
    """Hide a conversation and those of its sub-agents from the lists, or show them again."""
    _family(db, conversation, "archived", archived)


def _family(db: sqlite3.Connection, conversation: str, column: str, value: object, where: str = "", *more: str) -> None:
    key_of(db, conversation)
    db.execute(
        f"{FAMILY} UPDATE conversations SET {column} = ? WHERE id IN (SELECT id FROM family) {where}",
        (conversation, value, *more),
    )


def set_title(db: sqlite3.Connection, conversation: str, title: str, titled: Titled, but: Titled | None) -> bool:
    """Set the title; with `but` only if the present title was made that way. Return True if it was set."""
    key = key_of(db, conversation)
    done = db.execute(
        "UPDATE conversations SET title = ?, titled = ? WHERE key = ? AND (? IS NULL OR titled = ?)",
        (title, TITLED.index(titled), key, but, TITLED.index(but) if but is not None else None),
    )
    if done.rowcount > 0:
        db.execute("UPDATE names SET title = ?, titled = ? WHERE key = ?", (title, TITLED.index(titled), key))
    return done.rowcount > 0


def remove(db: sqlite3.Connection, conversation: str) -> int:
    """Remove one slice of a hidden conversation for good. Return the number of events, 0 once nothing is left. Its
    sub-agents' conversations need separate calls."""
    row = db.execute("SELECT key, indexed FROM conversations WHERE id = ? AND hidden <> ''", (conversation,)).fetchone()
    if row is None:
        return 0
    key, indexed = row[0], whole(row[1])
    places = db.execute(
        "SELECT place FROM events WHERE place > ? AND place <= ? ORDER BY place DESC LIMIT ?",
        (key << SHIFT, key << SHIFT | LAST, SLICE),
    ).fetchall()
    if not places:
        _last(db, key, conversation)
        return 0
    first, upto = places[-1][0], places[0][0]
    search.forget(db, first, min(upto, key << SHIFT | indexed))
    db.execute("DELETE FROM waiting WHERE conversation = ?", (key,))
    db.execute("DELETE FROM events WHERE place >= ? AND place <= ?", (first, upto))
    left = (first & LAST) - 1
    db.execute(
        "UPDATE conversations SET hidden = ?, last_seq = ?, events = ?, indexed = min(indexed, ?) WHERE key = ?",
        (MAKING, left, left, left, key),  # a partly removed conversation is never restored
    )
    return len(places)


def _last(db: sqlite3.Connection, key: int, conversation: str) -> None:
    for table in ("spans", "partials", "waiting"):
        db.execute(f"DELETE FROM {table} WHERE conversation = ?", (key,))
    for table in ("drafts", "offers"):
        db.execute(f"DELETE FROM {table} WHERE conversation = ?", (conversation,))
    for table in ("names", "conversations"):
        db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))

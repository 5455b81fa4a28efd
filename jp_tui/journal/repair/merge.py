"""Merge one store into another: add missing conversations, and events after the last common one.

Logs only grow, so one copy of a conversation is a prefix of the other, or they diverged: then the source becomes a
separate conversation. The target is only added to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import Any

from jp_tui.journal import derived
from jp_tui.journal.port import MISSING, TITLED
from jp_tui.journal.row_values import fetched
from jp_tui.journal.schema import LAST, SHIFT

_COLUMNS = "id, workspace, title, model, created, updated, parent, archived, hidden, origin, imported, copied, titled"
_EVENTS = "SELECT place, turn, kind, inquiry, at, lines, characters, payload, text FROM events"
_HERE = "WHERE place > ? AND place <= ? ORDER BY place"
_INSERT = "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_MANY = "SELECT total(events) FROM spans WHERE conversation = ?"
_OFFER = "id, conversation, inquiry, payload, at, state, words"
_BATCH = 200


@dataclass(slots=True)
class Merged:
    """Number of conversations and events added; `apart` maps the ids of diverged conversations to those of their
    copies."""

    conversations: int = 0
    events: int = 0
    apart: dict[str, str] = field(default_factory=dict)


def merge(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    held: Collection[str] = (),
    lost: Collection[str] = (),
) -> Merged:
    """Merge all of `source` into `target` in one transaction. The caller writes the conversations `held`, and wrote
    those that are `lost`: another process writes them now, so new events of them become a copy. Raises sqlite3.Error
    without a change."""
    found = Merged()
    target.execute("BEGIN IMMEDIATE")
    try:
        for key, *row in fetched(source, f"SELECT key, {_COLUMNS} FROM conversations ORDER BY key", ()):
            id_ = row[0]
            _conversation(source, target, key, tuple(row), found, held=id_ in held, lost=id_ in lost)
        for draft in fetched(source, "SELECT conversation, key, text FROM drafts", ()):
            over = "REPLACE" if draft[0] in held else "IGNORE"
            target.execute(f"INSERT OR {over} INTO drafts VALUES (?, ?, ?)", draft)
        for offer in fetched(source, f"SELECT {_OFFER} FROM offers WHERE state = 'open'", ()):
            target.execute(f"INSERT OR IGNORE INTO offers ({_OFFER}) VALUES (?, ?, ?, ?, ?, ?, ?)", offer)
        target.execute("COMMIT")
    except BaseException:
        if target.in_transaction:
            target.execute("ROLLBACK")
        raise
    return found


def _conversation(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    key: int,
    row: tuple[Any, ...],
    found: Merged,
    *,
    held: bool,
    lost: bool,
) -> None:
    there = fetched(target, "SELECT key FROM conversations WHERE id = ?", (row[0],))
    into = there[0][0] if there else _made(target, key, row)
    found.conversations += not there
    if not _same(source, key, target, into):
        same, common = _common(source, key, target, into)
        if there and (not same or (lost and _missing_events(source, key, target, into, ours=False) is not None)):
            if _is_merged(source, key, target, row[0]):
                return
            copy = _free(target, row[0])
            found.apart[row[0]] = copy
            into = _made(target, None, _copied(row, copy, common))
            held = True
        found.events += _fill(source, key, target, into, ours=held)
        derived.rebuild(target, into)
    if held or not there:  # its writer knows what is unfinished
        _parts(source, key, target, into)


def _is_merged(source: sqlite3.Connection, key: int, target: sqlite3.Connection, id_: str) -> bool:
    """True if a copy has all of it: another process that wrote to the same file merged it."""
    copies = fetched(target, "SELECT key FROM conversations WHERE origin = ?", (id_,))
    return any(
        _common(source, key, target, into)[0] and _missing_events(source, key, target, into, ours=False) is None
        for (into,) in copies
    )


def _copied(row: tuple[Any, ...], id_: str, common: int) -> tuple[Any, ...]:
    """Return the row of a copy under another id, with its origin."""
    return id_, row[1], f"{row[2]} (copy)", *row[3:9], row[0], None, common, TITLED.index("user")


def _free(target: sqlite3.Connection, id_: str) -> str:
    """Return an unused id."""
    names = (f"{id_}-{number}" for number in count(2))
    return next(name for name in names if not fetched(target, "SELECT 1 FROM conversations WHERE id = ?", (name,)))


def _made(target: sqlite3.Connection, key: int | None, row: tuple[Any, ...]) -> int:
    """Insert a row, under this key if it is free; return its key."""
    used = "SELECT 1 FROM conversations WHERE key = ? UNION SELECT 1 FROM events WHERE conversation = ?"
    made = target.execute(
        f"INSERT INTO conversations (key, {_COLUMNS}) VALUES ({', '.join('?' * (len(row) + 1))})",
        (None if fetched(target, used, (key, key)) else key, *row),
    )
    into = int(made.lastrowid or 0)
    target.execute(
        "INSERT OR REPLACE INTO names SELECT key, id, workspace, title, model, created, parent, titled"
        " FROM conversations WHERE key = ?",
        (into,),
    )
    return into


def _same(source: sqlite3.Connection, key: int, target: sqlite3.Connection, into: int) -> bool:
    """True if both end with the same event and have equally many: then they are equal."""
    ends = []
    for db, at in ((source, key), (target, into)):
        last = fetched(db, f"{_EVENTS} {_HERE} DESC LIMIT 1", (at << SHIFT, at << SHIFT | LAST))
        ends.append((fetched(db, _MANY, (at,)), [(_event_key(one), *one[5:]) for one in last]))
    return ends[0] == ends[1]


def _event_key(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what identifies an event, also a damaged one: its number, turn, kind, inquiry and time."""
    place, turn, kind, inquiry, at, *_ = row
    return place & LAST, turn, kind, inquiry, at


def _common(source: sqlite3.Connection, key: int, target: sqlite3.Connection, into: int) -> tuple[bool, int]:
    """Return True if all common events are equal, and the number up to which they are."""
    theirs = _cursor(target, into)
    held, common = next(theirs, None), 0
    for row in _cursor(source, key):
        seq = row[0] & LAST
        while held is not None and held[0] & LAST < seq:
            held = next(theirs, None)
        if held is not None and held[0] & LAST == seq and MISSING not in (held[2], row[2]):
            if _event_key(held) != _event_key(row):
                return False, common
            common = seq
    return True, common


def _cursor(db: sqlite3.Connection, key: int) -> Any:
    return iter(db.execute(f"{_EVENTS} {_HERE}", (key << SHIFT, key << SHIFT | LAST)))


def _missing_events(
    source: sqlite3.Connection, key: int, target: sqlite3.Connection, into: int, *, ours: bool
) -> Iterator[tuple[Any, ...]] | None:
    """Return the events that the target lacks, in its form; None if it has them all. A mark for missing events doesn't
    count, nor, with `ours`, one that was partly read."""
    part = into << SHIFT, into << SHIFT | LAST
    known = f"SELECT place & {LAST}, payload FROM events WHERE place > ? AND place <= ? AND kind <> '{MISSING}'"
    there = {seq: hash(payload) for seq, payload in target.execute(known, part)}
    found = (
        (into << SHIFT | seq, into, seq, *rest)
        for place, *rest in _cursor(source, key)
        if ((seq := place & LAST) not in there or (ours and there[seq] != hash(rest[6]))) and rest[1] != MISSING
    )
    first = next(found, None)
    return None if first is None else chain([first], found)


def _fill(source: sqlite3.Connection, key: int, target: sqlite3.Connection, into: int, *, ours: bool) -> int:
    """Add the events that the target lacks; return their number."""
    added = 0
    for batch in _batches(_missing_events(source, key, target, into, ours=ours) or iter(())):
        target.executemany(_INSERT, batch)
        added += len(batch)
    return added


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _parts(source: sqlite3.Connection, key: int, target: sqlite3.Connection, into: int) -> None:
    """Copy unfinished parts from the source."""
    parts = fetched(source, "SELECT part, kind, text FROM partials WHERE conversation = ? ORDER BY number", (key,))
    target.execute("DELETE FROM partials WHERE conversation = ?", (into,))
    target.executemany(
        "INSERT INTO partials (conversation, part, kind, text) VALUES (?, ?, ?, ?)", [(into, *row) for row in parts]
    )

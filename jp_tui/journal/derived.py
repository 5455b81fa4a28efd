"""Data derived from a conversation's events, and its repair: last number, turns, counts, spans, open inquiries, and a
row missing beside its events (Z25).

`disagreeing` only reads, first a few rows of each conversation; `rebuild` reads all of one. Both expect a sound file
(`repair/examine.py`) and run inside a transaction that the caller begins and ends.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from itertools import chain
from typing import Any

from jp_tui.journal import search
from jp_tui.journal.port import MISSING, SPAN
from jp_tui.journal.row_values import MOST, fetched, whole
from jp_tui.journal.schema import LAST, SHIFT

SPARE_ID = "found{key}"
"""Id of a conversation whose own is lost."""
_ROWS = "SELECT key, last_seq, events, turns, ended, updated, created, indexed FROM conversations"
_HERE = "FROM events WHERE place > :first AND place <= :last"
_TURN = f"typeof(turn) = 'integer' AND turn BETWEEN 0 AND {MOST}"
_TAIL = f"SELECT place, turn, kind, at {_HERE} ORDER BY place DESC LIMIT 1"
_ENDED = f"SELECT turn {_HERE} AND kind = 'turn_outcome' ORDER BY place DESC LIMIT 1"
_COUNTS = f"""
SELECT coalesce(max(place) & {LAST}, 0), count(*), coalesce(max(turn) FILTER (WHERE {_TURN}), 0),
  coalesce(max(turn) FILTER (WHERE kind = 'turn_outcome' AND {_TURN}), 0),
  coalesce(max(at) FILTER (WHERE typeof(at) = 'text'), '')
{_HERE}
"""
_SUMMED = "SELECT max(last_seq), total(events) FROM spans WHERE conversation = :key"
_WAITING = f"""
SELECT inquiry, sum(iif(kind = 'inquiry_request', 1, -1)) AS missing,
  coalesce(max(place) FILTER (WHERE kind = 'inquiry_request'), max(place)) AS place
{_HERE} AND inquiry IS NOT NULL AND turn = :turn AND kind IN ('inquiry_request', 'inquiry_response')
GROUP BY inquiry HAVING missing <> 0
"""
_SUMS = f"""
INSERT INTO spans
SELECT :key, ((place & {LAST}) - 1) / {SPAN}, min(place & {LAST}), max(place & {LAST}), count(*),
  CAST(min({MOST}, total(iif(typeof(characters) = 'integer', characters, 0))) AS INTEGER),
  CAST(min({MOST}, total(iif(typeof(lines) = 'integer', lines, 0))) AS INTEGER)
{_HERE} GROUP BY 2
"""


def disagreeing(db: sqlite3.Connection, seconds: float) -> tuple[list[int], list[int]]:
    """Return the keys of conversations whose derived data disagrees with their events, and the keys of events without a
    conversation. Newest first; stops after about `seconds`."""
    until = time.monotonic() + seconds
    rows = {row[0]: row[1:] for row in fetched(db, f"{_ROWS} ORDER BY updated DESC", ())}
    waits = {key for (key,) in fetched(db, "SELECT DISTINCT conversation FROM waiting", ())}
    wrong: list[int] = []
    for key, row in rows.items():
        if time.monotonic() > until:
            break
        if not _agrees(db, key, row, waits=key in waits):
            wrong.append(key)
    named = [key for (key,) in fetched(db, "SELECT key FROM names", ())]
    return wrong, sorted({key for key in chain(_keys(db), named) if key not in rows})


def _keys(db: sqlite3.Connection) -> Iterable[int]:
    """Return the keys with events: one query for each, however many events it has."""
    found = fetched(db, "SELECT place FROM events ORDER BY place LIMIT 1", ())
    while found:
        key = found[0][0] >> SHIFT
        yield key
        found = fetched(db, "SELECT place FROM events WHERE place > ? ORDER BY place LIMIT 1", (key << SHIFT | LAST,))


def _agrees(db: sqlite3.Connection, key: int, row: tuple[Any, ...], *, waits: bool) -> bool:
    """True if the row agrees with the events: the last ones if they suffice, else all."""
    *counts, created, indexed = row
    last, events, turns, ended = counts[:4]
    place, turn, kind, at = next(iter(_all(db, _TAIL, key)), (0, 0, "", ""))
    outcome = [(turn,)] if kind == "turn_outcome" else _all(db, _ENDED, key)
    plain = [place & LAST, last, turn, outcome[0][0] if outcome else 0, _later(created, at)]
    if counts != plain and counts != _counted(db, key, created):
        return False
    if type(indexed) is not int or not 0 <= indexed <= last:
        return False
    if _all(db, _SUMMED, key)[0] != (last or None, events):
        return False
    if ended == turns:
        return not waits
    stands = _all(db, "SELECT inquiry, missing, place FROM waiting WHERE conversation = :key", key)
    return set(stands) == set(_waiting(db, key, turns))


def _counted(db: sqlite3.Connection, key: int, created: object) -> list[object]:
    """Return last_seq, events, turns, ended and updated, computed from all events."""
    ((*counts, at),) = _all(db, _COUNTS, key)
    return [*counts, _later(created, at)]


def _later(created: object, at: object) -> str:
    return max(created if isinstance(created, str) else "", at if isinstance(at, str) else "")


def _waiting(db: sqlite3.Connection, key: int, turn: int) -> list[tuple[Any, ...]]:
    return _all(db, _WAITING, key, turn=turn)


def _all(db: sqlite3.Connection, statement: str, key: int, **values: object) -> list[tuple[Any, ...]]:
    return fetched(db, statement, {"key": key, "first": key << SHIFT, "last": key << SHIFT | LAST, **values})


def rebuild(db: sqlite3.Connection, key: int) -> None:
    """Compute all derived data of a conversation again, and mark missing events."""
    _mark_missing(db, key)
    created, indexed = fetched(db, "SELECT created, indexed FROM conversations WHERE key = ?", (key,))[0]
    last, events, turns, ended, updated = _counted(db, key, created)
    db.execute(
        "UPDATE conversations SET last_seq = ?, events = ?, turns = ?, ended = ?, updated = ? WHERE key = ?",
        (last, events, turns, ended, updated, key),
    )
    db.execute("DELETE FROM spans WHERE conversation = ?", (key,))
    db.execute(_SUMS, {"key": key, "first": key << SHIFT, "last": key << SHIFT | LAST})
    db.execute("DELETE FROM waiting WHERE conversation = ?", (key,))
    if whole(ended) < whole(turns):
        db.executemany(
            "INSERT INTO waiting (inquiry, missing, place, conversation) VALUES (?, ?, ?, ?)",
            [(*row, key) for row in _waiting(db, key, whole(turns))],
        )
    if type(indexed) is not int or not 0 <= indexed <= whole(last):  # it is unknown which events a search finds
        search.renew(db)


def _mark_missing(db: sqlite3.Connection, key: int) -> None:
    """Insert one row of kind MISSING at the end of each range of numbers without events; also after the last event, if
    the row and the spans agree that there were more."""
    marks: list[tuple[int, int, object, int]] = []
    after, turn, at = 0, 0, ""
    for place, turn, at, kind in _all(db, f"SELECT place, turn, at, kind {_HERE} ORDER BY place", key):
        seq = place & LAST
        if seq > after + 1 and kind != MISSING:
            marks.append((seq - 1, whole(turn), at, seq - 1 - after))
        after = seq
    known, known_turn = _known(db, key)
    if known > after:
        marks.append((known, max(whole(turn), known_turn), at, known - after))
    db.executemany(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, NULL, ?, 0, ?, '', '')",
        [(key << SHIFT | seq, key, seq, turn, MISSING, at, count) for seq, turn, at, count in marks],
    )


def _known(db: sqlite3.Connection, key: int) -> tuple[int, int]:
    """Return the last number that the row and the spans agree on, 0 if they don't, and the last turn."""
    row = fetched(db, "SELECT last_seq, turns FROM conversations WHERE key = ?", (key,))
    said, turns = row[0] if row else (0, 0)
    agreed = type(said) is int and 0 < said <= LAST and _all(db, _SUMMED, key)[0][0] == said
    return (said, whole(turns)) if agreed else (0, 0)


def adopt(db: sqlite3.Connection, key: int) -> str:
    """Restore the row of a conversation from its second record, else from its events; return the id."""
    known = fetched(db, "SELECT id, workspace, title, model, created, parent, titled FROM names WHERE key = ?", (key,))
    if known:
        row = known[0]
    else:
        asked = "SELECT text, at FROM events WHERE conversation = ? AND kind = 'chat_request' ORDER BY place LIMIT 1"
        text, at = next(iter(fetched(db, asked, (key,))), ("", ""))
        row = SPARE_ID.format(key=key), "", str(text).strip().partition("\n")[0][:80], "", str(at), None, 0
    db.execute(
        "INSERT OR IGNORE INTO conversations (key, id, workspace, title, model, created, parent, titled, updated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')",
        (key, *row),
    )
    return str(row[0])

"""What a write does to the tables. Each function runs inside a transaction that somebody else begins and ends.

Numbers, spans and counts are kept here, at append; nobody counts events afterwards. Knows no threads, no files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import timedelta

from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.journal.port import SPAN, Entry, JournalError, OfferState
from jp_tui.journal.schema import LAST, SHIFT
from jp_tui.journal.tame import fetched, whole

_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SPAN = """
INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (conversation, number) DO UPDATE SET
  last_seq = excluded.last_seq,
  events = events + excluded.events,
  characters = characters + excluded.characters,
  lines = lines + excluded.lines
"""
_WAITS = """
INSERT INTO waiting VALUES (?, ?, ?, ?)
ON CONFLICT (conversation, inquiry) DO UPDATE SET
  missing = missing + excluded.missing,
  place = iif(excluded.missing > 0, excluded.place, place)
"""
_CHANGES = {"inquiry_request": 1, "inquiry_response": -1}
_COUNTS = """
UPDATE conversations
SET events = events + ?, last_seq = ?, turns = max(turns, ?), updated = max(updated, ?),
  hidden = iif(hidden = 'making', hidden, '')
WHERE key = ?
"""


def create(
    db: sqlite3.Connection, conversation: str, workspace: str, title: str, model: str, at: str, parent: str | None
) -> None:
    """A new, empty conversation; JournalError `exists`."""
    try:
        db.execute(
            "INSERT INTO conversations (id, workspace, title, model, created, updated, parent)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (conversation, workspace, title, model, at, at, parent),
        )
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_UNIQUE:
            raise
        raise JournalError("exists", f"there is a conversation {conversation} already") from error


def key_of(db: sqlite3.Connection, conversation: str) -> tuple[int, int]:
    """A conversation's key and last number; JournalError `unknown`."""
    rows = fetched(db, "SELECT key, last_seq FROM conversations WHERE id = ?", (conversation,))
    if not rows:
        raise _unknown(conversation)
    return rows[0][0], whole(rows[0][1])


def _unknown(conversation: str) -> JournalError:
    return JournalError("unknown", f"there is no conversation {conversation}")


def append(
    db: sqlite3.Connection, conversation: str, entries: Sequence[Entry], closes_parts: Sequence[str]
) -> list[int]:
    """Add the entries behind the last one, forget the parts they finish; their numbers."""
    rows = fetched(db, "SELECT key, last_seq, turns, ended FROM conversations WHERE id = ?", (conversation,))
    if not rows:
        raise _unknown(conversation)
    key, (last, turns, ended) = rows[0][0], map(whole, rows[0][1:])
    if last + len(entries) > LAST:
        raise JournalError("invalid", f"the conversation {conversation} is full")
    numbers = list(range(last + 1, last + 1 + len(entries)))
    if entries:
        db.executemany(_EVENT, [_row(key, seq, entry) for seq, entry in zip(numbers, entries, strict=True)])
        db.executemany(_SPAN, [*_spans(key, numbers, entries)])
        _follow(db, key, turns, ended, numbers, entries)
        turn, at = max([entry.turn for entry in entries]), max([entry.at for entry in entries])
        db.execute(_COUNTS, (len(entries), numbers[-1], turn, at, key))
    for part in closes_parts:
        db.execute("DELETE FROM partials WHERE conversation = ? AND part = ?", (key, part))
    return numbers


def _follow(
    db: sqlite3.Connection, key: int, turns: int, ended: int, numbers: Sequence[int], entries: Sequence[Entry]
) -> None:
    """Keep what waits up to date: only a last turn without an outcome has open inquiries (`port.open_inquiries`).
    `turns` and `ended` are the last turn, and the last with an outcome, before these entries."""
    for seq, entry in zip(numbers, entries, strict=True):
        over = entry.kind == "turn_outcome" and entry.turn >= turns
        if over or entry.turn > turns:
            db.execute("DELETE FROM waiting WHERE conversation = ?", (key,))
        turns = max(turns, entry.turn)
        if over:
            ended = entry.turn
            db.execute("UPDATE conversations SET ended = ? WHERE key = ?", (ended, key))
        change = _CHANGES.get(entry.kind)
        if change and entry.inquiry is not None and ended < entry.turn == turns:
            db.execute(_WAITS, (key, entry.inquiry, change, key << SHIFT | seq))
            db.execute(
                "DELETE FROM waiting WHERE conversation = ? AND inquiry = ? AND missing = 0", (key, entry.inquiry)
            )


def _size(entry: Entry) -> int:
    return len(entry.text) if entry.characters is None else entry.characters


def _row(key: int, seq: int, entry: Entry) -> tuple[object, ...]:
    return (
        key << SHIFT | seq, key, seq, entry.turn, entry.kind, entry.inquiry, entry.at,
        entry.lines, _size(entry), entry.payload, entry.text,
    )  # fmt: skip


def _spans(key: int, numbers: Sequence[int], entries: Sequence[Entry]) -> Iterable[tuple[int, ...]]:
    """The sums of these entries, one row for each stretch of 256 that they touch."""
    start = 0
    while start < len(numbers):
        number = (numbers[start] - 1) // SPAN
        end = min(len(numbers), start + (number + 1) * SPAN - numbers[start] + 1)
        some = entries[start:end]
        sizes, lines = sum(map(_size, some)), sum([entry.lines for entry in some])
        yield key, number, numbers[start], numbers[end - 1], len(some), sizes, lines
        start = end


def add_partial(db: sqlite3.Connection, conversation: str, part: str, kind: str, text: str) -> None:
    """One more piece of a streaming part."""
    key, _ = key_of(db, conversation)
    db.execute("INSERT INTO partials (conversation, part, kind, text) VALUES (?, ?, ?, ?)", (key, part, kind, text))


def set_model(db: sqlite3.Connection, conversation: str, model: str) -> None:
    """Say which model a conversation talks to now."""
    db.execute("UPDATE conversations SET model = ? WHERE key = ?", (model, key_of(db, conversation)[0]))


def save_draft(db: sqlite3.Connection, conversation: str, key: str, text: str) -> None:
    """Keep unsent text; no conversation of that id need exist."""
    db.execute(
        "INSERT INTO drafts VALUES (?, ?, ?) ON CONFLICT (conversation, key) DO UPDATE SET text = excluded.text",
        (conversation, key, text),
    )


def clear_draft(db: sqlite3.Connection, conversation: str, key: str) -> None:
    """Forget unsent text."""
    db.execute("DELETE FROM drafts WHERE conversation = ? AND key = ?", (conversation, key))


def make_offer(db: sqlite3.Connection, conversation: str, inquiry: str, payload: str, at: str) -> int:
    """An answer for the holder to take; its number. What was offered more than a day before is forgotten."""
    key_of(db, conversation)
    try:
        yesterday = timestamp(read_timestamp(at) - timedelta(days=1))
    except (ValueError, OverflowError):
        yesterday = ""  # a time that nobody can read makes nothing old
    db.execute("DELETE FROM offers WHERE at < ?", (yesterday,))
    made = db.execute(
        "INSERT INTO offers (conversation, inquiry, payload, at) VALUES (?, ?, ?, ?)",
        (conversation, inquiry, payload, at),
    )
    return int(made.lastrowid or 0)


def settle_offer(db: sqlite3.Connection, id: int, state: OfferState, words: str) -> None:
    """What became of an offer; the first word stands."""
    db.execute("UPDATE offers SET state = ?, words = ? WHERE id = ? AND state = 'open'", (state, words, id))


def withdraw_offer(db: sqlite3.Connection, id: int) -> None:
    """Take back an offer that nobody has taken."""
    db.execute("DELETE FROM offers WHERE id = ? AND state = 'open'", (id,))

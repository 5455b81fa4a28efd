"""Changes to the tables by one write.

Each function runs inside a transaction that the caller begins and ends. Numbers, spans and counts are updated with each
append; the last number itself comes from the events. No threads, no files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.journal import derived
from jp_tui.journal.doubt import Doubt, Suspect
from jp_tui.journal.port import OUTSIDE, SPAN, JournalError, NewEvent, OfferState
from jp_tui.journal.row_values import fetched, text, whole
from jp_tui.journal.schema import LAST, SHIFT

EVENT = "INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SPAN = """
INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (conversation, number) DO UPDATE SET
  last_seq = excluded.last_seq,
  events = events + excluded.events,
  characters = characters + excluded.characters,
  lines = lines + excluded.lines
"""
_LAST = f"""
SELECT c.key, c.last_seq, c.turns, c.ended, coalesce(e.place, 0) & {LAST}, coalesce(e.turn, 0)
FROM conversations AS c LEFT JOIN events AS e ON e.place = (
  SELECT max(place) FROM events WHERE place > c.key << {SHIFT} AND place <= (c.key << {SHIFT} | {LAST})
)
WHERE c.id = ?
"""
_WAITS = """
INSERT INTO waiting (conversation, inquiry, missing, place)
SELECT conversation, inquiry, sum(iif(kind = 'inquiry_request', 1, -1)) AS missing,
  coalesce(max(place) FILTER (WHERE kind = 'inquiry_request'), max(place))
FROM events WHERE conversation = ? AND inquiry = ? AND turn = ? AND kind IN ('inquiry_request', 'inquiry_response')
GROUP BY inquiry HAVING missing <> 0
"""
Work = Callable[[sqlite3.Connection], object]
_ASKS = frozenset({"inquiry_request", "inquiry_response"})
_COUNTS = """
UPDATE conversations
SET events = events + ?, last_seq = ?, turns = max(turns, ?), updated = max(updated, ?),
  hidden = iif(hidden = 'making', hidden, '')
WHERE key = ?
"""


def create(
    db: sqlite3.Connection, conversation: str, workspace: str, title: str, model: str, at: str, parent: str | None
) -> None:
    """Create an empty conversation. Raises JournalError `exists`."""
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
    db.execute(
        "INSERT OR REPLACE INTO names SELECT key, id, workspace, title, model, created, parent, titled"
        " FROM conversations WHERE id = ?",
        (conversation,),
    )


def key_of(db: sqlite3.Connection, conversation: str) -> int:
    """Return a conversation's key. Raises JournalError `unknown`, or Suspect if only its row is missing."""
    rows = fetched(db, "SELECT key FROM conversations WHERE id = ?", (conversation,))
    if not rows:
        raise _unknown(db, conversation)
    return int(rows[0][0])


def rebuilt(db: sqlite3.Connection, conversation: str) -> None:
    """Compute its derived data again; do nothing for an unknown id."""
    for (key,) in fetched(db, "SELECT key FROM conversations WHERE id = ?", (conversation,)):
        derived.rebuild(db, key)


def _unknown(db: sqlite3.Connection, conversation: str) -> JournalError | Suspect:
    if fetched(db, "SELECT 1 FROM names WHERE id = ?", (conversation,)):
        return Suspect(f"{conversation} has no row")
    return JournalError("unknown", f"there is no conversation {conversation}")


def append(
    db: sqlite3.Connection, conversation: str, entries: Sequence[NewEvent], closes_parts: Sequence[str], doubt: Doubt
) -> list[int]:
    """Add the entries after the last one, drop the parts they finish, and return their numbers.

    The last number is that of the last event. Raises Suspect, once, if the row disagrees: numbers may only be reused
    after the file was examined.
    """
    key, last, turns, ended = _last(db, conversation, doubt)
    if last + len(entries) > LAST:
        raise JournalError("invalid", f"the conversation {conversation} is full")
    numbers = list(range(last + 1, last + 1 + len(entries)))
    if entries:
        rows = [event_row(key, seq, entry) for seq, entry in zip(numbers, entries, strict=True)]
        db.executemany(f"INSERT {EVENT}", rows)
        db.executemany(_SPAN, [*_spans(key, numbers, entries)])
        _follow(db, key, turns, ended, entries)
        turn, at = max([entry.turn for entry in entries]), max([entry.at for entry in entries])
        db.execute(_COUNTS, (len(entries), numbers[-1], turn, at, key))
    for part in closes_parts:
        db.execute("DELETE FROM partials WHERE conversation = ? AND part = ?", (key, part))
    return numbers


_OPEN_OUTSIDE = f"""
SELECT e.payload FROM waiting AS w CROSS JOIN events AS e ON e.place = w.place
CROSS JOIN events AS f ON f.place = (w.conversation << {SHIFT} | 1)
CROSS JOIN conversations AS c ON c.key = w.conversation
WHERE w.missing > 0 AND f.kind = '{OUTSIDE}' AND c.hidden = ''
"""


def open_outside(db: sqlite3.Connection) -> list[str]:
    """Return the payloads of open requests of other programs (N7)."""
    return [text(payload) for (payload,) in fetched(db, _OPEN_OUTSIDE, ())]


def is_outside(db: sqlite3.Connection, conversation: str) -> bool:
    """True if there is a conversation of this id that holds questions of another program (N1)."""
    where = f"c.id = ? AND f.place = (c.key << {SHIFT} | 1) AND f.kind = ?"
    found = fetched(
        db, f"SELECT 1 FROM conversations AS c CROSS JOIN events AS f WHERE {where}", (conversation, OUTSIDE)
    )
    return bool(found)


def is_open(db: sqlite3.Connection, conversation: str, inquiry: str, after: int | None = None) -> bool:
    """True if this request has no response, and if `after` is the number of its last event. Raises JournalError
    `unknown`."""
    wanted = key_of(db, conversation), inquiry
    if after is not None:
        last = fetched(db, f"SELECT max(place) & {LAST} FROM events WHERE conversation = ? AND inquiry = ?", wanted)
        if last[0][0] != after:
            return False
    return bool(fetched(db, "SELECT 1 FROM waiting WHERE conversation = ? AND inquiry = ? AND missing > 0", wanted))


def _last(db: sqlite3.Connection, conversation: str, doubt: Doubt) -> tuple[int, int, int, int]:
    """Return a conversation's key, last number, last turn, and last turn with an outcome, according to its events."""
    rows = fetched(db, _LAST, (conversation,))
    if not rows:
        raise _unknown(db, conversation)
    key, *counts, real, turn = rows[0]
    last, turns, ended = map(whole, counts)
    if counts != [real, turns, ended] or (turns != turn and turns != _highest(db, key)) or ended > turns:
        doubt.about(conversation)
        derived.rebuild(db, key)
        last, turns, ended = map(whole, fetched(db, _LAST, (conversation,))[0][1:4])
    return key, last, turns, ended


def _highest(db: sqlite3.Connection, key: int) -> int:
    asked = "SELECT turn FROM events WHERE conversation = ? AND typeof(turn) = 'integer' ORDER BY turn DESC LIMIT 1"
    return next((whole(turn) for (turn,) in fetched(db, asked, (key,))), 0)


def _follow(db: sqlite3.Connection, key: int, turns: int, ended: int, entries: Sequence[NewEvent]) -> None:
    """Update the open inquiries: only a last turn without an outcome has any (`port.open_inquiries`). `turns` and
    `ended` are the last turn, and the last with an outcome, before these stored entries."""
    for entry in entries:
        over = entry.kind == "turn_outcome" and entry.turn >= turns
        if over or entry.turn > turns:
            db.execute("DELETE FROM waiting WHERE conversation = ?", (key,))
        turns = max(turns, entry.turn)
        if over:
            ended = entry.turn
            db.execute("UPDATE conversations SET ended = ? WHERE key = ?", (ended, key))
        if entry.kind in _ASKS and entry.inquiry is not None and ended < entry.turn == turns:
            db.execute("DELETE FROM waiting WHERE conversation = ? AND inquiry = ?", (key, entry.inquiry))
            db.execute(_WAITS, (key, entry.inquiry, entry.turn))


def _size(entry: NewEvent) -> int:
    return len(entry.text) if entry.characters is None else entry.characters


def event_row(key: int, seq: int, entry: NewEvent) -> tuple[object, ...]:
    """Return the values of EVENT."""
    return (
        key << SHIFT | seq, key, seq, entry.turn, entry.kind, entry.inquiry, entry.at,
        entry.lines, _size(entry), entry.payload, entry.text,
    )  # fmt: skip


def _spans(key: int, numbers: Sequence[int], entries: Sequence[NewEvent]) -> Iterable[tuple[int, ...]]:
    """Return the sums of these entries, one row for each span of 256 that they touch."""
    start = 0
    while start < len(numbers):
        number = (numbers[start] - 1) // SPAN
        end = min(len(numbers), start + (number + 1) * SPAN - numbers[start] + 1)
        some = entries[start:end]
        sizes, lines = sum(map(_size, some)), sum([entry.lines for entry in some])
        yield key, number, numbers[start], numbers[end - 1], len(some), sizes, lines
        start = end


def add_partial(db: sqlite3.Connection, conversation: str, part: str, kind: str, text: str) -> None:
    """Add a chunk of a streaming part."""
    key = key_of(db, conversation)
    db.execute("INSERT INTO partials (conversation, part, kind, text) VALUES (?, ?, ?, ?)", (key, part, kind, text))


def set_model(db: sqlite3.Connection, conversation: str, model: str) -> None:
    """Set the conversation's current model."""
    key = key_of(db, conversation)
    db.execute("UPDATE conversations SET model = ? WHERE key = ?", (model, key))
    db.execute("UPDATE names SET model = ? WHERE key = ?", (model, key))


def save_draft(db: sqlite3.Connection, conversation: str, key: str, text: str) -> None:
    """Save unsent text; the conversation need not exist."""
    db.execute(
        "INSERT INTO drafts VALUES (?, ?, ?) ON CONFLICT (conversation, key) DO UPDATE SET text = excluded.text",
        (conversation, key, text),
    )


def clear_draft(db: sqlite3.Connection, conversation: str, key: str) -> None:
    """Delete unsent text."""
    db.execute("DELETE FROM drafts WHERE conversation = ? AND key = ?", (conversation, key))


def make_offer(db: sqlite3.Connection, conversation: str, inquiry: str, payload: str, at: str) -> int:
    """Store an answer for the conversation's writer and return its number. Offers older than a day are deleted."""
    key_of(db, conversation)
    try:
        yesterday = timestamp(read_timestamp(at) - timedelta(days=1))
    except (ValueError, OverflowError):
        yesterday = ""  # without a readable time nothing counts as old
    db.execute("DELETE FROM offers WHERE at < ?", (yesterday,))
    made = db.execute(
        "INSERT INTO offers (conversation, inquiry, payload, at) VALUES (?, ?, ?, ?)",
        (conversation, inquiry, payload, at),
    )
    return int(made.lastrowid or 0)


def settle_offer(db: sqlite3.Connection, id: int, state: OfferState, words: str) -> None:
    """Record the result of an offer; the first result is final."""
    db.execute("UPDATE offers SET state = ?, words = ? WHERE id = ? AND state = 'open'", (state, words, id))


def accept_offers(db: sqlite3.Connection, offers: Sequence[int]) -> None:
    """Record the result of open offers. Raises JournalError `withdrawn`."""
    for id_ in offers:
        if not db.execute("UPDATE offers SET state = 'accepted' WHERE id = ? AND state = 'open'", (id_,)).rowcount:
            raise JournalError("withdrawn", "an offered answer was withdrawn")


def withdraw_offer(db: sqlite3.Connection, id: int) -> None:
    """Delete an open offer."""
    db.execute("DELETE FROM offers WHERE id = ? AND state = 'open'", (id,))

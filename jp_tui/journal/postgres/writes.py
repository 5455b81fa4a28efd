"""Changes by one write. Each function runs inside a transaction that the caller begins and ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.journal import fts_query
from jp_tui.journal.port import MAKING, TITLED, Copied, JournalError, NewEvent, OfferState, Titled
from jp_tui.journal.postgres.driver import Connection, StoreSettings
from jp_tui.journal.postgres.leases import holder_of
from jp_tui.journal.postgres.reader import FAMILY, OWN, WAITS
from jp_tui.journal.postgres.schema import CHANNEL

Fence = tuple[int | None, str]
"""Fencing number and token of the writer's lease; None if it holds none."""
LARGEST = 64 << 20
"""Bytes of one event's payload (D24)."""
SLICE = 400
INDEXED_EVENTS, INDEXED_CHARACTERS, LONGEST, WORDS = 400, 400_000, 1 << 18, 250_000
"""Events and characters indexed by one job; indexed characters of an event, and bytes of its words."""
_ASKING = 0x6A70_7475
"""Key of the lock under which questions of other programs are counted, within one transaction."""
_APPEND = """
SELECT status, last FROM jp_tui.append_events(
  %s, %s::bigint, %s, %s::text[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::text[],
  %s::text[], %s::text[], %s, %s::bigint, %s)
"""


def create(
    db: Connection,
    conversation: str,
    workspace: str,
    title: str,
    model: str,
    at: str,
    parent: str | None,
    settings: StoreSettings,
) -> None:
    """Create an empty conversation. Raises JournalError `exists`."""
    row = db.execute(
        "SELECT jp_tui.create_conversation(%s, %s, %s, %s, %s, %s, %s, %s)",
        (conversation, workspace, title, model, at, parent, settings.machine, settings.may_act),
    ).fetchone()
    if row is None or not row[0]:
        raise JournalError("exists", f"there is a conversation {conversation} already")


def key_of(db: Connection, conversation: str) -> int:
    """Return a conversation's key. Raises JournalError `unknown`."""
    row = db.execute("SELECT key FROM jp_tui.conversations WHERE id = %s", (conversation,)).fetchone()
    if row is None:
        raise _unknown(conversation)
    return int(row[0])


def _unknown(conversation: str) -> JournalError:
    return JournalError("unknown", f"there is no conversation {conversation}")


def append(
    db: Connection,
    conversation: str,
    fence: Fence,
    entries: Sequence[NewEvent],
    closes_parts: Sequence[str],
    *,
    settles: tuple[str | None, int | None] = (None, None),
    copied: bool = False,
) -> list[int]:
    """Add the entries after the last one and return their numbers; with `settles` only while this inquiry is open, and
    its last event has this number if one is given, else none. Raises JournalError `held` if the lease of this writer
    was lost."""
    for entry in entries:
        if len(entry.payload) > LARGEST // 4 and len(entry.payload.encode("utf-8", "surrogatepass")) > LARGEST:
            raise JournalError("invalid", f"an event has more than {LARGEST >> 20} MiB")
    row = db.execute(
        _APPEND,
        (
            conversation,
            *fence,
            [one.kind for one in entries],
            [one.turn for one in entries],
            [one.inquiry for one in entries],
            [one.at for one in entries],
            [one.lines for one in entries],
            [len(one.text) if one.characters is None else one.characters for one in entries],
            [one.payload for one in entries],
            [one.text for one in entries],
            list(closes_parts),
            *settles,
            copied,
        ),
    ).fetchone()
    assert row is not None
    status, last = row
    if status == "unknown":
        raise _unknown(conversation)
    if status == "closed":
        return []
    if status == "held":
        who = holder_of(db, conversation)
        raise JournalError("held", f"Held by {who}." if who else f"The lease on {conversation} was lost.")
    return list(range(last + 1, last + 1 + len(entries)))


def open_outside(db: Connection) -> list[str]:
    """Return the payloads of open requests of other programs (N7); no other is added until the commit."""
    db.execute("SELECT pg_advisory_xact_lock(%s)", (_ASKING,))
    rows = db.execute(f"SELECT e.payload {WAITS.format(own=OWN)} WHERE c.outside")
    return [payload for (payload,) in rows]


def is_outside(db: Connection, conversation: str) -> bool:
    """True if there is a conversation of this id that holds questions of another program (N1)."""
    found = db.execute("SELECT 1 FROM jp_tui.conversations WHERE id = %s AND outside", (conversation,))
    return found.fetchone() is not None


def add_partial(db: Connection, conversation: str, part: str, kind: str, text: str) -> None:
    """Add a chunk of a streaming part."""
    key = key_of(db, conversation)
    db.execute(
        "INSERT INTO jp_tui.partials (conversation, part, kind, text) VALUES (%s, %s, %s, %s)", (key, part, kind, text)
    )


def set_model(db: Connection, conversation: str, model: str) -> None:
    """Set the conversation's current model."""
    db.execute("UPDATE jp_tui.conversations SET model = %s WHERE key = %s", (model, key_of(db, conversation)))


def save_draft(db: Connection, conversation: str, key: str, text: str) -> None:
    """Save unsent text; the conversation need not exist."""
    db.execute(
        "INSERT INTO jp_tui.drafts (conversation, key, text) VALUES (%s, %s, %s)"
        " ON CONFLICT (owner, conversation, key) DO UPDATE SET text = excluded.text",
        (conversation, key, text),
    )


def clear_draft(db: Connection, conversation: str, key: str) -> None:
    """Delete unsent text."""
    db.execute("SELECT jp_tui.clear_draft(%s, %s)", (conversation, key))


def set_away(db: Connection, until: str, deputy: str) -> None:
    """Record that the acting person is away until a timestamp in UTC, or is back if it is empty."""
    db.execute(
        "SELECT jp_tui.set_away(%s::timestamp AT TIME ZONE 'UTC', %s)",
        (until or None, deputy if until and deputy else None),
    )


def claim(db: Connection, conversation: str, inquiry: str, release: bool) -> str | None:
    """Look at an open inquiry, or let it go; return who looks at it then, None if it isn't open for this role."""
    row = db.execute("SELECT jp_tui.claim(%s, %s, %s)", (conversation, inquiry, release)).fetchone()
    assert row is not None
    found: str | None = row[0]
    return found


def make_offer(db: Connection, conversation: str, inquiry: str, payload: str, at: str, machine: str) -> int:
    """Store an answer for the conversation's writer and return its number. Offers older than a day are deleted."""
    try:
        yesterday = timestamp(read_timestamp(at) - timedelta(days=1))
    except (ValueError, OverflowError):
        yesterday = ""  # without a readable time nothing counts as old
    row = db.execute(
        "SELECT jp_tui.make_offer(%s, %s, %s, %s, %s, %s)", (conversation, inquiry, payload, at, machine, yesterday)
    ).fetchone()
    if row is None or row[0] is None:
        raise _unknown(conversation)
    return int(row[0])


def settle_offer(db: Connection, id: int, state: OfferState, words: str) -> None:
    """Record the result of an offer; the first result is final."""
    done = db.execute(
        "UPDATE jp_tui.offers SET state = %s, words = %s WHERE id = %s AND state = 'open' RETURNING conversation",
        (state, words, id),
    )
    for (conversation,) in done:
        tell(db, conversation)


def accept_offers(db: Connection, offers: Sequence[int]) -> None:
    """Record the result of open offers; with the append that wakes their makers. Raises JournalError `withdrawn`."""
    taken = db.execute(
        "UPDATE jp_tui.offers SET state = 'accepted' WHERE id = ANY (%s::bigint[]) AND state = 'open'", (list(offers),)
    )
    if taken.rowcount < len(offers):
        raise JournalError("withdrawn", "an offered answer was withdrawn")


def withdraw_offer(db: Connection, id: int) -> None:
    """Delete an open offer."""
    db.execute("SELECT jp_tui.withdraw_offer(%s)", (id,))


def tell(db: Connection, conversation: str) -> None:
    """Wake everybody who listens, with the commit."""
    db.execute("SELECT pg_notify(%s, left(%s, 200))", (CHANNEL, conversation))


def make(db: Connection, copied: Copied, settings: StoreSettings) -> None:
    """Create a conversation that stays hidden until `reveal`. Raises JournalError `exists`."""
    create(db, copied.id, copied.workspace, copied.title, copied.model, copied.at, copied.parent, settings)
    db.execute(
        "UPDATE jp_tui.conversations SET hidden = %s, origin = %s, imported = %s, copied = %s, titled = %s"
        " WHERE id = %s",
        (MAKING, copied.origin, copied.imported, copied.copied, TITLED.index(copied.titled), copied.id),
    )


def reveal(db: Connection, conversation: str) -> None:
    """Mark it as complete."""
    db.execute("UPDATE jp_tui.conversations SET hidden = '' WHERE key = %s", (key_of(db, conversation),))


def hide(db: Connection, conversation: str, at: str) -> None:
    """Delete it with those of its sub-agents, as of this time."""
    key_of(db, conversation)
    _family(db, conversation, "hidden = %s", "hidden = ''", at)
    tell(db, conversation)


def restore(db: Connection, conversation: str) -> None:
    """Restore it with everything deleted at the same time."""
    key = key_of(db, conversation)
    row = db.execute("SELECT hidden FROM jp_tui.conversations WHERE key = %s", (key,)).fetchone()
    assert row is not None
    if row[0] == MAKING:
        raise _unknown(conversation)
    _family(db, conversation, "hidden = ''", "hidden = %s", row[0])


def set_archived(db: Connection, conversation: str, archived: bool) -> None:
    """Hide a conversation and those of its sub-agents from the lists, or show them again."""
    key_of(db, conversation)
    _family(db, conversation, "archived = %s", "true", archived)


def _family(db: Connection, conversation: str, sets: str, where: str, value: object) -> None:
    db.execute(
        f"{FAMILY} UPDATE jp_tui.conversations SET {sets} WHERE id IN (SELECT id FROM family) AND {where}",
        (conversation, value),
    )


def set_title(db: Connection, conversation: str, title: str, titled: Titled, but: Titled | None) -> bool:
    """Set the title; with `but` only if the present title was made that way. Return True if it was set."""
    key = key_of(db, conversation)
    before = TITLED.index(but) if but is not None else None
    done = db.execute(
        "UPDATE jp_tui.conversations SET title = %s, titled = %s WHERE key = %s AND (%s::int IS NULL OR titled = %s)",
        (title, TITLED.index(titled), key, before, before),
    )
    return bool(done.rowcount > 0)


def remove(db: Connection, conversation: str) -> int:
    """Remove one slice of a hidden conversation for good. Return the number of events, 0 once nothing is left."""
    row = db.execute("SELECT jp_tui.remove_events(%s, %s)", (conversation, SLICE)).fetchone()
    assert row is not None
    return int(row[0])


def index(db: Connection) -> int:
    """Index some more events; return their number, 0 at the end. One that another client indexes is left to it."""
    row = db.execute(
        "SELECT key, indexed, last_seq FROM jp_tui.conversations WHERE indexed < last_seq"
        " ORDER BY key DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED"
    ).fetchone()
    if row is None:
        return 0
    key, indexed, last = row
    upto, size = indexed, 0
    found: list[tuple[int, str]] = []
    for seq, text in db.execute(
        "SELECT seq, left(text, %s) FROM jp_tui.events WHERE conversation = %s AND seq > %s AND seq <= %s"
        " ORDER BY seq LIMIT %s",
        (LONGEST, key, indexed, last, INDEXED_EVENTS),
    ):
        upto, size = seq, size + len(text)
        if words := " ".join(fts_query.split(text)):
            found.append((seq, words.encode()[:WORDS].decode("utf-8", "ignore")))
        if size > INDEXED_CHARACTERS:
            break
    seqs, words_ = [seq for seq, _ in found], [words for _, words in found]
    db.execute("SELECT jp_tui.index_events(%s, %s::bigint[], %s::text[], %s)", (key, seqs, words_, upto))
    return int(upto - indexed)


def renew_index(db: Connection) -> None:
    """Drop the index; everything is indexed again."""
    db.execute("SELECT jp_tui.renew_index()")

"""Fork: a new conversation with the events of another up to one of them.

The source is only read, so any process may own and continue it. An unfinished turn is closed in the fork.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.reading import read_event
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.desks.copy_events import BATCH, add, close, making
from jp_tui.engine.desks.upkeep import Progress
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.journal.port import ConversationRow, Copied


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """Place of the cut: the last copied event, its turn, and the next message."""

    last: int
    turn: int
    text: str = ""


async def fork(
    setup: EngineDependencies, row: ConversationRow, at: int, before: bool, progress: Progress
) -> tuple[str, str]:
    """Return the new conversation's id, and the next message. Raises ValueError with a message, JournalError."""
    cut = _before(setup, row, at) if before else _after(setup, row, at)
    copied = Copied(
        id=setup.new_id(),
        workspace=row.workspace,
        model=row.model,
        at=row.created,
        title=row.title,
        titled=row.titled,
        origin=row.id,
        copied=cut.last,
    )
    progress.total = cut.last
    async with making(setup, copied):
        done = 0
        while done < cut.last:
            some = setup.journal.read(row.id, done, min(BATCH, cut.last - done))
            if not some:
                break
            await add(setup, copied.id, [stored.entry for stored in some])
            done = some[-1].seq
            progress.at(done)
            await asyncio.sleep(0)
        if cut.turn:
            await close(setup, copied, cut.turn, timestamp(setup.now()))
    return copied.id, cut.text


def _after(setup: EngineDependencies, row: ConversationRow, at: int) -> ForkPoint:
    """Cut after the event `at`; if nothing else follows in its turn, after the turn's end."""
    at = at or row.last_seq
    turn = _turn(setup, row, at)
    rest = [one for one in setup.journal.turn_events(row.id, turn) if one.seq > at]
    if rest and all(one.entry.kind == "turn_outcome" for one in rest):
        at = rest[-1].seq
    return ForkPoint(at, turn)


def _before(setup: EngineDependencies, row: ConversationRow, at: int) -> ForkPoint:
    """Cut before the turn of `at`."""
    turn = setup.journal.turn_events(row.id, _turn(setup, row, at or row.last_seq))
    said = [event for one in turn if isinstance(event := read_event(stored_event(one).event), ev.ChatRequest)]
    last = turn[0].seq - 1
    before = setup.journal.read(row.id, last - 1, 1) if last else []
    return ForkPoint(last, before[0].entry.turn if before else 0, said[0].content if said else "")


def _turn(setup: EngineDependencies, row: ConversationRow, at: int) -> int:
    """Return the turn of an event. Raises ValueError with a message."""
    found = setup.journal.read(row.id, at - 1, 1) if 0 < at <= row.last_seq else []
    if not found:
        words = f"Its events are 1 to {row.last_seq}." if row.last_seq else "It is empty."
        raise ValueError(f"{row.id} has no event {at}. {words}")
    return found[0].entry.turn

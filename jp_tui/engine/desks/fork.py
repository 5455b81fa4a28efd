"""A fork: a new conversation with the events of another up to one of them, as they stand in its log.

The other one is only read, so it may be held by anybody and go on meanwhile. What was cut off is closed in the fork.
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
    """Where it is cut: the last event that is taken, its turn, and what was to be said next."""

    last: int
    turn: int
    text: str = ""


async def fork(
    setup: EngineDependencies, row: ConversationRow, at: int, before: bool, progress: Progress
) -> tuple[str, str]:
    """The new conversation's id, and what was to be said next. Raises ValueError with words, JournalError."""
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
    """With the event `at`; where the turn says nothing more behind it, with its end as well."""
    at = at or row.last_seq
    turn = _turn(setup, row, at)
    rest = [one for one in setup.journal.turn_events(row.id, turn) if one.seq > at]
    if rest and all(one.entry.kind == "turn_outcome" for one in rest):
        at = rest[-1].seq
    return ForkPoint(at, turn)


def _before(setup: EngineDependencies, row: ConversationRow, at: int) -> ForkPoint:
    """Without the turn of `at`."""
    turn = setup.journal.turn_events(row.id, _turn(setup, row, at or row.last_seq))
    said = [event for one in turn if isinstance(event := read_event(stored_event(one).event), ev.ChatRequest)]
    last = turn[0].seq - 1
    before = setup.journal.read(row.id, last - 1, 1) if last else []
    return ForkPoint(last, before[0].entry.turn if before else 0, said[0].content if said else "")


def _turn(setup: EngineDependencies, row: ConversationRow, at: int) -> int:
    """The turn of an event. Raises ValueError with words."""
    found = setup.journal.read(row.id, at - 1, 1) if 0 < at <= row.last_seq else []
    if not found:
        words = f"It has the events 1 to {row.last_seq}." if row.last_seq else "Nothing was said in it yet."
        raise ValueError(f"There is no event {at} in {row.id}. {words}")
    return found[0].entry.turn

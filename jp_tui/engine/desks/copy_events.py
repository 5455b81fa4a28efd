"""Fill a new conversation with existing events: it stays hidden until complete, and an interrupted copy leaves
nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from jp_tui.conversation import events as ev
from jp_tui.conversation import pairing
from jp_tui.engine.base.dependencies import EngineDependencies, HeldBy
from jp_tui.engine.desks.upkeep import remove
from jp_tui.engine.record.event_codec import entry
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery import close_turn, repair_log
from jp_tui.journal.port import Copied, JournalError, NewEvent

BATCH = 256


@asynccontextmanager
async def making(setup: EngineDependencies, copied: Copied) -> AsyncIterator[None]:
    """Create it, run the body to fill it, reveal it at the end; on failure or cancellation remove it. Raises
    JournalError."""
    held = setup.lock(copied.id)
    if isinstance(held, HeldBy):
        raise JournalError("held", f"{copied.id} is held by {held.words}")
    whole = False
    try:
        await setup.journal.make(copied)
        yield
        await setup.journal.reveal(copied.id)
        whole = True
    finally:
        held.release()
        if not whole:  # if removal fails now, a later upkeep removes it
            with suppress(JournalError):
                await remove(setup, [copied.id])


async def add(setup: EngineDependencies, conversation: str, entries: Sequence[NewEvent]) -> None:
    """Append a batch. Raises JournalError."""
    if entries:
        await setup.journal.append(conversation, entries, durable=False)


async def close(setup: EngineDependencies, copied: Copied, turn: int, at: str) -> None:
    """Append the events that close an unfinished last turn as of this time: its questions, its calls, its end (R204).
    Raises JournalError."""
    log = Log(setup, lambda _: None, copied.id, copied.model, exists=True, turn=turn)
    now = log.turn_so_far(turn)
    if not now or close_turn.has_ended(now):
        return
    owed = close_turn.interrupted(now)
    whole = not owed and close_turn.model_finished(now) and not any(one.response is None for one in pairing.calls(now))
    total = repair_log.count(log, []).model_dump()
    end = ev.TurnOutcome(outcome="done" if whole else "interrupted", model=copied.model, metadata={"total": total})
    ends = [
        entry(replace(event, timestamp=at), turn, at)[0] for event in (*owed, end) if not isinstance(event, ev.Unknown)
    ]
    await add(setup, copied.id, ends)

"""Preparation of a conversation's log before work: repair what a killed program left, close what won't be resumed,
count its tokens. All by appending."""

from __future__ import annotations

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record.event_codec import stored_event, totals
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery import close_turn
from jp_tui.engine.recovery.resume_turn import ResumableTurn, cut_off
from jp_tui.journal.port import Stored
from jp_tui.protocol.values import UsageTotals

LOOK_BACK = 3
"""Turns searched for the last finished one: the last may be unfinished."""


async def unfinished(log: Log) -> ResumableTurn | None:
    """Return the last turn of a sub-agent for its parent to resume: it continues wherever it was interrupted, and
    interrupted text is generated again. Without open questions, calls that need permission ask again, and all others
    are reported as interrupted, since they may have run. None if it has ended."""
    turn, partials = log.turn_so_far(log.turn), log.setup.journal.partials(log.id)
    events, parts = close_turn.remains(turn, partials, words=False)
    now = [*turn, *events]
    if not close_turn.has_ended(now) and not close_turn.resumable(now, close_turn.held_back(turn, partials)):
        asks = [name for name, setup in log.setup.tools.items() if setup.run in ("ask", "edit")]
        events += close_turn.interrupted(now, asks)
        if close_turn.said_all(now):
            events.append(ev.TurnOutcome(outcome="done", model=log.model))
    if events or parts:
        await log.append(events, (), parts, quiet=True)
    turn = log.turn_so_far(log.turn)
    held = close_turn.held_back(turn, log.setup.journal.partials(log.id))
    return None if close_turn.has_ended(turn) else cut_off(turn, held)


async def repair(log: Log) -> None:
    """Keep a reply that was streaming as incomplete; close a turn that can't be resumed (R204, R207)."""
    partials = log.setup.journal.partials(log.id)
    if not partials and log.last_kind() == "turn_outcome":
        return
    turn = log.turn_so_far(log.turn)
    events, parts = close_turn.remains(turn, partials)
    now = [*turn, *events]
    if turn and not close_turn.has_ended(turn) and not close_turn.resumable(now, close_turn.held_back(turn, partials)):
        given = close_turn.granted_calls(turn, partials)
        events = [*events, *close_turn.closing_events(now, log.model, count(log, []).counts(), given=given)]
        parts += [part for part, _ in given.values()]
    if events or parts:
        await log.append(events, (), parts, quiet=True)


def resumable(log: Log) -> ResumableTurn | None:
    """Return the last turn if it is unfinished and resumable (R207)."""
    if not log.exists or log.last_kind() in ("", "turn_outcome"):
        return None
    turn = log.turn_so_far(log.turn)
    held = close_turn.held_back(turn, log.setup.journal.partials(log.id))
    return cut_off(turn, held) if close_turn.resumable(turn, held) else None


async def close_old_turn(log: Log, error: JsonObject | None) -> None:
    """Close an open turn that isn't resumed, before the next one (R207: discard)."""
    if log.last_kind() in ("", "turn_outcome"):
        return
    turn = log.turn_so_far(log.turn)
    if turn and not close_turn.has_ended(turn) and any(isinstance(event, ev.TurnStart) for event in turn):
        for asked in close_turn.open_inquiries(turn):
            log.setup.journal.clear_draft(log.id, asked.id)
        given = close_turn.granted_calls(turn, log.setup.journal.partials(log.id))
        parts = [part for part, _ in given.values()]
        await log.append(close_turn.closing_events(turn, log.model, log.total.counts(), error, given), (), parts)


def count(log: Log, page: list[Stored]) -> UsageTotals:
    """Return the conversation's tokens so far, from its last finished turn."""
    for row in reversed(page):
        if row.entry.kind == "turn_outcome":
            return _counted(stored_event(row).event.get("metadata"), stored_event(row).event.get("usage"))
    for turn in range(log.turn, max(log.turn - LOOK_BACK, 0), -1):
        for event in reversed(log.turn_so_far(turn)):
            if isinstance(event, ev.TurnOutcome):
                return _counted(event.metadata, event.usage)
    return UsageTotals()


def _counted(metadata: object, usage: object) -> UsageTotals:
    """Return the running total in a turn's end; other programs' logs only have its own count."""
    total = metadata.get("total") if isinstance(metadata, dict) else None
    return totals(usage if total is None else total)  # type: ignore[arg-type]

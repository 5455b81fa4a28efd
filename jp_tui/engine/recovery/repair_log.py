"""Preparation of a conversation's log before work: repair what a killed program left, close what won't be resumed,
count its tokens. All by appending."""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation import pairing
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record.event_codec import stored_event, totals
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery import close_turn
from jp_tui.engine.recovery.resume_turn import ResumableTurn, cut_off
from jp_tui.journal.port import Partial, Stored
from jp_tui.protocol.values import UsageTotals

LOOK_BACK = 3
"""Turns searched for the last finished one: the last may be unfinished."""


async def unfinished(log: Log) -> ResumableTurn | None:
    """Return the last turn of a sub-agent for its parent to resume, or of a schedule: it continues wherever it was
    interrupted, and interrupted text is generated again. Without open questions, calls that need permission ask again,
    and all others are reported as interrupted, since they may have run. None if it has ended."""
    turn, partials = log.turn_so_far(log.turn), log.setup.journal.partials(log.id)
    events, parts = close_turn.remains(turn, partials, words=False)
    now = [*turn, *events]
    if not close_turn.has_ended(now) and not close_turn.resumable(now, partials):
        asks = [name for name, setup in log.setup.tools.items() if setup.run in ("ask", "edit")]
        events += close_turn.interrupted(now, asks)
        if close_turn.model_finished(now):
            events.append(ev.TurnOutcome(outcome="done", model=log.model))
    if events or parts:
        await log.append(events, (), parts, quiet=True)
    turn, partials = log.turn_so_far(log.turn), log.setup.journal.partials(log.id)
    return None if close_turn.has_ended(turn) else _cut_off(log, turn, partials)


async def repair(log: Log) -> None:
    """Keep a reply that was streaming as incomplete; close a turn that can't be resumed (R204, R207)."""
    partials = log.setup.journal.partials(log.id)
    if not partials and log.last_kind() == "turn_outcome":
        return
    turn = log.turn_so_far(log.turn)
    events, parts = close_turn.remains(turn, partials)
    now = [*turn, *events]
    if turn and not close_turn.has_ended(turn) and not close_turn.resumable(now, partials):
        given = close_turn.granted_calls(turn, partials)
        events = [*events, *close_turn.closing_events(now, log.model, count(log, []).counts(), given=given)]
        parts += [part for part, _ in given.values()]
        parts += [run.part for run in close_turn.begun_calls(turn, partials).values()]
    if events or parts:
        await log.append(events, (), parts, quiet=True)


def resumable(log: Log) -> ResumableTurn | None:
    """Return the last turn if it is unfinished and resumable (R207)."""
    if not log.exists or log.last_kind() in ("", "turn_outcome"):
        return None
    turn = log.turn_so_far(log.turn)
    partials = log.setup.journal.partials(log.id)
    return _cut_off(log, turn, partials) if close_turn.resumable(turn, partials) else None


def _cut_off(log: Log, turn: Sequence[ev.Event], partials: Sequence[Partial]) -> ResumableTurn:
    begun = {call: run for call, run in close_turn.begun_calls(turn, partials).items() if run.turn == log.turn}
    return cut_off(turn, close_turn.held_back(turn, partials), begun)


async def close_old_turn(log: Log, error: JsonObject | None) -> None:
    """Close an open turn that isn't resumed, before the next one (R207: discard)."""
    if log.last_kind() in ("", "turn_outcome"):
        return
    turn = log.turn_so_far(log.turn)
    if turn and not close_turn.has_ended(turn) and any(isinstance(event, ev.TurnStart) for event in turn):
        for asked in pairing.unanswered(turn):
            log.setup.journal.clear_draft(log.id, asked.id)
        partials = log.setup.journal.partials(log.id)
        given = close_turn.granted_calls(turn, partials)
        parts = [part for part, _ in given.values()]
        parts += [run.part for run in close_turn.begun_calls(turn, partials).values()]
        await log.append(close_turn.closing_events(turn, log.model, log.total.counts(), error, given), (), parts)


def count(log: Log, page: list[Stored]) -> UsageTotals:
    """Return the conversation's tokens so far: those up to its last finished turn, and of summaries since (K24)."""
    since = UsageTotals()
    for row in reversed(page):
        if row.entry.kind == "turn_outcome":
            return _counted(stored_event(row).event.get("metadata"), stored_event(row).event.get("usage")).plus(since)
        if row.entry.kind == "compaction":
            since = since.plus(totals(stored_event(row).event.get("usage")))
    since = UsageTotals()
    for turn in range(log.turn, max(log.turn - LOOK_BACK, 0), -1):
        for event in reversed(log.turn_so_far(turn)):
            if isinstance(event, ev.TurnOutcome):
                return _counted(event.metadata, event.usage).plus(since)
            if isinstance(event, ev.Compaction):
                since = since.plus(totals(event.usage))
    return since


def _counted(metadata: object, usage: object) -> UsageTotals:
    """Return the running total in a turn's end; other programs' logs only have its own count."""
    total = metadata.get("total") if isinstance(metadata, dict) else None
    return totals(usage if total is None else total)  # type: ignore[arg-type]

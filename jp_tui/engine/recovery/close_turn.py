"""Events that complete an unfinished turn's log, which is only appended to (R102, R204, R207)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation import pairing
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.log import SCHEDULE
from jp_tui.engine.record.model_context import REPAIRED
from jp_tui.engine.record.rules.record import ADDED
from jp_tui.engine.record.unlogged_results import DELIVERY, LEAVE, RESULT, BegunRun, begun_runs, kept
from jp_tui.journal.port import Partial


def open_calls(turn: Sequence[ev.Event]) -> list[str]:
    """Return ids of calls without a response, in order."""
    return [one.request.id for one in pairing.calls(turn) if one.response is None]


def has_ended(turn: Sequence[ev.Event]) -> bool:
    """True if the turn has an outcome."""
    return any(isinstance(event, ev.TurnOutcome) for event in turn)


def scheduled(turn: Sequence[ev.Event]) -> bool:
    """True if a schedule began the turn (store.md D23)."""
    return any(isinstance(event, ev.TurnStart) and SCHEDULE in event.metadata for event in turn)


def lost(event: ev.Event) -> bool:
    """True for a mark of missing events, or an unreadable one: a call's result may have been there."""
    return isinstance(event, ev.Unknown) and event.raw.get("type") == "unreadable"


def resumable(turn: Sequence[ev.Event], partials: Sequence[Partial]) -> bool:
    """R207: not ended, and a call without a response has an inquiry; in addition: or a result that is held back, a
    sub-agent, or an answer that made a rule before anything ran (rules.md AR21). A turn with missing events isn't
    resumable: what ran would run again."""
    if has_ended(turn) or any(map(lost, turn)):
        return False
    calls = set(open_calls(turn))
    if not calls.isdisjoint(held_back(turn, partials)) or subagent_events.running(turn):
        return True
    if any(isinstance(event, ev.InquiryRequest) and event.metadata.get("call") in calls for event in turn):
        return True
    # A call that was permitted may have begun, and would run again with the others.
    return not granted_calls(turn, partials) and not calls.isdisjoint(_ruled(turn))


def _ruled(turn: Sequence[ev.Event]) -> set[str]:
    """Return the calls whose prompt was answered with a rule."""
    unknown = [event.raw for event in turn if isinstance(event, ev.Unknown)]
    return {str(raw.get("call")) for raw in unknown if raw.get("type") == ADDED}


def held_back(turn: Sequence[ev.Event], partials: Sequence[Partial]) -> dict[str, ev.ToolCallResponse]:
    """Return results that wait for permission to be delivered, by call; one decided since is stored elsewhere."""
    if has_ended(turn):
        return {}
    waits = set(open_calls(turn)) - set(kept(partials, RESULT))
    return {call: result for call, (_, result) in kept(partials, DELIVERY).items() if call in waits}


def remains(
    turn: Sequence[ev.Event], partials: Sequence[Partial], *, words: bool = True
) -> tuple[list[ev.Event], list[str]]:
    """Return what wasn't in the log when the program died, and all parts that this closes: text that was streaming,
    marked incomplete, unless `words` is false because it will be generated again; and results that waited for an
    earlier call's.

    Results that wait for permission stay, as do the permission and the begun run of a call without a result.
    """
    events: list[ev.Event] = []
    for partial in partials if words else ():
        if partial.kind in ("message", "reasoning") and partial.text:
            kind: ev.ChatKind = "message" if partial.kind == "message" else "reasoning"
            events.append(ev.ChatResponse(kind=kind, content=partial.text, metadata={"incomplete": True}))
    calls = set(open_calls(turn))
    events += [result for call, (_, result) in kept(partials, RESULT).items() if call in calls]
    asked = kept(partials, DELIVERY)
    stay = {asked[call][0] for call in held_back(turn, partials)} | {
        part for part, _ in granted_calls(turn, partials).values()
    }
    stay |= {run.part for run in begun_calls(turn, partials).values()}
    return events, [partial.part for partial in partials if partial.part not in stay]


Leaves = Mapping[str, tuple[str, ev.ToolCallResponse]]
"""By call: the stored part's name, and the response of a call without a result."""


def granted_calls(turn: Sequence[ev.Event], partials: Sequence[Partial]) -> Leaves:
    """Return the permitted calls without a response."""
    calls = set(open_calls(turn)) - set(kept(partials, RESULT))
    return {call: found for call, found in kept(partials, LEAVE).items() if call in calls}


def begun_calls(turn: Sequence[ev.Event], partials: Sequence[Partial]) -> dict[str, BegunRun]:
    """Return the marked runs of calls without a response or a result (D21)."""
    calls = set(open_calls(turn)) - set(kept(partials, RESULT)) - set(kept(partials, DELIVERY))
    return {call: run for call, run in begun_runs(partials).items() if call in calls}


def interrupted(turn: Sequence[ev.Event], but: Collection[str] = (), given: Leaves | None = None) -> list[ev.Event]:
    """Return the events that close a turn's questions and calls, `but` for calls of these tools; the turn may still
    continue. The permission of a `given` call is stored with its response."""
    found: list[ev.Event] = [ev.InquiryCancelled(id=asked.id, reason="user") for asked in pairing.unanswered(turn)]
    waits = [one.request for one in pairing.calls(turn) if one.response is None and one.request.name not in but]
    cut = {call: response for call, (_, response) in (given or {}).items()}
    found.extend(cut.get(call.id) or ev.ToolCallResponse(id=call.id, content=REPAIRED, is_error=True) for call in waits)
    return found


def model_finished(turn: Sequence[ev.Event]) -> bool:
    """True if the model had finished, and only the turn's end is missing."""
    said = [event for event in turn if isinstance(event, ev.ChatResponse | ev.ToolCallRequest | ev.ToolCallResponse)]
    last = said[-1] if said else None
    return isinstance(last, ev.ChatResponse) and last.kind == "message" and not last.metadata.get("incomplete")


def closing_events(
    turn: Sequence[ev.Event],
    model: str,
    total: JsonObject,
    error: JsonObject | None = None,
    given: Leaves | None = None,
) -> list[ev.Event]:
    """Return the events that close an unfinished turn: its questions, its calls, its end.

    `error` is why it failed, if known; `total` the conversation's tokens so far; `given` as above.
    """
    found = interrupted(turn, given=given)
    outcome: ev.Ending = "interrupted" if error is None else "failed"
    return [*found, ev.TurnOutcome(outcome=outcome, model=model, error=error, metadata={"total": total})]

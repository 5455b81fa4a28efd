"""What a turn that was cut off still owes the log: closed by appending, never by changing it (R102, R204, R207)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject, JsonProblem, parse_object
from jp_tui.engine.entries import MAX_STORED_BYTES, MAX_STORED_DEPTH
from jp_tui.engine.history import REPAIRED
from jp_tui.journal.port import Partial

RESULT = "result"
"""The kind under which a call's result waits beside the log for its place in the order."""


def open_inquiries(turn: Sequence[ev.Event]) -> list[ev.InquiryRequest]:
    """Requests without a response, counting by id (R203)."""
    answered = Counter(
        event.id for event in turn if isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted)
    )
    found: list[ev.InquiryRequest] = []
    for event in turn:
        if isinstance(event, ev.InquiryRequest):
            if answered[event.id] > 0:
                answered[event.id] -= 1
            else:
                found.append(event)
    return found


def open_calls(turn: Sequence[ev.Event]) -> list[str]:
    """Ids of calls without a response, in order."""
    asked: Counter[str] = Counter()
    for event in turn:
        if isinstance(event, ev.ToolCallRequest):
            asked[event.id] += 1
        elif isinstance(event, ev.ToolCallResponse) and asked[event.id] > 0:
            asked[event.id] -= 1
    return [id_ for id_, count in asked.items() for _ in range(count)]


def ended(turn: Sequence[ev.Event]) -> bool:
    """Whether the turn says how it ended."""
    return any(isinstance(event, ev.TurnOutcome) for event in turn)


def resumable(turn: Sequence[ev.Event]) -> bool:
    """R207: not ended, and a call without a response has at least one inquiry."""
    if ended(turn):
        return False
    calls = set(open_calls(turn))
    return any(isinstance(event, ev.InquiryRequest) and event.metadata.get("call") in calls for event in turn)


def remains(turn: Sequence[ev.Event], partials: Sequence[Partial]) -> tuple[list[ev.Event], list[str]]:
    """What was not yet in the log when the program died, and all parts that this closes.

    Text that was being streamed, marked incomplete, and results that waited for an earlier call's.
    """
    events: list[ev.Event] = []
    calls = set(open_calls(turn))
    for partial in partials:
        if partial.kind in ("message", "reasoning") and partial.text:
            kind: ev.ChatKind = "message" if partial.kind == "message" else "reasoning"
            events.append(ev.ChatResponse(kind=kind, content=partial.text, metadata={"incomplete": True}))
        elif partial.kind == RESULT and (result := _result(partial.text)) is not None and result.id in calls:
            calls.discard(result.id)
            events.append(result)
    return events, [partial.part for partial in partials]


def _result(text: str) -> ev.ToolCallResponse | None:
    try:
        event = read_event(parse_object(text, max_bytes=MAX_STORED_BYTES, max_depth=MAX_STORED_DEPTH))
    except JsonProblem:
        return None
    return event if isinstance(event, ev.ToolCallResponse) else None


def debts(turn: Sequence[ev.Event], model: str, total: JsonObject, error: JsonObject | None = None) -> list[ev.Event]:
    """The events that close an unfinished turn: its questions, its calls, its end.

    `error` is why it failed, when that is known; `total` the tokens of the conversation so far.
    """
    found: list[ev.Event] = [ev.InquiryCancelled(id=asked.id, reason="user") for asked in open_inquiries(turn)]
    found.extend(ev.ToolCallResponse(id=call, content=REPAIRED, is_error=True) for call in open_calls(turn))
    outcome: ev.Ending = "interrupted" if error is None else "failed"
    return [*found, ev.TurnOutcome(outcome=outcome, model=model, error=error, metadata={"total": total})]

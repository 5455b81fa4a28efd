"""What a turn that was cut off still owes the log: closed by appending, never by changing it (R102, R204, R207)."""

from __future__ import annotations

from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.engine.history import REPAIRED
from jp_tui.journal.port import Partial


def open_inquiries(turn: Sequence[ev.Event]) -> list[ev.InquiryRequest]:
    """Requests without a response, counting by id (R203)."""
    answered: dict[str, int] = {}
    for event in turn:
        if isinstance(event, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted):
            answered[event.id] = answered.get(event.id, 0) + 1
    found: list[ev.InquiryRequest] = []
    for event in turn:
        if isinstance(event, ev.InquiryRequest):
            if answered.get(event.id, 0) > 0:
                answered[event.id] -= 1
            else:
                found.append(event)
    return found


def open_calls(turn: Sequence[ev.Event]) -> list[str]:
    """Ids of calls without a response, in order."""
    found: list[str] = []
    for event in turn:
        if isinstance(event, ev.ToolCallRequest):
            found.append(event.id)
        elif isinstance(event, ev.ToolCallResponse) and event.id in found:
            found.remove(event.id)
    return found


def ended(turn: Sequence[ev.Event]) -> bool:
    """Whether the turn says how it ended."""
    return any(isinstance(event, ev.TurnOutcome) for event in turn)


def resumable(turn: Sequence[ev.Event]) -> bool:
    """R207: not ended, and a call without a response has at least one inquiry."""
    if ended(turn):
        return False
    calls = open_calls(turn)
    return any(isinstance(event, ev.InquiryRequest) and event.metadata.get("call") in calls for event in turn)


def remains(partials: Sequence[Partial]) -> tuple[list[ev.Event], list[str]]:
    """What was being streamed when the program died, marked incomplete, and all parts that this closes."""
    events: list[ev.Event] = []
    for partial in partials:
        if partial.kind in ("message", "reasoning") and partial.text:
            kind: ev.ChatKind = "message" if partial.kind == "message" else "reasoning"
            events.append(ev.ChatResponse(kind=kind, content=partial.text, metadata={"incomplete": True}))
    return events, [partial.part for partial in partials]


def debts(turn: Sequence[ev.Event], model: str) -> list[ev.Event]:
    """The events that close an unfinished turn: its questions, its calls, its end."""
    found: list[ev.Event] = [ev.InquiryCancelled(id=asked.id, reason="user") for asked in open_inquiries(turn)]
    found.extend(ev.ToolCallResponse(id=call, content=REPAIRED, is_error=True) for call in open_calls(turn))
    return [*found, ev.TurnOutcome(outcome="interrupted", model=model)]

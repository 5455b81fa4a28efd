"""Pairing of responses and requests (inquiries.md R29, R100, R203). Pure; repairs and drops nothing.

Ids are opaque and unique within a turn only, in old streams not even there: within a turn the responses of an id belong
to its requests in order, and nothing is paired across turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from jp_tui.conversation.events import (
    ChatRequest,
    Event,
    InquiryAnswered,
    InquiryCancelled,
    InquiryRedacted,
    InquiryRequest,
    InquiryResponse,
    ToolCallRequest,
    ToolCallResponse,
    TurnStart,
)


@dataclass(frozen=True, slots=True)
class InquiryPair:
    """Request with its response, None if there is none; `turn` counts from 0 in the given events."""

    request: InquiryRequest
    response: InquiryResponse | None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class CallPair:
    """Tool call with its result, None if there is none. Old tool call ids may repeat within a conversation."""

    request: ToolCallRequest
    response: ToolCallResponse | None
    turn: int = 0


def turns(events: Iterable[Event]) -> list[list[Event]]:
    """Return the events by turn.

    A turn begins at `turn_start`; in old files, before the first of these, at `chat_request`. Events before the first
    turn form their own list, or in old files the start of the first.
    """
    found: list[list[Event]] = []
    old, told = True, False
    for event in events:
        asks = isinstance(event, ChatRequest)
        begins = isinstance(event, TurnStart)
        if begins or not found or (old and asks and told):
            found.append([])
        old, told = old and not begins, told or asks
        found[-1].append(event)
    return found


def pair(events: Iterable[Event]) -> list[InquiryPair]:
    """Return every inquiry request with its response, in request order. Orphan responses are left out."""
    found: list[InquiryPair] = []
    for number, turn in enumerate(turns(events)):
        waiting = _Waiting()
        for event in turn:
            if isinstance(event, InquiryRequest):
                waiting.add(event.id, len(found))
                found.append(InquiryPair(event, None, number))
            elif isinstance(event, InquiryAnswered | InquiryCancelled | InquiryRedacted):
                place = waiting.take(event.id)
                if place is not None:
                    found[place] = InquiryPair(found[place].request, event, number)
    return found


def unanswered(events: Iterable[Event]) -> list[InquiryRequest]:
    """Return the requests without a response, in order, of all given turns."""
    return [one.request for one in pair(events) if one.response is None]


def calls(events: Iterable[Event]) -> list[CallPair]:
    """Return every tool call with its result, in call order, paired by the same rule."""
    found: list[CallPair] = []
    for number, turn in enumerate(turns(events)):
        waiting = _Waiting()
        for event in turn:
            if isinstance(event, ToolCallRequest):
                waiting.add(event.id, len(found))
                found.append(CallPair(event, None, number))
            elif isinstance(event, ToolCallResponse):
                place = waiting.take(event.id)
                if place is not None:
                    found[place] = CallPair(found[place].request, event, number)
    return found


class _Waiting:
    """Places of open requests by id, oldest first."""

    def __init__(self) -> None:
        self._places: dict[str, deque[int]] = {}

    def add(self, id: str, place: int) -> None:
        self._places.setdefault(id, deque()).append(place)

    def take(self, id: str) -> int | None:
        places = self._places.get(id)
        return places.popleft() if places else None

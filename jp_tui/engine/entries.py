"""From an event to what the journal stores, and back to what the protocol carries. Nothing is decided here."""

from __future__ import annotations

from jp_tui.conversation.events import ChatRequest, ChatResponse, Event, InquiryRequest, ToolCallResponse
from jp_tui.conversation.strict_json import JsonProblem, dump, parse_object
from jp_tui.journal.port import Entry, Span, Stored
from jp_tui.protocol.values import EventSpan, StoredEvent


def _searchable(event: Event) -> str:
    match event:
        case ChatRequest(content=text):
            return text
        case ChatResponse(content=str() as text):
            return text
        case ToolCallResponse(content=text):
            return text
        case InquiryRequest(question=question):
            asked = question.get("text")
            return asked if isinstance(asked, str) else ""
        case _:
            return ""


def entry(event: Event, turn: int, at: str) -> Entry:
    """The stored form; the timestamp is part of the payload (R56)."""
    raw = event.wire()
    kind = str(raw.get("type", ""))
    inquiry = str(raw["id"]) if kind in ("inquiry_request", "inquiry_response") else None
    text = _searchable(event)
    return Entry(kind, turn, dump(raw), at=at, inquiry=inquiry, text=text, lines=text.count("\n"))


def stored_event(stored: Stored) -> StoredEvent:
    """What a face gets; a payload that is no JSON object is shown as what it is, never dropped."""
    try:
        event = parse_object(stored.entry.payload)
    except JsonProblem as problem:
        event = {"type": "unreadable", "problem": problem.message, "kind": stored.entry.kind}
    return StoredEvent(seq=stored.seq, turn=stored.entry.turn, event=event)


def event_span(span: Span) -> EventSpan:
    """The journal's row in the protocol's words."""
    return EventSpan(
        first=span.first_seq,
        last=span.last_seq,
        events=span.events,
        characters=span.characters,
        lines=span.lines,
    )

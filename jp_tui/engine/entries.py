"""From an event to what the journal stores, and back to what the protocol carries. Nothing is decided here.

Half a character cannot be stored as UTF-8: it becomes U+FFFD here, so that no name of a file and no broken prompt
makes the log refuse an event.
"""

from __future__ import annotations

import json
import re

from jp_tui.conversation.events import ChatRequest, ChatResponse, Event, InquiryRequest, ToolCallResponse
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonProblem, dump, parse_object
from jp_tui.journal.port import Entry, Span, Stored
from jp_tui.protocol.values import EventSpan, StoredEvent, UsageTotals

MAX_STORED_BYTES = 1 << 30
MAX_STORED_DEPTH = 128
"""What the gate lets in (64 levels) stands a few levels deeper in an event."""
INQUIRY = ("inquiry_request", "inquiry_response", "inquiry_aside")
SENT = "asides"
"""Metadata of a message of the user's: the inquiries whose side questions it tells."""
_HALF = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text as UTF-8 can hold it."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def _searchable(event: Event) -> str:
    match event:
        case ChatRequest(metadata=metadata) if SENT in metadata:
            return ""  # nobody typed that: it is in no history of prompts
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


def entry(event: Event, turn: int, at: str) -> tuple[Entry, Event]:
    """The stored form, the timestamp in the payload (R56), and the event as it stands there."""
    raw = event.wire()
    made = dump(raw)
    payload = storable(made)
    if payload != made:
        raw = json.loads(payload)
        event = read_event(raw)
    kind = str(raw.get("type", ""))
    inquiry = str(raw["id"]) if kind in INQUIRY else None
    text = _searchable(event)
    return Entry(kind, turn, payload, at=at, inquiry=inquiry, text=text, lines=text.count("\n")), event


def stored_event(stored: Stored) -> StoredEvent:
    """What a face gets; a payload that is no JSON object is shown as what it is, never dropped."""
    try:
        event = parse_object(stored.entry.payload, max_bytes=MAX_STORED_BYTES, max_depth=MAX_STORED_DEPTH)
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


def totals(raw: Json) -> UsageTotals:
    """Token counts as an event holds them; what is no count is none."""
    counts = raw if isinstance(raw, dict) else {}
    found = {
        name: value
        for name in UsageTotals.model_fields
        if isinstance(value := counts.get(name), int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    }
    return UsageTotals(**found)


def together(before: UsageTotals, turn: UsageTotals) -> UsageTotals:
    """A conversation's counts after one more turn; `context` is that of the last request."""
    return UsageTotals(
        input=before.input + turn.input,
        output=before.output + turn.output,
        cached=before.cached + turn.cached,
        reasoning=before.reasoning + turn.reasoning,
        context=turn.context or before.context,
    )

"""Convert events to the journal's form and to the protocol's. No decisions here.

A lone surrogate can't be stored as UTF-8: it becomes U+FFFD here, so that no file name and no broken prompt makes the
log refuse an event.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from jp_tui.conversation.events import (
    ChatRequest,
    ChatResponse,
    Event,
    InquiryAnswered,
    InquiryAssigned,
    InquiryCancelled,
    InquiryRedacted,
    InquiryRequest,
    InquiryVote,
    ToolCallResponse,
)
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object
from jp_tui.journal.port import MISSING, NewEvent, Span, Stored
from jp_tui.protocol.values import EventSpan, StoredEvent, UsageTotals

MAX_STORED_BYTES = 1 << 30
MAX_STORED_DEPTH = 128
"""Input is limited to 64 levels, and an event adds a few."""
INQUIRY = ("inquiry_request", "inquiry_response", "inquiry_vote", "inquiry_assigned", "inquiry_aside")
SENT = "asides"
"""Metadata of a user's message: the inquiries whose side questions it contains."""
_HALF = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Return the text in a form UTF-8 can store."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


def _searchable(event: Event) -> str:
    match event:
        case ChatRequest(metadata=metadata) if SENT in metadata:
            return ""  # not typed, so not part of the prompt history
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


def signed(event: Event, who: str, machine: str) -> Event:
    """Return a user's answer with the role and the machine of the user (store.md D13), where the store has roles and
    the answer names none. Any other event is returned unchanged."""
    if not who or not isinstance(event, InquiryAnswered | InquiryCancelled | InquiryVote | InquiryAssigned):
        return event
    by = event.responder
    if by is None or by.kind != "user" or by.who:
        return event
    return replace(event, responder=replace(by, who=who, machine=machine))


def entry(event: Event, turn: int, at: str) -> tuple[NewEvent, Event]:
    """Return the stored form with the timestamp in the payload (R56), and the event as stored."""
    raw = event.wire()
    made = dump(raw)
    payload = storable(made)
    if payload != made:
        raw = json.loads(payload)
        event = read_event(raw)
    kind = str(raw.get("type", ""))
    inquiry = str(raw["id"]) if kind in INQUIRY else None
    text = _searchable(event)
    return NewEvent(kind, turn, payload, at=at, inquiry=inquiry, text=text, lines=text.count("\n")), event


IMPORTED_DELTA = "imported_config_delta"
"""Stored kind of another program's settings change: the payload is unchanged, and it never takes effect here."""


def kept(raw: JsonObject, turn: int, at: str) -> NewEvent:
    """Return the stored form of another program's event: unchanged except for secret answers (R202)."""
    event = read_event(raw)
    payload = storable(dump(event.wire() if isinstance(event, InquiryRedacted) else raw))
    kind, id_, text = raw.get("type"), raw.get("id"), storable(_searchable(event))
    kind = kind if isinstance(kind, str) else ""
    inquiry = id_ if kind in INQUIRY and isinstance(id_, str) else None
    stored = IMPORTED_DELTA if kind == "config_delta" else kind
    return NewEvent(storable(stored), turn, payload, at=at, inquiry=inquiry, text=text, lines=text.count("\n"))


def stored_event(stored: Stored) -> StoredEvent:
    """Convert to the protocol's form; a payload that isn't a JSON object and missing events are shown as such, never
    dropped."""
    if stored.entry.kind == MISSING and not stored.entry.payload:
        words = f"{stored.entry.characters or 0} events are missing here because the database was damaged or changed"
        return StoredEvent(seq=stored.seq, turn=stored.entry.turn, event={"type": "unreadable", "problem": words})
    try:
        event = parse_object(stored.entry.payload, max_bytes=MAX_STORED_BYTES, max_depth=MAX_STORED_DEPTH)
    except JsonProblem as problem:
        event = {"type": "unreadable", "problem": problem.message, "kind": stored.entry.kind}
    return StoredEvent(seq=stored.seq, turn=stored.entry.turn, event=event)


def event_span(span: Span) -> EventSpan:
    """Convert the journal's row to the protocol's form."""
    return EventSpan(
        first=span.first_seq,
        last=span.last_seq,
        events=span.events,
        characters=span.characters,
        lines=span.lines,
    )


def sampled(event: ToolCallResponse) -> list[UsageTotals]:
    """Return the tokens of each reply that a call's server got from the model (mcp.md P46)."""
    found = event.metadata.get("sampling")
    return [totals(one.get("usage")) for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def totals(raw: Json) -> UsageTotals:
    """Return token counts of an event; 0 for invalid ones."""
    counts = raw if isinstance(raw, dict) else {}
    cost = counts.get("cost_usd")
    found: dict[str, Any] = {
        name: value
        for name in UsageTotals.model_fields
        if isinstance(value := counts.get(name), int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    }
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 1e9:
        found["cost_usd"] = float(cost)
    return UsageTotals(**found)

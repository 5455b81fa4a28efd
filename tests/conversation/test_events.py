"""Stored forms and the way back (inquiries.md R44-R58, acceptance matrix 23)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import inquiry_id, read_timestamp, timestamp
from jp_tui.conversation.reading import read_event

STORED: list[dict[str, Any]] = [
    {"timestamp": "2026-03-05 21:21:16.755262", "type": "turn_start"},
    {"timestamp": "2026-03-05 21:21:16.0", "type": "chat_request", "content": "hi"},
    {"timestamp": "t", "type": "chat_response", "message": "hello", "metadata": {"incomplete": True}},
    {"timestamp": "t", "type": "chat_response", "reasoning": "hm"},
    {"timestamp": "t", "type": "chat_response", "data": {"a": 1}},
    {"timestamp": "t", "type": "tool_call_request", "id": "c", "name": "x", "arguments": {"tool_answers": 1}},
    {"timestamp": "t", "type": "tool_call_response", "id": "c", "content": "ok", "is_error": False},
    {
        "timestamp": "t",
        "type": "inquiry_request",
        "id": "c.q.1",
        "source": {"source": "tool", "name": "x"},
        "question": {"text": "?", "answer_type": {"type": "boolean"}, "exclusive": True, "persistence": "none"},
    },
    {"timestamp": "t", "type": "inquiry_response", "outcome": "answered", "id": "c.q.1", "answer": True, "reason": "r"},
    {
        "timestamp": "t",
        "type": "inquiry_response",
        "outcome": "answered",
        "id": "c.q.1",
        "answer": False,
        "responder": {"kind": "assistant", "model": "m", "escalated": True, "ms": 12},
        "parts": {"accepted": ["1"]},
    },
    {"timestamp": "t", "type": "inquiry_response", "outcome": "cancelled", "id": "c.q.1", "reason": "from_the_future"},
    {"timestamp": "t", "type": "inquiry_response", "outcome": "redacted", "id": "c.q.1"},
    {"timestamp": "t", "type": "turn_outcome", "outcome": "done", "model": "p/m", "usage": {"input": 1}, "ms": 3},
    {"timestamp": "t", "type": "config_delta", "anything": [1, {"b": None}]},
]


@pytest.mark.parametrize("raw", STORED, ids=lambda raw: raw["type"])
def test_every_form_is_written_back_as_it_was_read(raw: dict[str, Any]) -> None:
    assert read_event(raw).wire() == raw


def test_legacy_responses() -> None:
    """R51: without `outcome` it is an answer, with `reason` as the explanation; a cancel without reason is `user`."""
    old = read_event({"type": "inquiry_response", "id": "a.b", "answer": "x", "reason": "because"})
    assert isinstance(old, ev.InquiryAnswered) and old.explanation == "because"
    left = read_event({"type": "inquiry_response", "outcome": "cancelled", "id": "a.b"})
    assert isinstance(left, ev.InquiryCancelled) and left.reason == "user"


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "inquiry_response", "id": "a.b"},
        {"type": "inquiry_response", "outcome": "later", "id": "a.b"},
        {"type": "chat_request"},
        {"type": "tool_call_request", "id": "x", "name": "y", "arguments": "{}"},
        {"type": "brand_new", "x": 1},
        {"no": "type"},
        {"type": ["list"]},
    ],
)
def test_what_cannot_be_read_is_kept_verbatim(raw: dict[str, Any]) -> None:
    """R51, R56: raw, reported where something is wrong with it, and the rest loads."""
    found = read_event(raw)
    assert isinstance(found, ev.Unknown) and found.wire() == raw


def test_real_conversations_survive(fixtures_dir: Path) -> None:
    """Every event of the recorded conversations keeps what it said; old responses gain their outcome (R51)."""
    for file in sorted(fixtures_dir.glob("jp_conversations/*/events.json")):
        for raw in json.loads(file.read_text()):
            written = read_event(raw).wire()
            if raw["type"] == "inquiry_response" and "outcome" not in raw:
                assert written.pop("outcome") == "answered"
            assert {key: value for key, value in raw.items() if key in written} == written


def test_timestamps() -> None:
    """R58."""
    for text in ("2026-03-05 21:21:16.755262", "2026-03-05 21:21:16.5", "2026-03-05 21:21:16.0"):
        assert timestamp(read_timestamp(text)) == text
    assert timestamp(read_timestamp("2026-03-05T23:21:16.25+02:00")) == "2026-03-05 21:21:16.25"
    assert timestamp(read_timestamp("2026-03-05T21:21:16Z")) == "2026-03-05 21:21:16.0"


def test_inquiry_ids_have_three_parts() -> None:
    """R26."""
    assert inquiry_id("call_1", "confirm", 2) == "call_1.confirm.2"

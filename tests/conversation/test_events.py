"""Stored forms and the way back (inquiries.md R44-R58, acceptance matrix 23)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    {"timestamp": "t", "type": "config_delta", "delta": {"a": {"b": None}}, "event_id": "e1"},
    {"timestamp": "t", "type": "compaction", "from_turn": 0, "summary": {"policy": "x"}},
    {"timestamp": "t", "type": "chat_request", "content": "hi", "author": "me", "schema": {}, "event_id": "e2"},
    {"timestamp": "t", "type": "chat_response", "message": "x", "data": {"both": 1}, "request_id": "e2"},
    {"timestamp": "t", "type": "tool_call_request", "id": "c", "name": "x", "arguments": {}, "tool_answers": {"q": 1}},
    {"timestamp": "t", "type": "tool_call_response", "id": "c", "content": "ok", "is_error": "yes", "metadata": [1]},
    {"timestamp": 5, "type": "turn_start", "metadata": {}},
    {
        "timestamp": "t",
        "type": "inquiry_request",
        "id": "c.q",
        "source": {"source": "other", "name": "sub", "depth": 2},
        "question": {"text": "?", "answer_type": {"type": "later"}, "parts": [{"id": "1"}]},
        "event_id": "e3",
    },
    {
        "timestamp": "t",
        "type": "inquiry_response",
        "outcome": "answered",
        "id": "c.q",
        "answer": None,
        "reason": 7,
        "responder": {"kind": "assistant", "usage": {"input": 9}, "escalated": False, "ms": 1.5, "team": "x"},
    },
    {"timestamp": "t", "type": "inquiry_response", "outcome": "answered", "id": "i", "answer": 1, "responder": "me"},
    {
        "timestamp": "t",
        "type": "inquiry_response",
        "outcome": "cancelled",
        "id": "c.q",
        "reason": "user",
        "responder": {"kind": "crowd", "size": 3},
        "request_id": "e3",
    },
    {"timestamp": "t", "type": "inquiry_response", "outcome": "redacted", "id": "i", "responder": {"kind": "user"}},
]


@pytest.mark.parametrize("raw", STORED, ids=lambda raw: raw["type"])
def test_every_form_is_written_back_as_it_was_read(raw: dict[str, Any]) -> None:
    assert read_event(raw).wire() == raw


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
KEYS = [
    "timestamp",
    "metadata",
    "id",
    "reason",
    "responder",
    "usage",
    "ms",
    "model",
    "error",
    "is_error",
    "later",
    "v2",
]


@given(st.sampled_from([one for one in STORED if "type" in one]), st.dictionaries(st.sampled_from(KEYS), JSON))
def test_nothing_is_lost_on_the_way(raw: dict[str, Any], more: dict[str, Any]) -> None:
    """R25, R51, R56, R209: known keys with odd values and unknown keys are written back as they were, in any event."""
    raw = {**raw, **more}
    written = read_event(raw).wire()
    assert {key: written[key] for key in raw if key in written} == {key: raw[key] for key in raw if key in written}
    assert set(raw) <= set(written) and set(written) - set(raw) <= {"reason", "usage", "model", "ms", "is_error"}
    assert read_event(written).wire() == written


def test_attribution_is_read_whole() -> None:
    """R25: model, escalation, where from, how long, what it cost; unknown keys wait in `extra`."""
    responder = {"kind": "assistant", "model": "m", "escalated": True, "via": "rpc", "ms": 3, "usage": {"input": 9}}
    found = read_event(
        {"type": "inquiry_response", "outcome": "cancelled", "id": "i", "reason": "user", "responder": responder}
    )
    assert isinstance(found, ev.InquiryCancelled)
    assert found.responder == ev.Responder("assistant", "m", True, "rpc", 3, {"input": 9})


def test_a_change_of_configuration() -> None:
    """R67, R208: read as what it is; the oldest form, flattened into the event, and a broken one stay as they were."""
    found = read_event({"timestamp": "t", "type": "config_delta", "delta": {"a": 1}, "event_id": "e"})
    assert found == ev.ConfigDelta(timestamp="t", delta={"a": 1}, extra={"event_id": "e"})
    flat, broken = {"type": "config_delta", "assistant": {}}, {"type": "config_delta", "delta": "a = 1"}
    assert read_event(flat) == ev.Unknown(flat)
    assert read_event(broken) == ev.Unknown(broken, "`delta` is not an object")


def test_answers_beside_arguments_are_no_arguments() -> None:
    """R239: old `tool_answers` are ignored; a key of that name inside the arguments is the model's own."""
    old = read_event(
        {"type": "tool_call_request", "id": "c", "name": "x", "arguments": {"a": 1}, "tool_answers": {"q": True}}
    )
    assert isinstance(old, ev.ToolCallRequest) and old.arguments == {"a": 1}


def test_the_reasons_that_the_program_gives() -> None:
    """R22, R23: a closed list for writing, any text for reading."""
    assert len(get_args(ev.CancelReason)) == 14
    found = read_event({"type": "inquiry_response", "outcome": "cancelled", "id": "i", "reason": "of_another_reader"})
    assert isinstance(found, ev.InquiryCancelled) and found.reason == "of_another_reader"


def test_a_redacted_response_holds_no_answer_even_if_one_was_written() -> None:
    """R202: neither in the value, nor in its repr, nor written again; everything else is kept."""
    raw = {"type": "inquiry_response", "outcome": "redacted", "id": "i", "answer": "canary", "event_id": "e"}
    found = read_event(raw)
    assert isinstance(found, ev.InquiryRedacted) and "canary" not in repr(found)
    assert found.wire() == {
        "timestamp": "", "type": "inquiry_response", "outcome": "redacted", "id": "i", "event_id": "e",
    }  # fmt: skip


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
        {"type": "inquiry_response", "outcome": None, "id": "a.b", "reason": "x"},
        {"type": "inquiry_response", "outcome": "answered", "id": "a.b"},
        {"type": "inquiry_response", "outcome": "answered", "answer": 1},
        {"type": "inquiry_request", "id": "a", "source": {"source": "ghost"}, "question": {}},
        {"type": "inquiry_request", "id": "a", "source": "user", "question": {}},
        {"type": "inquiry_request", "id": "a", "source": {"source": ["user"]}, "question": {}},
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


def test_real_conversations_survive(jp_conversations: Path) -> None:
    """Every event of the recorded conversations keeps what it said; old responses gain their outcome (R51)."""
    for file in sorted(jp_conversations.glob("*/events.json")):
        for raw in json.loads(file.read_text()):
            written = read_event(raw).wire()
            if raw["type"] == "inquiry_response" and "outcome" not in raw:
                assert written.pop("outcome") == "answered"
            assert {key: value for key, value in raw.items() if key in written} == written


def test_timestamps() -> None:
    """R58."""
    assert timestamp(read_timestamp("2026-03-05T21:21:16.123456789z")) == "2026-03-05 21:21:16.123456"
    assert timestamp(read_timestamp("2026-03-05t21:21:16.5-01:30")) == "2026-03-05 22:51:16.5"
    assert timestamp(read_timestamp("2026-03-05 21:21:16")) == "2026-03-05 21:21:16.0"
    for bad in ("", "now", "2026-03-05", "2026-13-05 00:00:00.0", "2026-03-05 21:21:16.x", "20260305T212116Z", "5"):
        with pytest.raises(ValueError):
            read_timestamp(bad)
    for text in ("2026-03-05 21:21:16.755262", "2026-03-05 21:21:16.5", "2026-03-05 21:21:16.0"):
        assert timestamp(read_timestamp(text)) == text
    assert timestamp(read_timestamp("2026-03-05T23:21:16.25+02:00")) == "2026-03-05 21:21:16.25"
    assert timestamp(read_timestamp("2026-03-05T21:21:16Z")) == "2026-03-05 21:21:16.0"


@given(st.datetimes(timezones=st.timezones()))
def test_a_timestamp_is_read_as_the_moment_it_was_written_for(at: datetime) -> None:
    """R58, both ways: our form and RFC 3339."""
    try:
        utc = at.astimezone(UTC)
    except OverflowError:
        return
    assert read_timestamp(timestamp(at)) == utc == read_timestamp(utc.isoformat())


def test_inquiry_ids_have_three_parts() -> None:
    """R26."""
    assert inquiry_id("call_1", "confirm", 2) == "call_1.confirm.2"


TYPES = [one["type"] for one in STORED] + ["later", 5, None]
WORDS = ["id", "name", "source", "question", "arguments", "content", "outcome", "answer", "reason", "message", "delta"]


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from([*WORDS, *KEYS]), JSON))
def test_no_stored_object_raises(kind: Any, body: dict[str, Any]) -> None:
    """STORE-006, STORE-007: every line of a log is an event or is kept as it is, with what is wrong with it."""
    raw = {"type": kind, **body}
    found = read_event(raw)
    if isinstance(found, ev.Unknown):
        assert found.wire() == raw
    else:
        assert read_event(found.wire()) == found


def test_d13_who_answered_is_read_and_written_back() -> None:
    """Nothing is lost of a responder, and what isn't text is kept as it is."""
    by = {"kind": "user", "via": "process", "who": "second", "machine": "desk", "for": "lead", "offer": 7, "ms": 3}
    raw: dict[str, Any] = {
        "timestamp": "t",
        "type": "inquiry_response",
        "outcome": "answered",
        "id": "a",
        "answer": True,
    }
    event = read_event({**raw, "responder": by})
    assert isinstance(event, ev.InquiryAnswered) and event.responder is not None
    found = event.responder
    assert (found.who, found.machine, found.on_behalf, found.offer) == ("second", "desk", "lead", 7)
    assert event.wire()["responder"] == by
    odd = {"kind": "user", "who": 3, "for": ["lead"], "offer": "x"}
    event = read_event({**raw, "responder": odd})
    assert isinstance(event, ev.InquiryAnswered) and event.responder is not None and not event.responder.who
    assert event.wire()["responder"] == odd

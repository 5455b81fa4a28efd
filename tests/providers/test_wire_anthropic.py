"""Anthropic Messages: request values to JSON, events to deltas (S20, S20b, T20)."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from jp_tui.conversation.model import (
    Call,
    Delta,
    Finished,
    Message,
    ModelError,
    ModelRequest,
    PartEnded,
    PartOpened,
    ReasoningPart,
    Result,
    TextPart,
    ToolSpec,
)
from jp_tui.providers.anthropic.request import DEFAULT_MAX_TOKENS, Anthropic
from jp_tui.providers.wire import ServerError

from .decoding import HELLO, decode, fold, random_offsets, sample

WIRE = Anthropic()
START = {"type": "message_start", "message": {"usage": {"input_tokens": 1}}}
STOP = {"type": "message_stop"}


def sse(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)


def begin(index: Any, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}


def grow(index: Any, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}


def end(index: Any) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def reason(name: str | None) -> dict[str, Any]:
    return {
        "type": "message_delta",
        "delta": {"stop_reason": name},
        "usage": {"output_tokens": 5, "input_tokens": None},
    }


def run(*events: dict[str, Any]) -> tuple[list[list[Any]], Finished]:
    said, finished = fold(decode(WIRE.decoder(HELLO), [sse(*events)]))
    assert finished is not None
    return said, finished


@pytest.mark.parametrize("seed", range(20))
def test_the_sample_split_anywhere(seed: int) -> None:
    raw, expected = sample("anthropic_tools")
    marks = [0, *sorted(random_offsets(raw, seed)), len(raw)]
    said, finished = fold(decode(WIRE.decoder(HELLO), (raw[a:b] for a, b in itertools.pairwise(marks))))
    assert said == expected["events"] and finished is not None
    assert (finished.reason, finished.usage.wire()) == (expected["reason"], expected["usage"])


def test_the_request() -> None:
    request = ModelRequest(
        "claude",
        (
            Message("user", (TextPart("Hi"),)),
            Message("assistant", (TextPart(" \n"),)),
            Message("user", (TextPart("Do it"),)),
            Message(
                "assistant",
                (
                    ReasoningPart("hm", {"anthropic_thinking_signature": "sig"}),
                    ReasoningPart("", {"anthropic_redacted_thinking": "data"}),
                    ReasoningPart("unsigned"),
                    ReasoningPart("else", {"provider": "local", "field": "reasoning"}),
                    Call("a.b/1", "t", {"x": 1}),
                    Call("toolu_2", "t", {}),
                ),
            ),
            Message("user", (Result("a.b/1", "t", "one", False),)),
            Message("user", (TextPart("and"), Result("toolu_2", "t", "bad", True))),
        ),
        system="Be short.",
        tools=(ToolSpec("t", "Does it.", {"type": "object"}),),
        temperature=0.5,
        extra={"thinking": {"type": "disabled"}},
    )
    cache = {"cache_control": {"type": "ephemeral"}}
    assert WIRE.body(request) == {
        "model": "claude",
        "max_tokens": DEFAULT_MAX_TOKENS,
        "stream": True,
        "temperature": 0.5,
        "thinking": {"type": "disabled"},
        "system": [{"type": "text", "text": "Be short.", **cache}],
        "tools": [{"name": "t", "description": "Does it.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "Do it"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "sig"},
                    {"type": "redacted_thinking", "data": "data"},
                    {"type": "tool_use", "id": "a_b_1", "name": "t", "input": {"x": 1}},
                    {"type": "tool_use", "id": "toolu_2", "name": "t", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a_b_1", "content": "one", "is_error": False},
                    {"type": "tool_result", "tool_use_id": "toolu_2", "content": "bad", "is_error": True},
                    {"type": "text", "text": "and", **cache},
                ],
            },
        ],
    }
    assert WIRE.headers == {"anthropic-version": "2023-06-01"} and WIRE.auth == "x-api-key"


@pytest.mark.parametrize(
    ("choice", "sent"),
    [("none", {"type": "none"}), ("required", {"type": "any"}), ("t", {"type": "tool", "name": "t"})],
)
def test_tool_choice(choice: str, sent: Any) -> None:
    request = ModelRequest("m", HELLO.messages, tools=(ToolSpec("t", "", {"type": "object"}),), tool_choice=choice)
    assert WIRE.body(request)["tool_choice"] == sent
    assert "tool_choice" not in WIRE.body(ModelRequest("m", HELLO.messages, max_tokens=7))


def test_thinking_comes_back_as_it_was_given() -> None:
    """What a response gave as `opaque` is what the next request sends."""
    raw, _ = sample("anthropic_tools")
    deltas = decode(WIRE.decoder(HELLO), [raw])
    opened = {delta.index: delta.kind for delta in deltas if isinstance(delta, PartOpened)}
    said = {part[0]: part for part in (fold(deltas)[0])}
    thoughts = tuple(
        ReasoningPart("Green tea at 80 °C." if delta.index == 0 else "", delta.opaque)
        for delta in deltas
        if isinstance(delta, PartEnded) and opened[delta.index] == "reasoning"
    )
    assert len(thoughts) == 2 and said
    messages = WIRE.body(ModelRequest("m", (*HELLO.messages, Message("assistant", thoughts))))["messages"]
    assert messages[1]["content"] == [  # type: ignore[index, call-overload]
        {"type": "thinking", "thinking": "Green tea at 80 °C.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "aGlkZGVu"},
    ]


def test_an_empty_signature_is_none() -> None:
    thinking = [
        begin(0, "thinking"),
        grow(0, "thinking_delta", thinking="hm"),
        grow(0, "signature_delta", signature=""),
    ]
    assert run(START, *thinking, end(0), reason("end_turn"), STOP)[0] == [["reasoning", "hm"]]


def test_interleaved_blocks() -> None:
    said, finished = run(
        START, begin(0, "text", text=""), begin(1, "tool_use", id="t1", name="t", input={}),
        grow(0, "text_delta", text="A"), grow(1, "input_json_delta", partial_json='{"path":'),
        grow(0, "text_delta", text="B"), grow(1, "input_json_delta", partial_json='"x"}'),
        end(1), end(0), reason("tool_use"), STOP,
    )  # fmt: skip
    assert sorted(said) == [["message", "AB"], ["tool", "t1", "t", {"path": "x"}]]
    assert finished.reason == "tools" and finished.usage.wire() == {
        "input": 1,
        "output": 5,
        "cached": 0,
        "reasoning": 0,
    }


def tool(*deltas: str, closed: bool = True, **more: Any) -> list[dict[str, Any]]:
    grown = [grow(0, "input_json_delta", partial_json=delta) for delta in deltas]
    return [START, begin(0, "tool_use", id="t1", name="t", input=more), *grown, *([end(0)] if closed else [])]


@pytest.mark.parametrize(
    ("events", "stop", "raw"),
    [
        (tool('{"path":"/tmp/a"}', closed=False), "max_tokens", '{"path":"/tmp/a"}'),
        (tool('{"path":"x"}', closed=False), "tool_use", '{"path":"x"}'),
        (tool('{"path":"x"}'), "max_tokens", '{"path":"x"}'),
        (tool(), "max_tokens", ""),
        (tool('{"path":"x"}'), "refusal", '{"path":"x"}'),
        (tool('{"path":'), "tool_use", '{"path":'),
        (tool('{"a":1e400}'), "tool_use", '{"a":1e400}'),
        (tool('{"a":{"b":1,"b":2}}'), "end_turn", '{"a":{"b":1,"b":2}}'),
    ],
)
def test_t20_cut_or_broken_calls_are_refused(events: list[dict[str, Any]], stop: str, raw: str) -> None:
    said, _ = run(*events, reason(stop), STOP)
    assert said == [["refused", "t1", "t", raw]]


def test_a_call_before_the_cut_is_whole_and_an_input_may_come_at_once() -> None:
    said, _ = run(*tool("{}"), begin(1, "text", text="so"), reason("max_tokens"), STOP)
    assert said == [["tool", "t1", "t", {}], ["message", "so"]]
    assert run(*tool(path="x"), reason("tool_use"), STOP)[0] == [["tool", "t1", "t", {"path": "x"}]]
    assert run(*tool(), reason("tool_use"), STOP)[0] == [["tool", "t1", "t", {}]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("end_turn", "end"), ("stop_sequence", "end"), ("max_tokens", "length"), ("refusal", "refused"),
        ("pause_turn", "paused"), ("model_context_window_exceeded", "window"), ("a_later_one", "other"),
    ],
)  # fmt: skip
def test_stop_reasons(name: str, expected: str) -> None:
    assert run(START, begin(0, "text", text="x"), end(0), reason(name), STOP)[1].reason == expected


def test_what_a_later_version_adds_is_passed_over() -> None:
    said, _ = run(
        START, {"type": "new_event"}, begin(0, "hologram", data="x"), grow(0, "text_delta", text="no"), end(0),
        begin(1, "text", text=""), grow(1, "citations_delta", citation={}), grow(1, "new_delta", text="no"),
        grow(1, "text_delta", text="yes"), end(1), end(1), reason("end_turn"), STOP,
    )  # fmt: skip
    assert said == [["message", "yes"]]


@pytest.mark.parametrize(
    "events",
    [
        [end(0)],
        [START, START],
        [START, grow(0, "text_delta", text="x")],
        [START, begin(-1, "text")],
        [START, begin("0", "text")],
        [START, begin(True, "text")],
        [START, begin(0, "text"), begin(0, "text")],
        [START, begin(0, "text"), grow(10**18, "text_delta", text="x")],
        [START, begin(0, "text"), grow("0", "text_delta", text="x")],
        [START, begin(0, "text"), end(0), grow(0, "text_delta", text="x")],
        [START, *(begin(at, "text") for at in range(2000))],
    ],
)
def test_a_broken_protocol_is_an_error_in_words(events: list[dict[str, Any]]) -> None:
    with pytest.raises(ModelError, match="reply is invalid") as caught:
        run(*events, reason("end_turn"), STOP)
    assert caught.value.transient and caught.value.advice


@pytest.mark.parametrize(
    "events",
    [
        [],
        [START, begin(0, "text", text="x")],
        [START, begin(0, "text", text="x"), end(0), reason("end_turn")],
        [START, begin(0, "text", text="x"), end(0), STOP],
        [*tool("{}"), reason("tool_use")],
    ],
)
def test_a_stream_without_its_end_is_cut(events: list[dict[str, Any]]) -> None:
    decoder = WIRE.decoder(HELLO)
    deltas: list[Delta] = []
    with pytest.raises(ModelError) as caught:
        deltas = decoder.feed(sse(*events))
        decoder.end()
    assert caught.value.kind == "cut" and caught.value.transient
    assert not any(isinstance(delta, PartEnded) and delta.arguments is not None for delta in deltas)


def test_an_error_event() -> None:
    with pytest.raises(ServerError) as caught:
        run(START, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert caught.value.error["type"] == "overloaded_error"

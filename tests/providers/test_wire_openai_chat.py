"""OpenAI chat completions: request values to JSON, chunks to deltas (S20, R128, R163, T20)."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from jp_tui.conversation.model import (
    Call,
    Delta,
    Message,
    ModelError,
    ModelRequest,
    ReasoningPart,
    Result,
    TextPart,
    ToolSpec,
    Usage,
)
from jp_tui.providers.openai_chat.request import OpenAIChat
from jp_tui.providers.wire import ServerError

from .decoding import HELLO, decode, fold, random_offsets, sample

WIRE = OpenAIChat("local")


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return b"data: " + json.dumps({"choices": choices, **more}).encode() + b"\n\n"


def call(index: int | None, id_: str = "", name: str = "", arguments: Any = "") -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    found: dict[str, Any] = {"function": function, **({"id": id_} if id_ else {})}
    return {"tool_calls": [{"index": index, **found} if index is not None else found]}


DONE = b"data: [DONE]\n\n"


def run(*pieces: bytes, request: ModelRequest = HELLO) -> tuple[list[list[Any]], str, Usage]:
    deltas: list[Delta] = decode(WIRE.decoder(request), pieces)
    said, finished = fold(deltas)
    assert finished is not None
    return said, finished.reason, finished.usage


@pytest.mark.parametrize("name", ["openai_parallel", "openai_cut"])
@pytest.mark.parametrize("seed", range(20))
def test_samples_split_anywhere(name: str, seed: int) -> None:
    raw, expected = sample(name)
    marks = [0, *sorted(random_offsets(raw, seed)), len(raw)]
    said, reason, usage = run(*(raw[a:b] for a, b in itertools.pairwise(marks)))
    assert [part[: len(want)] for part, want in zip(said, expected["events"], strict=True)] == expected["events"]
    assert (reason, usage.wire()) == (expected["reason"], expected["usage"])


def test_the_request() -> None:
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {"z": {"type": ["string", "null"]}, "a": {"const": 1}},
    }
    request = ModelRequest(
        "llama-3",
        (
            Message("user", (TextPart("Hi"),)),
            Message(
                "assistant",
                (ReasoningPart("old", {"provider": "local", "field": "reasoning_content"}), TextPart("Yes?")),
            ),
            Message("user", (TextPart("Do it"),)),
            Message(
                "assistant",
                (
                    ReasoningPart("hm", {"provider": "local", "field": "reasoning"}),
                    ReasoningPart("else", {"provider": "other", "field": "reasoning"}),
                    ReasoningPart("signed", {"anthropic_thinking_signature": "x"}),
                    TextPart("On it."),
                    Call("c1", "t", {"b": 1, "a": "é"}),
                    Call("c2", "t", {}),
                ),
            ),
            Message("user", (TextPart("and now"), Result("c1", "t", "one", False), Result("c2", "t", "bad", True))),
        ),
        system="Be short.",
        tools=(ToolSpec("t", "Does it.", parameters),),
        max_tokens=50,
        temperature=0.0,
        extra={"top_k": 3},
    )
    body = WIRE.body(request)
    assert body["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "Do it"},
        {
            "role": "assistant",
            "content": "On it.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "t", "arguments": '{"b":1,"a":"é"}'}},
                {"id": "c2", "type": "function", "function": {"name": "t", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "bad"},
        {"role": "user", "content": "and now"},
    ]
    function = {"name": "t", "description": "Does it.", "parameters": parameters}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert json.dumps(body["tools"]).index('"z"') < json.dumps(body["tools"]).index('"a"')  # R128: order kept
    assert "strict" not in json.dumps(body)  # R163
    sent = {"model": "llama-3", "stream": True, "max_tokens": 50, "temperature": 0.0, "top_k": 3}
    assert {key: each for key, each in body.items() if key not in ("messages", "tools")} == {
        **sent,
        "stream_options": {"include_usage": True},
    }


def test_reasoning_goes_back_within_the_turn_and_to_its_server_only() -> None:
    request = ModelRequest(
        "m",
        (
            Message("user", (TextPart("go"),)),
            Message(
                "assistant", (ReasoningPart("hm", {"provider": "local", "field": "reasoning"}), Call("c", "t", {}))
            ),
            Message("user", (Result("c", "t", "x", False),)),
        ),
    )
    messages = WIRE.body(request)["messages"]
    assert isinstance(messages, list) and isinstance(messages[1], dict) and messages[1]["reasoning"] == "hm"
    assert "hm" not in json.dumps(OpenAIChat("other").body(request))


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", "none"),
        ("required", "required"),
        ("t", {"type": "function", "function": {"name": "t"}}),
    ],
)
def test_tool_choice(choice: str, sent: Any) -> None:
    tools = tuple(ToolSpec(name, "", {"type": "object"}) for name in ("t", "u"))
    request = ModelRequest("m", HELLO.messages, tools=tools, tool_choice=choice)
    assert WIRE.body(request)["tool_choice"] == sent
    assert "tool_choice" not in WIRE.body(ModelRequest("m", HELLO.messages, tool_choice=choice))


def test_a_forced_tool_that_is_the_only_one_is_forced_in_a_word() -> None:
    """llama.cpp takes a name for no choice at all."""
    tools = (ToolSpec("t", "", {"type": "object"}),)
    assert WIRE.body(ModelRequest("m", HELLO.messages, tools=tools, tool_choice="t"))["tool_choice"] == "required"
    named = WIRE.body(ModelRequest("m", HELLO.messages, tools=tools, tool_choice="other"))["tool_choice"]
    assert named == {"type": "function", "function": {"name": "other"}}


def test_what_servers_spell_differently() -> None:
    request = ModelRequest("m", HELLO.messages, max_tokens=9)
    openai = OpenAIChat("openai", "api.openai.com").body(request)
    assert openai["max_completion_tokens"] == 9 and "max_tokens" not in openai
    assert "stream_options" not in OpenAIChat("mistral", "api.mistral.ai").body(request)
    assert OpenAIChat("x").auth == "bearer" and not OpenAIChat("x").headers


def test_t20_calls_only_from_a_complete_message() -> None:
    said, reason, _ = run(chunk(call(0, "c", "t", '{"a":')), chunk(call(0, arguments="1}")), chunk(finish="stop"), DONE)
    assert said == [["tool", "c", "t", {"a": 1}]] and reason == "tools"
    decoder = WIRE.decoder(HELLO)
    early = decoder.feed(chunk(call(0, "c", "t", "{}")) + chunk(call(1, "d", "t", "{}")))
    assert not any(type(delta).__name__ in ("PartEnded", "CallRefused") for delta in early)
    with pytest.raises(ModelError) as caught:
        decoder.end()
    assert caught.value.kind == "cut" and caught.value.transient


@pytest.mark.parametrize(
    ("arguments", "finish"),
    [
        ('{"path":"a","content":"li', "length"),
        ('{"path":"a"}', "length"),
        ("", "length"),
        ('{"path":"a"}', "content_filter"),
        ('{"path":"a"}', "something_new"),
        ('{"path":"a"', "tool_calls"),
        ('{"path":"a"}}', "tool_calls"),
        ('["a"]', "stop"),
        ("null", "stop"),
        ('{"a":1,"a":2}', "tool_calls"),
        ('{"a":NaN}', "tool_calls"),
        ('{"a":"\\ud800"}', "tool_calls"),
    ],
)
def test_t20_cut_or_broken_calls_are_refused(arguments: str, finish: str) -> None:
    said, reason, _ = run(chunk(call(0, "c", "t", arguments)), chunk(finish=finish), DONE)
    assert said == [["refused", "c", "t", arguments]]
    assert reason in ("length", "refused", "other", "tools")


def test_calls_before_the_cut_one_are_whole() -> None:
    said, reason, _ = run(chunk(call(0, "a", "t", "{}")), chunk(call(1, "b", "t", '{"x')), chunk(finish="length"))
    assert said == [["tool", "a", "t", {}], ["refused", "b", "t", '{"x']] and reason == "length"


def test_interleaved_arguments_go_to_their_index() -> None:
    said, _, _ = run(
        chunk(call(0, "a", "t", '{"x":')), chunk(call(1, "b", "u", '{"y":')),
        chunk(call(0, arguments="1}")), chunk(call(1, arguments="2}")), chunk(finish="tool_calls"),
    )  # fmt: skip
    assert said == [["tool", "a", "t", {"x": 1}], ["tool", "b", "u", {"y": 2}]]


def test_calls_without_index_or_with_one_index_for_all() -> None:
    for index in (None, 0):
        said, _, _ = run(
            chunk(call(index, "a", "t", "{}")),
            chunk(call(index, "b", "u", '{"y":')),
            chunk(call(index, arguments="2}")),
            chunk(finish="tool_calls"),
        )
        assert said == [["tool", "a", "t", {}], ["tool", "b", "u", {"y": 2}]]


def test_ids_that_are_missing_or_taken_become_unique() -> None:
    earlier = ModelRequest("m", (*HELLO.messages, Message("assistant", (Call("call_0", "t", {}),))))
    said, _, _ = run(
        chunk(call(0, "call_0", "t", "{}")), chunk(call(1, "", "t", "{}")), chunk(finish="tool_calls"), request=earlier
    )
    ids = [part[1] for part in said]
    assert len({*ids, "call_0"}) == 3 and all(ids)


def test_a_name_that_comes_late_and_one_that_never_comes() -> None:
    said, _, _ = run(
        chunk(call(0, "a", "", '{"x"')),
        chunk(call(0, "", "t", ":1}")),
        chunk(call(1, "b", "", "{}")),
        chunk(finish="tool_calls"),
    )
    assert said == [["tool", "a", "t", {"x": 1}], ["refused", "b", "", "{}"]]


def test_other_forms_of_the_same() -> None:
    assert run(chunk(call(0, "a", "t", {"x": 1})), chunk(finish="tool_calls"))[0] == [["tool", "a", "t", {"x": 1}]]
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "ok"}]
    assert run(chunk({"content": thinking}), chunk(finish="stop"))[0] == [["reasoning", "hm"], ["message", "ok"]]
    both = run(chunk({"reasoning": "a", "reasoning_content": "a"}), chunk({"content": ""}, finish="stop"))[0]
    assert both == [["reasoning", "a", {"provider": "local", "field": "reasoning_content"}]]
    assert run(chunk({"refusal": "no"}), chunk(finish="content_filter"))[:2] == ([["message", "no"]], "refused")
    assert run(chunk(finish="stop", usage={"prompt_tokens": 1, "completion_tokens": -4}))[2] == Usage(1, 0)


def test_done_without_a_reason_is_a_cut_reply() -> None:
    with pytest.raises(ModelError) as caught:
        run(chunk({"content": "Hi"}), DONE)
    assert caught.value.kind == "cut"


def test_what_comes_after_the_end_is_not_read() -> None:
    assert run(chunk({"content": "Hi"}, finish="stop"), DONE, b"data: {broken\n\n")[0] == [["message", "Hi"]]


@pytest.mark.parametrize("body", ["nope", "[]", '{"a":1,"a":2}', "[" * 100])
def test_an_event_that_is_no_json_object_is_an_error_in_words(body: str) -> None:
    with pytest.raises(ModelError, match="reply is invalid") as caught:
        run(b"data: " + body.encode() + b"\n\n")
    assert caught.value.transient


@pytest.mark.parametrize("index", [-1, 10**18])
def test_an_impossible_index(index: int) -> None:
    with pytest.raises(ModelError, match="impossible index"):
        run(chunk(call(index, "a", "t", "{}")))


@pytest.mark.parametrize("error", [{"message": "boom", "code": 429}, "boom"])
def test_an_error_inside_the_stream(error: Any) -> None:
    with pytest.raises(ServerError) as caught:
        run(chunk({"content": "Hi"}), b"data: " + json.dumps({"error": error}).encode() + b"\n\n")
    assert caught.value.error["message"] == "boom"

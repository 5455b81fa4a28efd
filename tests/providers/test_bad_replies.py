"""Replies as no server should send them, on every wire: words or the whole message (wires.md W9, W11)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.conversation.model import Finished, ModelError, ModelRequest
from jp_tui.conversation.strict_json import JsonProblem, parse
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.registry import make_wire, open_provider
from jp_tui.providers.sse import EVENT_STREAM
from jp_tui.providers.wire import Decoder, ServerError
from tests.fakes.memory_server import MemoryServer
from tests.fakes.model_server import Answer, ModelServer

from .decoding import HELLO, decode, fold
from .makers import ARGUMENTS, SPEAKS, sse

KEY = "sk-key-77777777"


def decoder(wire: str, request: ModelRequest = HELLO) -> Decoder:
    return make_wire(Endpoint("x", wire, "http://h")).decoder(request)


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def framed(wire: str, *values: Any) -> bytes:
    return lines(*values) if wire == "ollama" else sse(*values)


def said(wire: str, body: bytes) -> list[list[Any]]:
    """What a whole reply says, without reasoning."""
    found, finished = fold(decode(decoder(wire), [body]))
    assert finished is not None
    return [part[:4] for part in found if part[0] != "reasoning"]


def calls(wire: str, body: bytes) -> list[Any]:
    return [[*part[:1], *part[2:]] for part in said(wire, body) if part[0] in ("tool", "refused")]


WHOLE = [["tool", "look", one] for one in ARGUMENTS]


@pytest.mark.parametrize("wire", SPEAKS)
def test_w9_a_reply_that_comes_twice_counts_once(wire: str) -> None:
    """Gemini alone says nothing at its end, so there a second reply cannot be told from more of the first."""
    twice = (SPEAKS[wire](True) + (b"data: [DONE]\n\n" if wire == "openai-chat" else b"")) * 2
    if wire == "gemini":
        assert len(calls(wire, twice)) == 4
    else:
        assert calls(wire, twice) == WHOLE


@pytest.mark.parametrize("wire", SPEAKS)
def test_t20_nothing_at_all_is_cut_off(wire: str) -> None:
    for body in (b"", b"\n\n", framed(wire, {}), b": ping\n\n" if wire != "ollama" else b"\n"):
        with pytest.raises(ModelError) as caught:
            decode(decoder(wire), [body])
        assert caught.value.kind == "cut" and caught.value.transient


UNKNOWN: dict[str, list[Any]] = {
    "openai-chat": [{"object": "ping"}, {"choices": []}, {"choices": [{"delta": {"audio": {"id": "a"}}}]}],
    "openai-responses": [
        {"type": "response.queued"},
        {"type": "response.web_search_call.searching", "item_id": "ws_1"},
        {"type": "response.output_item.added", "output_index": 7, "item": {"id": "ws_1", "type": "web_search_call"}},
        {"type": "response.output_item.done", "output_index": 7, "item": {"id": "ws_1", "type": "web_search_call"}},
        {"type": "later", "item_id": None},
    ],
    "anthropic": [
        {"type": "ping"},
        {"type": "content_block_start", "index": 9, "content_block": {"type": "server_tool_use", "id": "s"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "citations_delta", "citation": {}}},
        {"type": "content_block_stop", "index": 9},
    ],
    "gemini": [
        {"candidates": [{"content": {"parts": [{"executableCode": {"code": "1"}}], "role": "model"}}]},
        {"modelVersion": "x"},
    ],
    "ollama": [{"message": {"audio": "x"}}, {"status": "loading"}],
}


@pytest.mark.parametrize("wire", SPEAKS)
def test_w9_what_is_not_known_is_skipped_wherever_it_stands(wire: str) -> None:
    whole = SPEAKS[wire](True)
    ends = b"\n" if wire == "ollama" else b"\n\n"
    events = [one + ends for one in whole.split(ends) if one]
    for at in range(len(events)):
        if wire == "anthropic" and not at:
            continue  # before its message begins
        body = b"".join([*events[:at], framed(wire, *UNKNOWN[wire]), *events[at:]])
        assert calls(wire, body) == WHOLE, at


ODD = ["this isn't JSON", "[1, 2]", '"text"', "null", '{"a": NaN}', '{"a": 1, "a": 2}', "{} {}", "<html></html>"]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("wire", ["openai-responses", "gemini", "ollama"])
def test_t20_what_is_no_object_is_an_error_wherever_it_stands(wire: str, odd: str) -> None:
    ends = "\n" if wire == "ollama" else "\n\n"
    events = [one + ends for one in SPEAKS[wire](True).decode().split(ends) if one]
    for at in range(len(events)):
        body = "".join([*events[:at], odd if wire == "ollama" else f"data: {odd}", ends, *events[at:]])
        with pytest.raises(ModelError, match=r"not (a )?JSON") as caught:
            decode(decoder(wire), [body.encode()])
        assert caught.value.kind == "server" and caught.value.transient


def item(number: int, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{number}", "call_id": f"c{number}", "name": "look", **more}


@pytest.mark.parametrize("indexed", [True, False])
def test_w9_calls_of_responses_may_interleave_and_end_in_another_order(indexed: bool) -> None:
    def event(kind: str, number: int, **more: Any) -> dict[str, Any]:
        return {"type": f"response.{kind}", **({"output_index": number} if indexed else {}), **more}

    texts = [json.dumps(one) for one in ARGUMENTS]
    made = [event("output_item.added", at, item=item(at, arguments="")) for at in (0, 1)]
    for half in (slice(0, 4), slice(4, None)):
        for at in (1, 0):
            delta = {"item_id": f"fc_{at}", "delta": texts[at][half]}
            made.append(event("function_call_arguments.delta", at, **delta))
    made += [event("output_item.done", at, item=item(at, arguments=texts[at])) for at in (1, 0)]
    assert calls("openai-responses", sse(*made, {"type": "response.completed", "response": {}})) == WHOLE


def test_w9_calls_of_chat_may_interleave() -> None:
    texts = [json.dumps(one) for one in ARGUMENTS]
    heads = [{"index": at, "id": f"c{at}", "function": {"name": "look", "arguments": ""}} for at in (0, 1)]
    pieces = [
        {"index": at, "function": {"arguments": texts[at][half]}}
        for half in (slice(0, 4), slice(4, None))
        for at in (1, 0)
    ]
    chunks = [{"choices": [{"delta": {"tool_calls": [one]}}]} for one in (*heads, *pieces)]
    body = sse(*chunks, {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    found = calls("openai-chat", body)
    assert found in (WHOLE, [["refused", "look", text] for text in texts]) or all(one[0] == "refused" for one in found)


BAD: list[Any] = ["[1]", '{"at":', "null", "", '{"at": NaN}', '{"at":1,"at":2}', "[" * 300 + "]" * 300]


def with_arguments(wire: str, raw: str) -> bytes:
    """One call with these arguments; where a wire has them as a value, as the value that they are."""
    try:
        value: Any = parse(raw)
    except JsonProblem:
        value = raw
    match wire:
        case "openai-chat":
            call = {"index": 0, "id": "c", "function": {"name": "look", "arguments": raw}}
            return sse({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]})
        case "openai-responses":
            done = {"type": "response.output_item.done", "item": item(0, arguments=raw)}
            return sse(done, {"type": "response.completed", "response": {}})
        case "anthropic":
            block = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
            return sse(
                {"type": "message_start", "message": {}},
                {"type": "content_block_start", "index": 0, "content_block": block},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": raw}},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
                {"type": "message_stop"},
            )
        case "gemini":
            return sse(
                {
                    "candidates": [
                        {
                            "content": {"parts": [{"functionCall": {"name": "look", "args": value}}]},
                            "finishReason": "STOP",
                        }
                    ]
                }
            )
        case _:
            return lines(
                {"message": {"tool_calls": [{"function": {"name": "look", "arguments": value}}]}, "done": True}
            )


@pytest.mark.parametrize("raw", BAD, ids=lambda raw: raw[:12])
@pytest.mark.parametrize("wire", SPEAKS)
def test_t20_a_call_with_other_arguments_than_an_object_never_runs(wire: str, raw: str) -> None:
    """Nothing at all, and null, are no arguments."""
    try:
        found = calls(wire, with_arguments(wire, raw))
    except ModelError:  # the event itself can't be read
        return
    if raw in ("", "null") and found[0][0] == "tool":
        assert found == [["tool", "look", {}]]
    else:
        assert found[0][:2] == ["refused", "look"]


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (
            "gemini",
            [
                {
                    "candidates": [
                        {"content": {"parts": [{"text": "a"}]}},
                        {"index": 1, "content": {"parts": [{"text": "z"}]}},
                    ]
                },
                {"candidates": [{"index": 1, "content": {"parts": [{"text": "z"}]}, "finishReason": "SAFETY"}]},
                {"candidates": []},
                {"candidates": None},
                {
                    "candidates": [
                        {"content": {"parts": [{"text": "b"}]}, "finishReason": "STOP"},
                        {"finishReason": "SAFETY"},
                    ]
                },
            ],
        ),
        (
            "openai-chat",
            [
                {"choices": [{"delta": {"content": "a"}}, {"index": 1, "delta": {"content": "z"}}]},
                {"choices": [{"index": 1, "delta": {"content": "z"}, "finish_reason": "length"}]},
                {"choices": None},
                {"choices": [{"index": 0, "delta": {"content": "b"}, "finish_reason": "stop"}]},
            ],
        ),
    ],
)
def test_w9_of_several_candidates_the_first_counts(wire: str, body: list[Any]) -> None:
    assert said(wire, sse(*body)) == [["message", "ab"]]


@pytest.mark.parametrize("wire", SPEAKS)
def test_a_reply_without_an_end_is_bounded(wire: str) -> None:
    """100 MB of one line, and of one that is never an event."""
    for start in (b"data: ", b"{" if wire == "ollama" else b": "):
        made, piece, sizes = decoder(wire), b"x" * (1 << 20), 0
        with pytest.raises(ModelError) as caught:
            made.feed(start)
            for _ in range(100):
                made.feed(piece)
                sizes += 1
        assert caught.value.kind == "too_large" and sizes < 40


@pytest.mark.parametrize("wire", SPEAKS)
async def test_a_reply_of_100_mb_is_bounded_by_what_it_says(wire: str) -> None:
    server, whole = MemoryServer(), SPEAKS[wire](False, "x" * 100_000)
    events = whole.split(b"\n" if wire == "ollama" else b"\n\n")
    long = next(one for one in events if b"xxxx" in one) + (b"\n" if wire == "ollama" else b"\n\n")
    begin = b"".join(one + b"\n\n" for one in events[: events.index(long.strip())]) if wire != "ollama" else b""
    if wire == "openai-responses":
        delta = {"type": "response.output_text.delta", "item_id": "m", "delta": "x" * 100_000}
        begin = sse({"type": "response.output_item.added", "item": {"type": "message", "id": "m"}})
        long = sse(delta)
    if wire == "anthropic":
        block = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}
        begin += sse(block)
        long = sse({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "x" * 100_000}})
    server.answers([begin, *[long] * 60], "stall")
    provider = server.provider(Endpoint("x", wire, "http://h.invalid", max_response_bytes=2_000_000))
    with pytest.raises(ModelError) as caught:
        [delta async for delta in provider.stream(HELLO)]
    await provider.close()
    assert caught.value.kind == "too_large"


@pytest.mark.parametrize("wire", SPEAKS)
async def test_a_server_that_echoes_the_key_writes_it_nowhere(wire: str) -> None:
    """In a refusal, in an error inside the stream, in names that messages and the log repeat."""
    media = "application/x-ndjson" if wire == "ollama" else EVENT_STREAM
    stream, refusal = {"content-type": media}, {"content-type": "application/json"}
    words = {"error": {"message": f"bad key {KEY}", "type": KEY, "code": KEY, "status": KEY}}
    named = [
        {"promptFeedback": {"blockReason": KEY}},
        {"candidates": [{"finishReason": "STOP", "content": {"parts": [{KEY: 1}]}}]},
        {"type": "response.output_item.added", "item": {"id": "x", "type": KEY}},
        {"type": "response.incomplete", "response": {"incomplete_details": {"reason": KEY}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": KEY}},
        {"choices": [{"delta": {}, "finish_reason": KEY}]},
        {"type": KEY, "object": "error", "message": KEY},
        {"done": True, "done_reason": KEY, "message": {"role": KEY}},
    ]
    answers = [Answer([json.dumps(words).encode()], status, refusal) for status in (400, 401, 429, 500)]
    answers += [
        Answer([f"<p>{KEY}".encode()], 200, {"content-type": "text/html"}),
        Answer([framed(wire, words)], 200, stream),
    ]
    answers += [Answer([framed(wire, {"type": "message_start", "message": {}}, one)], 200, stream) for one in named]
    told = []
    for answer in answers:
        async with ModelServer(answer) as server:
            provider = open_provider(Endpoint("x", wire, server.url, KEY, "X_API_KEY"))
            try:
                async for delta in provider.stream(HELLO):
                    told.append(repr(delta) if isinstance(delta, Finished) else "")
            except ModelError as error:
                told.append(f"{error} {error.args} {vars(error)}")
            await provider.close()
    assert len(told) >= len(answers) and not [one for one in told if KEY in one]


@pytest.mark.parametrize("wire", SPEAKS)
def test_w11_an_error_object_is_an_error_and_never_a_message(wire: str) -> None:
    """Before anything, between two events and after the last that is not the end."""
    ends = b"\n" if wire == "ollama" else b"\n\n"
    events = [one + ends for one in SPEAKS[wire](True).split(ends) if one]
    error = {"error": {"message": "Overloaded", "type": "overloaded_error", "code": 503}}
    for at in range(len(events)):
        with pytest.raises(ServerError):
            decode(decoder(wire), [b"".join([*events[:at], framed(wire, error)])])

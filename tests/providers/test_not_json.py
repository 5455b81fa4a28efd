"""An event of a stream that is not a JSON object ends the reply as an error: nothing is passed over (T20)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.conversation.model import Finished, ModelError, PartEnded
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.openai_chat.request import OpenAIChat
from jp_tui.providers.wire import Wire

from .decoding import HELLO

WIRES: dict[str, Wire] = {"anthropic": Anthropic(), "openai-chat": OpenAIChat("local")}
ODD = {
    "not JSON": "this isn't JSON",
    "half of an event": '{"type": "content_block_delta", "index"',
    "a list": "[1, 2]",
    "a text": '"text"',
    "a number": "1",
    "null": "null",
    "NaN": '{"index": NaN}',
    "a member twice": '{"type": "ping", "type": "pong"}',
    "two objects": "{} {}",
    "a page of HTML": "<html><body>Bad gateway</body></html>",
}
ANTHROPIC: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c1", "name": "t"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
    {"type": "message_stop"},
]
CALL = {"index": 0, "id": "c1", "function": {"name": "t", "arguments": "{}"}}
OPENAI: list[dict[str, Any]] = [
    {"choices": [{"index": 0, "delta": {"role": "assistant"}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
]
EVENTS = {
    "anthropic": [json.dumps(event) for event in ANTHROPIC],
    "openai-chat": [*(json.dumps(event) for event in OPENAI), "[DONE]"],
}


def stream(events: list[str]) -> bytes:
    return b"".join(f"data: {event}\n\n".encode() for event in events)


def ended(wire: str, events: list[str]) -> list[str]:
    """How the deltas of this stream ended, by kind."""
    decoder = WIRES[wire].decoder(HELLO)
    found = [*decoder.feed(stream(events)), *decoder.end()]
    return [type(one).__name__ for one in found if isinstance(one, PartEnded | Finished)]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("wire", WIRES)
def test_t20_an_event_that_is_no_object_is_an_error_wherever_it_stands(wire: str, odd: str) -> None:
    whole = EVENTS[wire]
    assert ended(wire, whole) == ["PartEnded", "Finished"]
    for at in range(len(whole)):  # after the last one the reply is whole
        events = [*whole[:at], ODD[odd], *whole[at:]]
        with pytest.raises(ModelError, match="an event is not a JSON object") as failed:
            ended(wire, events)
        assert failed.value.kind == "server" and failed.value.transient


@pytest.mark.parametrize("wire", WIRES)
def test_what_comes_after_the_end_is_not_read(wire: str) -> None:
    """A proxy's epilogue spoils no reply that is whole."""
    assert ended(wire, [*EVENTS[wire], "this isn't JSON"]) == ["PartEnded", "Finished"]

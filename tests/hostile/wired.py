"""A model behind a real wire: event streams as servers send them, through the real decoders, into the real engine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Literal

from jp_tui.conversation import model as m
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.openai_chat.request import OpenAIChat

WireName = Literal["anthropic", "openai_chat"]
WIRES: dict[WireName, Anthropic | OpenAIChat] = {"anthropic": Anthropic(), "openai_chat": OpenAIChat("local")}
PIECE = 700


class Wired:
    """Answers each request with the next stream, in pieces that keep to no border; `bodies` are what it was sent."""

    def __init__(self, wire: WireName, *streams: bytes) -> None:
        self._wire, self._streams = WIRES[wire], list(streams)
        self.requests: list[m.ModelRequest] = []
        self.bodies: list[dict[str, Any]] = []

    @property
    def greeting(self) -> str | None:
        return None

    @property
    def sample(self) -> Path | None:
        return None

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        self.requests.append(request)
        self.bodies.append(json.loads(json.dumps(self._wire.body(request), ensure_ascii=False).encode()))
        decoder, raw = self._wire.decoder(request), self._streams.pop(0)
        for at in range(0, len(raw), PIECE):
            for delta in decoder.feed(raw[at : at + PIECE]):
                yield delta
        for delta in decoder.end():
            yield delta

    async def close(self) -> None:
        pass


def calls(wire: WireName, asked: Sequence[tuple[str, str]], *, cut: bool = False) -> bytes:
    """One reply that calls tools with these arguments, JSON or not, in pieces as a model writes them."""
    made = _anthropic_calls if wire == "anthropic" else _openai_calls
    return b"".join(made(asked, cut))


def says(wire: WireName, text: str) -> bytes:
    """One reply of words."""
    if wire == "anthropic":
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        grown = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        stop = {"type": "content_block_stop", "index": 0}
        return b"".join([*map(_event, [_START, block, grown, stop]), *_anthropic_end("end_turn")])
    return _chunk({"role": "assistant", "content": text}) + _chunk({}, "stop") + b"data: [DONE]\n\n"


def _pieces(arguments: str) -> list[str]:
    return [arguments[at : at + 1500] for at in range(0, len(arguments), 1500)]


_START = {"type": "message_start", "message": {"id": "msg", "role": "assistant", "usage": {"input_tokens": 7}}}


def _event(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _anthropic_end(reason: str) -> list[bytes]:
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}
    return [_event(delta), _event({"type": "message_stop"})]


def _anthropic_calls(asked: Sequence[tuple[str, str]], cut: bool) -> list[bytes]:
    found = [_event(_START)]
    for index, (name, arguments) in enumerate(asked):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        found.append(_event({"type": "content_block_start", "index": index, "content_block": block}))
        for piece in _pieces(arguments):
            delta = {"type": "input_json_delta", "partial_json": piece}
            found.append(_event({"type": "content_block_delta", "index": index, "delta": delta}))
        found.append(_event({"type": "content_block_stop", "index": index}))
    return [*found, *_anthropic_end("max_tokens" if cut else "tool_use")]


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n".encode()


def _openai_calls(asked: Sequence[tuple[str, str]], cut: bool) -> list[bytes]:
    found = [_chunk({"role": "assistant", "content": None})]
    for index, (name, arguments) in enumerate(asked):
        head = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        found.append(_chunk({"tool_calls": [head]}))
        for piece in _pieces(arguments):
            found.append(_chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    return [*found, _chunk({}, "length" if cut else "tool_calls"), b"data: [DONE]\n\n"]

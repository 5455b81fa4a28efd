"""What the mutation sampler found untested in the wires (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation.model import PartOpened
from jp_tui.providers.anthropic.schemas import reply_format
from jp_tui.providers.failures import MAX_BODY
from jp_tui.providers.http import HttpProvider
from jp_tui.providers.openai_chat.request import OpenAIChat
from jp_tui.providers.sse import EventStream
from jp_tui.providers.wire import ResponseBuilder
from tests.limits import LIMIT

from .decoding import HELLO, decode
from .test_wire_openai_chat import DONE, call, chunk


def test_an_event_without_an_id_has_none() -> None:
    (plain, named) = EventStream().feed(b"data: a\n\nid: 7\ndata: b\n\n")
    assert (plain.id, named.id, plain.type) == ("", "7", "message")


@pytest.mark.parametrize("ids", [["", ""], ["same", "same"], ["", "call_1"], ["call_1", ""]])
def test_r29_every_call_of_a_reply_has_an_id_of_its_own(ids: list[str]) -> None:
    """Whatever a server sends, also where what we make up is what it sends next."""
    reply = ResponseBuilder({"earlier"})
    made = [reply.start("tool", id_, "t").id for id_ in (*ids, "earlier", "")]
    assert len(set(made)) == len(made) and "earlier" not in made


def test_r29_also_through_the_wire() -> None:
    pieces = [chunk(call(number, "c1", "t", "{}")) for number in range(3)]
    deltas = decode(OpenAIChat("local").decoder(HELLO), [*pieces, chunk({}, "tool_calls"), DONE])
    assert len({delta.id for delta in deltas if isinstance(delta, PartOpened)}) == 3


def asked(answer: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
        **more,
    }


@pytest.mark.parametrize("text", ["#", "#/properties/answer", "# a heading"])
def test_only_a_reference_is_moved(text: str) -> None:
    """A text that looks like one stays what it says."""
    said = reply_format(asked({"type": "string", "description": text, "enum": [text]}))
    assert said is not None
    assert said["properties"]["answer"]["description"].startswith(text)
    assert said["properties"]["answer"]["enum"] == [text]


def test_a_reference_to_elsewhere_cannot_be_said() -> None:
    assert reply_format(asked({"$ref": "https://example.com/schema"})) is None


async def test_t27_of_an_endless_refusal_only_the_beginning_is_read() -> None:
    read = 0

    class Response:
        async def aiter_bytes(self) -> AsyncIterator[bytes]:
            nonlocal read
            while True:
                read += 1
                yield b"x" * 10_000

    provider: Any = SimpleNamespace(_endpoint=SimpleNamespace(stream_idle_timeout_secs=20))
    async with asyncio.timeout(LIMIT):
        body = await HttpProvider._words(provider, Response())  # type: ignore[arg-type]
    assert MAX_BODY <= len(body) < MAX_BODY + 10_000 and read == len(body) // 10_000

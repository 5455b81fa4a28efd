"""A real llama.cpp server on its three wires. JP_TUI_LLAMA names its URL, else these tests skip.

The model is a tiny Markov chain without weights: its text repeats at temperature 0, and words in the last user
message make it call a tool, split characters over chunks or never stop.
"""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from jp_tui.conversation.model import (
    Call,
    Delta,
    Message,
    ModelError,
    ModelRequest,
    PartGrew,
    Result,
    TextPart,
    ToolSpec,
)
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.http import reachable
from jp_tui.providers.registry import open_provider
from tests.limits import LIMIT

from .decoding import fold

URL = os.environ.get("JP_TUI_LLAMA", "")
WIRES: list[tuple[str, str]] = [("openai-chat", "/v1"), ("anthropic", ""), ("openai-responses", "/v1")]
TOOL = ToolSpec(
    "fs_read_file",
    "Reads a file.",
    {"type": "object", "properties": {"path": {"type": "string", "maxLength": 8}}, "required": ["path"]},
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not URL, reason="JP_TUI_LLAMA does not name a llama.cpp server"),
    pytest.mark.parametrize(("wire", "base"), WIRES),
]


def ask(text: str, *more: Message, **options: object) -> ModelRequest:
    settings = {"max_tokens": 300, "temperature": 0.0, **options}
    return ModelRequest("tiny", (Message("user", (TextPart(text),)), *more), "Be short.", **settings)  # type: ignore[arg-type]


async def collect(wire: str, base: str, request: ModelRequest) -> list[Delta]:
    provider = open_provider(Endpoint("llamacpp", wire, URL + base))
    try:
        return [delta async for delta in provider.stream(request)]
    finally:
        await provider.close()


async def test_text_streams(wire: str, base: str) -> None:
    deltas = await collect(wire, base, ask("hi"))
    (part,), finished = fold(deltas)
    assert part[0] == "message" and part[1].strip().startswith("Hello from the tiny test model")
    assert len([delta for delta in deltas if isinstance(delta, PartGrew)]) > 5, "in pieces, not at once"
    assert finished is not None and finished.reason == "end" and finished.usage.output > 5


async def test_characters_cut_over_chunks(wire: str, base: str) -> None:
    (part,), _ = fold(await collect(wire, base, ask("#utf8")))
    assert "日🙂" in part[1] and "\ufffd" not in part[1]


async def test_a_tool_call_and_its_result(wire: str, base: str) -> None:
    said, finished = fold(await collect(wire, base, ask("#tool", tools=(TOOL,))))
    kind, id_, name, arguments = said[-1]
    assert (kind, name) == ("tool", "fs_read_file") and isinstance(arguments["path"], str)
    assert finished is not None and finished.reason == "tools"
    after = (
        Message("assistant", (Call(id_, name, arguments),)),
        Message("user", (Result(id_, name, "one line", False),)),
    )
    said, finished = fold(await collect(wire, base, ask("#tool", *after, tools=(TOOL,))))
    assert finished is not None and said


async def test_a_forced_tool(wire: str, base: str) -> None:
    said, _ = fold(await collect(wire, base, ask("hi", tools=(TOOL,), tool_choice="required")))
    assert said[-1][0] == "tool" and set(said[-1][3]) == {"path"}


async def test_t20_a_call_cut_by_the_limit_is_refused(wire: str, base: str) -> None:
    for limit in range(8, 40, 8):
        said, finished = fold(await collect(wire, base, ask("#tool", tools=(TOOL,), max_tokens=limit)))
        # on Responses llama.cpp calls a reply complete that its limit cut
        assert finished is not None and finished.reason in (
            ("end", "tools") if wire == "openai-responses" else ("length",)
        )
        assert not [part for part in said if part[0] == "tool"]


async def test_leaving_frees_the_server(wire: str, base: str) -> None:
    """It never stops by itself; after the socket is closed its slot takes the next request at once."""
    for _ in range(4):  # more often than it has slots
        provider = open_provider(Endpoint("llamacpp", wire, URL + base))
        stream = provider.stream(ask("#forever", max_tokens=100_000))
        while not isinstance(await anext(stream), PartGrew):
            pass
        await stream.aclose()  # type: ignore[attr-defined]
        await provider.close()
    assert await asyncio.wait_for(collect(wire, base, ask("hi")), LIMIT)


async def test_refusals_of_a_real_server(wire: str, base: str) -> None:
    cases = [(ask("word " * 60_000), base, "too_long"), (ask("hi"), base + "/nowhere", "unknown_model")]
    if wire == "openai-chat":  # the other door answers even this
        cases.append((ask("hi", extra={"messages": 5}), base, "bad_request"))
    for request, base_url, kind in cases:
        with pytest.raises(ModelError) as caught:
            await collect(wire, base_url, request)
        assert caught.value.kind == kind and caught.value.detail
    assert await reachable(URL)


VERDICT: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"reason": {"type": "string", "maxLength": 40}, "answer": {"type": "boolean"}},
    "required": ["reason", "answer"],
}


@pytest.mark.parametrize("schema", ["plain", "a definition and one value"])
async def test_issue_6_a_reply_by_a_schema(wire: str, base: str, schema: str) -> None:
    """Done when: a server that enforces schemas takes the requests of both wires. On the other door only a forced tool
    is enforced (T30), and `output_config` is taken and does nothing."""
    output = VERDICT
    if schema != "plain":
        extra = {"tea": {"$ref": "#/$defs/tea"}, "kind": {"const": "green"}}
        output = {**VERDICT, "properties": {**VERDICT["properties"], **extra}}  # type: ignore[dict-item]
        output |= {"required": [*output["properties"]], "$defs": {"tea": {"type": "string", "enum": ["a", "b"]}}}
    asked = ask("Is it good?", output=output, tools=(TOOL,), tool_choice="none", max_tokens=2_048)
    said, finished = fold(await collect(wire, base, asked))
    assert finished is not None and finished.reason == "end"
    assert "tool" not in [part[0] for part in said]
    if wire == "openai-chat":
        reply = json.loads(said[-1][1])
        assert list(reply) == list(output["properties"]), "the reason first (R124)"
        assert isinstance(reply["answer"], bool)


async def test_issue_6_a_verdict_by_a_forced_tool(wire: str, base: str) -> None:
    """S20b, T30: 1,024 tokens and more, temperature 0. It has to stand alone: this server takes a named choice as one
    among all tools that are listed."""
    verdict = ToolSpec("verdict", "Give your verdict.", VERDICT)
    asked = ask("Is it good?", tools=(verdict,), tool_choice="verdict", max_tokens=2_048)
    said, finished = fold(await collect(wire, base, asked))
    kind, _, name, arguments = said[-1]
    assert (kind, name) == ("tool", "verdict") and list(arguments) == ["reason", "answer"]
    assert isinstance(arguments["answer"], bool) and finished is not None

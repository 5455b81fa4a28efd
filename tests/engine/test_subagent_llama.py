"""A reviewer on a real llama.cpp server, which enforces schemas. JP_TUI_LLAMA names its URL (http://127.0.0.1:PORT),
else these tests skip.

Its model has no weights and understands nothing: what is looked at is that each request is accepted, and that each
reply is held to what was asked for.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Literal

import pytest

from jp_tui.conversation.model import Delta, Message, ModelRequest, TextPart, ToolSpec
from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.port import Provider
from jp_tui.providers.registry import open_provider
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    Option,
    SchemaAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.engine.subagents import APPLY, QUICK, Heard, Review, told
from tests.limits import LIMIT

URL = os.environ.get("JP_TUI_LLAMA", "")
WAYS: list[tuple[str, str, Literal["native", "tool"]]] = [
    ("openai-chat", "/v1", "native"), ("openai-chat", "/v1", "tool"), ("anthropic", "", "tool"),
]  # fmt: skip
TOOLS = (
    ToolSpec("edit", "Edits a file.", {"type": "object", "properties": {"path": {"type": "string"}}}),
    ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),
)
OPTIONS = (Option("staging", "first"), Option("production"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not URL, reason="JP_TUI_LLAMA does not name a llama.cpp server"),
]


class Counted:
    """The real provider; keeps what it was asked."""

    greeting, sample = None, None

    def __init__(self, inner: Provider) -> None:
        self._inner = inner
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        deltas = self._inner.stream(request)
        try:
            async for delta in deltas:
                yield delta
        finally:
            await deltas.aclose()  # type: ignore[attr-defined]

    async def close(self) -> None:
        await self._inner.close()


def real(wire: str, base: str, structured: Literal["native", "tool"], **more: Any) -> tuple[Review, Counted]:
    """A reviewer on this server."""
    provider = Counted(open_provider(Endpoint("llamacpp", wire, URL + base)))
    review = Review(**more)
    changes = {"id": "llamacpp/tiny", "name": "tiny", "provider": provider, "structured": structured, "retry": QUICK}
    review.model = replace(review.model, **changes)  # type: ignore[arg-type]
    return review, provider


@pytest.mark.parametrize(("wire", "base", "structured"), WAYS)
@pytest.mark.parametrize(
    ("kind", "good"),
    [
        (BooleanAnswer(), [True, False]),
        (SelectAnswer(OPTIONS), ["staging", "production"]),
        (MultiSelectAnswer(OPTIONS), None),
        (TextAnswer(), None),
        (SchemaAnswer({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"a": {"const": 3}},
                       "required": ["a"], "additionalProperties": False}}}), [{"a": 3}]),
    ],
    ids=lambda value: getattr(value, "type", ""),
)  # fmt: skip
async def test_s20b_a_real_server_holds_the_reply_to_the_schema(
    wire: str, base: str, structured: Literal["native", "tool"], kind: AnswerType, good: Any
) -> None:
    """The first request is enough, whatever the type; the reason is heard. Tools of the conversation do not matter."""
    review, provider = real(wire, base, structured, list_tools=isinstance(kind, BooleanAnswer))
    found = await review(replace(APPLY, answer_type=kind), tools=TOOLS)
    await review.agent.close()
    if isinstance(kind, MultiSelectAnswer) and not hasattr(found, "value"):
        assert len(provider.requests) == 2 and "duplicate option" in found.error, (
            "uniqueness is checked on our side (R125)"
        )  # type: ignore[union-attr]
        return
    assert len(provider.requests) == 1 and (provider.requests[0].output is not None) == (structured == "native")
    assert hasattr(found, "value") and found.reason and found.model == "llamacpp/tiny", found
    assert good is None or found.value in good
    assert review.heard.now().strip() == found.reason and len(review.heard.said) > 2, "in pieces"
    assert isinstance(found.usage["input"], int) and found.usage["input"] > 100


async def test_t30_a_schema_that_is_accepted_and_not_enforced_is_repaired_by_the_tool() -> None:
    """This server takes `output_config.format` and ignores it."""
    review, provider = real("anthropic", "", "native")
    found = await review.yes()
    await review.agent.close()
    assert [request.output is None for request in provider.requests] == [False, True]
    assert isinstance(found.value, bool) and provider.requests[1].tool_choice == "verdict"


@pytest.mark.parametrize(("wire", "base", "structured"), WAYS)
async def test_r133_a_real_server_that_finds_it_too_long_is_told_less(
    wire: str, base: str, structured: Literal["native", "tool"]
) -> None:
    review, provider = real(wire, base, structured)
    found = await review.yes(told=told(6, 4_000))
    await review.agent.close()
    assert len(provider.requests) > 1 and "older left out" in found.saw and isinstance(found.value, bool)


async def test_row8_two_inquiries_at_once_and_one_that_is_called_off() -> None:
    review, _ = real("openai-chat", "/v1", "native")
    heard = [Heard(), Heard(), Heard()]
    long = (Message("user", (TextPart("#forever " * 50),)), *told(0))
    asked = [review.asked(), review.asked(call="c2"), review.asked(told=long)]
    tasks = [asyncio.create_task(review.agent.inquire(one, ear)) for one, ear in zip(asked, heard, strict=True)]
    await asyncio.wait_for(heard[2].spoke.wait(), LIMIT)
    tasks[2].cancel()
    found = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), LIMIT)
    await review.agent.close()
    assert [one.inquiry for one in found[:2] if not isinstance(one, BaseException)] == [
        "c1.apply_changes.1",
        "c2.apply_changes.1",
    ]
    assert all(isinstance(getattr(one, "value", None), bool) for one in found[:2])

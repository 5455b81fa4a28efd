"""A model with a context window: it counts what a wire would send, and refuses what is too long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import dump
from jp_tui.engine.compaction.summary import BEGINS
from jp_tui.providers.anthropic.request import Anthropic
from jp_tui.providers.openai_chat.request import OpenAIChat
from tests.fakes.models import Item, end, text

Replies = Callable[[m.ModelRequest], Sequence[Item]]
WIRES: dict[str, Any] = {"openai-chat": OpenAIChat("fake"), "anthropic": Anthropic()}


def summarising(request: m.ModelRequest) -> bool:
    """Whether a summary is asked for."""
    last = request.messages[-1].parts[-1]
    return isinstance(last, m.TextPart) and last.text.startswith(BEGINS)


def told(request: m.ModelRequest) -> str:
    """All that the request tells, as one text."""
    parts = (part for message in request.messages for part in message.parts)
    return "\n".join(getattr(part, "text", "") or getattr(part, "content", "") for part in parts)


class Windowed:
    """`replies` gives the reply to a request, `summary` that to one for a summary. `window` in tokens, each of `rate`
    bytes of a wire's body; `names`: a refusal names it. `usage` says what is reported instead of the count."""

    greeting: str | None = None
    sample: Path | None = None
    titles = False
    reviews = None

    def __init__(self, replies: Replies, window: int, wire: str = "openai-chat", *, names: bool = True) -> None:
        self.replies, self.window, self.wire, self.names = replies, window, WIRES[wire], names
        self.rate = 3.5
        self.summary: Replies = lambda _: [*text("Goal: to go on."), *end()]
        self.usage: Callable[[int], int] = lambda tokens: tokens
        self.requests: list[m.ModelRequest] = []
        self.summaries: list[m.ModelRequest] = []
        self.sizes: list[int] = []
        self.refused: list[m.ModelRequest] = []

    def size(self, request: m.ModelRequest) -> int:
        """Tokens of a request."""
        return int(len(dump(self.wire.body(request)).encode()) / self.rate)

    async def stream(self, request: m.ModelRequest) -> AsyncIterator[m.Delta]:
        size = self.size(request)
        if size > self.window:
            self.refused.append(request)
            named = self.window if self.names else None
            raise m.ModelError("too_long", "The conversation is longer than `model` takes (400).", window=named)
        self.sizes.append(size)
        asks = summarising(request)
        (self.summaries if asks else self.requests).append(request)
        for item in self.summary(request) if asks else self.replies(request):
            match item:
                case m.ModelError():
                    raise item
                case m.Finished(reason, usage):
                    yield m.Finished(reason, m.Usage(self.usage(size), usage.output))
                case asyncio.Event():
                    await item.wait()
                case float():
                    await asyncio.sleep(item)
                case _:
                    yield item

    async def close(self) -> None:
        pass

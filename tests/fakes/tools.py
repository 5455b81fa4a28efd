"""Tools that do what a test wants, behind the real port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall

Run = Callable[[ToolCall], Awaitable[Outcome]]


class Made:
    """A tool made of one function; it counts its runs and says when one began."""

    def __init__(self, run: Run, *, title: Callable[[JsonObject], str] = lambda _: "made") -> None:
        self._run, self._title = run, title
        self.began = threading.Event()
        self.calls: list[ToolCall] = []

    @property
    def source(self) -> SourceKind:
        return "tool"

    def title(self, arguments: JsonObject) -> str:
        return self._title(arguments)

    async def run(self, call: ToolCall) -> Outcome:
        self.calls.append(call)
        self.began.set()
        return await self._run(call)


async def forever(call: ToolCall) -> Outcome:
    """Never ends by itself."""
    await asyncio.Event().wait()
    raise AssertionError


async def at_once(call: ToolCall) -> Outcome:
    return Success(f"done {call.arguments.get('n', '')}".strip())


async def asks(call: ToolCall) -> Outcome:
    """Asks one boolean question, then says what it heard; its text is the argument `text`."""
    if (given := call.answers.get("sure")) is not None:
        return Success(f"heard {given.value}")
    return NeedsInput(Question("sure", str(call.arguments.get("text", "Sure?")), BooleanAnswer()))


def gated(gate: threading.Event, outcome: Outcome | None = None) -> Run:
    """Ends when the gate opens."""

    async def run(call: ToolCall) -> Outcome:
        await asyncio.to_thread(gate.wait)
        return outcome or Success("let through")

    return run

"""Tools that do what a test wants, behind the real port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

from jp_tui.conversation.events import SourceKind
from jp_tui.conversation.outcomes import Success
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ReviewListener, ReviewQuestion
from jp_tui.inquiry.values import ReviewerAnswered, ReviewerFailed
from jp_tui.questions.types import BooleanAnswer, FormView, Place, Question
from jp_tui.tools.port import NeedsInput, NeedsReview, Outcome, RenderFailed, ToolCall

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


class Shown(Made):
    """A tool with a formatter of its own; `fails` is what goes wrong in it."""

    def __init__(self, run: Run, *, fails: str = "") -> None:
        super().__init__(run)
        self.fails, self.rendered = fails, list[JsonObject]()

    async def render(self, call: ToolCall) -> str:
        self.rendered.append(call.arguments)
        if self.fails:
            raise RenderFailed(self.fails)
        return f"$ {call.arguments.get('n', '')}"


def series(*questions: Question) -> Run:
    """Asks these questions one after the other, then says what it heard."""

    async def run(call: ToolCall) -> Outcome:
        for question in questions:
            if question.id not in call.answers:
                return NeedsInput(question)
        return Success("heard " + " ".join(str(call.answers[question.id].value) for question in questions))

    return run


def formed(*questions: Question) -> Run:
    """The same as a form with a last look (R182b)."""

    async def run(call: ToolCall) -> Outcome:
        left = [question for question in questions if question.id not in call.answers]
        view = FormView(tuple(_place(question, call, left) for question in questions))
        if left:
            return NeedsInput(left[0], view)
        if call.reviews and not call.reviewed:
            return NeedsReview(view)
        return Success("heard " + " ".join(str(call.answers[question.id].value) for question in questions))

    return run


def _place(question: Question, call: ToolCall, left: Sequence[Question]) -> Place:
    if (given := call.answers.get(question.id)) is not None:
        return Place(question.id, question.text, "answered", given.value, given.unseen)
    return Place(question.id, question.text, "current" if question is left[0] else "ahead")


class Reviews:
    """A reviewer that says what a test wants, when a test wants: `verdicts` by question id, `gate` open by default."""

    def __init__(self, **verdicts: tuple[object, str] | str) -> None:
        self.verdicts = verdicts
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Event()
        self.seen: list[tuple[str, str, int]] = []
        self.cancelled = 0

    async def inquire(self, asked: ReviewQuestion, hears: ReviewListener) -> ReviewerAnswered | ReviewerFailed:
        inquiry, question = asked.inquiry, asked.question
        self.seen.append((inquiry, asked.tool, len(asked.told)))
        hears.asks("judge/one")
        self.asked.set()
        try:
            while not self.gate.is_set():  # noqa: ASYNC110 - opened by another thread
                await asyncio.sleep(0.005)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        found = self.verdicts[question.id]
        if isinstance(found, str):
            return ReviewerFailed(inquiry, found, "judge")
        value, reason = found
        hears.says("reason", reason)
        return ReviewerAnswered(inquiry, value, reason, "judge")  # type: ignore[arg-type]

    async def close(self) -> None:
        return None

"""A reviewer over scripted models for its tests: what it is asked, who hears it, and what came of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from jp_tui.conversation.model import Call, Message, ModelError, ModelRequest, Result, TextPart
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ModelSetup, RetryPolicy, ReviewQuestion
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.inquiry.values import ReviewerAnswered, ReviewerFailed
from jp_tui.questions.types import BooleanAnswer, Question
from tests.fakes.models import Item, Script, call, end, text

APPLY = Question("apply_changes", "Apply?", BooleanAnswer(), context="--- a\n+++ b\n+new", targets=("/w/a",))
YES = '{"reason":"It fits.","answer":true}'
NO = '{"reason":"Too broad.","answer":false}'
QUICK = RetryPolicy(2, 1, 1.0, least_secs=0.0)


def told(turns: int = 1, size: int = 2) -> tuple[Message, ...]:
    """Exchanges of two messages, then a call that waits and another that runs."""
    past = [
        Message(role, (TextPart(f"{role} {number} " + "x" * size),))
        for number in range(turns)
        for role in ("user", "assistant")
    ]
    now: list[Message] = [
        Message("user", (TextPart("Do it."),)),
        Message("assistant", (Call("c1", "edit", {"path": "a"}), Call("c2", "look", {}))),
        Message(
            "user",
            (Result("c1", "edit", "Tool paused: Apply?", False), Result("c2", "look", "Tool is still running.", False)),
        ),
    ]
    return (*past, *now)


def native(reply: str, **more: Any) -> list[Item]:
    """A reply of text."""
    return [*text(reply), *end(**more)]


def verdict(arguments: JsonObject, name: str = "verdict") -> list[Item]:
    """A reply by the forced tool."""
    return [*call(name, arguments), *end("tools")]


class Heard:
    """Who hears the reviewer."""

    def __init__(self) -> None:
        self.models: list[str] = []
        self.said: list[tuple[str, str, bool]] = []
        self.waited: list[tuple[str, float | None]] = []
        self.spoke = asyncio.Event()

    def asks(self, model: str) -> None:
        self.models.append(model)

    def says(self, kind: Literal["thought", "reason"], text: str, *, fresh: bool = False) -> None:
        self.said.append((kind, text, fresh))
        self.spoke.set()

    def waits(self, detail: str = "", seconds: float | None = None) -> None:
        self.waited.append((detail, seconds))

    def now(self, kind: str = "reason") -> str:
        """What stands there since it last began anew."""
        since = max((at for at, (_, _, fresh) in enumerate(self.said) if fresh), default=0)
        return "".join(piece for what, piece, _ in self.said[since:] if what == kind)


class Review:
    """One reviewer and its scripted model; `opened` says what it was opened for, `slept` how long it waited."""

    def __init__(self, *replies: Sequence[Item], list_tools: bool | Literal["auto"] = "auto", **model: Any) -> None:
        self.script = Script(*replies)
        self.main = ModelSetup("acme/big", "big", Script(), system="Main.")
        self.model = ModelSetup("acme/small", "small", self.script, **{"retry": QUICK, **model})
        self.opened: list[tuple[JsonObject, str, str, str]] = []
        self.slept: list[float] = []
        self.heard = Heard()
        self.draws = (f"mark{number:04d}" for number in itertools.count())
        clock = itertools.count()
        self.agent = ReviewerModel(
            self._open, list_tools, lambda: next(clock) / 4, draw=lambda: next(self.draws), sleep=self._sleep
        )

    async def _open(self, overrides: JsonObject, main: ModelSetup, tool: str, question: str) -> ModelSetup:
        self.opened.append((overrides, main.id, tool, question))
        if overrides == {"model": {"id": "inherit"}}:
            return main
        return self.model

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def asked(self, question: Question = APPLY, *, call: str = "c1", **more: Any) -> ReviewQuestion:
        return replace(ReviewQuestion(f"{call}.{question.id}.1", "edit", question, told(), self.main), **more)

    async def __call__(self, question: Question = APPLY, **more: Any) -> ReviewerAnswered | ReviewerFailed:
        return await self.agent.inquire(self.asked(question, **more), self.heard)

    async def yes(self, question: Question = APPLY, **more: Any) -> ReviewerAnswered:
        found = await self(question, **more)
        assert isinstance(found, ReviewerAnswered), found
        return found

    async def fails(self, question: Question = APPLY, **more: Any) -> ReviewerFailed:
        found = await self(question, **more)
        assert isinstance(found, ReviewerFailed), found
        return found

    @property
    def requests(self) -> list[ModelRequest]:
        return self.script.requests


def prompt_of(request: ModelRequest) -> str:
    """What was asked: the last words of the user's that begin as M6 does."""
    words = [part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)]
    return next(text for text in reversed(words) if text.startswith("The tool `"))


CUT = ModelError("cut", "The reply broke off.", "Try again.", transient=True)

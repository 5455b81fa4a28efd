"""One streaming response of a reviewing model: thoughts and reason are shown, the reply is collected.

A stream without a finish counts as truncated, and one longer than any verdict is stopped (inquiries.md R135). Leaving
it closes the socket. Judges nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from typing import Literal

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ReviewListener
from jp_tui.engine.reviewer.reason_stream import Reason
from jp_tui.engine.reviewer.reply_parser import GARBLED, Answer, UnusableReply, judge, read
from jp_tui.questions.types import AnswerType
from jp_tui.settings.layers.bounds import MOST_REVIEW_BYTES

TOGETHER = 100
"""Deltas processed at once."""
_CUT: dict[m.StopReason, str] = {"length": "the reply was cut off at the limit of output tokens"}


@dataclass(slots=True)
class _Part:
    kind: m.PartKind
    name: str
    pieces: list[str] = field(default_factory=list)
    arguments: JsonObject | None = None
    problem: str = ""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class ReviewStreamRelay:
    """Passes streamed output on; the first after a new attempt is marked as fresh."""

    def __init__(self, hears: ReviewListener) -> None:
        self._hears, self._heard = hears, False

    def says(self, kind: Literal["thought", "reason"], text: str) -> None:
        """Pass on more output."""
        if text:
            self._hears.says(kind, text)
            self._heard = True

    def afresh(self) -> None:
        """Start another attempt: earlier output is void."""
        if self._heard:
            self._hears.says("reason", "", fresh=True)
            self._heard = False


class Response:
    """Whole response; `verdict` is the name of the tool that must carry it, "" for plain text."""

    def __init__(self, verdict: str, ear: ReviewStreamRelay) -> None:
        self._verdict, self._ear = verdict, ear
        self._parts: dict[int, _Part] = {}
        self._reason, self._reasoned, self._size = Reason(), -1, 0
        self.finished: m.Finished | None = None

    async def consume(self, deltas: AsyncIterator[m.Delta]) -> m.Finished:
        """Consume it to its end. Raises ModelError, also if the stream ends without a finish."""
        count = 0
        try:
            async for delta in deltas:
                self._one(delta)
                count += 1
                if count % TOGETHER == 0:
                    await asyncio.sleep(0)
        finally:
            if isinstance(deltas, AsyncGenerator):
                await deltas.aclose()
        if self.finished is None:
            raise m.ModelError("cut", "The reply broke off.", transient=True)
        return self.finished

    def _one(self, delta: m.Delta) -> None:
        match delta:
            case m.PartOpened(index, kind, _, name):
                self._parts[index] = _Part(kind, name)
                if self._reasoned < 0 and self._tells(self._parts[index]):
                    self._reasoned = index
            case m.PartGrew(index, text):
                self._grow(index, text)
            case m.PartEnded(index, arguments):
                if index in self._parts:
                    self._parts[index].arguments = arguments
            case m.CallRefused(index, _, name, raw, problem):
                part = self._parts.setdefault(index, _Part("tool", name))
                part.problem, part.pieces = problem, [raw]
            case m.Finished():
                self.finished = delta
            case m.ReasoningLeftOut():
                pass

    def _tells(self, part: _Part) -> bool:
        """True if this part contains the reason."""
        return part.kind == "tool" and part.name == self._verdict if self._verdict else part.kind == "message"

    def _grow(self, index: int, text: str) -> None:
        part = self._parts.get(index)
        if part is None:
            return
        self._size += len(text.encode("utf-8", "replace"))
        if self._size > MOST_REVIEW_BYTES:
            raise m.ModelError("too_large", f"The reply is longer than {MOST_REVIEW_BYTES:,} bytes.")
        part.pieces.append(text)
        if part.kind == "reasoning":
            self._ear.says("thought", text)
        elif index == self._reasoned:
            self._ear.says("reason", self._reason.feed(text))

    # --- evaluation -------------------------------------------------------------------------------------------

    @property
    def raw(self) -> str:
        """Return its text or call, as text."""
        return "\n".join(part.text for part in self._in_order() if part.kind != "reasoning" and part.text.strip())

    def found(self, kind: AnswerType) -> Answer | UnusableReply:
        """Return the verdict, or the problem of the reply. Raises ModelError if a filter stopped it."""
        reason = self.finished.reason if self.finished is not None else "other"
        if reason == "refused":
            raise m.ModelError("refused", "The reply was stopped by the server's filter.")
        if reason not in ("end", "tools"):
            return UnusableReply(_CUT.get(reason, "the reply ended before it was whole"))
        if self.finished is not None and self.finished.garbled:
            return UnusableReply(GARBLED)  # what was meant is unknown
        return self._called(kind) if self._verdict else self._parse_reply(kind)

    def _in_order(self) -> list[_Part]:
        return [self._parts[index] for index in sorted(self._parts)]

    def _parse_reply(self, kind: AnswerType) -> Answer | UnusableReply:
        parts = self._in_order()
        if any(part.kind == "tool" for part in parts):
            return UnusableReply("a tool was called, and none may be", prose=True)
        texts = [part.text for part in parts if part.kind == "message" and part.text.strip()]
        if len(texts) > 1:
            return UnusableReply("the reply has more than one text", prose=True)
        return read("".join(texts), kind)

    def _called(self, kind: AnswerType) -> Answer | UnusableReply:
        """Evaluate the call; text beside it doesn't count."""
        calls = [part for part in self._in_order() if part.kind == "tool"]
        if not calls:
            return UnusableReply(f"the tool `{self._verdict}` was not called", prose=True)
        if len(calls) > 1 or calls[0].name != self._verdict:
            return UnusableReply(f"the tool `{self._verdict}` was to be called, once, and no other")
        (call,) = calls
        if call.problem or call.arguments is None:
            return UnusableReply(f"the call of `{self._verdict}` cannot be used: {call.problem or 'it was cut off'}")
        return judge(call.arguments, kind)

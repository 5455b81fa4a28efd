"""Questions at a reviewing model: each in its own task, cancelled with its call (R99, R119, R138).

It decides and records nothing: a verdict, or the reason why there is none, becomes an input of the machine; streamed
output goes to the front ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.asking.side_messages import PAUSED, Finished, snapshot_results
from jp_tui.engine.base.dependencies import ModelSetup, ReviewQuestion
from jp_tui.engine.record.log import Log
from jp_tui.engine.schema_check.validation import Checks, verdicts
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.protocol.events import Retrying, ReviewDelta, ReviewStarted

NOBODY = "no reviewing model is available"
SCRIPT = "the script of {}"
OWN: JsonObject = {"model": {"id": "inherit"}}


class PendingReviews:
    """Inquiries at a reviewer; `hear` receives the verdicts. `model` is the conversation's."""

    def __init__(
        self, log: Log, checks: Checks, hear: Callable[[v.Input], None], model: ModelSetup, finished: Finished
    ) -> None:
        self._log, self._checks, self._hear, self._model = log, checks, hear, model
        self._finished = finished
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._shown: dict[str, tuple[ReviewStarted, list[ReviewDelta]]] = {}
        self._began: dict[str, float] = {}

    def ask(self, ask: s.AskReviewer, tool: str) -> None:
        """Ask the reviewer a question."""
        inquiry = ask.open.inquiry
        if self._log.setup.reviewer is None:
            self._hear(v.ReviewerFailed(inquiry, NOBODY))
            return
        self._tasks[inquiry] = asyncio.create_task(self._inquire(ask, tool))

    async def scripted(self, raised: v.QuestionRaised) -> v.QuestionRaised:
        """Assign a question to a scripted model's own review, unless a reviewer is configured (S22)."""
        reviews, rule = self._model.reviews, raised.rule
        if reviews is None or rule.target != "user" or rule.has_answer or rule.place:
            return raised
        if raised.question.id not in reviews(await self._log.model_messages()):
            return raised
        place = SCRIPT.format(self._model.id)
        return replace(raised, rule=replace(rule, target="assistant_with_escalation", overrides=OWN, place=place))

    def drop(self, inquiry: str) -> None:
        """Cancel this review."""
        self._shown.pop(inquiry, None)
        self._began.pop(inquiry, None)
        if (task := self._tasks.pop(inquiry, None)) is not None and task is not asyncio.current_task():
            task.cancel()

    def taken_over(self, inquiry: str) -> v.HumanTookOver:
        """Return the deciding model when the user took over, its duration so far, and its streamed reason."""
        if (shown := self._shown.get(inquiry)) is None:
            return v.HumanTookOver(inquiry)
        started, said = shown
        heard = "".join(delta.text.raw for delta in said if delta.kind == "reason")
        ms = int((self._log.setup.monotonic() - self._began[inquiry]) * 1000) if inquiry in self._began else None
        return v.HumanTookOver(inquiry, started.model, heard, ms)

    def report_again(self) -> None:
        """Report running reviews and their streamed reasons to a new front end."""
        for started, said in self._shown.values():
            self._log.publish(started)
            for delta in said:
                self._log.publish(delta)

    async def close(self) -> None:
        """Cancel everything."""
        tasks, self._tasks = list(self._tasks.values()), {}
        self._shown.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _inquire(self, ask: s.AskReviewer, tool: str) -> None:
        log, opened = self._log, ask.open
        inquiry = opened.inquiry
        began = self._began[inquiry] = log.setup.monotonic()
        found: v.ReviewerAnswered | v.ReviewerFailed
        try:
            assert log.setup.reviewer is not None
            asked = await self._asked(ask, tool)
            found = await log.setup.reviewer.inquire(asked, _Ear(self, ask, tool))
            if isinstance(found, v.ReviewerAnswered):
                found = await self._checked(found, opened)
        except Exception as bug:  # a reviewer's bug means no verdict; the turn continues
            found = v.ReviewerFailed(inquiry, f"{type(bug).__name__}: {bug}")
        ms = int((log.setup.monotonic() - began) * 1000)
        self._tasks.pop(inquiry, None)
        self._hear(found if found.ms is not None else replace(found, ms=ms))

    async def _asked(self, ask: s.AskReviewer, tool: str) -> ReviewQuestion:
        """Build the snapshot (R120, R121, Z3): the present log, with the results of calls that ended since."""
        log, opened = self._log, ask.open
        paused = PAUSED.format(first_line(opened.question.text))
        told = await log.model_messages(snapshot_results(opened.call, paused, self._finished))
        return ReviewQuestion(
            inquiry=opened.inquiry,
            tool=tool,
            question=opened.question,
            told=told,
            model=self._model,
            tools=tuple(one.spec for one in log.offered()),
            overrides=opened.rule.overrides,
            intent=opened.intent if ask.intent else "",
            before=opened.before,
            briefing=log.briefing,
        )

    async def _checked(self, found: v.ReviewerAnswered, opened: v.OpenQuestion) -> v.ReviewerAnswered:
        held = await verdicts(self._checks, opened.question.answer_type, [found.value])
        return replace(found, verdicts=held)

    # --- streamed output --------------------------------------------------------------------------------------

    def started(self, ask: s.AskReviewer, tool: str, model: str) -> None:
        """A model is asked, or another one than before."""
        log, opened = self._log, ask.open
        if opened.inquiry not in self._tasks:
            return
        started = ReviewStarted(
            conversation=log.id,
            turn=log.turn,
            call=opened.call,
            inquiry=opened.inquiry,
            tool=tool,
            model=model,
            again=ask.intent,
            at=timestamp(log.setup.now()),
        )
        self._shown[opened.inquiry] = started, []
        log.publish(started)

    def report_output(self, inquiry: str, kind: Literal["thought", "reason"], text: str, *, fresh: bool) -> None:
        """Report more output, without secrets (R202)."""
        shown = self._shown.get(inquiry)
        if shown is None:
            return
        words = Foreign(self._log.secrets.text(text))
        delta = ReviewDelta(conversation=self._log.id, inquiry=inquiry, kind=kind, text=words, fresh=fresh)
        if fresh:
            shown[1].clear()
        shown[1].append(delta)
        self._log.publish(delta)

    def waits(self, inquiry: str, detail: str, seconds: float | None) -> None:
        """It failed and is asked again."""
        if (shown := self._shown.get(inquiry)) is not None:
            model, here = Foreign(shown[0].model), self._log.id
            self._log.publish(
                Retrying(conversation=here, id=inquiry, who="reviewer", name=model, detail=detail, retry_in=seconds)
            )


class _Ear:
    """Listener of one inquiry's reviewer."""

    def __init__(self, reviewing: PendingReviews, ask: s.AskReviewer, tool: str) -> None:
        self._reviewing, self._ask, self._tool = reviewing, ask, tool

    def asks(self, model: str) -> None:
        self._reviewing.started(self._ask, self._tool, model)

    def says(self, kind: Literal["thought", "reason"], text: str, *, fresh: bool = False) -> None:
        self._reviewing.report_output(self._ask.open.inquiry, kind, text, fresh=fresh)

    def waits(self, detail: str = "", seconds: float | None = None) -> None:
        self._reviewing.waits(self._ask.open.inquiry, detail, seconds)

"""Questions that a reviewing model is asked: each in a task of its own, cancelled with its call (R99, R119, R138).

It decides nothing and records nothing: a verdict, or why there is none, goes back to the machine as an input.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from jp_tui.engine.log import Log
from jp_tui.engine.verdicts import Checks, verdicts
from jp_tui.inquiry import values as v

NOBODY = "no reviewing model is available"


class Reviewing:
    """The inquiries that a reviewer looks at now; `hear` takes what it says."""

    def __init__(self, log: Log, checks: Checks, hear: Callable[[v.Input], None]) -> None:
        self._log, self._checks, self._hear = log, checks, hear
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def ask(self, opened: v.Open, tool: str) -> None:
        """Put a question to the reviewer."""
        reviewer = self._log.setup.reviewer
        if reviewer is None:
            self._hear(v.ReviewerFailed(opened.inquiry, NOBODY))
            return
        self._tasks[opened.inquiry] = asyncio.create_task(self._inquire(opened, tool))

    def drop(self, inquiry: str) -> None:
        """Nobody waits for this verdict any more."""
        if (task := self._tasks.pop(inquiry, None)) is not None and task is not asyncio.current_task():
            task.cancel()

    async def close(self) -> None:
        """Call everything off."""
        tasks, self._tasks = list(self._tasks.values()), {}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _inquire(self, opened: v.Open, tool: str) -> None:
        log, inquiry = self._log, opened.inquiry
        began = log.setup.monotonic()
        found: v.ReviewerAnswered | v.ReviewerFailed
        try:
            assert log.setup.reviewer is not None
            told = await log.told()
            found = await log.setup.reviewer.inquire(told, inquiry, tool, opened.question, opened.rule.overrides)
            if isinstance(found, v.ReviewerAnswered):
                found = await self._checked(found, opened)
        except Exception as bug:  # a reviewer's bug is no verdict, and no reason to lose the turn
            found = v.ReviewerFailed(inquiry, f"{type(bug).__name__}: {bug}")
        ms = int((log.setup.monotonic() - began) * 1000)
        self._tasks.pop(inquiry, None)
        self._hear(found if found.ms is not None else _timed(found, ms))

    async def _checked(self, found: v.ReviewerAnswered, opened: v.Open) -> v.ReviewerAnswered:
        held = await verdicts(self._checks, opened.question.answer_type, [found.value])
        return replace(found, verdicts=held)


def _timed(found: v.ReviewerAnswered | v.ReviewerFailed, ms: int) -> v.ReviewerAnswered | v.ReviewerFailed:
    return replace(found, ms=ms)

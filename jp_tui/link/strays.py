"""Failures of tasks and callbacks that nothing awaits (Z27).

asyncio reports the exception of a task only when the task is collected as garbage, which may be never, and then on
standard error, where a screen is shown. Here it is reported soon after the task's end, unless it was retrieved by then.
The caller decides what to do about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import Any

SOON = 1.0
"""Seconds for a task's waiter to retrieve its exception; longer than any normal scheduling delay."""


class Strays:
    """`failed` is called in the loop's thread, once for each exception."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended_lately: set[asyncio.Task[Any]] = set()

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Report failures in this loop from now on."""
        self._loop = loop
        loop.set_exception_handler(self._handled)
        loop.set_task_factory(self._made)

    def _made(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        **more: Any,
    ) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **more)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if _open(task) and self._loop is not None and not self._loop.is_closed():
            self._ended_lately.add(task)
            self._loop.call_later(SOON, self._look, task)

    def finish(self) -> None:
        """Check recently failed tasks at once, because the loop is about to end."""
        for task in list(self._ended_lately):
            self._look(task)

    def _look(self, task: asyncio.Task[Any]) -> None:
        if task not in self._ended_lately:
            return
        self._ended_lately.discard(task)
        if _open(task) and isinstance(error := task.exception(), Exception):
            self._failed(error)

    def _handled(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle a failed callback, or a task that was collected before the check."""
        if isinstance(error := context.get("exception"), Exception):
            self._failed(error)


def _open(task: asyncio.Task[Any]) -> bool:
    """True if it failed and its exception wasn't retrieved, by asyncio's own flag."""
    return not task.cancelled() and bool(getattr(task, "_log_traceback", False))

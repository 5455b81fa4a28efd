"""Reports callbacks that block an event loop longer than a limit, with their position at that time.

A tool for finding causes of late keys; off by default, else one thread that polls 100 times a second. It reports source
positions and function names, never a value, and changes nothing.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

LIMIT = 0.05
"""Seconds that a callback may take; half of what a person notices as a delay."""
TICK = 0.01
_DEEP = 40
"""Stack frames reported."""


@dataclass(slots=True)
class _Step:
    """A running callback; `stack` is its position shortly before the limit."""

    began: float
    worked: float
    stack: str = ""


class Watchdog:
    """`say` receives a few lines, on its own thread; `patient` are functions that block on purpose: their time counts
    only after their end."""

    def __init__(
        self, say: Callable[[str], None], *, limit: float = LIMIT, patient: frozenset[CodeType] = frozenset()
    ) -> None:
        self._say, self._limit, self._patient = say, limit, patient
        self._steps: dict[int, _Step] = {}
        self._late: deque[str] = deque(maxlen=100)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)
        self._run: Any = asyncio.Handle._run

    def begin(self) -> None:
        """Watch every loop of this process from now on."""
        run, steps, clock, work, me = self._run, self._steps, time.monotonic, time.thread_time, threading.get_ident

        def watched(handle: asyncio.Handle) -> None:
            step = steps[me()] = _Step(clock(), work())
            try:
                run(handle)
            finally:
                steps.pop(me(), None)
                if (lasted := clock() - step.began) >= self._limit:
                    self._late.append(_words(handle, lasted, work() - step.worked, step.stack))

        self._own = watched.__code__
        asyncio.Handle._run = watched  # type: ignore[assignment,method-assign]
        self._thread.start()

    def end(self) -> None:
        """Restore the former state."""
        asyncio.Handle._run = self._run  # type: ignore[method-assign]
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(TICK):
            now = time.monotonic()
            for thread, step in list(self._steps.items()):
                if not step.stack and now - step.began >= self._limit - 2 * TICK:
                    self._where(thread, step, now)
            self._tell()
        self._tell()

    def _tell(self) -> None:
        while self._late:
            self._say(self._late.popleft())

    def _where(self, thread: int, step: _Step, now: float) -> None:
        frames: list[FrameType] = []
        frame = sys._current_frames().get(thread)
        while frame is not None and frame.f_code is not self._own and len(frames) < _DEEP:
            frames.append(frame)
            frame = frame.f_back
        if any(one.f_code in self._patient for one in frames):
            step.began = now
        elif frames:
            lines = [(one, one.f_lineno) for one in reversed(frames)]
            step.stack = "".join(traceback.StackSummary.extract(lines).format())


def _words(handle: asyncio.Handle, lasted: float, worked: float, stack: str) -> str:
    """Describe a late callback. Its arguments may be anything, so only its name appears."""
    callback = getattr(handle, "_callback", None)
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        callback = task.get_coro()
    name = getattr(callback, "__qualname__", type(callback).__name__)
    when, where = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), threading.current_thread().name
    took = f"{lasted * 1000:.0f} ms, of which {worked * 1000:.0f} ms of work"
    return f"{when} {where}: {name} took {took}\n{stack or '  (it let nobody look)'}".rstrip("\n") + "\n"

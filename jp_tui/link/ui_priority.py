"""The engine's loop gives way: both threads share one interpreter, and a key that was pressed is painted first.

Between two callbacks the engine sleeps while a key is on its way to the screen, and afterwards works for as long
as it slept, so that keys without an end never stop it. It decides nothing else about the order of the work.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import Context

WINDOW = 0.05
"""Seconds after a key for which way is given, unless it is said before that it is painted."""


class UiPriority:
    """Safe to ask from any thread; `give_way` is for the engine's own."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        """`sleep` may end early, when `release` was called."""
        self._clock, self._sleep = clock, sleep
        self._until = self._own = 0.0

    def ask(self) -> None:
        """A key has been pressed."""
        self._until = self._clock() + WINDOW

    def release(self) -> None:
        """The key is painted."""
        self._until = min(self._until, self._clock())

    def give_way(self) -> None:
        """Sleep while a key is on its way, unless it is the engine's turn now."""
        if not self._until:
            return
        began = self._clock()
        if began < self._own:
            return
        until = self._until
        if began < until:
            self._sleep(until - began)
            now = self._clock()
            self._own = now + (now - began)
        if self._until == until:  # no key meanwhile
            self._until = 0.0


class YieldingLoop(asyncio.SelectorEventLoop):
    """A loop that gives way before each callback."""

    def __init__(self, courtesy: UiPriority) -> None:
        super().__init__()
        self._courtesy = courtesy

    def call_soon(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle:
        """As its parent's."""
        return super().call_soon(self._in_turn, callback, args, context=context)

    def _in_turn(self, callback: Callable[..., object], args: tuple[object, ...]) -> None:
        self._courtesy.give_way()
        callback(*args)

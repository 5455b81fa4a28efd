"""Priority of keys over the engine: both threads share one interpreter, and a pressed key is painted first.

While a key is being painted the engine sleeps between two callbacks, and then runs for as long as it slept, so that
endless keys never stop it. The order of work is otherwise unchanged.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import Context

WINDOW = 0.05
"""Seconds after a key for which the engine yields, unless painting ends sooner; a paint takes less."""


class UiPriority:
    """Any thread may call `ask`; `give_way` is for the engine's own."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        """`sleep` may return early after `release`."""
        self._clock, self._sleep = clock, sleep
        self._until = self._own = 0.0

    def ask(self) -> None:
        """Report a pressed key."""
        self._until = self._clock() + WINDOW

    def release(self) -> None:
        """Report that the key is painted."""
        self._until = min(self._until, self._clock())

    def yield_to_keys(self) -> None:
        """Sleep while a key is being painted, unless it is the engine's turn."""
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
    """Loop that yields before each callback."""

    def __init__(self, courtesy: UiPriority) -> None:
        super().__init__()
        self._courtesy = courtesy

    def call_soon(
        self, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> asyncio.Handle:
        """As its parent's."""
        return super().call_soon(self._in_turn, callback, args, context=context)

    def _in_turn(self, callback: Callable[..., object], args: tuple[object, ...]) -> None:
        self._courtesy.yield_to_keys()
        callback(*args)

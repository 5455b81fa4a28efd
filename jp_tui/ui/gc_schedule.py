"""Schedule of garbage collections: often and little while events come, and all of it in a quiet moment (T28).

A collection stops every thread: for a millisecond if it looks at young objects, for 200 ms if it looks at everything
with a thousand questions open. So a full collection isn't left to Python but made after a while without keys and
events. There is none at rest. Freed memory goes back to the system.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from time import monotonic
from typing import Literal

from jp_tui.system.heap import release_free_memory

OFTEN = (2_000, 10, 1_000_000)
"""Thresholds of the three generations: new objects until a collection of the youngest, which takes a millisecond;
such collections until one of the second, without which a busy hour would keep all its garbage; the oldest is never
collected by Python itself."""
ENOUGH = 10
"""Collections by Python after which a full one is worth it."""
QUIET = 2.0
"""Seconds without a key and an event before a full collection."""
MOST = 60.0
"""Seconds after which a pause in typing is enough."""
PAUSE = 0.5
"""Seconds without a key that count as a pause in typing."""

_AFTER_START = (20_000, 20, 20)
"""Thresholds from the first frame on, until a `GarbageSchedule` begins."""


def first_frame_done() -> None:
    """Turn collections on again, without the objects of the start. For the first frame; harmless later."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*_AFTER_START)
        gc.enable()


def everything() -> None:
    """Collect all garbage and give its memory back to the system."""
    gc.collect()
    release_free_memory()


class GarbageSchedule:
    """Collects in the thread whose loop `begin` is called in. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic, collect: Callable[[], object] = everything) -> None:
        self._clock, self._collect = clock, collect
        self._key = self._event = 0.0
        self._looks = 0
        self._since: float | None = None
        self._later: asyncio.TimerHandle | None = None
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        """Take over from Python, if its collections are on."""
        if self._before is None and gc.isenabled():
            self._before = gc.get_threshold()
            gc.set_threshold(*OFTEN)
            gc.callbacks.append(self._collected)

    def end(self) -> None:
        """Leave collections to Python again."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._before is not None:
            gc.set_threshold(*self._before)
            gc.callbacks.remove(self._collected)
            self._before = None

    def key(self) -> None:
        """Note a key press. Can be called from any thread."""
        self._key = self._clock()

    def event(self) -> None:
        """Note an event, and look for a quiet moment later."""
        self._event = self._clock()
        if self._later is None and self._before is not None:
            self._since = self._event
            self._later = asyncio.get_running_loop().call_later(QUIET, self._look)

    def _collected(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        self._looks += phase == "stop"

    def _look(self) -> None:
        """Collect if the user and the engine are quiet and there is enough to collect; else look again later."""
        self._later = None
        now = self._clock()
        key, last = now - self._key, now - max(self._key, self._event)
        long = self._since is not None and now - self._since >= MOST
        if last >= QUIET or (long and key >= PAUSE):
            if self._looks >= ENOUGH:
                self._collect()
                self._looks = 0
        else:
            wait = PAUSE if long else QUIET - last
            self._later = asyncio.get_running_loop().call_later(max(wait, 0.01), self._look)

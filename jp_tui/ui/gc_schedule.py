"""When garbage is collected: often and little while something happens, all of it when nobody would notice (T28).

A collection stops every thread. Of what is young it takes a millisecond; of everything, with a thousand questions
about, two hundred, so that one is never Python's own choice but is made after a while without keys and events. At
rest nothing is looked at. What was freed goes back to the system. It frees nothing that is in use, and keeps no count
of memory.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from time import monotonic
from typing import Literal

from jp_tui.system.heap import give_back

OFTEN = (2_000, 10, 1_000_000)
"""How many new things are looked at in one go, and after how many such looks what stayed then is once more, a
millisecond's work: else a busy hour without a pause would keep all its garbage. What stays then never is by itself."""
ENOUGH = 10
"""Such looks after which there is something to collect."""
QUIET = 2.0
"""Seconds without a key and an event after which all is collected."""
MOST = 60.0
"""Seconds after which a moment without a key must do."""
PAUSE = 0.5
"""Seconds without a key that make such a moment."""

_AFTER_START = (20_000, 20, 20)
"""Python's own thresholds from the first frame on, until a `Tidying` begins."""


def first_frame_done() -> None:
    """Collect garbage again, without what start-up made; to be called at the first frame, harmless later."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*_AFTER_START)
        gc.enable()


def everything() -> None:
    """All garbage, and the room that it had."""
    gc.collect()
    give_back()


class Tidying:
    """Collects in the thread of the loop that `begin` is called in. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic, collect: Callable[[], object] = everything) -> None:
        self._clock, self._collect = clock, collect
        self._key = self._event = 0.0
        self._looks = 0
        self._since: float | None = None
        self._later: asyncio.TimerHandle | None = None
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        """From now on it decides; only where Python's own collections are on."""
        if self._before is None and gc.isenabled():
            self._before = gc.get_threshold()
            gc.set_threshold(*OFTEN)
            gc.callbacks.append(self._collected)

    def end(self) -> None:
        """Python decides again."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._before is not None:
            gc.set_threshold(*self._before)
            gc.callbacks.remove(self._collected)
            self._before = None

    def key(self) -> None:
        """A key has been pressed. From any thread."""
        self._key = self._clock()

    def event(self) -> None:
        """Something has happened."""
        self._event = self._clock()
        if self._later is None and self._before is not None:
            self._since = self._event
            self._later = asyncio.get_running_loop().call_later(QUIET, self._look)

    def _collected(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        self._looks += phase == "stop"

    def _look(self) -> None:
        """What the last event led to has been made by now, too; when there is little of it, the next ones will tell."""
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

"""The hop from the engine to Textual: the engine's thread wakes the app with one message, the app collects.

The only calls made from the engine's thread are a flag and `post_message`, which Textual makes thread-safe. It
knows no event: what arrives is handed on in order, whatever it is, and in portions, so that however much arrives at
once a key never waits for all of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from jp_tui.ui.gc_schedule import Tidying

if TYPE_CHECKING:  # the first frame comes before the protocol
    from jp_tui.link.port import Link
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event


PORTION, PAUSE, TYPING = 0.002, 0.005, 0.025
"""Seconds of work on events, and those after its begin in which there is no other: each is painted. While somebody
types it is longer: most keys are to come where nothing is painted."""
TYPES = 1.0
"""Seconds after a key in which somebody is taken to type."""
MOST = 256
"""Events of one portion; how many take its time is learnt."""
FORGETS = 0.5
"""What an event took at worst counts so much less from portion to portion: one may take as long as fifty others."""
KEY = 0.05
"""Seconds after a key for which nothing else is done, unless it is painted before."""
WRITTEN = 0.004
"""Seconds in which what was painted is written."""
TURN = 0.01
"""Seconds that are the others' turn at least, after they waited for a key."""


class EventsWait(Message):
    """The engine has reported something; collect it."""


class KeyPriority(Protocol):
    """What knows of keys that are on their way to the screen."""

    @property
    def patience(self) -> float:
        """Seconds for which such a key comes first, 0 or less when there is none."""

    def painted(self) -> None:
        """What a key did is on the screen."""


class Bridge:
    """One link, one app. `make` gives the link when the engine is started, `wake` is the app's `post_message`."""

    def __init__(self, make: Callable[[], Link], wake: Callable[[Message], bool]) -> None:
        self._make = make
        self._link: Link | None = None
        self._wake = wake
        self._woken = False
        self._rest: deque[Event] = deque()
        self._many, self._worst = MOST, 0.0
        self._later: asyncio.TimerHandle | None = None
        self._key, self._patient, self._next, self._typed = -KEY, 0.0, 0.0, -TYPES
        self._held: float | None = None  # since when events wait for a key to be painted
        self._tidying = Tidying()

    @property
    def started(self) -> bool:
        """Whether there is an engine to talk to."""
        return self._link is not None

    def start(self) -> None:
        """Start the engine; from now on EventsWait is posted when there is something to collect."""
        self._tidying.begin()
        self._link = self._make()
        self._link.start(self._ready)

    def _ready(self) -> None:
        """Called in the engine's thread. One message is enough for whatever comes until it is handled."""
        if not self._woken:
            self._woken = True
            self._wake(EventsWait())

    @contextmanager
    def portion(self) -> Iterator[list[Event]]:
        """What was reported, in order, as much as there is time for; the app is woken for what is left then. The flag
        falls first, so that nothing that comes meanwhile goes unnoticed."""
        if self._later is not None:  # the keys' turn; what comes meanwhile is collected when that is over
            yield []
            return
        self._woken = False
        if self._link is not None:
            self._rest.extend(self._link.collect())
        began, many = monotonic(), min(self._many, len(self._rest))
        if many and began < self._next:
            self._go_on_in(self._next - began)
            yield []
            return
        if many and (left := self.patience) > 0:
            self._held = began
            self._go_on_in(left)
            yield []
            return
        yield [self._rest.popleft() for _ in range(many)]
        took = monotonic() - began
        if many:
            self._tidying.event()
            self._worst = max(took / many, self._worst * FORGETS, 1e-6)
            self._many = max(min(int(PORTION / self._worst), 2 * self._many, MOST), 1)
            self._next = began + max(2 * took, TYPING if began - self._typed < TYPES else PAUSE)
        if self._rest:
            self._go_on_in(self._next - began - took)

    @property
    def patience(self) -> float:
        """Seconds for which a key that is on its way to the screen comes first; after a wait it is the others' turn for
        as long as that was, so that keys without an end stop nothing."""
        now = monotonic()
        return self._key + KEY - now if now >= self._patient else 0.0

    def painted(self) -> None:
        """What a key did is painted; the thread that writes it to the terminal still needs its moment."""
        if self._key > 0:
            asyncio.get_running_loop().call_later(WRITTEN, self._written, self._key)

    def _written(self, key: float) -> None:
        if key != self._key:
            return  # there is another
        self._key = -KEY
        if self._link is not None:
            self._link.relax()
        if self._held is not None and self._later is not None:
            self._later.cancel()
            self._go_on()

    def _go_on_in(self, seconds: float) -> None:
        self._woken = True  # nobody needs to be woken before
        self._later = asyncio.get_running_loop().call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        self._later = None
        if self._held is not None:
            now = monotonic()
            self._patient, self._held = now + max(now - self._held, TURN), None
        self._wake(EventsWait())

    def send(self, command: Command) -> None:
        """Hand a command over; there is nobody to hear it before the engine is started."""
        if self._link is not None:
            self._link.send(command)

    def hurry(self) -> None:
        """A key has been pressed: it comes before what the engine does and reports. From any thread."""
        self._key = self._typed = monotonic()
        self._tidying.key()
        if self._link is not None:
            self._link.hurry()

    def close(self, timeout: float) -> bool:
        """Shut the engine down; whether it ended by itself within `timeout` seconds."""
        self._tidying.end()
        return self._link is None or self._link.close(timeout)

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
from typing import TYPE_CHECKING

from textual.message import Message

from jp_tui.ui.tidying import Tidying

if TYPE_CHECKING:  # the first frame comes before the protocol
    from jp_tui.link.port import Link
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event


PORTION = 0.003
"""Seconds of work on events, after which keys have their turn for as long as that took."""
MOST = 256
"""Events of one portion; how many take its time is learnt."""
KEY = 0.02
"""Seconds after a key in which it is painted, on a busy machine too, when nothing else is done."""


class EventsWait(Message):
    """The engine has reported something; collect it."""


class Bridge:
    """One link, one app. `make` gives the link when the engine is started, `wake` is the app's `post_message`."""

    def __init__(self, make: Callable[[], Link], wake: Callable[[Message], bool]) -> None:
        self._make = make
        self._link: Link | None = None
        self._wake = wake
        self._woken = False
        self._rest: deque[Event] = deque()
        self._many = MOST
        self._later: asyncio.TimerHandle | None = None
        self._key, self._patient = -KEY, 0.0
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
        self._woken = False
        if self._link is not None:
            self._rest.extend(self._link.collect())
        if self._later is not None:  # the keys' turn
            yield []
            return
        began, many = monotonic(), min(self._many, len(self._rest))
        if many and (left := self._key + KEY - began) > 0 and began >= self._patient:
            self._later, self._patient = asyncio.get_running_loop().call_later(left, self._go_on), began + 2 * KEY
            yield []
            return
        yield [self._rest.popleft() for _ in range(many)]
        took = monotonic() - began
        if many:
            self._tidying.event()
            self._many = max(min(int(many * PORTION / max(took, 1e-6)), 2 * self._many, MOST), 1)
        if self._rest:
            self._later = asyncio.get_running_loop().call_later(took, self._go_on)

    def _go_on(self) -> None:
        self._later = None
        self._wake(EventsWait())

    def send(self, command: Command) -> None:
        """Hand a command over; there is nobody to hear it before the engine is started."""
        if self._link is not None:
            self._link.send(command)

    def hurry(self) -> None:
        """A key has been pressed: it comes before what the engine does and reports. From any thread."""
        self._key = monotonic()
        self._tidying.key()
        if self._link is not None:
            self._link.hurry()

    def close(self, timeout: float) -> bool:
        """Shut the engine down; whether it ended by itself within `timeout` seconds."""
        self._tidying.end()
        return self._link is None or self._link.close(timeout)

"""Pass events from the engine's thread to the app: the engine wakes the app with one message, the app collects the
events.

The engine's thread only sets a flag and calls `post_message`, which is thread-safe. Events are passed on in order,
whatever they are, and in portions, so that a key never waits for all of a large batch.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from jp_tui.ui.gc_schedule import GarbageSchedule

if TYPE_CHECKING:  # the first frame comes before the protocol
    from jp_tui.link.port import Link
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event


PORTION, PAUSE, TYPING = 0.002, 0.005, 0.025
"""Seconds of work on one portion of events, and seconds from its beginning to the next one, so that each is painted.
While the user types the pause is TYPING: most keys should come when nothing is being painted."""
TYPES = 1.0
"""Seconds after a key for which the user counts as typing."""
MOST = 256
"""Events of one portion at most. How many fit into PORTION is measured."""
FORGETS = 0.5
"""Factor by which the longest time for an event decays from portion to portion, since one may take as long as 50
others."""
KEY = 0.05
"""Seconds after a key in which events wait, unless the key is painted sooner."""
WRITTEN = 0.004
"""Seconds in which a painted key is written to the terminal."""
RETRY = 1.0
"""Seconds between two keys that try to reach a lost store."""
TURN = 0.01
"""Seconds for which events come first, at least, after they waited for a key."""


class EventsWait(Message):
    """The engine has reported something that the app should collect."""


class KeyPriority(Protocol):
    """Knows the keys that aren't painted yet."""

    @property
    def seconds_left(self) -> float:
        """Seconds for which such a key comes first; 0 or less if there is none."""

    def painted(self) -> None:
        """Note that the effect of a key is painted."""


class Bridge:
    """Connects one link with one app. `make` makes the link when the engine starts; `wake` is the app's
    `post_message`."""

    def __init__(self, make: Callable[[], Link], wake: Callable[[Message], bool]) -> None:
        self._make = make
        self._link: Link | None = None
        self._wake = wake
        self._woken = False
        self._rest: deque[Event] = deque()
        self._many, self._worst = MOST, 0.0
        self._later: asyncio.TimerHandle | None = None
        self._key, self._patient, self._next, self._typed = -KEY, 0.0, 0.0, -TYPES
        self.offline = False
        """True while the engine's store is out of reach: a key tries it again (store.md D12)."""
        self._retried = -RETRY
        self._held: float | None = None  # the time since when events wait for a key to be painted
        self._garbage = GarbageSchedule()

    @property
    def started(self) -> bool:
        """True once the engine has been started."""
        return self._link is not None

    def start(self) -> None:
        """Start the engine. From now on EventsWait is posted when there is something to collect."""
        self._garbage.begin()
        self._link = self._make()
        self._link.start(self._ready)

    def _ready(self) -> None:
        """Wake the app. Called in the engine's thread. One message is enough for all that comes until it is handled."""
        if not self._woken:
            self._woken = True
            self._wake(EventsWait())

    @contextmanager
    def portion(self) -> Iterator[list[Event]]:
        """Yield as many events, in order, as there is time for. The app is woken again for the rest.

        The flag is cleared first, so that the app is woken for new events.
        """
        if self._later is not None:  # a key comes first; a timer collects newer events
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
        if many and (left := self.seconds_left) > 0:
            self._held = began
            self._go_on_in(left)
            yield []
            return
        yield [self._rest.popleft() for _ in range(many)]
        took = monotonic() - began
        if many:
            self._garbage.event()
            self._worst = max(took / many, self._worst * FORGETS, 1e-6)
            self._many = max(min(int(PORTION / self._worst), 2 * self._many, MOST), 1)
            self._next = began + max(2 * took, TYPING if began - self._typed < TYPES else PAUSE)
        if self._rest:
            self._go_on_in(self._next - began - took)

    @property
    def seconds_left(self) -> float:
        """Seconds for which a key that isn't on the screen yet comes before events; 0 or less for none.

        After events waited, they come first for as long, so that a key held down doesn't stop them.
        """
        now = monotonic()
        return self._key + KEY - now if now >= self._patient else 0.0

    def painted(self) -> None:
        """Note that the effect of a key is painted. Writing it to the terminal takes a moment more."""
        if self._key > 0:
            asyncio.get_running_loop().call_later(WRITTEN, self._written, self._key)

    def _written(self, key: float) -> None:
        if key != self._key:
            return  # there is a newer key
        self._key = -KEY
        if self._link is not None:
            self._link.relax()
        if self._held is not None and self._later is not None:
            self._later.cancel()
            self._continue()

    def _go_on_in(self, seconds: float) -> None:
        self._woken = True  # the app need not be woken before that
        self._later = asyncio.get_running_loop().call_later(seconds, self._continue)

    def _continue(self) -> None:
        self._later = None
        if self._held is not None:
            now = monotonic()
            self._patient, self._held = now + max(now - self._held, TURN), None
        self._wake(EventsWait())

    def send(self, command: Command) -> None:
        """Send a command to the engine. Before the engine is started, it is dropped."""
        if self._link is not None:
            self._link.send(command)

    def hurry(self) -> None:
        """Note a key press: it comes before the engine's work and its events. Can be called from any thread."""
        self._key = self._typed = monotonic()
        self._garbage.key()
        if self._link is not None:
            self._link.hurry()
            if self.offline and self._key - self._retried > RETRY:
                from jp_tui.protocol.store import RetryStore

                self._retried = self._key
                self._link.send(RetryStore())

    def close(self, timeout: float) -> bool:
        """Shut the engine down. Return True if it ended within `timeout` seconds."""
        self._garbage.end()
        return self._link is None or self._link.close(timeout)

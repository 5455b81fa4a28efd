"""The hop from the engine to Textual: the engine's thread wakes the app with one message, the app collects.

The only calls made from the engine's thread are a flag and `post_message`, which Textual makes thread-safe. It
knows no event: what arrives is handed on in order, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:  # the first frame comes before the protocol
    from jp_tui.link.port import Link
    from jp_tui.protocol.commands import Command
    from jp_tui.protocol.events import Event


class EventsWait(Message):
    """The engine has reported something; collect it."""


class Bridge:
    """One link, one app. `make` gives the link when the engine is started, `wake` is the app's `post_message`."""

    def __init__(self, make: Callable[[], Link], wake: Callable[[Message], bool]) -> None:
        self._make = make
        self._link: Link | None = None
        self._wake = wake
        self._woken = False

    @property
    def started(self) -> bool:
        """Whether there is an engine to talk to."""
        return self._link is not None

    def start(self) -> None:
        """Start the engine; from now on EventsWait is posted when there is something to collect."""
        self._link = self._make()
        self._link.start(self._ready)

    def _ready(self) -> None:
        """Called in the engine's thread. One message is enough for whatever comes until it is handled."""
        if not self._woken:
            self._woken = True
            self._wake(EventsWait())

    def collect(self) -> list[Event]:
        """What was reported; the flag falls first, so that nothing that comes meanwhile goes unnoticed."""
        self._woken = False
        return self._link.collect() if self._link is not None else []

    def send(self, command: Command) -> None:
        """Hand a command over; there is nobody to hear it before the engine is started."""
        if self._link is not None:
            self._link.send(command)

    def close(self, timeout: float) -> bool:
        """Shut the engine down; whether it ended by itself within `timeout` seconds."""
        return self._link is None or self._link.close(timeout)

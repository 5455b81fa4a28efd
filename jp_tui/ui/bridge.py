"""The hop from the engine to Textual: the engine's thread wakes the app with one message, the app collects.

The only calls made from the engine's thread are a flag and `post_message`, which Textual makes thread-safe. It
knows no event: what arrives is handed on in order, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from jp_tui.link.port import Link
from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import Event


class EventsWait(Message):
    """The engine has reported something; collect it."""


class Bridge:
    """One link, one app. `wake` is the app's `post_message`."""

    def __init__(self, link: Link, wake: Callable[[Message], bool]) -> None:
        self._link = link
        self._wake = wake
        self._woken = False

    def start(self) -> None:
        """Start the engine; from now on EventsWait is posted when there is something to collect."""
        self._link.start(self._ready)

    def _ready(self) -> None:
        """Called in the engine's thread. One message is enough for whatever comes until it is handled."""
        if not self._woken:
            self._woken = True
            self._wake(EventsWait())

    def collect(self) -> list[Event]:
        """What was reported; the flag falls first, so that nothing that comes meanwhile goes unnoticed."""
        self._woken = False
        return self._link.collect()

    def send(self, command: Command) -> None:
        self._link.send(command)

    def close(self, timeout: float) -> bool:
        """Shut the engine down; whether it ended by itself within `timeout` seconds."""
        return self._link.close(timeout)

"""What a face sees of the engine: a place to send commands and a place to collect events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import Event


class Link(Protocol):
    """One engine, one face. Safe to call from the face's thread."""

    def start(self, ready: Callable[[], None]) -> None:
        """Start the engine. `ready` is called from the engine's thread when events wait; it must only wake the face."""

    def send(self, command: Command) -> None:
        """Hand a command over; never blocks."""

    def collect(self) -> list[Event]:
        """Everything reported since the last call, in order; adjoining deltas of one part may have been joined."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until events wait, for a face without a loop of its own; whether there are any."""

    def hurry(self) -> None:
        """A key has been pressed: the engine gives way for a moment. From any thread, at any time."""

    def relax(self) -> None:
        """What the key did is on the screen: the engine goes on. From any thread, at any time."""

    def close(self, timeout: float) -> bool:
        """Shut down and wait at most `timeout` seconds; whether the engine ended by itself."""


class EngineEndpoint(Protocol):
    """What a link needs of an engine."""

    async def handle(self, command: Command) -> None:
        """Carry out one command; never raises."""

    def failed(self, bug: BaseException) -> None:
        """Report a bug that nobody else could; what is secret stays out of the report."""

    def failed_beside(self, bug: Exception) -> None:
        """Report a bug of a background task, after which everything else goes on (Z27)."""

    async def stop(self) -> None:
        """Stop everything; afterwards nothing is published."""

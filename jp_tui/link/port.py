"""Interface of the engine for front ends: send commands, collect events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import Event


class Link(Protocol):
    """One engine, one front end. Safe to call from the front end's thread."""

    def start(self, ready: Callable[[], None]) -> None:
        """Start the engine. `ready` is called from the engine's thread when events wait; it must only wake the front
        end."""

    def send(self, command: Command) -> None:
        """Pass a command on; never blocks."""

    def collect(self) -> list[Event]:
        """Return all events since the last call, in order; adjacent deltas of one part may be joined."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until events wait, for a front end without its own loop; return True if there are any."""

    def hurry(self) -> None:
        """A key was pressed: the engine yields for a moment. From any thread, at any time."""

    def relax(self) -> None:
        """The key's effect is painted: the engine continues. From any thread, at any time."""

    def close(self, timeout: float) -> bool:
        """Shut down and wait at most `timeout` seconds; return True if the engine ended in time."""


class EngineEndpoint(Protocol):
    """Interface of the engine for a link."""

    async def handle(self, command: Command) -> None:
        """Carry out one command; never raises."""

    def failed(self, bug: BaseException) -> None:
        """Report a bug that no other code could, without secrets."""

    def failed_beside(self, bug: Exception) -> None:
        """Report a bug of a background task; everything else continues (Z27)."""

    async def stop(self) -> None:
        """Stop everything; afterwards no events are published."""

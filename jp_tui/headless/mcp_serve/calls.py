"""Calls of an MCP client that wait for answers, on the link: each has a name, its events and one end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jp_tui.headless.input import Bell
from jp_tui.link.port import Link
from jp_tui.protocol import events as e
from jp_tui.protocol.commands import Command
from jp_tui.protocol.outside import OutsideFormSettled, OutsideSettled, WithdrawOutside

SECONDS_TO_CLOSE = 5.0
Settled = OutsideFormSettled | OutsideSettled


class NotAsked(Exception):
    """The question can't be asked or its answer not be read; `str(error)` is a message for the client's model."""


class Calls:
    """Waiting calls. `changed` is called with whether any waits. On the loop's thread only."""

    def __init__(self, link: Link, changed: Callable[[bool], None], tell: Callable[[str], None]) -> None:
        self._link, self._changed, self._tell = link, changed, tell
        self._waiting: dict[str, asyncio.Future[Settled]] = {}
        self._bell = Bell()
        self._count = 0
        self._failed = ""

    def start(self) -> None:
        """Start the engine."""
        asyncio.get_running_loop().add_reader(self._bell.fileno(), self._collect)
        self._link.start(self._bell.ring)

    def name(self) -> str:
        """Return a name for the next call."""
        self._count += 1
        return str(self._count)

    async def ask(self, name: str, command: Command) -> Settled:
        """Send a command that asks, and wait for its end. Cancelled, it withdraws the question (N6). Raises
        NotAsked."""
        if self._failed:
            raise NotAsked(self._failed)
        settled = self._waiting[name] = asyncio.get_running_loop().create_future()
        self._changed(True)
        self._link.send(command)
        try:
            return await asyncio.shield(settled)
        except asyncio.CancelledError:
            if not settled.done():
                self._link.send(WithdrawOutside(asking=name))
            raise

    async def close(self) -> None:
        """Withdraw what waits, and wait until that is durable."""
        for name in self._waiting:
            self._link.send(WithdrawOutside(asking=name))
        if self._waiting:
            await asyncio.wait([*self._waiting.values()], timeout=SECONDS_TO_CLOSE)
        asyncio.get_running_loop().remove_reader(self._bell.fileno())
        if self._link.close(SECONDS_TO_CLOSE):
            self._bell.close()

    def _collect(self) -> None:
        self._bell.reset()
        for event in self._link.collect():
            match event:
                case OutsideFormSettled() | OutsideSettled():
                    self._end(event)
                case e.StorageFailed() | e.EngineFailed():
                    self._fail(event.message)
                case e.Refused():
                    self._tell(f"jp-tui: {event.message}")
                case _:
                    pass

    def _end(self, event: Settled) -> None:
        settled = self._waiting.pop(event.asking, None)
        if settled is not None and not settled.done():
            settled.set_result(event)
        if not self._waiting:
            self._changed(False)

    def _fail(self, message: str) -> None:
        """Fail what waits and what comes: nothing is allowed without a record."""
        self._failed = message
        self._tell(f"jp-tui: {message}")
        for settled in self._waiting.values():
            if not settled.done():
                settled.set_exception(NotAsked(message))
                settled.exception()  # retrieved: a cancelled call no longer waits for it
        self._waiting.clear()

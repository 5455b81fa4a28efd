"""Notices of the store and the state of its connection, for the front end: sent before the reply to the command that
caused them, and before any event written after them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jp_tui.engine.record.log import Publish
from jp_tui.journal.port import Journal, StoreConnection
from jp_tui.protocol.events import UserNotice
from jp_tui.protocol.store import StoreState


class StoreNotices:
    """Notices of one engine, from its first command. `lost` and `back` are called when nothing can be recorded in a
    shared store, since its server is out of reach or its schema too new, and when it can be again."""

    def __init__(self, journal: Journal, publish: Publish, lost: Callable[[], None], back: Callable[[], None]) -> None:
        self._journal, self._publish, self._lost, self._back = journal, publish, lost, back
        self._task: asyncio.Task[None] | None = None
        self._known: StoreConnection | None = None

    @property
    def offline(self) -> bool:
        """True while nothing can be recorded in the store, as far as it was reported."""
        return bool(self.problem)

    @property
    def problem(self) -> str:
        """Return why it is, empty if it isn't."""
        return self._known.problem if self._known is not None else ""

    def start(self) -> None:
        """Publish present notices, and new ones as they arrive."""
        self.tell()
        if self._task is None:
            self._task = asyncio.create_task(self._wait())

    def close(self) -> None:
        """Publish present notices; later ones are for whoever closes the journal."""
        self.tell()
        if self._task is not None:
            self._task.cancel()

    def tell(self) -> None:
        """Publish the queued notices, and the connection if its state is another one."""
        for notice in self._journal.notices():
            self._publish(UserNotice(message=notice.message, advice=notice.advice))
        now, before = self._journal.connection(), self._known
        if now is None or now == before:
            return
        was_offline, self._known = self.offline, now
        back = was_offline and not now.problem
        state = StoreState(name=now.name, problem=now.problem, warning=now.warning, back=back, newer=now.newer)
        self._publish(state)
        if self.offline != was_offline:
            (self._lost if self.offline else self._back)()

    async def _wait(self) -> None:
        while True:
            await self._journal.noticed()
            self.tell()

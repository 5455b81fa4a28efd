"""Notices of the store for the front end: sent before the reply to the command that caused them, and before any event
written after them."""

from __future__ import annotations

import asyncio

from jp_tui.engine.record.log import Publish
from jp_tui.journal.port import Journal
from jp_tui.protocol.events import StorageNotice


class StoreNotices:
    """Notices of one engine, from its first command."""

    def __init__(self, journal: Journal, publish: Publish) -> None:
        self._journal, self._publish = journal, publish
        self._task: asyncio.Task[None] | None = None

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
        """Publish the queued notices."""
        for notice in self._journal.notices():
            self._publish(StorageNotice(message=notice.message, advice=notice.advice))

    async def _wait(self) -> None:
        while True:
            await self._journal.noticed()
            self.tell()

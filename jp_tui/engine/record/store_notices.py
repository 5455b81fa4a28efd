"""What happened to the store, passed on to the face: before the answer to the command that met it, and before any event
that was written after it."""

from __future__ import annotations

import asyncio

from jp_tui.engine.record.log import Publish
from jp_tui.journal.port import Journal
from jp_tui.protocol.events import StorageNotice


class StoreNotices:
    """Of one engine; begins with its first command."""

    def __init__(self, journal: Journal, publish: Publish) -> None:
        self._journal, self._publish = journal, publish
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Tell what there is, and from now on what comes."""
        self.tell()
        if self._task is None:
            self._task = asyncio.create_task(self._wait())

    def close(self) -> None:
        """Tell what there is; what comes later is for whoever closes the journal."""
        self.tell()
        if self._task is not None:
            self._task.cancel()

    def tell(self) -> None:
        """Publish the notices that are held."""
        for notice in self._journal.notices():
            self._publish(StorageNotice(message=notice.message, advice=notice.advice))

    async def _wait(self) -> None:
        while True:
            await self._journal.noticed()
            self.tell()

"""Background maintenance of the store: index texts, and remove conversations deleted a week ago.

In small pieces, so that other writes don't wait. Nothing depends on it: a failure is retried next time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Literal, TypeVar

from jp_tui.conversation.ids import read_timestamp
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import EngineDependencies, HeldBy
from jp_tui.journal.port import MAKING, JournalError
from jp_tui.protocol.events import Event
from jp_tui.protocol.library import LibraryProgress

KEPT = timedelta(days=7)
"""Time in which a deleted conversation can be restored."""
FIRST_SECONDS, EACH_SECONDS = 0.5, 0.25
PAUSE_SECONDS = 0.005
T = TypeVar("T")
Work = Literal["index", "import", "fork", "delete"]


class Progress:
    """Reports progress after the first 0.5 s, a few times per second."""

    def __init__(
        self, setup: EngineDependencies, publish: Callable[[Event], None], job: str, what: Work, total: int = 0
    ) -> None:
        self._clock, self._publish, self._job, self._what = setup.monotonic, publish, job, what
        self._next = self._clock() + FIRST_SECONDS
        self.total = total

    def at(self, done: int, detail: str = "") -> None:
        """Report this progress."""
        if self._clock() >= self._next:
            self._next = self._clock() + EACH_SECONDS
            told = LibraryProgress(
                job=self._job, what=self._what, done=done, total=max(self.total, done), detail=Foreign(detail)
            )
            self._publish(told)


async def sound(setup: EngineDependencies, asks: Callable[[], Awaitable[T]]) -> T:
    """Run `asks`, which uses the index: if the index is damaged, rebuild it from the log and run again. Raises
    JournalError."""
    try:
        return await asks()
    except JournalError as problem:
        if problem.kind != "index":
            raise
    await setup.journal.renew_index()
    return await asks()


class Upkeep:
    """Maintenance for one engine."""

    def __init__(self, setup: EngineDependencies, publish: Callable[[Event], None]) -> None:
        self._setup, self._publish = setup, publish
        self._task: asyncio.Task[None] | None = None
        self._removed = False

    def start(self) -> None:
        """Continue with pending work; may be called while it runs."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Stop; the rest is done next time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def whole(self, job: str) -> None:
        """Wait until everything is indexed, reporting progress. Raises JournalError."""
        progress = Progress(self._setup, self._publish, job, "index", self._setup.journal.unindexed())
        done = 0
        while some := await self._index():
            progress.at(done := done + some)

    async def recent(self) -> None:
        """Index a few events at once, so that the newest are found. Raises JournalError."""
        await self._index()

    async def _index(self) -> int:
        return await sound(self._setup, self._setup.journal.index)

    async def _work(self) -> None:
        with suppress(JournalError):
            if not self._removed:
                self._removed = True
                await self._remove_old()
            left = self._setup.journal.unindexed()
            progress, done = Progress(self._setup, self._publish, "", "index", left), 0
            while some := await self._index():
                progress.at(done := done + some)
                await asyncio.sleep(PAUSE_SECONDS)

    async def _remove_old(self) -> None:
        now = self._setup.now()
        for id_, at in self._setup.journal.hidden():
            try:
                old = at == MAKING or now - read_timestamp(at) > KEPT
            except ValueError:
                old = False
            if old:
                await remove(self._setup, [id_])


async def remove(setup: EngineDependencies, ids: Iterable[str], progress: Progress | None = None) -> None:
    """Remove hidden conversations that no process owns, for good. Raises JournalError."""
    done = 0
    for id_ in ids:
        held = setup.lock(id_)
        if isinstance(held, HeldBy):
            continue
        try:
            while some := await sound(setup, partial(setup.journal.remove, id_)):
                done += some
                if progress is not None:
                    progress.at(done)
                await asyncio.sleep(PAUSE_SECONDS)
            if setup.copies is not None:
                setup.copies.forget(id_)
        finally:
            held.release()

"""Waits for commits to the store by any process: one look at its change counter serves all who wait.

The log itself is read only after a change. Where the store reports writes, nothing is looked at while nothing is
written.
"""

from __future__ import annotations

import asyncio
import os
from math import inf

from jp_tui.journal.port import Journal, JournalError

LOOK_SECONDS, LATER_SECONDS = 0.1, 0.2
"""Interval between looks: at first, and after SOON_SECONDS or a reported write. With the screen's repaint it keeps
within 250 ms (N6)."""
SOON_SECONDS = 120.0
VISIBLE_SECONDS = 2.0
"""Looks go on for so long after a write, since its commit counts only once the disk has it."""
COMMIT_SECONDS = 0.03
"""Seconds that most commits take from their first write, which is what is reported."""
OPENS_SECONDS = 0.5
"""Seconds until it asks for reports of writes, which costs some milliseconds: not while the workspace starts, and not
for a short wait. Looks go on long enough after that for what was written before."""
UNTOLD_SECONDS = 5.0
"""Interval between looks while no writes are reported, in case that one wasn't."""


class StoreWatch:
    """The waits of one engine. On its loop only; nothing else of it may ask for `changed`."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._many = journal.locks() is None
        """True if reports come in numbers, as a file's do, of this process's writes too. A server reports only what
        others wait for."""
        self._waiting: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    async def wait(self, seconds: float | None) -> None:
        """Return after a commit that came since the last wait, or when `seconds` are over."""
        woken = asyncio.Event()
        self.follow(woken)
        try:
            async with asyncio.timeout(seconds):
                await woken.wait()
        except TimeoutError:
            pass
        finally:
            self.leave(woken)

    def follow(self, woken: asyncio.Event) -> None:
        """Set this event at each commit from now on, and once for what came before."""
        self._waiting.add(woken)
        if self._task is None:
            self._task = asyncio.create_task(self._look())

    def leave(self, woken: asyncio.Event) -> None:
        """Stop setting this event."""
        self._waiting.discard(woken)
        if not self._waiting and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        soon = loop.time() + SOON_SECONDS
        quiet = loop.time() + VISIBLE_SECONDS
        opens = loop.time() + OPENS_SECONDS
        events: int | None = None
        while True:
            at_rest = loop.time() >= quiet
            if self._changed():
                for one in self._waiting:
                    one.set()
            if loop.time() >= opens:
                opens, events = inf, self._journal.write_events()
            pause = LOOK_SECONDS if loop.time() < soon else LATER_SECONDS
            if events is None:
                await asyncio.sleep(pause)
                continue
            if at_rest or not self._many:
                reported = await _reported(events, UNTOLD_SECONDS if at_rest else pause)
                await asyncio.sleep(COMMIT_SECONDS if reported and self._many else 0)
            else:  # a reply that streams is written several times a second: no wake-up for each
                await asyncio.sleep(LATER_SECONDS)
                reported = _taken(events)
            if reported:
                quiet = loop.time() + VISIBLE_SECONDS

    def _changed(self) -> bool:
        try:
            return self._journal.changed()
        except JournalError:
            return True  # who waits reads, and reports why it can't


async def _reported(events: int, seconds: float) -> bool:
    """Wait for a report of a write, at most so long. True if there was one."""
    loop, written = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(events, written.set)
    try:
        async with asyncio.timeout(seconds):
            await written.wait()
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(events)
    return _taken(events)


def _taken(events: int) -> bool:
    """Take all reports there are. True if there was one."""
    try:
        return bool(os.read(events, 1 << 16))
    except BlockingIOError:
        return False

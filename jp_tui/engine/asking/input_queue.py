"""What waits to be decided about in one turn: inputs in their order, taken by one task, many at once when many wait.

So that a thousand questions cost a few writes to the log and not a thousand. It decides nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v

TOGETHER = 16
"""Inputs that are taken in one go at most."""


@dataclass(slots=True)
class QueuedInput:
    """An input; `told` gets the steps it led to, and then a refusal is not told to the faces."""

    given: v.Input
    told: asyncio.Future[list[s.Step]] | None = None

    def tell(self, steps: list[s.Step]) -> None:
        """To whoever waits for it."""
        if self.told is not None and not self.told.done():
            self.told.set_result(steps)


class Inputs:
    """`take` deals with what came; `broken` hears why it could not."""

    def __init__(
        self, take: Callable[[Sequence[QueuedInput]], Awaitable[None]], broken: Callable[[Exception], None]
    ) -> None:
        self._take, self._broken = take, broken
        self._waiting: asyncio.Queue[QueuedInput] = asyncio.Queue()
        self._worker = asyncio.create_task(self._work())

    def put(self, given: v.Input) -> None:
        """One more."""
        self._waiting.put_nowait(QueuedInput(given))

    async def hear(self, given: v.Input) -> list[s.Step]:
        """One more; the steps that it leads to come back, none when it could not be dealt with."""
        told: asyncio.Future[list[s.Step]] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait(QueuedInput(given, told))
        return await told

    async def settle(self) -> None:
        """Wait until all that came is dealt with."""
        await self._waiting.join()

    def close(self) -> None:
        """Deal with nothing more."""
        self._worker.cancel()

    async def _work(self) -> None:
        while True:
            items = [await self._waiting.get()]
            while len(items) < TOGETHER and not self._waiting.empty():
                items.append(self._waiting.get_nowait())
            try:
                await self._take(items)
            except Exception as error:  # whoever waits for an answer must not wait for ever
                for item in items:
                    item.tell([])
                self._broken(error)
            finally:
                for _ in items:
                    self._waiting.task_done()

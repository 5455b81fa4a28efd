"""Input queue of one turn: one task takes inputs in order, several at once if several wait, so that 1,000 questions
need few writes to the log.

No decisions here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v

TOGETHER = 16
"""Maximum inputs taken at once."""


@dataclass(slots=True)
class OfferedInput:
    """Number of the offer that an input comes from, and whether its acceptance is in the log, with the answer."""

    number: int
    recorded: bool = False


@dataclass(slots=True)
class QueuedInput:
    """An input; `told` receives the resulting steps, and a refusal is then not reported to the front ends."""

    given: v.Input
    told: asyncio.Future[list[s.Step]] | None = None
    offer: OfferedInput | None = None

    def tell(self, steps: list[s.Step]) -> None:
        """Pass the steps to the waiting caller."""
        if self.told is not None and not self.told.done():
            self.told.set_result(steps)


class Inputs:
    """`take` processes inputs; `broken` receives its error."""

    def __init__(
        self, take: Callable[[Sequence[QueuedInput]], Awaitable[None]], broken: Callable[[Exception], None]
    ) -> None:
        self._take, self._broken = take, broken
        self._waiting: asyncio.Queue[QueuedInput] = asyncio.Queue()
        self._worker = asyncio.create_task(self._work())

    def put(self, given: v.Input) -> None:
        """Add an input."""
        self._waiting.put_nowait(QueuedInput(given))

    async def process(self, given: v.Input, offer: OfferedInput | None = None) -> list[s.Step]:
        """Add an input and return its resulting steps, empty if it couldn't be processed."""
        told: asyncio.Future[list[s.Step]] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait(QueuedInput(given, told, offer))
        return await told

    async def wait_processed(self) -> None:
        """Wait until everything so far is processed."""
        await self._waiting.join()

    def close(self) -> None:
        """Stop processing."""
        self._worker.cancel()

    async def _work(self) -> None:
        while True:
            items = [await self._waiting.get()]
            while len(items) < TOGETHER and not self._waiting.empty():
                items.append(self._waiting.get_nowait())
            try:
                await self._take(items)
            except Exception as error:  # a waiting caller must not wait forever
                for item in items:
                    item.tell([])
                self._broken(error)
            finally:
                for _ in items:
                    self._waiting.task_done()

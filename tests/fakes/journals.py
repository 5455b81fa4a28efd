"""A journal that refuses or waits when a test wants it, in front of the real one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

from jp_tui.journal.port import Journal, JournalError, NewEvent, Receipt


class Refused:
    """The receipt of a write that failed."""

    def __await__(self) -> Generator[object, None, Any]:
        raise JournalError("full", "the disk is full")
        yield

    def result(self, timeout: float | None = None) -> Any:
        raise JournalError("full", "the disk is full")

    def done(self) -> bool:
        return True


class Late:
    """A receipt that comes only when `gate` is open."""

    def __init__(self, receipt: Receipt[Any], gate: threading.Event) -> None:
        self._receipt, self._gate = receipt, gate

    def __await__(self) -> Generator[object, None, Any]:
        return self._wait().__await__()

    async def _wait(self) -> Any:
        while not self._gate.is_set():  # noqa: ASYNC110 - opened by another thread
            await asyncio.sleep(0.01)
        return await self._receipt

    def result(self, timeout: float | None = None) -> Any:
        self._gate.wait()
        return self._receipt.result(timeout)

    def done(self) -> bool:
        return self._gate.is_set() and self._receipt.done()


class Flaky:
    """Everything is the real journal's, but an append of a kind in `refuse` fails, and one in `hold` waits for `gate`.

    `asked` is set when an append was held; `appends` counts them all.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.refuse: Callable[[str], bool] = lambda kind: False
        self.hold: Callable[[str], bool] = lambda kind: False
        self.gate, self.asked = threading.Event(), threading.Event()
        self.appends = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def append(self, conversation: str, entries: Sequence[NewEvent], **more: Any) -> Any:
        self.appends += 1
        if any(self.refuse(entry.kind) for entry in entries):
            return Refused()
        receipt = self._journal.append(conversation, entries, **more)
        if any(self.hold(entry.kind) for entry in entries):
            self.asked.set()
            return Late(receipt, self.gate)
        return receipt

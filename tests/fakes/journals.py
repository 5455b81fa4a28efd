"""A journal that refuses or waits when a test wants it, in front of the real one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

from jp_tui.journal.port import Journal, JournalError, NewEvent, Receipt, StoreConnection
from jp_tui.journal.writer import PendingReceipt


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


class Remote(Flaky):
    """As a store on a server: once it is lost, reads are refused and writes wait in order until it is found."""

    WRITES = frozenset(
        {
            "create", "append", "partial", "set_title", "save_draft", "clear_draft", "make_offer", "settle_offer",
            "withdraw_offer", "set_model", "flush",
        }
    )  # fmt: skip
    ALWAYS = frozenset({"changed", "write_events", "locks", "me", "holds", "close", "retry"})

    def __init__(self, journal: Journal, problem: str = "") -> None:
        super().__init__(journal)
        self.problem, self.retries = problem, 0
        self._later: list[tuple[str, tuple[Any, ...], dict[str, Any], PendingReceipt[Any]]] = []
        self._changing = threading.Lock()
        self._told: PendingReceipt[None] = PendingReceipt()
        self._news = False

    def lose(self) -> None:
        with self._changing:
            self.problem, self._news = "The store at far:5432 does not answer: gone", True
        self._told.complete(None, None)

    def find(self) -> None:
        with self._changing:
            self.problem, self._news = "", True
            for name, args, more, receipt in self._later:
                try:
                    receipt.complete(getattr(self._journal, name)(*args, **more).result(), None)
                except JournalError as error:
                    receipt.complete(None, error)
            self._later = []
        self._told.complete(None, None)

    def connection(self) -> StoreConnection:
        return StoreConnection("far/jp", self.problem)

    def retry(self) -> None:
        self.retries += 1

    def notices(self) -> list[Any]:
        self._news = False
        return []

    def noticed(self) -> PendingReceipt[None]:
        self._told = PendingReceipt()
        if self._news:
            self._told.complete(None, None)
        return self._told

    def append(self, conversation: str, entries: Sequence[NewEvent], **more: Any) -> Any:
        return self._do("append", super().append, (conversation, entries), more)

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._journal, name)
        if name in self.WRITES:
            return lambda *args, **more: self._do(name, real, args, more)
        if name in self.ALWAYS:
            return real

        def read(*args: Any, **more: Any) -> Any:
            if self.problem:
                raise JournalError("offline", self.problem)
            return real(*args, **more)

        return read

    def _do(self, name: str, real: Callable[..., Any], args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        with self._changing:
            if not self.problem:
                return real(*args, **more)
            receipt: PendingReceipt[Any] = PendingReceipt()
            self._later.append((name, args, more, receipt))
            return receipt

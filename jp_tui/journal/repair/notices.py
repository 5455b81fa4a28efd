"""What happened to the store and the user must hear: from the thread that found it to whoever tells."""

from __future__ import annotations

from jp_tui.journal.port import StoreNotice
from jp_tui.journal.writer import PendingReceipt


class Notices:
    """Held until they are taken; from any thread."""

    def __init__(self) -> None:
        self._held: list[StoreNotice] = []
        self._waits: PendingReceipt[None] = PendingReceipt()

    def add(self, notice: StoreNotice) -> None:
        """Hold one more, and wake whoever waits."""
        self._held.append(notice)
        self._waits.settle(None, None)

    def take(self) -> list[StoreNotice]:
        """All that are held."""
        found = []
        while self._held:
            found.append(self._held.pop(0))
        return found

    def arrived(self) -> PendingReceipt[None]:
        """Settled when there is one. One waits at a time."""
        self._waits = PendingReceipt()
        if self._held:
            self._waits.settle(None, None)
        return self._waits

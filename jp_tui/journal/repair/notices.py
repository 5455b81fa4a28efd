"""Notices of the store for the user, passed between threads."""

from __future__ import annotations

from jp_tui.journal.port import StoreNotice
from jp_tui.journal.writer import PendingReceipt


class Notices:
    """Queue of notices, for any thread."""

    def __init__(self) -> None:
        self._held: list[StoreNotice] = []
        self._waits: PendingReceipt[None] = PendingReceipt()

    def add(self, notice: StoreNotice) -> None:
        """Add a notice and wake the waiting caller."""
        self._held.append(notice)
        self._waits.settle(None, None)

    def take(self) -> list[StoreNotice]:
        """Return all queued notices."""
        found = []
        while self._held:
            found.append(self._held.pop(0))
        return found

    def arrived(self) -> PendingReceipt[None]:
        """Done when there is a notice. Only one caller may wait."""
        self._waits = PendingReceipt()
        if self._held:
            self._waits.settle(None, None)
        return self._waits

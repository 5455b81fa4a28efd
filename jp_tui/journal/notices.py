"""What happened to the store and the user must hear: from the thread that found it to whoever tells."""

from __future__ import annotations

from jp_tui.journal.port import Notice
from jp_tui.journal.writer import Pending


class Notices:
    """Held until they are taken; from any thread."""

    def __init__(self) -> None:
        self._held: list[Notice] = []
        self._waits: Pending[None] = Pending()

    def add(self, notice: Notice) -> None:
        """Hold one more, and wake whoever waits."""
        self._held.append(notice)
        self._waits.settle(None, None)

    def take(self) -> list[Notice]:
        """All that are held."""
        found = []
        while self._held:
            found.append(self._held.pop(0))
        return found

    def arrived(self) -> Pending[None]:
        """Settled when there is one. One waits at a time."""
        self._waits = Pending()
        if self._held:
            self._waits.settle(None, None)
        return self._waits

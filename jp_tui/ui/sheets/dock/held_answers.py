"""An answer on its way out: it is held a moment, in case the key that gave it was the first of a paste (asking.md E11).

A terminal without paste brackets sends a paste as keys. The first of them may answer before the second is read, so
an answer by a key is held for HOLD; when more comes that close, nothing is answered and the text is the composer's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from jp_tui.view.questions.queue import Key, key_of

if TYPE_CHECKING:
    from jp_tui.ui.sheets.dock.dock import SheetDock
    from jp_tui.ui.sheets.sheet import Sheet

HOLD = 0.03
"""Seconds for which an answer by a key waits for more of the same burst before it leaves."""


class HeldAnswers:
    """Holds what was answered, for a moment."""

    def __init__(self, dock: SheetDock) -> None:
        self._dock = dock
        self._held: tuple[Message, Key] | None = None  # what leaves, and of which question
        self._revoked: set[Key] = set()

    @property
    def empty(self) -> bool:
        """Whether no answer is held."""
        return self._held is None

    def hold(self, settled: Message, key: Key) -> bool:
        """Send an answer: at once by a click, else when nothing comes close behind its key. Return False if it was
        recalled before."""
        if key in self._revoked:
            self._revoked.discard(key)
            return False
        if self._dock.gate.by_key:
            self._held = settled, key
            self._dock.set_timer(HOLD, self._release)
        else:
            self._dock.post_message(settled)
        return True

    def _release(self) -> None:
        if self._held is not None:
            self._dock.post_message(self._held[0])
        self._held = None

    def recall(self, sheet: Sheet) -> None:
        """Take back what a sheet has just answered, if it did not leave yet."""
        key = key_of(sheet.prompt)
        if self._held is not None and self._held[1] == key:
            self._held = None
        elif self._dock.arrival.phase == "armed":  # its outcome is still on the way from the sheet to here
            self._revoked.add(key)
        else:
            return
        sheet.done = False
        self._dock.deafen()

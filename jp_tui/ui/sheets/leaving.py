"""An answer on its way out: it waits a moment, in case the key that gave it was the first of a paste (asking.md E11).

A terminal without paste brackets sends a paste as keys. The first of them may answer before the second is read, so
an answer by a key is held for HOLD; when more comes that close, nothing is answered and the text is the composer's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from jp_tui.ui.sheets.ears import HOLD
from jp_tui.ui.sheets.stage import Stage
from jp_tui.view.questions.queue import Key, key_of

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet


class Leaving(Stage):
    """Holds what was answered, for a moment."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(clock=clock, id=id)
        self._held: tuple[Message, Key] | None = None  # what leaves, and of which question
        self._revoked: set[Key] = set()

    # What a subclass supplies

    def taken_back(self) -> None:
        """The sheet that had answered stands open again, and is deaf."""
        raise NotImplementedError

    def hold(self, settled: Message, key: Key) -> bool:
        """Let an answer go: at once by a click, else when nothing comes close behind its key. Says whether it may."""
        if key in self._revoked:
            self._revoked.discard(key)
            return False
        if self._real and self._by_key is not None:
            self._held = settled, key
            self.set_timer(HOLD, self._let_go)
        else:
            self.post_message(settled)
        return True

    def _let_go(self) -> None:
        if self._held is not None:
            self.post_message(self._held[0])
        self._held = None

    def recall(self, sheet: Sheet) -> None:
        key = key_of(sheet.prompt)
        if self._held is not None and self._held[1] == key:
            self._held = None
        elif self._arrival.phase == "armed":  # its outcome is still on the way from the sheet to here
            self._revoked.add(key)
        else:
            return
        sheet.done = False
        self.taken_back()

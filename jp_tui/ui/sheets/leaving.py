"""An answer on its way out: it waits a moment, in case the key that gave it was the first of a paste (asking.md E11).

A terminal without paste brackets sends a paste as keys. The first of them may answer before the second is read, so
an answer by a key is held for HOLD; when more comes that close, nothing is answered and the text is the composer's.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Key
from textual.message import Message

from jp_tui.ui.sheets.ears import HOLD
from jp_tui.ui.sheets.stage import Stage


class Leaving(Stage):
    """Holds what was answered, for a moment."""

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(clock=clock, id=id)
        self._held: tuple[Message, str, str] | None = None  # what leaves, the question's id, the key's text

    # What a subclass supplies

    def taken_back(self) -> None:
        """The sheet that had answered stands open again, and is deaf."""
        raise NotImplementedError

    def hold(self, settled: Message, inquiry: str) -> None:
        """Let an answer go: at once by a click, else when nothing came close behind its key."""
        key = self._heard
        if self._real and isinstance(key, Key) and self._clock() - self._time(key) < HOLD:
            self._held = settled, inquiry, key.character if key.is_printable and key.character else ""
            self.set_timer(HOLD, self._let_go)
        else:
            self.post_message(settled)

    def _let_go(self) -> None:
        if self._held is not None:
            self.post_message(self._held[0])
        self._held = None

    def recall(self) -> None:
        if self._held is None:
            return
        (_, inquiry, typed), self._held = self._held, None
        sheet = self._sheets.get(inquiry)
        if sheet is not None:
            sheet.done = False
            self.taken_back()
        self.overheard(typed)

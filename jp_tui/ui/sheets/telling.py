"""What a frame says beside the question: how many wait, a notice, the time that is left (E12, E13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.text import blank, ours
from jp_tui.view import wording as w

if TYPE_CHECKING:
    from textual.containers import Vertical

    _Part = Vertical
else:
    _Part = object


class Telling(_Part):
    """The frame's side of it."""

    problem: Static
    time: Static

    def waiting(self, place: int, of: int) -> None:
        """Say how many wait and which of them this is."""
        text = ours(w.PLACE, n=place, m=of) if of > 1 else blank()
        self.border_subtitle = text

    def say(self, notice: Content) -> None:
        """One notice above the keys; an empty one takes it away."""
        self.problem.update(notice)
        self.problem.display = bool(notice)
        self.post_message(Grew())

    def count(self, left: float | None) -> None:
        """Seconds that are left to answer (E13); None where there is no limit."""
        new = left is not None and not self.time.display
        self.time.display = left is not None
        self.time.update(words.time_left(left) if left is not None else blank(), layout=new)
        if new:
            self.post_message(Grew())

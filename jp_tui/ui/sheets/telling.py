"""What a frame says beside the question: how many wait, a notice, the time that is left (E12, E13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.text import blank, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from textual.containers import Vertical

    _Part = Vertical
else:
    _Part = object


class Telling(_Part):
    """The frame's side of it."""

    problem: Static
    time: Static
    aside: ContextView
    looking: str
    asks: Content

    def texts(self) -> dict[str, Foreign]:
        """What can be looked at in the context's place, by name."""
        raise NotImplementedError

    def show(self) -> None:
        """Bring what is visible in line with the mode."""
        raise NotImplementedError

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

    def look_at(self, name: str) -> None:
        """Another text in the context's place, or the context again."""
        found = self.texts().get(name)
        self.looking = name if found is not None and self.looking != name else ""
        if self.looking and found is not None:
            self.aside.put(found, approval=True)
        self.show()

    def under(self, shown: ContextView) -> Content:
        """The question's line with what stands above it."""
        hunks = shown.hunk[1] if shown.complete else 0
        return words.under(self.asks, shown.changes, hunks, shown.unseen, shown.lines)

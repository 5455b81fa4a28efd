"""The context of a question inside its sheet: what is approved, scrollable, nothing hidden (R191, E1, E15, T3).

The seam between the sheets and whatever paints a diff or a plan: a sheet asks for lines and what was seen, and
scrolls. Decides nothing about answers.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import foreign


class ContextPane(VerticalScroll, can_focus=False):
    """A question's context, or an option's preview."""

    DEFAULT_CSS = """
    ContextPane { height: auto; background: $background; padding: 0 1; scrollbar-size-vertical: 1;
        Static { height: auto; width: 1fr; }
    }
    """

    @dataclass
    class Seen(Message):
        """More of it was on the screen; `unseen` of `lines` still were not."""

        unseen: int
        lines: int

    def __init__(self, context: Foreign, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._content = foreign(context, mode="approval")
        self._static = Static(self._content)
        self._seen, self._of = 0, 0

    def compose(self) -> ComposeResult:
        yield self._static

    def put(self, context: Foreign) -> None:
        """Show another text from its top."""
        self._content = foreign(context, mode="approval")
        self._static.update(self._content)
        self._seen = 0
        self.scroll_to(y=0, animate=False)

    def height_at(self, width: int) -> int:
        """Rows that all of it takes in a widget of that width, without a scrollbar."""
        return len(self._content.wrap(max(width - 2, 1)))

    @property
    def lines(self) -> int:
        """Rows of all of it, as it is laid out now."""
        return self.virtual_size.height

    @property
    def unseen(self) -> int:
        """Rows below the lowest that was on the screen."""
        return max(self.lines - self._seen, 0) if self.is_mounted else 0

    @property
    def fits(self) -> bool:
        """Whether all of it is visible at once."""
        return self.lines <= self.scrollable_content_region.height

    @property
    def seen_to_end(self) -> bool:
        """Whether its end was on the screen once."""
        return self._seen > 0 and self.unseen == 0

    def page(self, by: int) -> None:
        """Scroll by pages, a row of the old one staying."""
        self.line(by * max(self.scrollable_content_region.height - 1, 1))

    def line(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=by, animate=False)

    def look(self) -> None:
        """Note what is on the screen now. At another width the same share of it counts as seen."""
        height, lines = self.scrollable_content_region.height, self.lines
        if height <= 0 or lines <= 0 or not self.display:
            return
        if self._of and self._of != lines and self._seen < self._of:
            self._seen = self._seen * lines // self._of
        elif self._of and self._seen >= self._of:
            self._seen = lines
        self._of = lines
        self._seen = max(self._seen, min(round(self.scroll_y) + height, lines))
        self.post_message(self.Seen(self.unseen, lines))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.look()

    def on_resize(self) -> None:
        self.call_after_refresh(self.look)

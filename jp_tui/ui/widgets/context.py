"""A question's context in a sheet: a diff, a plan, a command; scrolled, and seen to its end or not (E1, E15).

Reports how much of it was on the screen, so that a Yes can wait for that; decides nothing. Painted at once, since a
sheet must know how high it is; approval mode unless it is told otherwise (traps.md T3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message

from jp_tui.conversation.text import Foreign
from jp_tui.ui.column import Anchor
from jp_tui.ui.painting.context import context
from jp_tui.ui.painting.diff import Painted
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import Look, look
from jp_tui.ui.painting.rows import Row
from jp_tui.ui.widgets.rowview import RowView
from jp_tui.ui.widgets.scrolled import scrolling

FEW, LEAD = 12, 1
"""Rows below which a diff begins with its first changed line, and the rows shown above that."""


class _Rows:
    """Rows that are all there, in the form that a RowView scrolls."""

    def __init__(self, painted: Painted, width: int, colours: Look) -> None:
        self.painted, self.look, self._blank = painted, colours, Frame(colours, width, colours.text).blank()

    @property
    def total(self) -> int:
        return len(self.painted.rows)

    def row(self, number: int) -> Row:
        return self.painted.rows[number] if 0 <= number < self.total else self._blank

    def rows(self, first: int, last: int) -> Iterator[tuple[int, Row]]:
        yield from enumerate(self.painted.rows[first : last + 1], first)

    def anchor(self, row: int) -> Anchor:
        return Anchor("", row, 0)

    def row_of(self, anchor: Anchor) -> int | None:
        return anchor.seq


class ContextView(RowView, can_focus=True):
    """What is asked about, as it is."""

    _pane: _Rows

    BINDINGS = [
        *scrolling("context"),
        Binding("t", "split", "Side by side", id="context.split", tooltip="A diff in one column or in two"),
        Binding("right_square_bracket", "hunk(1)", "Next hunk", id="context.next_hunk", tooltip="To the next hunk"),
        Binding(
            "left_square_bracket", "hunk(-1)", "Previous hunk", id="context.previous_hunk", tooltip="To the hunk above"
        ),
    ]

    DEFAULT_CSS = """
    ContextView { height: auto; width: 1fr; background: $background; color: $foreground; }
    """

    @dataclass
    class Seen(Message):
        """More of it was on the screen; `unseen` of `lines` still were not."""

        unseen: int
        lines: int

    def __init__(
        self, text: Foreign, *, approval: bool = True, focus: bool = True, named: str = "", id: str | None = None
    ) -> None:
        """`named` is a file that stands beside it already, so that a diff of it alone need not name it again."""
        super().__init__(id=id)
        self.can_focus = focus
        self._text, self._approval, self._split, self._named = text, approval, False, named
        self._untouched = True
        """Nobody scrolled yet: it stands where it should begin."""
        self._colours = look({})
        self._made: dict[tuple[int, bool], Painted] = {}
        self._width, self._seen, self._of = 1, 0, 0
        self._following = False
        self._pane = _Rows(Painted(), 1, self._colours)

    # --- what a sheet asks ---------------------------------------------------------------------------------

    def put(self, text: Foreign, *, approval: bool | None = None) -> None:
        """Show another text from its top; `approval` as at the beginning, if it changes."""
        self._approval = self._approval if approval is None else approval
        self._text, self._seen, self._of, self.top = text, 0, 0, 0
        self._untouched = True
        self._again()
        self.refresh(layout=True)

    def height_at(self, width: int) -> int:
        """Rows that all of it takes in a widget of that width."""
        return len(self._painted(width).rows)

    @property
    def lines(self) -> int:
        """Rows of all of it at its present width."""
        return self._pane.total

    @property
    def unseen(self) -> int:
        """Rows below the lowest that was on the screen; all that is cut off counts."""
        return max(self.lines - self._seen, 0 if self._pane.painted.whole else 1) if self.is_mounted else 0

    @property
    def seen_to_end(self) -> bool:
        """Whether its end was on the screen once."""
        return self._seen > 0 and self.unseen == 0

    @property
    def fits(self) -> bool:
        """Whether all of it is visible at once."""
        return self.lines <= self.height

    @property
    def split(self) -> bool:
        """Whether a diff stands in two columns."""
        return self._split

    @property
    def hunk(self) -> tuple[int, int]:
        """The number of the hunk at the top, from 1, and how many there are; (0, 0) when it is no diff."""
        starts = self._pane.painted.hunks
        bottom = self.top + self.height >= self.lines
        reached = len(starts) if bottom and starts else sum(start <= self.top + 1 for start in starts)
        return (max(reached, 1), len(starts)) if starts else (0, 0)

    @property
    def changes(self) -> tuple[int, int]:
        """Lines added and removed."""
        return self._pane.painted.added, self._pane.painted.removed

    def page(self, by: int) -> None:
        """Scroll by pages, a row of the old one staying."""
        self.scroll_pages(by)

    def line(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll_to_row(self.top + by)

    def action_split(self) -> None:
        """One column or two; the hunk at the top stays there."""
        at = self.hunk[0] - 1
        self._split = not self._split
        self._again()
        starts = self._pane.painted.hunks
        if at > 0 and at < len(starts):
            self.scroll_to_row(starts[at])
        self.refresh(layout=True)

    def action_hunk(self, step: int) -> None:
        """To the next or previous hunk."""
        starts = self._pane.painted.hunks
        later = [start for start in starts if start > self.top]
        earlier = [start for start in starts if start < self.top]
        if step > 0 and later:
            self.scroll_to_row(later[0])
        elif step < 0 and earlier:
            self.scroll_to_row(earlier[-1])

    def scroll_to_row(self, row: int) -> None:
        self._untouched = False
        super().scroll_to_row(row)

    def _begin(self) -> None:
        """Where few rows are, begin just above the first line that changes, not with what leads up to it."""
        first = self._pane.painted.first
        if self._untouched and first is not None and 0 < self.height < min(FEW, self.lines):
            super().scroll_to_row(first - LEAD)

    # --- painting ------------------------------------------------------------------------------------------

    def _painted(self, width: int) -> Painted:
        """The rows at a width of the widget, whose last column is the scroll mark's."""
        key = (max(width - 1, 1), self._split)
        if key not in self._made:
            if len(self._made) > 3:
                self._made.clear()
            self._made[key] = self.paint(key[0])
        return self._made[key]

    def paint(self, width: int) -> Painted:
        """All of it at a width."""
        look, approval = self._colours, self._approval
        return context(self._text, width, look, approval=approval, split=self._split, named=self._named)

    def _again(self) -> None:
        self._made.clear()
        self._lay_out()

    def _lay_out(self) -> None:
        if self._width <= 1:
            return  # it has no place yet
        before = self.lines
        self._pane = _Rows(self._painted(self._width), max(self._width - 1, 1), self._colours)
        if self._of and self.lines != before and before:  # the same share of it counts as seen
            self._seen = self.lines if self._seen >= before else self._seen * self.lines // before
        self._of = self.lines
        super().scroll_to_row(self.top)
        self._begin()
        self.look()
        self.refresh()

    def look(self) -> None:
        """Note what is on the screen now."""
        if self.height <= 0 or not self.lines or not self.display or not self.is_attached:
            return
        seen = max(self._seen, min(self.top + self.height, self.lines))
        if seen != self._seen or not self._of:
            self._seen, self._of = seen, self.lines
            self.post_message(self.Seen(self.unseen, self.lines))

    def moved(self) -> None:
        self.look()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.height_at(width)

    def on_mount(self) -> None:
        self._recolour()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._recolour())

    def _recolour(self) -> None:
        self._colours = look(self.app.get_css_variables())
        self._again()

    def on_resize(self, event: events.Resize) -> None:
        self._width = event.size.width
        self._lay_out()
        self.look()

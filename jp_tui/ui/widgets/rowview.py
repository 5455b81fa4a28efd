"""Scrolling, selecting and clicking in a column of rows; the part of the transcript that knows no conversation.

Whoever derives from it has a `Pane`. It keeps the first row in sight by an anchor, so that heights that become known
above do not move what is read, and follows the end while it is there. All scrolling is its own: no layout, no bars.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.filter import Monochrome, NoColor
from textual.geometry import Offset, Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from jp_tui.ui.column import Anchor
from jp_tui.ui.painting.rows import Hit, Row
from jp_tui.ui.pane import Pane
from jp_tui.ui.selecting import character, line_at, shaded, text_between, word_at

WHEEL = 3
"""Rows of a turn of the wheel."""
DRAG = 0.05
"""Seconds between two rows while a selection is dragged beyond the edge."""
THUMB, TRACK = "┃", " "
NEWS = " ↓ new · End "


class RowView(Widget, can_focus=True):
    """A column of rows with its own scrolling."""

    BINDINGS = [
        Binding("up,k", "scroll_rows(-1)", "Up", show=False, id="transcript.up", tooltip="Scrolls one row up"),
        Binding("down,j", "scroll_rows(1)", "Down", show=False, id="transcript.down", tooltip="Scrolls one row down"),
        Binding("pageup", "scroll_pages(-1)", "Page up", id="transcript.page_up", tooltip="Scrolls one page up"),
        Binding("pagedown", "scroll_pages(1)", "Page down", id="transcript.page_down", tooltip="Scrolls one page down"),
        Binding("home", "scroll_to_start", "Start", show=False, id="transcript.start", tooltip="To the first message"),
        Binding("end", "scroll_to_end", "End", show=False, id="transcript.end", tooltip="To the newest message"),
    ]

    @dataclass
    class LinkClicked(Message):
        """A link was clicked; the address is clean http(s)."""

        url: str

    @dataclass
    class SelectionCopied(Message):
        """Text was selected with the mouse: the source, without gutters."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pane: Pane
        self.top = 0
        self._following = True
        self._anchor, self._total = Anchor("", 0, 0), 0
        self._news = False
        self._grip: int | None = None
        self._press: Offset | None = None
        self._dragging: Timer | None = None
        self._pointer = Offset(0, 0)

    # --- where the viewport is -----------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Rows in sight."""
        return self.size.height

    @property
    def following(self) -> bool:
        """Whether the newest row stays in sight."""
        return self._following

    def reset(self) -> None:
        """At the end of something new."""
        self.top, self._total, self._following, self._news = 0, 0, True, False
        self._anchor = Anchor("", 0, 0)
        if self.is_attached:
            self.screen.clear_selection()
            self.refresh()

    def place(self, *, grown: bool = False) -> bool:
        """Find the first row again after the column changed; True when it stands elsewhere on the screen."""
        before, total = self.top, self._pane.column.total
        limit = max(total - self.height, 0)
        found = self._pane.column.row_of(self._anchor)
        if found is not None:
            self._shift_selection(found - before)
        if not self._following and total < self._total and before >= limit:
            self._following = True
        if self._following:
            self.top = limit
        else:
            self.top = min(max(before if found is None else found, 0), limit)
            self._news |= grown
        self._anchor, self._total = self._pane.column.anchor(self.top), total
        return self.top != before or (grown and not self._following)

    def renamed(self, old: str, new: str) -> None:
        """A block has another key."""
        if self._anchor.key == old:
            self._anchor = self._anchor._replace(key=new)

    def hold(self) -> None:
        """Stay where the viewport is, whatever comes below."""
        self._following = False

    def moved(self) -> None:
        """The viewport stands elsewhere: for whoever fetches what is near."""

    def scroll_to_row(self, row: int) -> None:
        """Make a document row the first in sight, as far as there are rows below it."""
        limit = max(self._pane.column.total - self.height, 0)
        top = min(max(row, 0), limit)
        self._following = top == limit
        if self._following:
            self._news = False
        if top != self.top or self._following:
            self.top = top
            self._anchor = self._pane.column.anchor(top)
            self.refresh()
            self.moved()

    def scroll_to_end(self) -> None:
        """To the newest row, and stay there."""
        self.scroll_to_row(self._pane.column.total)

    def scroll_to_start(self) -> None:
        """To the first row."""
        self.scroll_to_row(0)

    def scroll_pages(self, pages: int) -> None:
        """By whole pages, one row of the old one staying in sight."""
        self.scroll_to_row(self.top + pages * max(self.height - 1, 1))

    def action_scroll_rows(self, rows: int) -> None:
        self.scroll_to_row(self.top + rows)

    def action_scroll_pages(self, pages: int) -> None:
        self.scroll_pages(pages)

    def action_scroll_to_start(self) -> None:
        self.scroll_to_start()

    def action_scroll_to_end(self) -> None:
        self.scroll_to_end()

    # --- rows for the compositor ---------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """For hit testing only: a row with document offsets, from which Textual makes a selection (designs.md D)."""
        return self._pane.row(self.top + y).strip.apply_offsets(0, self.top + y)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in sight; finished strips, so that a row that only moved costs a look-up."""
        width = self.size.width
        selection = self.text_selection
        look = self._pane.look
        first, last = self._thumb()
        found: list[Strip] = []
        filters = [one for one in self.app.get_line_filters() if isinstance(one, Monochrome | NoColor)]
        for y in range(crop.y, crop.bottom):
            number = self.top + y
            row = self._pane.row(number)
            inside = first <= y < last
            strip = row.marked(look.thumb if inside else look.track, THUMB if inside else TRACK)
            if selection is not None and (span := selection.get_span(number)) is not None:
                strip = shaded(strip, _clamped(span, row), self._selection_style())
            strip = self.overlaid(strip, number, y)
            if self._news and not self._following and y == self.height - 1:
                strip = self._with_news(strip)
            for one in filters:  # what the theme's colours need is done when the look is made
                strip = strip.apply_filter(one, self.background_colors[1])
            found.append(strip if crop.x == 0 and crop.width == width else strip.crop(crop.x, crop.right))
        return found

    def overlaid(self, strip: Strip, number: int, y: int) -> Strip:
        """What a derived widget lays over a row."""
        return strip

    def _selection_style(self) -> Style:
        style = self.screen.get_visual_style("screen--selection").rich_style
        return Style(color=style.color, bgcolor=style.bgcolor)

    def _with_news(self, strip: Strip) -> Strip:
        keep = max(self.size.width - len(NEWS) - 2, 0)
        sign = Segment(NEWS, self._pane.look.running + Style(reverse=True))
        return Strip([*strip.crop(0, keep), sign, *strip.crop(keep + len(NEWS))], self.size.width)

    def _thumb(self) -> tuple[int, int]:
        """The rows of the screen that the scroll mark covers; none when everything is in sight."""
        total, height = self._pane.column.total, self.height
        if total <= height or not height:
            return 0, 0
        size = max(height * height // total, 1)
        start = round((height - size) * self.top / (total - height))
        return start, start + size

    # --- the mouse -----------------------------------------------------------------------------------------

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_to_row(self.top - WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_to_row(self.top + WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.x == self.size.width - 1 and self._pane.column.total > self.height:
            first, last = self._thumb()
            self._grip = event.y - first if first <= event.y < last else (last - first) // 2
            self.capture_mouse()
            self._drag_mark(event.y)
        else:
            self._press = self._place_at(event.x, event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._grip is not None:
            self._drag_mark(event.y)
        elif self._press is not None and event.button:
            self._pointer = Offset(event.x, event.y)
            at_edge = event.y <= 0 or event.y >= self.height - 1
            if at_edge and self._dragging is None:
                self._dragging = self.set_interval(DRAG, self._drag_on)
            elif not at_edge:
                self._end_drag()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._end_drag()
        self._press = None
        if self._grip is not None:
            self._grip = None
            self.release_mouse()
        elif (selection := self.text_selection) is not None and (text := self._selected(selection)):
            self.post_message(self.SelectionCopied(text))

    def _drag_mark(self, y: int) -> None:
        first, last = self._thumb()
        room = self.height - (last - first)
        if self._grip is not None and room > 0:
            share = min(max(y - self._grip, 0), room) / room
            self.scroll_to_row(round(share * (self._pane.column.total - self.height)))

    def _drag_on(self) -> None:
        """The pointer rests at the edge while a selection is dragged: scroll, and take the new row in."""
        if self._press is None:
            self._end_drag()
            return
        self.scroll_to_row(self.top + (-1 if self._pointer.y <= 0 else 1))
        end = self._place_at(self._pointer.x, min(max(self._pointer.y, 0), self.height - 1))
        self.screen.selections = {self: Selection.from_offsets(self._press, end)}

    def _end_drag(self) -> None:
        if self._dragging is not None:
            self._dragging.stop()
            self._dragging = None

    async def _on_click(self, event: events.Click) -> None:
        """Words and lines by double and triple click; else what a click on the row means."""
        event.prevent_default()  # the base class would select the whole widget, or all its neighbours
        number = self.top + event.y
        if event.x >= self.size.width - 1:
            return
        row = self._pane.row(number)
        offset = character(row, event.x)
        if event.chain == 1:
            if self._news and not self._following and event.y == self.height - 1 and self._on_news(event.x):
                self.scroll_to_end()
            elif (hit := row.at(offset)) is not None and not self.text_selection:
                self.hit(hit, number)
            return
        last = self._pane.column.total - 1
        chosen = word_at(row, number, offset) if event.chain == 2 else line_at(self._pane.row, number, last)
        if chosen is not None:
            self.screen.selections = {self: chosen}
            self.post_message(self.SelectionCopied(self._selected(chosen)))

    def _on_news(self, x: int) -> bool:
        keep = self.size.width - len(NEWS) - 2
        return keep <= x < keep + len(NEWS)

    def hit(self, hit: Hit, number: int) -> None:
        """A part of a row that means something was clicked."""
        if hit.kind == "link":
            self.post_message(self.LinkClicked(hit.value))

    # --- selection -----------------------------------------------------------------------------------------

    def _place_at(self, x: int, y: int) -> Offset:
        number = self.top + y
        return Offset(character(self._pane.row(number), x), number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The source text of a selection, from rows that need not be in sight."""
        return self._selected(selection), "\n"

    def _selected(self, selection: Selection) -> str:
        return text_between(self._pane.source_row, selection, self._pane.column.total - 1)

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh(Region(0, 0, self.size.width, self.height))

    def _shift_selection(self, rows: int) -> None:
        """Rows above became higher or lower: a selection stays on its words."""
        if rows and (selection := self.text_selection) is not None and selection.start and selection.end:
            shift = Offset(0, rows)
            self.screen.selections = {self: Selection(selection.start + shift, selection.end + shift)}
        if rows and self._press is not None:
            self._press += Offset(0, rows)


def _clamped(span: tuple[int, int], row: Row) -> tuple[int, int]:
    """The part of a span that lies on the row's content: gutters are not copied, so they are not shaded."""
    start, end = span
    last = row.lead + len(row.text)
    return max(start, row.lead), last if end == -1 else min(end, last)

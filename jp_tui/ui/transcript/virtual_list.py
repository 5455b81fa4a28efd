"""A virtual list of rows: it scrolls, paints only the rows in sight, and its text can be selected and clicked.

The first row in sight is kept as an anchor, so that heights that become known above it don't move the text being read.
At the end it follows new rows. Finished rows go to the compositor without layout, bars or styles cache, so a row that
only moved costs a look-up (designs.md B). A selection is in document rows, so it survives scrolling (designs.md D), and
gives the source text without gutters. A click runs nothing untrusted: a row has the meaning of the click as a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

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

from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Row
from jp_tui.ui.transcript.positions import Anchor
from jp_tui.ui.transcript.text_selection import character, line_at, shaded, text_between, word_at

WHEEL = 3
"""Rows that one step of the mouse wheel scrolls, as most terminals' own scrolling."""
DRAG = 0.05
"""Seconds between two rows while a selection is dragged beyond the edge: 20 rows a second can still be read."""
THUMB, TRACK, FOCUSED = "┃", " ", "│"
NEWS = " ↓ new · End "


class RowDocument(Protocol):
    """The rows that a `VirtualList` shows, by their number from the beginning."""

    look: PaintLook

    @property
    def total(self) -> int: ...

    def row(self, number: int) -> Row: ...

    def rows(self, first: int, last: int) -> Iterator[tuple[int, Row]]: ...

    def anchor(self, row: int) -> Anchor: ...

    def row_of(self, anchor: Anchor) -> int | None: ...


RowDocumentType = TypeVar("RowDocumentType", bound=RowDocument)


def scroll_bindings(name: str) -> list[Binding]:
    """Return the keys that scroll, with ids that begin with `name`."""
    return [
        Binding("up,k", "scroll_rows(-1)", "Up", show=False, id=f"{name}.up", tooltip="Scroll up one row"),
        Binding("down,j", "scroll_rows(1)", "Down", show=False, id=f"{name}.down", tooltip="Scroll down one row"),
        Binding("pageup", "scroll_pages(-1)", "Page up", id=f"{name}.page_up", tooltip="Scroll up one page"),
        Binding("pagedown", "scroll_pages(1)", "Page down", id=f"{name}.page_down", tooltip="Scroll down one page"),
        Binding(
            "ctrl+u",
            "scroll_half(-1)",
            "Half up",
            show=False,
            id=f"{name}.half_up",
            tooltip="Scroll up half a page",
        ),
        Binding(
            "ctrl+d",
            "scroll_half(1)",
            "Half down",
            show=False,
            id=f"{name}.half_down",
            tooltip="Scroll down half a page",
        ),
        Binding("home,g", "scroll_to_start", "Start", show=False, id=f"{name}.start", tooltip="Go to the first row"),
        Binding("end,G", "scroll_to_end", "End", show=False, id=f"{name}.end", tooltip="Go to the end and follow it"),
    ]


class VirtualList(Widget, Generic[RowDocumentType], can_focus=True):
    """Rows that can be scrolled, selected and clicked.

    A subclass may override `before_scroll`, `moved`, `decorate` and `hit`.
    """

    @dataclass
    class LinkClicked(Message):
        """A link was clicked; the address is clean http(s)."""

        url: str

    @dataclass
    class SelectionCopied(Message):
        """The user selected text with the mouse: its source, without gutters."""

        text: str

    def __init__(self, document: RowDocumentType, *, following: bool = True, id: str | None = None) -> None:
        """`following`: stay at the end while rows are added."""
        super().__init__(id=id)
        self.document = document
        """The rows that are shown. When they are replaced, the viewport stays where it is until `place`, `reset` or a
        scroll."""
        self.top = 0
        """The number of the first row in sight. Setting it neither repaints nor calls `moved`."""
        self._following = following
        self._anchor, self._total = Anchor("", 0, 0), 0
        self._news = False
        self._grip: int | None = None
        self._press: Offset | None = None
        self._dragging: Timer | None = None
        self._pointer = Offset(0, 0)

    # --- the viewport --------------------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """The number of rows in sight."""
        return self.size.height

    @property
    def following(self) -> bool:
        """True while the newest row stays in sight."""
        return self._following

    def reset(self) -> None:
        """Go to the end of a new document and follow it."""
        self.top, self._total, self._following, self._news = 0, 0, True, False
        self._anchor = Anchor("", 0, 0)
        if self.is_attached:
            self.screen.clear_selection()
            self.refresh()

    def place(self, *, grown: bool = False) -> bool:
        """Find the first row again after the document changed. Return True if rows moved on the screen."""
        before, total = self.top, self.document.total
        limit = max(total - self.height, 0)
        found = self.document.row_of(self._anchor)
        if found is not None:
            self._shift_selection(found - before)
        wanted = before if found is None else found
        if not self._following and total < self._total and wanted >= limit:
            self._following = True
        if self._following:
            self.top = limit
        else:
            self.top = min(max(wanted, 0), limit)
            self._news |= grown
        self._anchor, self._total = self.document.anchor(self.top), total
        return self.top != before or (grown and not self._following)

    def renamed(self, old: str, new: str) -> None:
        """Follow a block that has another key."""
        if self._anchor.key == old:
            self._anchor = self._anchor._replace(key=new)

    def hold(self) -> None:
        """Stop following: the viewport stays, even if rows are added below."""
        self._following = False

    def before_scroll(self, rows: int) -> None:
        """Prepare for a scroll by so many rows. Does nothing here."""

    def moved(self) -> None:
        """React to another first row. Does nothing here."""

    def scroll_to_row(self, row: int) -> None:
        """Make a document row the first in sight, as far as there are rows below it."""
        limit = max(self.document.total - self.height, 0)
        top = min(max(row, 0), limit)
        self._following = top == limit
        if self._following:
            self._news = False
        if top != self.top or self._following:
            self.top = top
            self._anchor = self.document.anchor(top)
            self.refresh()
            self.moved()

    def scroll_by(self, rows: int) -> None:
        """Scroll down by so many rows, or up if negative."""
        self.before_scroll(rows)
        self.scroll_to_row(self.top + rows)

    def scroll_to_end(self) -> None:
        """Go to the newest row and follow."""
        self.scroll_to_row(self.document.total)

    def scroll_to_start(self) -> None:
        """Go to the first row."""
        self.scroll_to_row(0)

    def scroll_pages(self, pages: int) -> None:
        """Scroll by whole pages; one row of the old page stays in sight."""
        self.scroll_by(pages * max(self.height - 1, 1))

    def action_scroll_rows(self, rows: int) -> None:
        self.scroll_by(rows)

    def action_scroll_pages(self, pages: int) -> None:
        self.scroll_pages(pages)

    def action_scroll_half(self, step: int) -> None:
        self.scroll_by(step * max(self.height // 2, 1))

    def action_scroll_to_start(self) -> None:
        self.scroll_to_start()

    def action_scroll_to_end(self) -> None:
        self.scroll_to_end()

    # --- rows for the compositor ---------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return a row with document offsets: for hit testing, from which Textual makes a selection (designs.md D)."""
        return self.document.row(self.top + y).strip.apply_offsets(0, self.top + y)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the rows in sight as finished strips, so that a row that only moved costs a look-up."""
        width = self.size.width
        selection = self.text_selection
        look = self.document.look
        first, last = self._thumb()
        thumb = look.marker if self.has_focus else look.thumb
        track = (look.marker, FOCUSED) if self.has_focus else (look.track, TRACK)  # shows the focus (S54)
        found: list[Strip] = []
        filters = [one for one in self.app.get_line_filters() if isinstance(one, Monochrome | NoColor)]
        for y in range(crop.y, crop.bottom):
            number = self.top + y
            row = self.document.row(number)
            inside = first <= y < last
            strip = row.marked(thumb, THUMB) if inside else row.marked(*track)
            if selection is not None and (span := selection.get_span(number)) is not None:
                strip = shaded(strip, _clamped(span, row), self._selection_style())
            strip = self.decorate(strip, number)
            if self._news and not self._following and y == self.height - 1:
                strip = self._with_news(strip)
            for one in filters:  # the look already includes the filters for the theme's colours
                strip = strip.apply_filter(one, self.background_colors[1])
            found.append(strip if crop.x == 0 and crop.width == width else strip.crop(crop.x, crop.right))
        return found

    def decorate(self, strip: Strip, number: int) -> Strip:
        """Return a row's strip with marks that aren't part of the row. Returns it unchanged here."""
        return strip

    def _selection_style(self) -> Style:
        style = self.screen.get_visual_style("screen--selection").rich_style
        front = style.color if style.color != style.bgcolor else self.document.look.text.color
        return Style(color=front, bgcolor=style.bgcolor)

    def _with_news(self, strip: Strip) -> Strip:
        keep = max(self.size.width - len(NEWS) - 2, 0)
        sign = Segment(NEWS, self.document.look.running + Style(reverse=True))
        return Strip([*strip.crop(0, keep), sign, *strip.crop(keep + len(NEWS))], self.size.width)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _thumb(self) -> tuple[int, int]:
        """Return the first screen row of the scroll mark and the one after its last; (0, 0) if everything fits."""
        total, height = self.document.total, self.height
        if total <= height or not height:
            return 0, 0
        size = max(height * height // total, 1)
        start = round((height - size) * self.top / (total - height))
        return start, start + size

    # --- the mouse -----------------------------------------------------------------------------------------

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_by(-WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_by(WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.x == self.size.width - 1 and self.document.total > self.height:
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
        elif (selection := self.text_selection) is not None and (text := self.source_of(selection)):
            self.post_message(self.SelectionCopied(text))

    def _drag_mark(self, y: int) -> None:
        first, last = self._thumb()
        room = self.height - (last - first)
        if self._grip is not None and room > 0:
            share = min(max(y - self._grip, 0), room) / room
            self.scroll_to_row(round(share * (self.document.total - self.height)))

    def _drag_on(self) -> None:
        """Scroll while a selection is dragged beyond the edge, and extend it to the new row."""
        if self._press is None or not getattr(self.screen, "_selecting", False):  # released over another widget
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
        """Select a word or line by double or triple click; else report the row's target at the click."""
        event.prevent_default()  # the base class would select the whole widget, or all its neighbours
        number = self.top + event.y
        if event.x >= self.size.width - 1:
            return
        row = self.document.row(number)
        offset = character(row, event.x)
        if event.chain == 1:
            if self._news and not self._following and event.y == self.height - 1 and self._on_news(event.x):
                self.scroll_to_end()
            elif (hit := row.at(offset)) is not None and not self.text_selection:
                self.hit(hit, number)
            return
        last = self.document.total - 1
        chosen = word_at(row, number, offset) if event.chain == 2 else line_at(self.document.row, number, last)
        if chosen is not None:
            self.screen.selections = {self: chosen}
            self.post_message(self.SelectionCopied(self.source_of(chosen)))

    def _on_news(self, x: int) -> bool:
        keep = self.size.width - len(NEWS) - 2
        return keep <= x < keep + len(NEWS)

    def hit(self, hit: ClickTarget, number: int) -> None:
        """React to a click on a part of a row that has a meaning. Links are reported here."""
        if hit.kind == "link":
            self.post_message(self.LinkClicked(hit.value))

    # --- selection -----------------------------------------------------------------------------------------

    def _place_at(self, x: int, y: int) -> Offset:
        number = self.top + y
        return Offset(character(self.document.row(number), x), number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the source text of a selection, also of rows out of sight."""
        return self.source_of(selection), "\n"

    def source_of(self, selection: Selection) -> str:
        """Return the source text of a selection."""
        return text_between(self.document.rows, selection, self.document.total - 1)

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh(Region(0, 0, self.size.width, self.height))

    def _shift_selection(self, rows: int) -> None:
        """Keep a selection on its text after rows above it became higher or lower."""
        if rows and (selection := self.text_selection) is not None and selection.start and selection.end:
            shift = Offset(0, rows)
            self.screen.selections = {self: Selection(selection.start + shift, selection.end + shift)}
        if self._press is not None:
            self._press += Offset(0, rows)


def _clamped(span: tuple[int, int], row: Row) -> tuple[int, int]:
    """Return the part of a span that is on the row's content: gutters aren't copied, so they aren't shaded."""
    start, end = span
    last = row.lead + len(row.text)
    return max(start, row.lead), last if end == -1 else min(end, last)

"""A column of rows that scrolls, paints itself and can be selected and clicked.

It keeps the first row in sight by an anchor, so that heights that become known above do not move what is read, and
follows the end while it is there. It hands finished rows to the compositor: no layout, no bars, no styles cache; a row
that only moved costs a look-up (designs.md B). A selection lives in document rows, so it survives scrolling (designs.md
D); what it gives is the source text without gutters. Nothing untrusted is ever run by a click: a row says what a click
on it means, as a value. It knows no conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

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

from jp_tui.ui.painting.look import Look
from jp_tui.ui.painting.rows import Hit, Row
from jp_tui.ui.selecting import character, line_at, shaded, text_between, word_at
from jp_tui.ui.transcript.positions import Anchor

WHEEL = 3
"""Rows of a turn of the wheel."""
DRAG = 0.05
"""Seconds between two rows while a selection is dragged beyond the edge."""
THUMB, TRACK = "┃", " "
NEWS = " ↓ new · End "


class Rows(Protocol):
    """What a RowView scrolls through: `Pane`, or rows that are all there."""

    look: Look

    @property
    def total(self) -> int: ...

    def row(self, number: int) -> Row: ...

    def rows(self, first: int, last: int) -> Iterator[tuple[int, Row]]: ...

    def anchor(self, row: int) -> Anchor: ...

    def row_of(self, anchor: Anchor) -> int | None: ...


def scrolling(name: str) -> list[Binding]:
    """The keys that scroll, with ids that begin with `name`."""
    return [
        Binding("up,k", "scroll_rows(-1)", "Up", show=False, id=f"{name}.up", tooltip="Scrolls one row up"),
        Binding("down,j", "scroll_rows(1)", "Down", show=False, id=f"{name}.down", tooltip="Scrolls one row down"),
        Binding("pageup", "scroll_pages(-1)", "Page up", id=f"{name}.page_up", tooltip="Scrolls one page up"),
        Binding("pagedown", "scroll_pages(1)", "Page down", id=f"{name}.page_down", tooltip="Scrolls one page down"),
        Binding("ctrl+u", "scroll_half(-1)", "Half a page up", show=False, id=f"{name}.half_up", tooltip="Scrolls up"),
        Binding("ctrl+d", "scroll_half(1)", "Half a page down", show=False, id=f"{name}.half_down", tooltip="Scrolls"),
        Binding("home,g", "scroll_to_start", "Start", show=False, id=f"{name}.start", tooltip="To the first row"),
        Binding(
            "end,G", "scroll_to_end", "End", show=False, id=f"{name}.end", tooltip="To the last row, and stays there"
        ),
    ]


class RowView(Widget, can_focus=True):
    """Rows that can be scrolled, selected and clicked."""

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
        self._pane: Rows
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
        before, total = self.top, self._pane.total
        limit = max(total - self.height, 0)
        found = self._pane.row_of(self._anchor)
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
        self._anchor, self._total = self._pane.anchor(self.top), total
        return self.top != before or (grown and not self._following)

    def renamed(self, old: str, new: str) -> None:
        """A block has another key."""
        if self._anchor.key == old:
            self._anchor = self._anchor._replace(key=new)

    def hold(self) -> None:
        """Stay where the viewport is, whatever comes below."""
        self._following = False

    def ahead(self, rows: int) -> None:
        """The viewport is about to move so far: for whoever can make rows ready."""

    def moved(self) -> None:
        """The viewport stands elsewhere: for whoever fetches what is near."""

    def scroll_to_row(self, row: int) -> None:
        """Make a document row the first in sight, as far as there are rows below it."""
        limit = max(self._pane.total - self.height, 0)
        top = min(max(row, 0), limit)
        self._following = top == limit
        if self._following:
            self._news = False
        if top != self.top or self._following:
            self.top = top
            self._anchor = self._pane.anchor(top)
            self.refresh()
            self.moved()

    def scroll_by(self, rows: int) -> None:
        """So many rows down, or up when they are negative."""
        self.ahead(rows)
        self.scroll_to_row(self.top + rows)

    def scroll_to_end(self) -> None:
        """To the newest row, and stay there."""
        self.scroll_to_row(self._pane.total)

    def scroll_to_start(self) -> None:
        """To the first row."""
        self.scroll_to_row(0)

    def scroll_pages(self, pages: int) -> None:
        """By whole pages, one row of the old one staying in sight."""
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
        """For hit testing only: a row with document offsets, from which Textual makes a selection (designs.md D)."""
        return self._pane.row(self.top + y).strip.apply_offsets(0, self.top + y)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in sight; finished strips, so that a row that only moved costs a look-up."""
        width = self.size.width
        selection = self.text_selection
        look = self._pane.look
        first, last = self._thumb()
        thumb = look.marker if self.has_focus else look.thumb
        found: list[Strip] = []
        filters = [one for one in self.app.get_line_filters() if isinstance(one, Monochrome | NoColor)]
        for y in range(crop.y, crop.bottom):
            number = self.top + y
            row = self._pane.row(number)
            inside = first <= y < last
            strip = row.marked(thumb if inside else look.track, THUMB if inside else TRACK)
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
        front = style.color if style.color != style.bgcolor else self._pane.look.text.color
        return Style(color=front, bgcolor=style.bgcolor)

    def _with_news(self, strip: Strip) -> Strip:
        keep = max(self.size.width - len(NEWS) - 2, 0)
        sign = Segment(NEWS, self._pane.look.running + Style(reverse=True))
        return Strip([*strip.crop(0, keep), sign, *strip.crop(keep + len(NEWS))], self.size.width)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _thumb(self) -> tuple[int, int]:
        """The rows of the screen that the scroll mark covers; none when everything is in sight."""
        total, height = self._pane.total, self.height
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
        if event.x == self.size.width - 1 and self._pane.total > self.height:
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
            self.scroll_to_row(round(share * (self._pane.total - self.height)))

    def _drag_on(self) -> None:
        """The pointer rests at the edge while a selection is dragged: scroll, and take the new row in."""
        if self._press is None or not getattr(self.screen, "_selecting", False):  # let go over another widget
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
        last = self._pane.total - 1
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
        return text_between(self._pane.rows, selection, self._pane.total - 1)

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh(Region(0, 0, self.size.width, self.height))

    def _shift_selection(self, rows: int) -> None:
        """Rows above became higher or lower: a selection stays on its words."""
        if rows and (selection := self.text_selection) is not None and selection.start and selection.end:
            shift = Offset(0, rows)
            self.screen.selections = {self: Selection(selection.start + shift, selection.end + shift)}
        if self._press is not None:
            self._press += Offset(0, rows)


def _clamped(span: tuple[int, int], row: Row) -> tuple[int, int]:
    """The part of a span that lies on the row's content: gutters are not copied, so they are not shaded."""
    start, end = span
    last = row.lead + len(row.text)
    return max(start, row.lead), last if end == -1 else min(end, last)

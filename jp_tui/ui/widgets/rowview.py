"""The mouse in a column of rows: wheel, scroll mark, selecting by drag, word and line, clicks that mean something.

A selection lives in document rows, so it survives scrolling (designs.md D); what it gives is the source text without
gutters. Nothing foreign is ever run by a click: a row says what a click on it means, as a value.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.selection import Selection
from textual.timer import Timer

from jp_tui.ui.painting.rows import Hit
from jp_tui.ui.selecting import character, line_at, text_between, word_at
from jp_tui.ui.widgets.scrolled import NEWS, Scrolled

WHEEL = 3
"""Rows of a turn of the wheel."""
DRAG = 0.05
"""Seconds between two rows while a selection is dragged beyond the edge."""


class RowView(Scrolled, can_focus=True):
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
        self._grip: int | None = None
        self._press: Offset | None = None
        self._dragging: Timer | None = None
        self._pointer = Offset(0, 0)

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
        super()._shift_selection(rows)
        if self._press is not None:
            self._press += Offset(0, rows)

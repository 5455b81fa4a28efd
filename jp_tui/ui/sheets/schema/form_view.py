"""The form on the screen: lines painted when they become visible, and one text field that moves to the cursor's line.

A thousand fields cost no more than ten: only visible lines are painted (traps.md T4). It handles no key; it writes its
field's text into the document, and reports clicks.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from jp_tui.ui.sheets.field import Field, InputGate
from jp_tui.ui.sheets.messages import LayoutChanged, PieceClicked
from jp_tui.ui.sheets.schema.document import FormDocument
from jp_tui.ui.sheets.schema.line import FormColumns, columns, fits, paint
from jp_tui.ui.text import blank, join, ours
from jp_tui.view.schema.edit import field_text
from jp_tui.view.schema.lines import FormLine

TALL = 5
"""Most rows of the field."""
_THUMB, _TRACK = ours("▐", "$foreground-muted"), ours("▕", "$foreground 15%")


class SchemaForm(Widget, can_focus=False):
    """The lines of a form."""

    DEFAULT_CSS = """
    SchemaForm { width: 1fr; height: 1fr; layout: vertical; overflow: hidden;
        & > Field { position: absolute; height: 1; display: none; }
    }
    """
    ALLOW_SELECT = False

    @dataclass
    class Pressed(PieceClicked):
        """A line was clicked; `what` names the piece of it, empty beside them."""

        place: int
        what: str

    def __init__(self, document: FormDocument, *, gate: InputGate, id: str | None = None) -> None:
        super().__init__(id=id)
        self.document = document
        self.entry = Field(gate=gate, hint=blank(), id="entry")
        self.top = self._rest = 0  # the first visible line, and its value when the layout last came to rest
        self._wheeled: int | None = None  # the cursor's line when the wheel was turned: it may be out of sight
        self.writing = False
        """The field is on the cursor's line."""
        self._known = ""
        self._columns = FormColumns(0, 0, 0)
        self._laid: tuple[int, list[FormLine]] | None = None

    def compose(self) -> ComposeResult:
        yield self.entry

    # The field

    def begin(self) -> None:
        """Move the field to the cursor's line, with its value as text."""
        line = self.document.line
        if line is not None and line.writes:
            self._known = field_text(line.shape, self.document.value_at(line)) or ""
            if self.entry.value != self._known:
                self.entry.put(self._known)
            self._known = self.entry.value
            self.writing = True
            self.again()

    def end(self) -> None:
        """Hide the field; its text is in the document."""
        self.sync()
        if self.writing:
            self.writing = False
            self.document.leave()
        self.again()

    def sync(self) -> bool:
        """Write the typed text into the document. Return False if there was none."""
        line, text = self.document.line, self.entry.value
        if not self.writing or line is None or not line.writes or text == self._known:
            return False
        self._known, self._wheeled = text, None
        self.document.type(line, text)
        return True

    def height_at(self, width: int) -> int:
        """Return the rows that all lines take."""
        return len(self.document.lines) + (self._tall() - 1 if self.writing else 0)

    def again(self) -> None:
        """Lay out after a change, keep the cursor in sight, paint."""
        width = self.size.width
        if not width:
            return
        lines = self.document.lines
        if self._laid is None or self._laid[0] != width or self._laid[1] is not lines:
            found = columns(lines, width - 1)
            if found != self._columns:
                room = width - 1 - found.at
                self.document.lay_choices(lambda shape: fits(shape, room))
                if len(self.document.lines) != len(lines):
                    self.post_message(LayoutChanged())
            self._columns = found
            self._laid = width, self.document.lines
        self.show_cursor()
        self._place()
        self.refresh()

    def on_layout_done(self) -> None:
        """React to the end of the layout: only now the height shows how far there is to scroll."""
        self.again()
        self._rest = self.top

    def show_cursor(self) -> None:
        """Scroll the cursor's line into view, with all of its field, unless the wheel was turned since it came
        there."""
        if self._wheeled == self.document.cursor:
            self.top = max(min(self._rest, self.height_at(0) - self.size.height), 0)
            return
        self._wheeled = None
        tall, place, height = self._tall() if self.writing else 1, self.document.cursor, self.size.height
        self.top = max(min(self._rest, place), place + tall - height, 0)
        self.top = min(self.top, max(self.height_at(0) - height, 0))

    def _tall(self) -> int:
        return max(min(self.entry.height_at(0), TALL, self.size.height), 1)

    def _place(self) -> None:
        y = self.document.cursor - self.top
        visible = self.writing and 0 <= y < self.size.height
        self.entry.display = self.writing
        if self.writing:
            line = self.document.line
            placed = self._columns.field if line is not None else 1
            self.entry.styles.width = placed
            self.entry.styles.height = self._tall()
            self.entry.styles.offset = (self._columns.at, y if visible else self.size.height)

    # Painting

    def on_resize(self) -> None:
        self.again()

    def _line_at(self, y: int) -> int:
        """Return the line on a row of the widget; -1 for the further rows of the field."""
        place = y + self.top
        cursor, more = self.document.cursor, self._tall() - 1 if self.writing else 0
        if more and place > cursor:
            return -1 if place <= cursor + more else place - more
        return place

    def render_line(self, y: int) -> Strip:
        width, lines = self.size.width, self.document.lines
        place = self._line_at(y)
        content = blank()
        if 0 <= place < len(lines):
            here = place == self.document.cursor
            content = paint(
                lines[place], self.document, self._columns, here=here, written_in=here and self.writing
            ).content
        content = content.truncate(width - 1).pad_right(max(width - 1 - content.cell_length, 0))
        content = join(content, self._mark(y))
        return Visual.to_strips(self, content, width, 1, self.visual_style, pad=True)[0]

    def _mark(self, y: int) -> Content:
        """Return the scroll mark beside the lines, when not all of them are in sight."""
        total, height = self.height_at(0), self.size.height
        if total <= height or not height:
            return blank()
        size = max(height * height // total, 1)
        start = round((height - size) * self.top / (total - height))
        return _THUMB if start <= y < start + size else _TRACK

    # Mouse

    def on_click(self, event: events.Click) -> None:
        event.stop()
        place = self._line_at(event.y)
        if 0 <= place < len(self.document.lines):
            here = place == self.document.cursor
            row = paint(
                self.document.lines[place], self.document, self._columns, here=here, written_in=here and self.writing
            )
            what = next((hit for start, end, hit in row.hits if start <= event.x < end), "")
            self.post_message(self.Pressed(place, what))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self._scroll(2)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self._scroll(-2)

    def _scroll(self, by: int) -> None:
        self._wheeled = self.document.cursor
        self.top = self._rest = max(min(self.top + by, self.height_at(0) - self.size.height), 0)
        self._place()
        self.refresh()

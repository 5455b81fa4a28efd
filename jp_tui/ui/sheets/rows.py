"""A list to choose from, painted by rows: answers, options, the menu (asking.md E20-E22, E28).

Only what is on the screen is painted, so that a thousand options cost no more than ten. It holds a cursor and
reports what was clicked; it never takes the focus, hears no key and decides no answer.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from jp_tui.ui.text import join, ours, styled

_MARKS = 5
"""Cells of cursor mark, key and the blanks around them."""
_GAP = 2
_LEAST = 24
"""Cells that a description needs to stand beside what it describes."""
_KEY, _TAGS, _DETAIL = "bold $text-accent", "$text-success", "$foreground-muted"


@dataclass(frozen=True, slots=True)
class Row:
    """One line to choose: a key that picks it, what it is, marks, a dim description, and whether it is dim itself."""

    id: str
    label: Content
    key: Content | None = None
    tags: Content | None = None
    detail: Content | None = None
    dim: bool = False


@dataclass(frozen=True, slots=True)
class _Columns:
    """How a list stands at one width: cells of label and marks, and of descriptions beside them (0: below)."""

    width: int
    head: int
    beside: int


class Choices(ScrollView, can_focus=False):
    """Rows with a cursor."""

    COMPONENT_CLASSES = {"choices--cursor"}
    DEFAULT_CSS = """
    Choices { height: auto; width: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden;
        & .choices--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """
    ALLOW_SELECT = False

    rows: reactive[tuple[Row, ...]] = reactive((), init=False)
    """What there is to choose from."""
    cursor: reactive[int | None] = reactive(None, init=False)
    """The row that Enter would take; None until there is one."""

    @dataclass
    class Picked(Message):
        """A row was clicked."""

        choices: Choices
        id: str

        @property
        def control(self) -> Choices:
            return self.choices

    @dataclass
    class Moved(Message):
        """The cursor stands on another row."""

        choices: Choices
        id: str

        @property
        def control(self) -> Choices:
            return self.choices

    def __init__(self, *rows: Row, cursor: int | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._columns = _Columns(0, 0, 0)
        self._ends: list[int] = []
        self._painted: dict[int, list[Content]] = {}
        self._half = self._left = 0
        self.set_reactive(Choices.rows, rows)
        self.set_reactive(Choices.cursor, cursor)

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return None if self.cursor is None or not self.rows else self.rows[self.cursor]

    def place(self, row_id: str) -> int | None:
        """Where a row stands."""
        return next((at for at, row in enumerate(self.rows) if row.id == row_id), None)

    def move(self, by: int) -> None:
        """The cursor up or down, staying inside; from nowhere it goes to the first or the last row."""
        if not self.rows:
            return
        if self.cursor is None:
            self.to(0 if by > 0 else len(self.rows) - 1)
        else:
            self.to(min(max(self.cursor + by, 0), len(self.rows) - 1))

    def to(self, place: int) -> None:
        """The cursor to a row, scrolled into view."""
        if 0 <= place < len(self.rows):
            self.cursor = place
            self.show_cursor()
            self.post_message(self.Moved(self, self.rows[place].id))

    def show_cursor(self) -> None:
        """Scroll the row under the cursor into view."""
        if self.cursor is None or not self._ends:
            return
        top = self._ends[self.cursor - 1] if self.cursor else 0
        self.scroll_to_region(
            Region(0, top, 1, self._ends[self.cursor] - top), animate=False, force=True, immediate=True
        )

    def height_at(self, width: int) -> int:
        """Lines that all rows take at a width."""
        self._lay(width)
        return self._ends[-1] if self._ends else 0

    # Layout and painting

    def watch_rows(self) -> None:
        self._columns = _Columns(0, 0, 0)
        if self.cursor is not None and self.cursor >= len(self.rows):
            self.set_reactive(Choices.cursor, len(self.rows) - 1 if self.rows else None)
        self._sized()
        self.refresh(layout=True)

    def watch_cursor(self) -> None:
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.height_at(width)

    def on_resize(self) -> None:
        self._sized()
        self.show_cursor()

    def _sized(self) -> None:
        width = self.scrollable_content_region.width or self.size.width
        self.virtual_size = Size(width, self.height_at(width))

    def _lay(self, width: int) -> None:
        if width == self._columns.width or width < 1:
            return
        room = max(width - _MARKS, 8)
        plain = not any("\n" in row.label.plain for row in self.rows)
        described = [_head(row).cell_length for row in self.rows if row.detail]
        head = max(described, default=0)
        rest = room - head - _GAP
        self._columns = _Columns(width, head, rest if plain and rest >= max(_LEAST, room // 3) else 0)
        self._painted.clear()
        self._ends = list(accumulate(self._height(row, room) for row in self.rows))

    def _height(self, row: Row, room: int) -> int:
        """Lines of one row, wrapped only where it must be."""
        head = _head(row)
        height = 1 if head.cell_length <= room and "\n" not in head.plain else len(head.wrap(room))
        if row.detail:
            beside = self._columns.beside
            below = 1 if row.detail.cell_length <= beside else len(row.detail.wrap(beside or room - _GAP))
            height = max(height, below) if beside else height + below
        return height

    def _lines(self, place: int) -> list[Content]:
        """The lines of a row, without cursor mark, key and background."""
        if place not in self._painted:
            row, room, beside = self.rows[place], max(self._columns.width - _MARKS, 8), self._columns.beside
            lines = _head(row).wrap(room)
            if row.detail and beside:
                column = self._columns.head + _GAP
                details = styled(row.detail, _DETAIL).wrap(beside)
                lines += [ours("")] * (len(details) - len(lines))
                lines = [
                    join(line, ours(" " * (column - line.cell_length)), detail)
                    for line, detail in zip_longest(lines, details, fillvalue=ours(""))
                ]
            elif row.detail:
                lines += [join(ours(" " * _GAP), line) for line in styled(row.detail, _DETAIL).wrap(room - _GAP)]
            self._painted[place] = [styled(line, _DETAIL) for line in lines] if row.dim else lines
        return self._painted[place]

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        self._lay(width)
        y += self.scroll_offset.y
        if not self._ends or y >= self._ends[-1]:
            return Strip.blank(width, self.visual_style.rich_style)
        place = bisect_right(self._ends, y)
        return self._strip(place, y - (self._ends[place - 1] if place else 0), width)

    def _strip(self, place: int, line: int, width: int) -> Strip:
        """One line of a row, with cursor mark, key and background."""
        row, here = self.rows[place], place == self.cursor
        key = row.key if row.key and line == 0 else ours(" ")
        mark = ours("{mark} {key}  ", mark=ours("▸") if here and line == 0 else ours(" "), key=styled(key, _KEY))
        content, style = join(mark, self._lines(place)[line]), self.visual_style
        if here:  # colours of ours would not stand out on the cursor's: the row says the same without them
            content, style = content.without_spans, self.get_visual_style("choices--cursor")
            content = styled(content, "dim") if row.dim else content
        return Visual.to_strips(self, content, width, 1, style, pad=True)[0]

    # Mouse

    def row_at(self, x: int, y: int) -> Row | None:
        """The row under a place in the widget."""
        y += self.scroll_offset.y
        return self.rows[bisect_right(self._ends, y)] if self._ends and 0 <= y < self._ends[-1] else None

    def on_click(self, event: events.Click) -> None:
        event.stop()
        row = self.row_at(event.x, event.y)
        if row is not None:
            self.post_message(self.Picked(self, row.id))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.move(-1)


class Pairs(Choices):
    """Few rows in two columns where they fit, the first half on the left; else one under the other."""

    def _lay(self, width: int) -> None:
        if width == self._columns.width or width < 1:
            return
        super()._lay(width)
        half, widest = len(self.rows) // 2, max((_head(row).cell_length for row in self.rows), default=0)
        self._left = min(_MARKS + widest + 2 * _GAP, width // 2)
        fits = _MARKS + widest < width // 2 and not any(row.detail for row in self.rows)
        self._half = half if fits and half * 2 == len(self.rows) else 0
        if self._half:
            self._ends = list(range(1, half + 1))

    def show_cursor(self) -> None:
        if not self._half:
            super().show_cursor()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        self._lay(width)
        if not self._half or y >= self._half:
            return super().render_line(y)
        pair = (self._strip(y, 0, self._left), self._strip(y + self._half, 0, self._left))
        return Strip.join(pair).adjust_cell_length(width, self.visual_style.rich_style)

    def row_at(self, x: int, y: int) -> Row | None:
        if not self._half:
            return super().row_at(x, y)
        place = y + (self._half if x >= self._left else 0)
        return self.rows[place] if 0 <= y < self._half else None


def _head(row: Row) -> Content:
    return row.label if not row.tags else join(row.label, styled(row.tags, _TAGS), sep=ours("  "))

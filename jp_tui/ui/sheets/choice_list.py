"""A list to choose from, painted by rows: answers, options, the menu (asking.md E20-E22, E28).

Only visible rows are painted, so that a thousand options cost no more than ten. It has a cursor and reports clicks; it
never takes the focus, handles no key and decides no answer.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from jp_tui.ui.text import join, ours, styled

_MARKS = 5
"""Cells of cursor mark, key and the blanks around them."""
_CELL = 3
"""Cells around key and text of an answer in a row: its mark, and a blank after each."""
_GAP = 2
_LEAST = 24
"""Cells that a description needs to be beside its row."""
_KEY, _TAGS, _DETAIL = "bold $text-accent", "$text-success", "$foreground-muted"


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A line to choose: its key, its text, marks, a dim description, and whether it is dim itself."""

    id: str
    label: Content
    key: Content | None = None
    tags: Content | None = None
    detail: Content | None = None
    dim: bool = False


@dataclass(slots=True)
class _Layout:
    """The layout at one width: the end of each row, cells of label and marks, of descriptions beside it (0: below).

    `cells` are the places of rows side by side. `flat`: each row has one line, cut with a mark.
    """

    width: int
    ends: list[int]
    head: int = 0
    beside: int = 0
    cells: list[Region] = field(default_factory=list)
    painted: dict[int, list[Content]] = field(default_factory=dict)
    open: int | None = None
    """The row that alone is not cut."""
    flat: bool = False

    @property
    def room(self) -> int:
        """Cells for a row's words."""
        return max(self.width - _MARKS, 8)

    @property
    def height(self) -> int:
        return self.ends[-1] if self.ends else 0


class ChoiceList(ScrollView, can_focus=False):
    """Rows with a cursor."""

    COMPONENT_CLASSES = {"choices--cursor"}
    DEFAULT_CSS = """
    ChoiceList { height: auto; width: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden;
        & .choices--cursor { background: $block-cursor-background; color: $block-cursor-foreground;
            text-style: $block-cursor-text-style; }
    }
    """
    ALLOW_SELECT = False

    rows: reactive[tuple[ChoiceRow, ...]] = reactive((), init=False)
    """The rows to choose from."""
    cursor: reactive[int | None] = reactive(None, init=False)
    """The row that Enter selects; None until there is one."""
    flat: reactive[int] = reactive(0, init=False)
    """Lines for all rows, if they are fewer than the rows need: each takes one, which is cut with a mark, and the row
    under the cursor more if there are more. 0 for no limit."""

    @dataclass
    class Picked(Message):
        """A row was clicked."""

        choices: ChoiceList
        id: str

    @dataclass
    class Moved(Message):
        """The cursor moved to another row."""

        choices: ChoiceList
        id: str

    def __init__(self, *rows: ChoiceRow, cursor: int | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._layouts: dict[int, _Layout] = {}
        self._pressed: ChoiceRow | None = None  # on which the button went down
        self.set_reactive(ChoiceList.rows, rows)
        self.set_reactive(ChoiceList.cursor, cursor)

    @property
    def current(self) -> ChoiceRow | None:
        """The row under the cursor."""
        return None if self.cursor is None or not self.rows else self.rows[self.cursor]

    def place(self, row_id: str) -> int | None:
        """Return the place of a row; None if there is no such row."""
        return next((at for at, row in enumerate(self.rows) if row.id == row_id), None)

    def move(self, by: int) -> None:
        """Move the cursor up or down, not past the ends; from nowhere it goes to the first or the last row."""
        if not self.rows:
            return
        if self.cursor is None:
            self.to(0 if by > 0 else len(self.rows) - 1)
        else:
            self.to(min(max(self.cursor + by, 0), len(self.rows) - 1))

    def to(self, place: int) -> None:
        """Move the cursor to a row, and scroll that into view."""
        if 0 <= place < len(self.rows):
            self.cursor = place
            self.show_cursor()
            self.post_message(self.Moved(self, self.rows[place].id))

    def show_cursor(self) -> None:
        """Scroll the row under the cursor into view."""
        laid = self._now()
        if self.cursor is None or not laid.ends:
            return
        top = laid.ends[self.cursor - 1] if self.cursor else 0
        top = min(top, laid.ends[self.cursor] - 1)
        region = Region(0, top, 1, laid.ends[self.cursor] - top)
        self.scroll_to_region(region, animate=False, force=True, immediate=True)

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Place the scrollbar when it appears: Textual moves only one that is visible."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def height_at(self, width: int, to: str = "") -> int:
        """Return the lines that all rows take at a width, or those from the first to the one with that id."""
        laid = self._lay(_Layout(width, [])) if self.flat else self._laid(width)
        place = self.place(to) if to else None
        return laid.height if place is None else laid.ends[place]

    # Layout and painting

    def watch_rows(self) -> None:
        self._layouts.clear()
        if self.cursor is not None and self.cursor >= len(self.rows):
            self.set_reactive(ChoiceList.cursor, len(self.rows) - 1 if self.rows else None)
        self._sized()
        self.refresh(layout=True)

    def watch_cursor(self) -> None:
        if self.flat:
            self._layouts.clear()
        self.refresh()

    def watch_flat(self) -> None:
        self._layouts.clear()
        self._sized()
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self.height_at(width)

    def on_resize(self) -> None:
        self._sized()
        self.show_cursor()

    def _sized(self) -> None:
        laid = self._now()
        self.virtual_size = Size(laid.width, laid.height)

    def _now(self) -> _Layout:
        """Return the current layout: where all rows fit, no scrollbar takes cells from them."""
        if (laid := self._laid(self.size.width)).height <= self.size.height:
            return laid
        return self._laid(self.scrollable_content_region.width or self.size.width)

    def _laid(self, width: int) -> _Layout:
        """Return the layout at a width, kept for a few: with and without a scrollbar they are asked for in turn."""
        if width not in self._layouts:
            if len(self._layouts) > 3:
                self._layouts.clear()
            self._layouts[width] = self._lay(_Layout(width, [], flat=bool(self.flat)))
        return self._layouts[width]

    def _lay(self, laid: _Layout) -> _Layout:
        plain = not any("\n" in row.label.plain for row in self.rows)
        laid.head = max((_head(row).cell_length for row in self.rows if row.detail), default=0)
        rest = laid.room - laid.head - _GAP
        laid.beside = rest if plain and rest >= max(_LEAST, laid.room // 3) else 0
        heights = [1 if laid.flat else _height(row, laid) for row in self.rows]
        if laid.flat and self.cursor is not None:
            height = _height(self.rows[self.cursor], laid)
            if height <= self.flat - len(self.rows) + 1:
                laid.open, heights[self.cursor] = self.cursor, height
        laid.ends = list(accumulate(heights))
        return laid

    def render_line(self, y: int) -> Strip:
        laid = self._now()
        y += self.scroll_offset.y
        if y >= laid.height:
            return Strip.blank(laid.width, self.visual_style.rich_style)
        place = bisect_right(laid.ends, y)
        return self._strip(laid, place, y - (laid.ends[place - 1] if place else 0), laid.width)

    def _strip(self, laid: _Layout, place: int, line: int, width: int) -> Strip:
        """Return one line of a row, with cursor mark, key and background."""
        row, here = self.rows[place], place == self.cursor
        if place not in laid.painted:
            laid.painted[place] = _paint_flat(row, laid) if laid.flat and place != laid.open else _paint(row, laid)
        key = row.key if row.key and line == 0 else ours(" ")
        mark = ours("{mark} {key}  ", mark=ours("▸") if here and line == 0 else ours(" "), key=styled(key, _KEY))
        content, style = join(mark, laid.painted[place][line]), self.visual_style
        if here:
            content = content.pad_right(max(width - content.cell_length, 0))
            content, style = self._on_cursor(content)
        return Visual.to_strips(self, content, width, 1, style, pad=True)[0]

    def _on_cursor(self, content: Content) -> tuple[Content, Style]:
        """Return the content under the cursor, and its style. jp-tui's colours would not be readable on the cursor's,
        and the row's text has the same meaning without them."""
        style = self.get_visual_style("choices--cursor")
        if self.get_component_styles("choices--cursor").text_style.reverse:  # the line above leaves it out
            style += Style(reverse=True)
        return content.without_spans, style

    # Mouse

    def row_at(self, x: int, y: int) -> ChoiceRow | None:
        """Return the row at a place in the widget."""
        laid = self._now()
        y += self.scroll_offset.y
        return self.rows[bisect_right(laid.ends, y)] if 0 <= y < laid.height else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = self.row_at(event.x, event.y)

    def on_click(self, event: events.Click) -> None:
        """Report a click on a row, unless it began on another (E11)."""
        event.stop()
        row, pressed = self.row_at(event.x, event.y), self._pressed
        if row is not None and pressed is not None and row.id == pressed.id:
            self.post_message(self.Picked(self, row.id))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.move(-1)


class AnswerRow(ChoiceList):
    """Few answers side by side, in as few lines as the width allows; each shows its key, and the cursor a mark."""

    def _lay(self, laid: _Layout) -> _Layout:
        x = y = 0
        for row in self.rows:
            cells = min(_CELL + (row.key or ours("")).cell_length + _head(row).cell_length, max(laid.width, 1))
            if x and x + cells > laid.width:
                x, y = 0, y + 1
            laid.cells.append(Region(x, y, cells, 1))
            x += cells + 1
        laid.ends = [cell.bottom for cell in laid.cells]
        return laid

    def render_line(self, y: int) -> Strip:
        laid, style = self._now(), self.visual_style
        y += self.scroll_offset.y
        strips, x = list[Strip](), 0
        for place, cell in enumerate(laid.cells):
            if cell.y == y:
                strips.append(Strip.blank(cell.x - x, style.rich_style))
                strips.append(self._cell(place, cell.width))
                x = cell.right
        return Strip.join(strips).adjust_cell_length(laid.width, style.rich_style)

    def _cell(self, place: int, width: int) -> Strip:
        """Return one answer with its mark, key and background."""
        row, here = self.rows[place], place == self.cursor
        head = styled(_head(row), _DETAIL) if row.dim else _head(row)
        key = styled(row.key or ours(""), _KEY)
        content = join(ours("{mark}{key} {head} ", mark=ours("▸") if here else ours(" "), key=key, head=head))
        style = self.visual_style
        if here:
            content, style = self._on_cursor(content)
        return Visual.to_strips(self, content, width, 1, style, pad=True)[0]

    def row_at(self, x: int, y: int) -> ChoiceRow | None:
        laid = self._now()
        y += self.scroll_offset.y
        return next((self.rows[at] for at, cell in enumerate(laid.cells) if cell.contains(x, y)), None)


def _head(row: ChoiceRow) -> Content:
    return row.label if not row.tags else join(row.label, styled(row.tags, _TAGS), sep=ours("  "))


def _height(row: ChoiceRow, laid: _Layout) -> int:
    """Return the lines of a row, which is wrapped only where it must be."""
    head = _head(row)
    height = 1 if head.cell_length <= laid.room and "\n" not in head.plain else len(head.wrap(laid.room))
    if row.detail is None:
        return height
    fits = row.detail.cell_length <= laid.beside and "\n" not in row.detail.plain
    below = 1 if fits else len(row.detail.wrap(laid.beside or laid.room - _GAP))
    return max(height, below) if laid.beside else height + below


def _paint(row: ChoiceRow, laid: _Layout) -> list[Content]:
    """Return the lines of a row, without cursor mark, key and background."""
    lines = _head(row).wrap(laid.room)
    if row.detail and laid.beside:
        column, details = laid.head + _GAP, styled(row.detail, _DETAIL).wrap(laid.beside)
        lines = [
            join(line, ours(" " * (column - line.cell_length)), detail)
            for line, detail in zip_longest(lines, details, fillvalue=ours(""))
        ]
    elif row.detail:
        lines += [join(ours(" " * _GAP), line) for line in styled(row.detail, _DETAIL).wrap(laid.room - _GAP)]
    return [styled(line, _DETAIL) for line in lines] if row.dim else lines


def _paint_flat(row: ChoiceRow, laid: _Layout) -> list[Content]:
    """Return the one line of a row, cut with a mark."""
    line = _head(row)
    if row.detail:
        column = max(laid.head, line.cell_length) + _GAP
        line = join(line.pad_right(column - line.cell_length), styled(row.detail, _DETAIL))
    first, *more = line.split("\n")
    line = (join(first, ours("…")) if more else first).truncate(laid.room, ellipsis=True)
    return [styled(line, _DETAIL) if row.dim else line]

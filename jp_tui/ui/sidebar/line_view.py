"""A scrolled view of lines that change often, in a widget whose size doesn't.

Its content never causes a layout. Finished strips are kept, so an unchanged line costs a look-up, and only rows that
changed are painted again (designs.md B, D). Selection, wheel and scroll bar work as in a scrolled container of Textual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.scrollbar import ScrollBarRender
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.widget import Widget

from jp_tui.ui.text import blank, join, ours

LineKey = Hashable
"""The identity of a row: rows with equal keys look the same."""
MOST = 256
"""Strips that are cached besides the visible ones: durations and counts make new ones all the time."""
AT_ONCE, BETWEEN = 8, 0.002
"""Rows that are painted at once, about a millisecond of work, and seconds until the next: a key is handled between."""


class LineView(Widget):
    """Lines, of which those in sight are painted, and a scroll bar where not all fit."""

    DEFAULT_CSS = """
    LineView { width: 1fr; height: 1fr; }
    """

    def __init__(self, *, make: Callable[[int], Sequence[LineKey]], paint: Callable[[LineKey, int], Content]) -> None:
        """`make` returns the rows for a width in cells; `paint` the content of one, called only for those in sight and
        once for equal keys."""
        super().__init__()
        self.auto_links = False  # the styles of the lines mark their clickable parts
        self._make, self._paint = make, paint
        self._rows: Sequence[LineKey] = ()
        self._strips: dict[LineKey, Strip] = {}
        self._ends: dict[int, tuple[Strip, Segment, Strip]] = {}  # with the bar, by row of the screen
        self._look: object = None
        self._bar: list[Segment] = []
        self._painted: list[tuple[LineKey | None, Segment | None]] = []
        self._unpainted: set[int] = set()
        self._unmade: list[int] = []
        self._making: asyncio.TimerHandle | None = None
        self._grip: float | None = None
        self._over = False
        self.top = 0

    # -- content

    def again(self) -> None:
        """Make the rows and paint those that changed."""
        width, height = self.size
        if not width or not height:
            return
        narrow = bool(self._bar)  # a bar stays while the rows beside it are too many
        rows = self._make(width - narrow)
        if narrow != (len(rows) > height):
            narrow = not narrow
            rows = self._make(width - narrow)
            narrow &= len(rows) > height
        self._rows = rows
        self._place(self.top)

    @property
    def total(self) -> int:
        """The number of rows."""
        return len(self._rows)

    @property
    def scrolls(self) -> bool:
        """True if not all rows fit."""
        return self.total > self.size.height

    def scroll_to_row(self, row: int) -> bool:
        """Make that row the first in sight, as far as there are rows below it. Return False if it is already."""
        before = self.top
        self._place(row)
        return self.top != before

    def _place(self, top: int) -> None:
        self.top = min(max(top, 0), max(self.total - self.size.height, 0))
        bar, old = self._bar_segments(), self._bar
        self._bar = [old[y] if y < len(old) and old[y] == one else one for y, one in enumerate(bar)]
        shown = [self._at(y) for y in range(self.size.height)]
        before = self._painted
        changed = [y for y, one in enumerate(shown) if y >= len(before) or before[y] != one]
        if changed or len(shown) != len(before):
            self._painted = shown
            self._unpainted |= {*changed}
            self._paint_soon()

    def _paint_soon(self) -> None:
        """Refresh the changed rows; many are painted first, a few at a time, so that keys come between."""
        if len(self._unpainted) > AT_ONCE and self.is_attached:
            if self._making is None:
                self._unmade = sorted(self._unpainted, reverse=True)
                self._making = asyncio.get_running_loop().call_later(BETWEEN, self._make_some)
            return
        rows, self._unpainted = sorted(self._unpainted), set()
        self.refresh(*_regions(rows, self.size.width))

    def _make_some(self) -> None:
        self._making = None
        if not self.is_attached:
            return
        for _ in range(min(AT_ONCE, len(self._unmade))):
            if (y := self._unmade.pop()) < self.size.height:
                self._at_row(y).render(self.app.console)  # the strip caches it
        if self._unmade:
            self._making = asyncio.get_running_loop().call_later(BETWEEN, self._make_some)
        else:
            rows, self._unpainted = sorted(self._unpainted), set()
            self.refresh(*_regions(rows, self.size.width))

    def _at(self, y: int) -> tuple[LineKey | None, Segment | None]:
        row = self.top + y
        return self._rows[row] if row < self.total else None, self._bar[y] if self._bar else None

    def _bar_segments(self) -> list[Segment]:
        if not self.scrolls:
            return []
        styles, kind = self.styles if self.parent is None else self.parent.styles, "_hover" if self._over else ""
        kind = "_active" if self._grip is not None else kind
        back, colour = getattr(styles, f"scrollbar_background{kind}"), getattr(styles, f"scrollbar_color{kind}")
        back = self.background_colors[1] + back if back.a < 1 else back
        height = self.size.height
        made = ScrollBarRender.render_bar(
            height, self.total, height, self.top, 1, True, back.rich_color, (back + colour).rich_color
        )
        return [Segment(text, _plain(style)) for text, style, _ in made.segments if text != "\n"][:height]

    # -- rows for the compositor

    def render_line(self, y: int) -> Strip:
        """Return a row with the offsets of its characters: for hit testing, from which Textual makes a selection."""
        return self._strip(self.top + y).apply_offsets(0, self.top + y)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the rows in sight as finished strips."""
        width = self.size.width
        found: list[Strip] = []
        for y in range(crop.y, crop.bottom):
            strip = self._at_row(y)
            found.append(strip if crop.x == 0 and crop.width == width else strip.crop(crop.x, crop.right))
        return found

    def _at_row(self, y: int) -> Strip:
        strip = self._strip(self.top + y)
        if y >= len(self._bar):
            return strip
        known = self._ends.get(y)
        if known is None or known[0] is not strip or known[1] is not self._bar[y]:
            known = self._ends[y] = strip, self._bar[y], Strip([*strip, self._bar[y]], self.size.width)
        return known[2]

    def _strip(self, row: int) -> Strip:
        look = (self.visual_style, self.size.width - bool(self._bar), tuple(self.app.get_line_filters()))
        if look != self._look:
            self._strips, self._look = {}, look
        if row >= self.total:
            return self._made(_NOTHING)
        key = self._rows[row]
        if (span := self._span(row)) is not None:
            content = self._content(key)
            return self._made(content.stylize(self._selection_style(), span[0], None if span[1] == -1 else span[1]))
        if (known := self._strips.get(key)) is None:
            if len(self._strips) >= MOST + self.size.height:
                self._keep_seen()
            known = self._strips[key] = self._made(self._content(key))
        return known

    def _keep_seen(self) -> None:
        """Drop the strips of rows out of sight."""
        seen = self._rows[self.top : self.top + self.size.height]
        self._strips = {key: self._strips[key] for key in seen if key in self._strips}

    def _content(self, row: LineKey) -> Content:
        return self._paint(row, self.size.width - bool(self._bar))

    def _made(self, content: Content) -> Strip:
        base, width = self.visual_style, self.size.width - bool(self._bar)
        parts = content.render(base, end="")
        strip = Strip([Segment(text, (base + style).rich_style) for text, style in parts if text])
        strip = strip.adjust_cell_length(width, (base + VisualStyle(reverse=False)).rich_style)
        for one in self.app.get_line_filters():
            strip = strip.apply_filter(one, self.background_colors[1])
        return strip

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._look = None
        self._painted = []
        if self.is_attached:
            self.call_later(self.again)

    def on_resize(self) -> None:
        self._painted = []
        self.again()

    # -- selection

    def _span(self, row: int) -> tuple[int, int] | None:
        selection = self.text_selection
        return selection.get_span(row) if selection is not None and row < self.total else None

    def _selection_style(self) -> VisualStyle:
        return VisualStyle.from_styles(self.screen.get_component_styles("screen--selection"))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text, also of rows out of sight."""
        return selection.extract(join(*map(self._content, self._rows), sep=ours("\n")).plain), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    # -- mouse

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, self.app.scroll_sensitivity_y)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -self.app.scroll_sensitivity_y)

    def _wheel(self, event: events.MouseEvent, rows: float) -> None:
        if not (event.ctrl or event.shift) and self.scroll_to_row(self.top + round(rows)):
            event.stop()
            event.prevent_default()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Drag the thumb of the scroll bar, or scroll by a page beside it."""
        if not self._on_bar(event):
            return
        event.stop()
        height = self.size.height
        thumb = max(1, height * height / self.total)
        first = (height - thumb) * self.top / (self.total - height)
        if first - 1 < event.y < first + thumb:
            self._grip = event.screen_y - self.top * height / self.total
            self.capture_mouse()
            self._place(self.top)
        else:
            self.scroll_to_row(self.top + (height if event.y > first else -height))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._grip is not None:
            event.stop()
            self.scroll_to_row(round((event.screen_y - self._grip) * self.total / self.size.height))
        else:
            self._hovers(self._on_bar(event))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._grip is not None:
            self._grip = None
            self.release_mouse()
            event.stop()
            self._place(self.top)

    def on_leave(self) -> None:
        self._hovers(False)

    def _hovers(self, over: bool) -> None:
        if over != self._over:
            self._over = over
            self._place(self.top)

    def _on_bar(self, event: events.MouseEvent) -> bool:
        return bool(self._bar) and event.x >= self.size.width - 1


_NOTHING = blank()


def _plain(style: Style | None) -> Style | None:
    """Return a style without the click actions of Textual's own scroll bar: clicks are handled above."""
    return None if style is None else Style(color=style.color, bgcolor=style.bgcolor, reverse=style.reverse)


def _regions(rows: Sequence[int], width: int) -> list[Region]:
    """Return the regions of some rows; rows that follow each other are one region."""
    found: list[Region] = []
    for row in rows:
        if found and found[-1].bottom == row:
            last = found.pop()
            found.append(Region(0, last.y, width, last.height + 1))
        else:
            found.append(Region(0, row, width, 1))
    return found

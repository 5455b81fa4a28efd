"""The frame of a page and its list, for any size of the terminal: the last rows of a page stay visible.

They have the confirmation and the keys. Where rows are missing, the list and the details of the highlighted row give up
theirs; both can be scrolled or reached by moving the cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.containers import Vertical, VerticalScroll
from textual.layouts.vertical import VerticalLayout
from textual.widgets import OptionList

from jp_tui.ui.widgets.footer import KeyBar

if TYPE_CHECKING:
    from textual.content import Content
    from textual.geometry import Size
    from textual.layout import ArrangeResult, Layout
    from textual.widget import Widget

_YIELD = (("detail", 3), ("", 4), ("plan", 1), ("detail", 0), ("", 2), ("lead", 1), ("state", 1))
"""The parts that give up rows, in order, and the least rows of each; "" is the list."""


class _Yielding(VerticalLayout):
    """A vertical layout; if it is too high for the container, the parts of `_YIELD` get fewer rows."""

    name = "yielding"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        placed = super().arrange(parent, children, size, greedy)
        over = max((one.region.bottom for one in placed), default=0) - size.height
        if size.height <= 0:  # Textual asks for the natural height
            return placed
        for name, least in _YIELD:
            for at, one in enumerate(placed):
                mine = isinstance(one.widget, OptionList) if not name else one.widget.id == name
                taken = min(over, one.region.height - least) if mine else 0
                if taken <= 0:
                    continue
                over -= taken
                smaller = one.region.shrink((0, 0, taken, 0))
                below = [each._replace(region=each.region.translate((0, -taken))) for each in placed[at + 1 :]]
                placed = [*placed[:at], one._replace(region=smaller), *below]
        return placed


_YIELDING = _Yielding()


class PageBox(Vertical):
    """The frame of a page; its list, `#detail` and the parts above them give up rows before anything else."""

    @property
    def layout(self) -> Layout:
        return _YIELDING


class TextBox(PageBox):
    """The frame of a page of text, to scroll. Children are given to the constructor; keys are in the last line."""

    DEFAULT_CSS = """
    TextBox {
        width: 100%; max-width: 112; height: auto; max-height: 100%; padding: 0 1; background: $sheet-background;
        border: round $sheet-border; border-title-style: bold;
        VerticalScroll { height: auto; max-height: 80vh; background: $sheet-background; }
        Static { height: auto; padding: 0 1; }
        KeyBar { background: $sheet-background; width: 100%; height: auto; }
    }
    """

    def __init__(self, title: Content, *texts: Widget) -> None:
        super().__init__(VerticalScroll(*texts, can_focus=False), KeyBar(speaks_for_itself=lambda node: False))
        self.border_title = title

    def scroll_by(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)


class PageList(OptionList, inherit_bindings=True):
    """A list whose highlighted row stays in sight when it gets fewer rows, and which keeps the focus while shown."""

    def on_resize(self) -> None:
        self.scroll_to_highlight()

    def on_hide(self, event: events.Hide) -> None:
        """Ignore a message that is late: Textual moves the focus away, to a field for text if there is one."""
        if self.display:
            event.prevent_default()

"""Keys known from vi, in every list: j k g G, Ctrl+D Ctrl+U, h back, l choose (issue 8, line 4).

A screen with one OptionList adds VI to its bindings and takes its actions from here. A field with the focus gets its
letters first, so none is lost there.
"""

from __future__ import annotations

from typing import Any

from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import OptionList

VI = [
    Binding("g", "edge(-1)", "first", show=False, id="list.first", tooltip="Go to the first row"),
    Binding("G", "edge(1)", "last", show=False, id="list.last", tooltip="Go to the last row"),
    Binding("ctrl+d", "half(1)", "half a page down", show=False, id="list.half_down", tooltip="Go down half a page"),
    Binding("ctrl+u", "half(-1)", "half a page up", show=False, id="list.half_up", tooltip="Go up half a page"),
    Binding("l", "app.simulate_key('enter')", "select", show=False, id="list.take", tooltip="Same as Enter"),
    Binding("h", "dismiss(None)", "back", show=False, id="list.back", tooltip="Close this page"),
]


def to_edge(screen: Screen[Any], side: int) -> None:
    """Highlight the first row (-1) or the last one (1)."""
    options = screen.query_one(OptionList)
    if options.option_count:
        options.highlighted = 0 if side < 0 else options.option_count - 1


def half_a_page(screen: Screen[Any], step: int) -> None:
    """Highlight a row half a page up (-1) or down (1)."""
    options = screen.query_one(OptionList)
    if options.option_count:
        rows = max(options.size.height // 4, 1)
        at = (options.highlighted or 0) + step * rows
        options.highlighted = min(max(at, 0), options.option_count - 1)


def next_row(screen: Screen[Any], step: int) -> None:
    """Highlight the next row (1) or the previous one (-1), around the ends."""
    options = screen.query_one(OptionList)
    if options.option_count:
        options.highlighted = ((options.highlighted or 0) + step) % options.option_count


def break_key(page: str, does: str = "close") -> Binding:
    """Return the binding of Ctrl+C on a page; `page` begins its id, `does` says what the first press does."""
    tooltip = "Close this page; press twice to quit"
    return Binding("ctrl+c", "app.break", f"{does}; twice quits", show=False, id=f"{page}.break", tooltip=tooltip)

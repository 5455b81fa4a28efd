"""The keys that hands know from vi, in every list: j k g G, Ctrl+D Ctrl+U, h back, l takes (issue 8, line 4).

A part of a screen with one OptionList. A line that is written in hears its letters first, so none is eaten there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.widgets import OptionList

if TYPE_CHECKING:
    from textual.screen import Screen

    _Part = Screen[Any]
else:
    _Part = object

VI = [
    Binding("g", "edge(-1)", "first", show=False, id="list.first", tooltip="The first row"),
    Binding("G", "edge(1)", "last", show=False, id="list.last", tooltip="The last row"),
    Binding("ctrl+d", "half(1)", "half a page down", show=False, id="list.half_down", tooltip="Several rows on"),
    Binding("ctrl+u", "half(-1)", "half a page up", show=False, id="list.half_up", tooltip="Several rows back"),
    Binding("l", "enter", "take", show=False, id="list.take", tooltip="The same as Enter"),
    Binding("h", "dismiss(None)", "back", show=False, id="list.back", tooltip="Back to where you were"),
]


class ViList(_Part):
    """What the keys do."""

    def action_edge(self, side: int) -> None:
        options = self.query_one(OptionList)
        if options.option_count:
            options.highlighted = 0 if side < 0 else options.option_count - 1

    def action_half(self, step: int) -> None:
        options = self.query_one(OptionList)
        if options.option_count:
            rows = max(options.size.height // 4, 1)
            at = (options.highlighted or 0) + step * rows
            options.highlighted = min(max(at, 0), options.option_count - 1)

    def action_enter(self) -> None:
        self.app.simulate_key("enter")

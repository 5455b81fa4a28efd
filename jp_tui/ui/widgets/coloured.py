"""A text that is written in works its colours out when they change, not at every key.

Textual's takes the styles of a cursor, a selection and what else it has from the stylesheet each time it paints a row,
a quarter of the time from a key to its paint. Changes nothing that is painted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.widgets import TextArea

    _Part = TextArea
else:
    _Part = object


class Coloured(_Part):
    """A part of a TextArea, to be named before it."""

    _worked_out: tuple[object, int] | None = None
    """For which theme, and which state of the styles of its own, the colours are."""

    def notify_style_update(self) -> None:
        self._worked_out = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        colours = self._theme, self.styles._cache_key
        if self._worked_out is None or self._worked_out[0] is not colours[0] or self._worked_out[1] != colours[1]:
            self._theme.apply_css(self)
            self._worked_out = colours
        return ScrollView.render_lines(self, crop)

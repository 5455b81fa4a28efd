"""A text that is written in works its colours out when they change, not at every key.

Textual's takes the styles of a cursor, a selection and what else it has from the stylesheet each time it paints a row,
a quarter of the time from a key to its paint. Changes nothing that is painted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

from jp_tui.ui import textual_patches
from jp_tui.ui.textual_patches.shape import Unfit, needs, takes, uses

if TYPE_CHECKING:
    from textual.widgets import TextArea

    _Part = TextArea
else:
    _Part = object


def check() -> None:
    """Raise Unfit if a text area works its colours out in another way."""
    from textual._text_area_theme import TextAreaTheme
    from textual.css.styles import RenderStyles
    from textual.widgets import TextArea

    takes(TextArea, "render_lines", "self", "crop")
    uses(TextArea, "render_lines", "_theme", "apply_css", "render_lines")
    takes(TextAreaTheme, "apply_css", "self", "text_area")
    needs(RenderStyles, "_cache_key")
    if "render_lines" in vars(ScrollView):
        raise Unfit("ScrollView has a render_lines of its own")


class Coloured(_Part):
    """A part of a TextArea, to be named before it."""

    _worked_out: tuple[object, int] | None = None
    """For which theme, and which state of the styles of its own, the colours are."""

    def notify_style_update(self) -> None:
        self._worked_out = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        if not textual_patches.applied("text colours"):
            return super().render_lines(crop)
        colours = self._theme, self.styles._cache_key
        if self._worked_out is None or self._worked_out[0] is not colours[0] or self._worked_out[1] != colours[1]:
            self._theme.apply_css(self)
            self._worked_out = colours
        return ScrollView.render_lines(self, crop)

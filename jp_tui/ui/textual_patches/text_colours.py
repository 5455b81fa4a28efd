"""A text area that works out its colours when they change, not at each key.

Textual's text area looks up the styles of its cursor, its selection and so on in the stylesheet each time it paints a
row, a quarter of the time from a key to its paint. What is painted doesn't change.
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
    """Raise Unfit if a text area works out its colours in another way."""
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
    """To be named before TextArea in the bases of a text area."""

    _worked_out: tuple[object, int] | None = None
    """The theme, and the state of the widget's styles, that the colours were worked out for."""

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

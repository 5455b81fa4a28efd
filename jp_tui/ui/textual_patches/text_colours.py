"""A text area works its colours out when they change, not at every key.

Textual takes the styles of the cursor, the selection and the other parts from the stylesheet each time it paints a row:
a quarter of the time from a key to its paint. The painted rows stay the same.
"""

from __future__ import annotations

from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import TextArea

from jp_tui.ui import textual_patches
from jp_tui.ui.textual_patches.shape import Unfit, needs, takes, uses


def check() -> None:
    """Raise Unfit if a text area works its colours out in another way."""
    from textual._text_area_theme import TextAreaTheme
    from textual.css.styles import RenderStyles

    takes(TextArea, "render_lines", "self", "crop")
    uses(TextArea, "render_lines", "_theme", "apply_css", "render_lines")
    takes(TextAreaTheme, "apply_css", "self", "text_area")
    needs(RenderStyles, "_cache_key")
    if "render_lines" in vars(ScrollView):
        raise Unfit("ScrollView has a render_lines of its own")


class TextColours:
    """Remembers for which theme and styles the colours of `area` were worked out."""

    def __init__(self, area: TextArea) -> None:
        self._area = area
        self._known: tuple[object, int] | None = None

    def forget(self) -> None:
        """Work the colours out again at the next paint: a style changed."""
        self._known = None

    def render_lines(self, crop: Region) -> list[Strip] | None:
        """Return the painted rows; None if the patch doesn't fit and the area has to paint by itself."""
        if not textual_patches.applied("text colours"):
            return None
        theme, styles = self._area._theme, self._area.styles._cache_key
        if self._known is None or self._known[0] is not theme or self._known[1] != styles:
            theme.apply_css(self._area)
            self._known = theme, styles
        return ScrollView.render_lines(self._area, crop)

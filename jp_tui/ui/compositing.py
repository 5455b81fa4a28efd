"""A compositor that asks only for what can be seen of what has changed (designs.md B, "What limits").

Textual's asks every widget of the screen for all of its rows whenever one of them has changed: a token that arrives
would paint the containers, the sidebar and the composer anew, only to throw them away. Here what lies elsewhere, what
is hidden behind the one widget that has changed, and rows that have not changed are not asked for. What is shown is the
same; it knows no widget.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class Frugal(Compositor):
    """To be put in the place of a screen's compositor, before its first layout."""

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """As its parent's: widgets from the front to the back, each with the part of it that is asked for."""
        if crop is None:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            rows = Region(seen.x, crop.y, seen.width, crop.height).intersection(seen)
            if not rows or not rows.overlaps(crop):
                continue
            strips = widget.render_lines(rows.translate(-region.offset))
            yield region, rows, strips
            # a widget that has no rows yet hides nothing, and where nothing is painted the terminal would scroll
            if rows.contains_region(crop) and all(strip.cell_length >= rows.width for strip in strips):
                return  # all that is behind it is hidden

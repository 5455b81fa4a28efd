"""A compositor that renders only the visible part of the changed rows (designs.md B, "What limits").

Textual's compositor asks every widget of the screen for all of its rows whenever one of them has changed: a token would
paint the containers, the sidebar and the composer again, and drop the result. This one doesn't ask widgets elsewhere,
widgets hidden behind the changed one, or for unchanged rows, and it makes one text of the rest. The screen shows the
same.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from jp_tui.ui.textual_patches.shape import needs, takes, uses


def check() -> None:
    """Raise Unfit if Textual's compositor or its updates have another shape."""
    uses(Screen, "__init__", "_compositor", "Compositor")
    takes(ChopsUpdate, "__init__", "self", "chops", "spans", "chop_ends")
    takes(ChopsUpdate, "render_segments", "self", "console")
    takes(Compositor, "_get_renders", "self", "crop")
    uses(Compositor, "_get_renders", "visible_widgets", "render_lines")
    takes(Compositor, "render_partial_update", "self")
    uses(Compositor, "render_partial_update", "ChopsUpdate")
    needs(Compositor, "visible_widgets")


class ChangedRows(ChopsUpdate):
    """Parts of rows, each after the sequence that moves to its place."""

    def render_segments(self, console: Console) -> str:
        """Render as the parent does, without an object for each move and without the new line after each row."""
        found: list[str] = []
        for y, first, last in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                if strip is None or x > last or end <= first:
                    continue
                if not (first <= x < last and end <= last):
                    strip = strip.crop(0, min(end, last) - x)
                found.append(f"\x1b[{y + 1};{x + 1}H{strip.render(console)}")
        return "".join(found)


class ChangesCompositor(Compositor):
    """Takes the place of a screen's compositor before its first layout."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return the parent's update in the shorter form."""
        found = super().render_partial_update()
        return None if found is None else ChangedRows(found.chops, found.spans, found.chop_ends)

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Yield widgets from front to back, each with its visible rows inside `crop`."""
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
            # A widget without rows yet hides nothing, and where nothing is painted the terminal would scroll.
            if rows.contains_region(crop) and all(strip.cell_length >= rows.width for strip in strips):
                return  # everything behind it is hidden

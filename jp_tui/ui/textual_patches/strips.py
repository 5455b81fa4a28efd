"""Make the seven caches of a strip when they are first used: empty ones take most of a long transcript's memory.

A strip that is cut into one piece doesn't keep itself as that piece either: such a cycle, and so each row that was ever
shown, would stay until garbage is collected (designs.md B, "Traps"). The painted rows don't change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip

from jp_tui.ui.textual_patches.shape import Unfit, takes, uses

_SIZES = {
    "_divide_cache": 4,
    "_crop_cache": 16,
    "_style_cache": 16,
    "_filter_cache": 4,
    "_line_length_cache": 4,
    "_crop_extend_cache": 4,
    "_offsets_cache": 4,
}
_OTHERS = {"_segments", "_cell_length", "_render_cache", "_link_ids", "_cell_count"}


def _begin(self: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
    self._segments = list(segments)
    self._cell_length = cell_length
    self._render_cache = None
    self._link_ids = None
    self._cell_count = None


def _missing(self: Strip, name: str) -> FIFOCache[object, object]:
    """Make the cache of a slot that isn't filled yet."""
    size = _SIZES.get(name)
    if size is None:
        raise AttributeError(name)
    cache: FIFOCache[object, object] = FIFOCache(size)
    object.__setattr__(self, name, cache)
    return cache


def install() -> None:
    """Apply the patch."""
    if set(Strip.__slots__) != _SIZES.keys() | _OTHERS:
        raise Unfit("Strip has other slots")
    takes(Strip, "__init__", "self", "segments", "cell_length")
    uses(Strip, "__init__", *_SIZES, *_OTHERS, "FIFOCache")
    divide: Any = takes(Strip, "divide", "self", "cuts")
    uses(Strip, "divide", "_divide_cache", "cell_length")

    def divided(self: Strip, cuts: Iterable[int]) -> Sequence[Strip]:
        """`Strip.divide`, without a cache entry if the only piece is the strip itself."""
        length = self.cell_length
        wanted = [cut for cut in cuts if cut <= length]
        return [self] if wanted == [length] else divide(self, wanted)

    Strip.__init__ = _begin  # type: ignore[method-assign]
    Strip.__getattr__ = _missing  # type: ignore[attr-defined]
    Strip.divide = divided  # type: ignore[method-assign]

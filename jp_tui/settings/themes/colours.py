"""Colour arithmetic on `#rrggbb`: blending, contrast (WCAG 2), and legibility on a background.

Pure. The terminal's 16 colours (`ansi_…`) have no known value and pass through unchanged. It stays hand-written:
Textual's `Color` can't be imported before the first frame.
"""

from __future__ import annotations

from functools import lru_cache

Rgb = tuple[int, int, int]


def rgb(colour: str) -> Rgb | None:
    """Return the parts of `#rgb` or `#rrggbb`; None for any other colour."""
    if not colour.startswith("#") or len(colour) not in (4, 7):
        return None
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    try:
        return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    except ValueError:
        return None


def blend(low: str, high: str, share: float) -> str:
    """Mix `share` (0 to 1) of `high` over `low`; return `low` if either isn't an RGB colour."""
    below, above = rgb(low), rgb(high)
    if below is None or above is None:
        return low
    mixed = (round(a + (b - a) * share) for a, b in zip(below, above, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def luminance(colour: Rgb) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""

    def linear(part: int) -> float:
        value = part / 255
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(part) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float | None:
    """Contrast ratio, 1 to 21 (WCAG 2.2); None if a colour has no known value."""
    first, second = _light(one), _light(other)
    if first is None or second is None:
        return None
    return (first + 0.05) / (second + 0.05) if first > second else (second + 0.05) / (first + 0.05)


@lru_cache(512)  # a theme needs a few dozen colours, each dozens of times, before the first frame
def _light(colour: str) -> float | None:
    """Relative luminance of a colour in text form."""
    parts = rgb(colour)
    return None if parts is None else luminance(parts)


def readable(colour: str, *backgrounds: str, least: float = 4.5) -> str:
    """Move `colour` towards black or white by the least amount that makes it legible on every background."""
    known = [light for light in map(_light, backgrounds) if light is not None]
    if not known or rgb(colour) is None:
        return colour
    towards = "#000000" if sum(known) / len(known) > 0.18 else "#ffffff"
    for step in range(21):
        moved = blend(colour, towards, step / 20)
        if all((contrast(moved, background) or least) >= least for background in backgrounds):
            return moved
    return towards

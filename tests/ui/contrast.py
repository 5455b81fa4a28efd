"""What is read on what: every text and background that a screen really has, after all blending, with its contrast.

A theme's file says less than what is seen: Textual mixes, tints and lightens, a sheet lies on a tinted ground. So the
finished cells are measured. Colours of the terminal's own sixteen have no known value and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.color import Color
from textual.strip import Strip

from jp_tui.settings.themes.colours import contrast


@dataclass(frozen=True, slots=True)
class Pair:
    """A colour on a colour: the words in it (for the report), whether they are letters, and the ratio, 1 to 21."""

    text: str
    front: str
    back: str
    letters: bool
    ratio: float


def _hex(colour: Color | None) -> str:
    if colour is None or colour.triplet is None:
        return ""
    return colour.triplet.hex


def pairs(strips: Iterable[Strip]) -> Iterator[Pair]:
    """Each pair of colours in those rows, once; blanks show only their background and are none."""
    seen: set[tuple[str, str, bool]] = set()
    for strip in strips:
        for text, style, _ in strip:
            if not text.strip() or style is None:
                continue
            front, back = _hex(style.color), _hex(style.bgcolor)
            if style.reverse:
                front, back = back, front
            letters = any(char.isalnum() for char in text)
            ratio = contrast(front, back)
            if ratio is not None and (front, back, letters) not in seen:
                seen.add((front, back, letters))
                yield Pair(text.strip()[:40], front, back, letters, round(ratio, 2))


_SEEN = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
"""What eyes without red or without green cones make of linear RGB (Machado, Oliveira, Fernandes 2009, severity 1)."""


def cvd_distance(one: str, other: str, eyes: str) -> float:
    """How far apart two colours `#rrggbb` look to such eyes: CIE 1976, where 2 can just be told apart."""
    first, second = (_lab(_linear(colour), _SEEN[eyes]) for colour in (one, other))
    return float(sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5)


def _linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def _lab(linear: list[float], matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    red, green, blue = (
        min(max(sum(a * b for a, b in zip(row, linear, strict=True)), 0.0), 1.0) for row in matrix
    )  # fmt: skip
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)

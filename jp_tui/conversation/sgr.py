"""Select Graphic Rendition: the only terminal sequence allowed in untrusted text, as a value (R195).

Parses parameters of `CSI … m` to a style; conceal and blink are refused, as is a foreground equal to its background,
since both hide text. Independent of terminals and themes: painters check contrast as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jp_tui.conversation.patterns import later

Colour = int | tuple[int, int, int]
"""A palette index 0-255 or red, green, blue 0-255."""

_NUMBER = later(r"\d{1,9}\Z")


@dataclass(frozen=True, slots=True)
class Sgr:
    """Style of a piece of untrusted text. `mark` is jp-tui's: the piece is a placeholder, not content."""

    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False
    fg: Colour | None = None
    bg: Colour | None = None
    mark: bool = False

    @property
    def hides(self) -> bool:
        """True if text in this style would be invisible."""
        return self.fg is not None and self.fg == self.bg


PLAIN = Sgr()
MARK = Sgr(mark=True)

_ON: dict[int, dict[str, bool]] = {
    1: {"bold": True}, 2: {"dim": True}, 3: {"italic": True}, 4: {"underline": True}, 7: {"reverse": True},
    9: {"strike": True}, 21: {"underline": True}, 22: {"bold": False, "dim": False}, 23: {"italic": False},
    24: {"underline": False}, 27: {"reverse": False}, 29: {"strike": False},
}  # fmt: skip


def _extended(numbers: list[int], at: int) -> tuple[Colour | None, int]:
    """Return the colour after a 38 or 48 at `at`, and the next position."""
    if at + 2 < len(numbers) and numbers[at + 1] == 5:
        index = numbers[at + 2]
        return (index if 0 <= index <= 255 else None), at + 3
    if at + 4 < len(numbers) and numbers[at + 1] == 2:
        red, green, blue = numbers[at + 2 : at + 5]
        fits = all(0 <= part <= 255 for part in (red, green, blue))
        return ((red, green, blue) if fits else None), at + 5
    return None, len(numbers)


def _numbers(params: str) -> list[int] | None:
    found: list[int] = []
    for group in params.split(";"):
        parts = group.split(":")
        if len(parts) > 1 and parts[0] in ("38", "48") and parts[1:2] == ["2"] and len(parts) >= 6:
            parts = [*parts[:2], *parts[-3:]]  # 38:2:<space>:r:g:b has a colour space that is ignored
        elif len(parts) > 1 and parts[0] == "4":
            parts = ["24" if parts[1] == "0" else "4"]
        for part in parts:
            if part and not _NUMBER.match(part):
                return None
            found.append(int(part) if part else 0)
    return found


def reads(params: str) -> bool:
    """True for parameters of SGR, False for a private sequence that ends in `m` as well."""
    return _numbers(params) is not None


def apply(style: Sgr, params: str) -> Sgr:
    """Return the style after `CSI params m`; unknown parameters, conceal (8) and blink (5, 6) change nothing."""
    numbers = _numbers(params)
    if numbers is None:
        return style
    at = 0
    while at < len(numbers):
        code = numbers[at]
        at += 1
        if code == 0:
            style = PLAIN
        elif code in _ON:
            style = replace(style, **_ON[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = replace(style, fg=code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style = replace(style, bg=code - 40 if code < 100 else code - 92)
        elif code in (38, 48):
            colour, at = _extended(numbers, at - 1)
            if colour is not None:
                style = replace(style, fg=colour) if code == 38 else replace(style, bg=colour)
        elif code == 39:
            style = replace(style, fg=None)
        elif code == 49:
            style = replace(style, bg=None)
    return style

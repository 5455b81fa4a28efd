"""The geometry of the first frame, drawn from a saved look before the app is loaded (designs.md A.2). Pure.

It is that of the workspace's own first frame: the status line at the top, the keys at the bottom, the composer above
them, the sidebar beside it where there is room. `tests/first_frame/test_skeleton.py` compares the two cell by cell. No
sequence queries the terminal, so no answer can reach the wrong reader.
"""

from __future__ import annotations

from jp_tui.first_frame.typed_keys import width as cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jp_tui.first_frame.saved_look import Look

Span = tuple[int, int, str, str]
"""Row, column, the name of a colour, text."""
LEAST = (60, 16)
"""Columns and rows below which the workspace says that the terminal is too small."""
WIDE = 100
"""Columns from which on the sidebar is beside the conversation."""
BEGIN = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7l"
"""Alternate screen, no cursor, bracketed paste, no wrapping: nothing that a terminal answers."""
_BRAND, _FOLDER_AT, _GAP = "jp", 5, 2
_INSET = 2
"""The composer's border and padding, on each side."""


class SkeletonContext:
    """The run's folder (empty with `--workspace`), and `busy` if a prompt was given, which changes the keys."""

    def __init__(self, folder: str = "", busy: bool = False) -> None:
        self.folder, self.busy = folder, busy


def sidebar_width(width: int) -> int:
    """Columns of the sidebar beside a conversation: about a quarter (S52)."""
    return min(max(width // 4, 30), 60)


def composer_width(look: Look, width: int) -> int:
    """Columns that the composer takes, with its border."""
    return width - sidebar_width(width) if look.side and width >= WIDE else width


def room(look: Look, width: int) -> int:
    """Cells of a text that certainly stays on one line in the composer."""
    return composer_width(look, width) - 2 * _INSET - 2


def spans(look: Look, place: SkeletonContext, width: int, height: int) -> list[Span]:
    """Everything but the typed text, in drawing order. Covers every cell, since some terminals erase in another colour
    than the current one."""
    found: list[Span] = [(0, 0, "bar", " " * width), (0, 1, "brand", _BRAND)]
    if place.folder and place.folder == look.place:
        fits = [one for one in look.folders if _cells(one) and _FOLDER_AT - 1 + _cells(one) <= width - 2]
        found += [(0, _FOLDER_AT, "folder", fits[0])] if fits else []
    inner = composer_width(look, width)
    for row in range(1, height - 1):
        found.append((row, 0, "ground", " " * inner))
        if inner < width:
            found += [(row, inner, "edge", look.signs[8]), (row, inner + 1, "side", " " * (width - inner - 1))]
    top, across = height - 4, inner - 2
    signs = look.signs
    found.append((top, 0, "frame", signs[0] + signs[1] * across + signs[2]))
    found += [(top + 1, 0, "frame", signs[3]), (top + 1, inner - 1, "frame", signs[4])]
    found.append((top + 2, 0, "frame", signs[5] + signs[6] * across + signs[7]))
    found.append((height - 1, 0, "bar", " " * width))
    return found + ([] if place.busy else _keys(look, width, height - 1))


def _keys(look: Look, width: int, row: int) -> list[Span]:
    """As many keys as fit; the lowest rank is dropped first."""
    shown = list(look.keys)
    while len(shown) > 1 and sum(len(key) + len(does) + 1 + _GAP for key, does, _ in shown) - _GAP > width - 2:
        shown.remove(min(shown, key=lambda one: one[2]))
    found: list[Span] = []
    at = 1
    for key, does, _ in shown:
        found += [(row, at, "key", key), (row, at + len(key) + 1, "label", does)]
        at += len(key) + len(does) + 1 + _GAP
    return found


def line(look: Look, text: str, cursor: int, width: int, height: int) -> list[Span]:
    """The typed text in the composer."""
    row, at = height - 3, _INSET
    if not text:
        return [(row, at, "hint", look.hint + " " * max(room(look, width) - len(look.hint), 0)),
                (row, at, "cursor", look.hint[:1])]  # fmt: skip
    here = text[cursor : cursor + 1] or " "
    spare = max(room(look, width) + 1 - _cells(text), 0)
    return [(row, at, "text", text + " " * spare), (row, at + _cells(text[:cursor]), "cursor", here)]


def _cells(text: str) -> int:
    """The width of a text in cells; 0 if it isn't certain."""
    widths = [1 if char == "…" else cells(char) for char in text]
    return sum(widths) if 0 not in widths else 0


def painted(look: Look, found: list[Span]) -> str:
    """The spans as terminal output."""
    colours = look.colours
    return "".join([f"\x1b[{y + 1};{x + 1}H\x1b[0;{colours[name]}m{text}" for y, x, name, text in found]) + "\x1b[0m"


def frame(look: Look, place: SkeletonContext, text: str, cursor: int, width: int, height: int) -> str:
    """The whole frame as terminal output."""
    return painted(look, spans(look, place, width, height) + line(look, text, cursor, width, height))

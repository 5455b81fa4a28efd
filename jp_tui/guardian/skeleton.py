"""The frame that stands there before the app does: where what is, drawn from a look (designs.md A.2). Pure.

The geometry is the workspace's own first frame: the status line above, the keys below, the composer over them, the
sidebar beside it where there is room. `tests/ui/test_first_frame.py` compares the two cell by cell. No sequence here
asks the terminal anything, so no answer can come to the wrong reader.
"""

from __future__ import annotations

from jp_tui.guardian.typed import width as cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jp_tui.guardian.look import Look

Span = tuple[int, int, str, str]
"""Row, column, the name of a colour, text."""
MOST = (1_000, 400)
"""Columns and rows that are used at most (Z27): a screen is laid out cell by cell, and 10,000 by 10,000 cells are
gigabytes. A wall of 8K in the smallest legible font has fewer."""
LEAST = (60, 16)
"""Columns and rows below which the workspace says that it has no room."""
WIDE = 100
"""Columns from which on the sidebar stands beside the conversation."""
BEGIN = "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?7l"
"""Alternate screen, no cursor, pastes with their marks, no wrapping: nothing that a terminal answers."""
_BRAND, _FOLDER_AT, _GAP = "jp", 5, 2
_INSET = 2
"""The composer's border and padding, at each side."""


class Place:
    """Of which folder the run is (empty when another was asked for), and whether the composer is busy from the start
    (a prompt on the command line): then its keys are others."""

    def __init__(self, folder: str = "", busy: bool = False) -> None:
        self.folder, self.busy = folder, busy


def used(width: int, height: int) -> tuple[int, int]:
    """The columns and rows of a terminal that are used (Z27)."""
    return min(width, MOST[0]), min(height, MOST[1])


def composer_width(look: Look, width: int) -> int:
    """Columns that the composer takes, with its border."""
    return width - look.side if width >= WIDE else width


def room(look: Look, width: int) -> int:
    """Cells of a text that surely stays on one line in the composer."""
    return composer_width(look, width) - 2 * _INSET - 2


def spans(look: Look, place: Place, width: int, height: int) -> list[Span]:
    """All but what is typed, in the order in which it is drawn; every cell is, for some terminals erase in another
    colour than they were told."""
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
    """As many as fit, what goes first where room is short left out first."""
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
    """What is typed, in the composer."""
    row, at = height - 3, _INSET
    if not text:
        return [(row, at, "hint", look.hint + " " * max(room(look, width) - len(look.hint), 0)),
                (row, at, "cursor", look.hint[:1])]  # fmt: skip
    here = text[cursor : cursor + 1] or " "
    spare = max(room(look, width) + 1 - _cells(text), 0)
    return [(row, at, "text", text + " " * spare), (row, at + _cells(text[:cursor]), "cursor", here)]


def _cells(text: str) -> int:
    """The width of a text; 0 when that is not sure of all of it."""
    widths = [1 if char == "…" else cells(char) for char in text]
    return sum(widths) if 0 not in widths else 0


def painted(look: Look, found: list[Span]) -> str:
    """As it is written to the terminal."""
    colours = look.colours
    return "".join([f"\x1b[{y + 1};{x + 1}H\x1b[0;{colours[name]}m{text}" for y, x, name, text in found]) + "\x1b[0m"


def frame(look: Look, place: Place, text: str, cursor: int, width: int, height: int) -> str:
    """The whole of it, over whatever stands there."""
    return painted(look, spans(look, place, width, height) + line(look, text, cursor, width, height))

"""Facts about the parts of a change before they are painted: their lines, and an estimate of the rows they take.

With these, thousands of hunks open as fast as ten. The number of rows is exact for plain text; elsewhere painting
corrects it before anything is shown (`hunks.py`). Paints nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from rich.cells import cell_len

from jp_tui.questions.types import Part
from jp_tui.ui.painting import diff
from jp_tui.ui.painting.frame import LEAST, WIDE

_HEAD = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
GROUPS = re.compile(r"-+\+*|\++|[^+-]+")
"""Runs of signs, of lines that change together or not at all."""
NEAR = 1
"""Unchanged rows shown around a change when rows are few."""
Cut = tuple[bool, bool]
"""Show no more unchanged rows than NEAR: before the change, after it."""


@dataclass(frozen=True, slots=True)
class Outline:
    """One hunk: lines it adds and removes, the sign of each line below its head, and the cells of each after the sign.

    `sound`: its lines are exactly those that its head counts, so that no later line can belong to it.
    """

    added: int
    removed: int
    sound: bool
    signs: str
    cells: tuple[int, ...]
    digits: int


@lru_cache(maxsize=2)
def outlines(parts: tuple[Part, ...]) -> tuple[Outline, ...]:
    """Return the outline of each part; cached for the sheet at each of its widths."""
    return tuple(outline(part.diff) for part in parts)


def outline(text: str) -> Outline:
    """Return the outline of one part's diff."""
    first, *body = text.removesuffix("\n").split("\n")
    signs = "".join([line[:1] or " " for line in body])
    cells = tuple(map(len, body)) if text.isascii() else tuple(map(cell_len, body))
    added, removed, same = signs.count("+"), signs.count("-"), signs.count(" ")
    head = _HEAD.match(first)
    if head is None:
        _, added, removed = diff.counts(diff.read(text))
        return Outline(added, removed, False, signs, cells, 0)
    old, new = (1 if count is None else int(count) for count in (head[2], head[4]))
    digits = len(str(max(int(head[1]) + old, int(head[3]) + new)))
    counted = added + removed + same + signs.count("\\") == len(body)
    sound = counted and same + removed == old and same + added == new
    if not sound:
        _, added, removed = diff.counts(diff.read(text))
    return Outline(added, removed, sound, signs, cells, digits)


def beside(context: str, parts: Sequence[Part]) -> str | None:
    """Return the text of a context besides its parts; None unless it has them whole and in order."""
    found, at = list[str](), 0
    for part, known in zip(parts, outlines(tuple(parts)), strict=True):
        start = context.find(part.diff, at)
        if not known.sound or start < 0 or not part.diff.endswith("\n") or context[start - 1 : start] not in ("", "\n"):
            return None
        found.append(context[at:start])
        at = start + len(part.diff)
    return "".join([*found, context[at:]])


def rows_about(known: Outline, width: int, *, split: bool, cut: Cut) -> int:
    """Return an estimate of a hunk's rows, or of some of its lines, without its head; `split` as in `hunks.Pile`."""
    groups = list(_groups(known, width, split=split))
    changed = [number for number, (changes, _) in enumerate(groups) if changes]
    if not changed:
        return sum(rows for _, rows in groups)
    first, last = changed[0], changed[-1]
    before = sum(rows for _, rows in groups[:first])
    behind = sum(rows for _, rows in groups[last + 1 :])
    return (
        (min(before, NEAR) if cut[0] else before)
        + sum(rows for _, rows in groups[first : last + 1])
        + (min(behind, NEAR) if cut[1] else behind)
    )


def _groups(known: Outline, width: int, *, split: bool) -> list[tuple[bool, int]]:
    """Return runs of lines that change together or not at all, as (changed, rows)."""
    left = (width - 1) // 2
    widths = (left, width - 1 - left) if split else (width, width)
    rooms = [_room(one, known.digits) for one in widths]
    fits = max(known.cells, default=0) - 1 <= min(rooms)
    found = []
    for match in GROUPS.finditer(known.signs):
        start, end = match.span()
        minus = match.group().count("-")
        changes = match.group()[0] in "+-"
        if not split or not changes:
            rows = end - start if fits else sum(_rows(cells, min(rooms)) for cells in known.cells[start:end])
        elif fits:
            rows = max(minus, end - start - minus)
        else:
            sides = [[_rows(cells, rooms[0]) for cells in known.cells[start : start + minus]],
                     [_rows(cells, rooms[1]) for cells in known.cells[start + minus : end]]]  # fmt: skip
            rows = sum(map(max, zip_longest(*sides, fillvalue=1)))
        found.append((changes, rows))
    return found


def _room(width: int, digits: int) -> int:
    """Return the cells of a line after its sign and number."""
    gutter = 1 + digits + (2 if digits else 1)
    return max(width - min(gutter, max(width - (LEAST if width < WIDE else 2 * LEAST), 0)), 1)


def _rows(cells: int, room: int) -> int:
    return max(-(-(cells - 1) // room), 1)

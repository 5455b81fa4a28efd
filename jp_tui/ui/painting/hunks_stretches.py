"""A part of a change in stretches: groups of lines that are painted in one go.

One hunk may have thousands of lines, and painting all of them for the few visible ones would block the keys (T4). A
stretch ends where a run of changed lines ends, if that is not too long itself. Paints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rich.cells import cell_len

from jp_tui.questions.types import Part
from jp_tui.ui.painting import diff
from jp_tui.ui.painting.diff import DiffLine
from jp_tui.ui.painting.hunks_outline import GROUPS, Cut, Outline
from jp_tui.view.wording import white_space

LINES = 200
"""Approximate lines of a stretch; a shorter part is one stretch."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a part, without its head. For a `whole` part they are read, with the head, when they are painted.
    `loose`: the part has no head, and no unchanged lines are left out."""

    number: int
    """The part's number."""
    part: Part
    known: Outline
    lines: Sequence[DiffLine] = ()
    first: bool = True
    last: bool = True
    loose: bool = False
    white: Callable[[], white_space.Marks] | None = None
    """Marks for all lines of the part; None if these are all of its lines."""

    @property
    def whole(self) -> bool:
        """True if it is all of the part."""
        return not self.lines

    @property
    def changes(self) -> Sequence[DiffLine]:
        """The lines to paint."""
        return diff.headed(diff.read(self.part.diff)) if self.whole else self.lines

    @property
    def white_space_text(self) -> str:
        """The note about white space in the whole part."""
        changes = diff.read(self.part.diff)
        return white_space.note(changes, white_space.marks(changes))

    def cut(self, short: bool) -> Cut:
        """Return where unchanged lines may be left out: only at the ends of the part."""
        short = short and not self.loose
        return short and self.first, short and self.last


def stretches(number: int, part: Part, known: Outline, *, split: bool) -> list[Stretch]:
    """Return the stretches of a part, for most parts one. `split`: removed lines stay beside the added ones."""
    if len(known.signs) <= LINES:
        return [Stretch(number, part, known)]
    lines = diff.headed(diff.read(part.diff))
    head = next((at for at, line in enumerate(lines) if line.sign == "@"), -1)
    lines, loose = lines[head + 1 :], head < 0
    if not known.sound:  # its lines can't be read by their first characters
        known = replace(
            known,
            signs="".join([line.sign for line in lines]),
            cells=tuple([cell_len(line.text) + 1 for line in lines]),
        )
    white = cache(lambda: white_space.marks(lines))  # a pair of lines may be in two stretches
    pieces = [piece for piece in _pieces(known.signs, split=split) if piece]
    last = len(pieces) - 1
    return [
        Stretch(number, part, _of(known, piece), [lines[at] for at in piece], at == 0, at == last, loose, white)
        for at, piece in enumerate(pieces)
    ] or [Stretch(number, part, known)]


def _of(known: Outline, piece: Sequence[int]) -> Outline:
    signs = "".join(known.signs[at] for at in piece)
    return replace(known, signs=signs, cells=tuple(known.cells[at] for at in piece))


def _pieces(signs: str, *, split: bool) -> Iterator[list[int]]:
    """Yield the lines of each stretch by their places."""
    found: list[int] = []
    for run in _runs(signs, split=split):
        if found and len(found) + len(run) > LINES:
            yield found
            found = []
        found += run
    yield found


def _runs(signs: str, *, split: bool) -> Iterator[list[int]]:
    """Yield runs of lines that change together or not at all, each no longer than a stretch."""
    for match in GROUPS.finditer(signs):
        start, end = match.span()
        middle = start + match.group().count("-")
        if split and start < middle:
            for at in range(0, max(middle - start, end - middle), LINES // 2):
                removed = range(start + at, min(start + at + LINES // 2, middle))
                yield [*removed, *range(middle + at, min(middle + at + LINES // 2, end))]
        else:
            yield from (list(range(at, min(at + LINES, end))) for at in range(start, end, LINES))

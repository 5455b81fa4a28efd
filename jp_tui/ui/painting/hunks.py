"""The parts of a change as rows: each hunk below a head of its own that shows whether it is selected (R251, E26).

A file's name is shown once above its hunks. A hunk that isn't selected is dim and has another sign (E60); the hunk
under the cursor has a bar at its side. Nothing is hidden (T3). A part, and a stretch of a long one, is painted when it
becomes visible.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast, overload

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from jp_tui.conversation import visible
from jp_tui.questions.types import Part
from jp_tui.ui.painting import context, diff
from jp_tui.ui.painting.diff import PaintedDiff
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.hunks_outline import NEAR, outlines, rows_about
from jp_tui.ui.painting.hunks_stretches import Stretch, stretches
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row

BAR, NO_BAR = "▌", " "
FEW = 50
"""Most stretches to paint at once, so that the height of the whole is known..."""
SHORT = 1_000
"""... if they have no more lines than this."""
TAKEN, LEFT = "■", "□"


@dataclass(frozen=True, slots=True)
class Mark:
    """The state of one part."""

    taken: bool
    here: bool
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of all parts: their ids in order, the selected ones, the place of the cursor, the comments."""

    ids: Sequence[str]
    taken: frozenset[str]
    at: int
    comments: Mapping[str, str]

    def mark(self, number: int) -> Mark:
        """Return the state of a part."""
        name = self.ids[number]
        return Mark(name in self.taken, number == self.at, self.comments.get(name, ""))


class _Stack(Sequence[Row]):
    """Rows of all stretches, each painted when one of its rows is read. `gaps` are the rows above a stretch."""

    def __init__(self, gaps: dict[int, list[Row]], painted: Callable[[int], list[Row]]) -> None:
        self.starts, self.ends = list[int](), list[int]()
        self._gaps, self._painted = gaps, painted

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        at = at + len(self) if at < 0 else at
        if not 0 <= at < len(self):
            raise IndexError(at)
        number = bisect_right(self.ends, at)
        if at < self.starts[number]:
            return self._gaps[number][at - self.starts[number]]
        rows = self._painted(number)
        return rows[min(at - self.starts[number], len(rows) - 1)]  # fewer rows than estimated, before `settle`


@dataclass(slots=True)
class Piled(PaintedDiff):
    """Rows of all parts; `ends` is the row after each.

    `settle` paints the rows between two places. It returns True if their number differs from the estimate: then this
    object is outdated, and must be made again before it is shown.
    """

    ends: list[int] = field(default_factory=list)
    settle: Callable[[int, int], bool] = lambda first, last: False


class Pile:
    """The parts of one change at one width."""

    def __init__(
        self,
        parts: Sequence[Part],
        width: int,
        look: PaintLook,
        *,
        split: bool,
        named: str,
        before: Sequence[str] = (),
        short: bool = False,
    ) -> None:
        """`before` are lines above all parts; `named` as in `diff.headed`. `short`: show unchanged lines only next to
        changed ones."""
        self._before, self._short = before, short
        self._parts, self._width, self._look, self._split = parts, width, look, split and width >= context.SPLIT
        self._files = [_file(part) for part in parts]
        self._many = len(set(self._files)) > 1 or (bool(self._files[0]) and self._files[0] != named)
        self._made: dict[tuple[int, Mark], list[Row]] = {}
        self._known: dict[tuple[int, bool, str], int] = {}
        known = outlines(tuple(parts))
        self._ids = [part.id for part in parts]
        self._changes = sum(one.added for one in known), sum(one.removed for one in known)
        self._all = [
            one
            for number, (part, outline) in enumerate(zip(parts, known, strict=True))
            for one in stretches(number, part, outline, split=self._split)
        ]
        few = len(self._all) <= FEW and sum(len(one.known.signs) for one in self._all) <= SHORT
        self._about = [] if few else self._guessed()
        self._gaps = self._above()

    def _guessed(self) -> list[int]:
        """Return an estimate of each stretch's rows, the part's head included."""
        room = self._width - 1
        return [
            one.first + rows_about(one.known, room, split=self._split, cut=one.cut(self._short)) for one in self._all
        ]

    def rows(self, standing: Standing) -> Piled:
        """Return all parts in their current state. It makes no object for each part, because it runs at each key."""
        found = Piled()
        stack = _Stack(self._gaps, lambda at: self._painted(at, standing))
        found.rows = cast("list[Row]", stack)  # read like a list
        row = 0
        for at, (one, height) in enumerate(zip(self._all, self._heights(standing), strict=True)):
            row += len(self._gaps.get(at, ()))
            if one.first:
                found.hunks.append(row)
            stack.starts.append(row)
            row += height
            stack.ends.append(row)
            if one.last:
                found.ends.append(row)
        found.added, found.removed = self._changes
        found.settle = partial(self._measure_visible, standing, stack)
        return found

    def _above(self) -> dict[int, list[Row]]:
        """Return the rows above parts: the lines above all of them, and the name of each file."""
        frame = Frame(self._look, self._width, self._look.text)
        first = [_visible(line, self._look.text, self._look) for line in self._before]
        found = {0: [row for pieces in first for row in frame.paragraph(pieces)]}
        for at, one in enumerate(self._all if self._many else ()):
            name = self._files[one.number]
            if one.first and (not one.number or name != self._files[one.number - 1]):
                found.setdefault(at, []).extend(self._file_rows(name))
        return found

    def _heights(self, standing: Standing) -> list[int]:
        """Return the rows of each stretch, head and comment included: counted if it was painted, else estimated."""
        if not self._about:
            return [len(self._painted(at, standing)) for at in range(len(self._all))]
        found = self._about.copy()
        for at, one in enumerate(self._all):
            name = self._ids[one.number]
            comment = standing.comments.get(name, "") if one.first else ""
            known = self._known.get((at, name in standing.taken, comment))
            if known is not None:
                found[at] = known
            elif comment:
                found[at] += -(-(len(comment) + 4) // max(self._width - 4, 1))
        return found

    def _measure_visible(self, standing: Standing, stack: _Stack, first: int, last: int) -> bool:
        wrong = False
        for at in range(bisect_right(stack.ends, first), len(self._all)):
            start = stack.starts[at]
            if start > last:
                break
            wrong |= len(self._painted(at, standing)) != stack.ends[at] - start
        return wrong

    def _file_rows(self, name: str) -> list[Row]:
        frame = Frame(self._look, self._width, self._look.text)
        return frame.paragraph(_visible(name, self._look.heading, self._look))

    def _painted(self, at: int, standing: Standing) -> list[Row]:
        one = self._all[at]
        mark = standing.mark(one.number)
        mark = mark if one.first else replace(mark, comment="")
        key = at, mark
        if key not in self._made:
            if len(self._made) > 4 * len(self._all):
                self._made.clear()
            self._made[key] = self._paint(one, mark)
            self._known[at, mark.taken, mark.comment] = len(self._made[key])
        return self._made[key]

    def _paint(self, one: Stretch, mark: Mark) -> list[Row]:
        look = self._look if mark.taken else _dimmed(self._look)
        bar = Piece(BAR if mark.here else NO_BAR, look.waiting if mark.here else look.text)
        outer = Frame(look, self._width, look.text, first=[bar], rest=[bar])
        found = self._head(one, mark, outer) if one.first else []
        if mark.comment:
            said = mark.comment.replace("\n", " ⏎ ")
            note = outer.inside([Piece("  “", look.waiting)], [Piece("   ", look.waiting)])
            found += note.paragraph([*_visible(said, look.waiting, look), Piece("”", look.waiting)])
        body = _body(one, look, self._width - 1, split=self._split, short=self._short)
        return [*found, *(_with_bar(row, bar) for row in body)]

    def _head(self, one: Stretch, mark: Mark, outer: Frame) -> list[Row]:
        look, number, part = outer.look, one.number, one.part
        sign = look.good if mark.taken else look.muted
        words = _where(part, self._files[number])
        known = one.known  # for a stretch, too, the counts are those of the whole part
        strong = look.strong if mark.here else look.text
        hit = ClickTarget("word", part.id)
        pieces = [
            Piece(f"{TAKEN if mark.taken else LEFT} ", sign, hit),
            Piece(f"{number + 1}/{len(self._parts)} ", strong, hit),
            *(piece._replace(hit=hit) for piece in _visible(words, strong, look)),
            Piece(f"  +{known.added} −{known.removed}", look.muted, hit),
        ]
        if not mark.taken:
            pieces.append(Piece("  left", look.waiting, hit))
        found = outer.paragraph(pieces)
        if words := one.white_space_text:
            found += outer.inside([Piece("  ", look.text)], [Piece("  ", look.text)]).paragraph(
                [Piece(words, look.waiting)]
            )
        return found


def _body(one: Stretch, look: PaintLook, width: int, *, split: bool, short: bool) -> list[Row]:
    """Return its lines without the hunk's own head, whose place jp-tui's head shows."""
    frame, paint = Frame(look, width, look.text), context.columns if split else diff.column
    changes = one.changes
    found = paint(changes, frame, approval=True, white=one.white() if one.white is not None else None)
    heads, start = found.hunks, 0
    if heads and one.whole:
        lines = (at for at in range(heads[0] + 1, len(found.rows)) if found.rows[at].join is None)
        start = next(lines, len(found.rows))
    elif one.whole:
        return found.rows
    if found.first is None:
        return found.rows[start:]
    before, behind = one.cut(short)
    end = found.last + NEAR if behind and found.last is not None else None
    return found.rows[max(start, found.first - NEAR) if before else start : end]


def _with_bar(row: Row, bar: Piece) -> Row:
    """Return a row with one cell more at its left."""
    strip = Strip([Segment(bar.text, bar.style), *row.strip], row.strip.cell_length + 1)
    hits = tuple((start + 1, end + 1, hit) for start, end, hit in row.hits)
    return Row(strip, row.text, row.lead + 1, row.join, hits, row.full)


def _visible(text: str, style: Style, look: PaintLook) -> list[Piece]:
    mark = style + Style(color=look.mark.color, reverse=True)
    return [Piece(part, mark if ours else style) for part, ours in visible.pieces(text)]


def _file(part: Part) -> str:
    """Return the file of a part: its title up to the place."""
    return part.title.rpartition(", ")[0]


def _where(part: Part, file: str) -> str:
    return part.title[len(file) :].removeprefix(", ") if file else part.title


_DIM: dict[int, tuple[PaintLook, PaintLook]] = {}


def _dimmed(look: PaintLook) -> PaintLook:
    """Return the same colours with changes as muted as unchanged lines."""
    if look.key not in _DIM or _DIM[look.key][0] is not look:
        _DIM.clear()
        muted = look.muted
        dim = replace(
            look, add=muted, remove=muted, add_word=muted + Style(underline=True),
            remove_word=muted + Style(underline=True), block=muted, text=muted,
        )  # fmt: skip
        _DIM[look.key] = look, dim
    return _DIM[look.key][1]

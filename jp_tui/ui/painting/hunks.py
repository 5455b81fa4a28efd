"""The parts of a change as rows: each hunk under a head of its own that says whether it is taken (R251, E26).

A file's name stands once above its hunks. What is left is dim and says so by its sign too (E60); the hunk under the
cursor has a bar at its side. Nothing is hidden (T3). Only the parts that look different are painted anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from jp_tui.conversation import visible
from jp_tui.questions.types import Part
from jp_tui.ui.painting import context, diff
from jp_tui.ui.painting.diff import Painted
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import Look
from jp_tui.ui.painting.rows import Hit, Piece, Row

BAR, NO_BAR = "▌", " "
NEAR = 1
"""Rows that are shown around what changes, where rows are few."""
TAKEN, LEFT = "■", "□"


@dataclass(frozen=True, slots=True)
class Mark:
    """How one part stands."""

    taken: bool
    here: bool
    comment: str = ""


@dataclass(slots=True)
class Piled(Painted):
    """Rows of all parts; `ends` is the row behind each."""

    ends: list[int] = field(default_factory=list)


class Pile:
    """The parts of one change at one width."""

    def __init__(
        self,
        parts: Sequence[Part],
        width: int,
        look: Look,
        *,
        split: bool,
        named: str,
        before: Sequence[str] = (),
        short: bool = False,
    ) -> None:
        """`before` are lines that stand above all parts; `named` as in `diff.headed`. `short`: what does not change is
        shown next to what does only."""
        self._before, self._short = before, short
        self._parts, self._width, self._look, self._split = parts, width, look, split and width >= context.SPLIT
        self._files = [_file(part) for part in parts]
        self._many = len(set(self._files)) > 1 or (bool(self._files[0]) and self._files[0] != named)
        self._made: dict[tuple[int, Mark], list[Row]] = {}
        self._changes = [diff.counts(diff.read(part.diff)) for part in parts]

    def rows(self, marks: Sequence[Mark]) -> Piled:
        """All of them as they stand now."""
        found = Piled()
        file = None
        for line in self._before:
            found.rows += Frame(self._look, self._width, self._look.text).paragraph(
                _visible(line, self._look.text, self._look)
            )
        for number, (part, mark) in enumerate(zip(self._parts, marks, strict=True)):
            if self._many and self._files[number] != file:
                file = self._files[number]
                found.rows += self._file_rows(file)
            found.hunks.append(len(found.rows))
            found.rows += self._part(number, part, mark)
            found.ends.append(len(found.rows))
            found.added += self._changes[number][1]
            found.removed += self._changes[number][2]
        return found

    def _file_rows(self, name: str) -> list[Row]:
        frame = Frame(self._look, self._width, self._look.text)
        return frame.paragraph(_visible(name, self._look.heading, self._look))

    def _part(self, number: int, part: Part, mark: Mark) -> list[Row]:
        key = number, mark
        if key not in self._made:
            if len(self._made) > 4 * len(self._parts):
                self._made.clear()
            self._made[key] = self._paint(number, part, mark)
        return self._made[key]

    def _paint(self, number: int, part: Part, mark: Mark) -> list[Row]:
        look = self._look if mark.taken else _dimmed(self._look)
        bar = Piece(BAR if mark.here else NO_BAR, look.waiting if mark.here else look.text)
        outer = Frame(look, self._width, look.text, first=[bar], rest=[bar])
        found = self._head(number, part, mark, outer)
        if mark.comment:
            said = mark.comment.replace("\n", " ⏎ ")
            note = outer.inside([Piece("  “", look.waiting)], [Piece("   ", look.waiting)])
            found += note.paragraph([*_visible(said, look.waiting, look), Piece("”", look.waiting)])
        room = self._width - 1
        body = _body(part.diff, look, room, split=self._split, short=self._short)
        return [*found, *(_barred(row, bar) for row in body)]

    def _head(self, number: int, part: Part, mark: Mark, outer: Frame) -> list[Row]:
        look = outer.look
        sign = look.good if mark.taken else look.muted
        words = _where(part, self._files[number])
        _, added, removed = self._changes[number]
        strong = look.strong if mark.here else look.text
        hit = Hit("word", part.id)
        pieces = [
            Piece(f"{TAKEN if mark.taken else LEFT} ", sign, hit),
            Piece(f"{number + 1}/{len(self._parts)} ", strong, hit),
            *(piece._replace(hit=hit) for piece in _visible(words, strong, look)),
            Piece(f"  +{added} −{removed}", look.muted, hit),
        ]
        if not mark.taken:
            pieces.append(Piece("  left", look.waiting, hit))
        return outer.paragraph(pieces)


def _body(text: str, look: Look, width: int, *, split: bool, short: bool) -> list[Row]:
    """A hunk without its own head, whose place our head says."""
    frame = Frame(look, width, look.text)
    found = context.sides(text, frame, approval=True) if split else diff.unified(text, frame, approval=True)
    heads = found.hunks
    if not heads:
        return found.rows
    first = next((at for at in range(heads[0] + 1, len(found.rows)) if found.rows[at].join is None), len(found.rows))
    if not short or found.first is None:
        return found.rows[first:]
    return found.rows[max(first, found.first - NEAR) : None if found.last is None else found.last + NEAR]


def _barred(row: Row, bar: Piece) -> Row:
    """A row with one cell more at its left."""
    strip = Strip([Segment(bar.text, bar.style), *row.strip], row.strip.cell_length + 1)
    hits = tuple((start + 1, end + 1, hit) for start, end, hit in row.hits)
    return Row(strip, row.text, row.lead + 1, row.join, hits, row.full)


def _visible(text: str, style: Style, look: Look) -> list[Piece]:
    mark = style + Style(color=look.mark.color, reverse=True)
    return [Piece(part, mark if ours else style) for part, ours in visible.pieces(text)]


def _file(part: Part) -> str:
    """The file that a part is of: what its title says before the place."""
    return part.title.rpartition(", ")[0]


def _where(part: Part, file: str) -> str:
    return part.title[len(file) :].removeprefix(", ") if file else part.title


_DIM: dict[int, tuple[Look, Look]] = {}


def _dimmed(look: Look) -> Look:
    """The same colours with changes as muted as what did not change."""
    if look.key not in _DIM or _DIM[look.key][0] is not look:
        _DIM.clear()
        muted = look.muted
        dim = replace(
            look, add=muted, remove=muted, add_word=muted + Style(underline=True),
            remove_word=muted + Style(underline=True), block=muted, text=muted,
        )  # fmt: skip
        _DIM[look.key] = look, dim
    return _DIM[look.key][1]


def standing(ids: Sequence[str], taken: frozenset[str], at: int, comments: Mapping[str, str]) -> list[Mark]:
    """How each part stands."""
    return [Mark(name in taken, number == at, comments.get(name, "")) for number, name in enumerate(ids)]

"""Unified diffs as rows: numbers, signs, colours, and hunks to jump between; side by side on request.

Painted line by line, so that a streamed diff looks like the whole one. Each colour has a sign beside it (asking.md
E60). In an approval nothing is hidden: unusual characters are visible, long blanks counted (T3). Reads diffs; makes
none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import accumulate

from rich.style import Style

from jp_tui.conversation import neutral, visible
from jp_tui.ui.painting.code import TAB, cut_mark
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import LINE_CELLS, Piece, Row, capped, chop_pieces, spaces, width_of
from jp_tui.view.wording import white_space
from jp_tui.view.wording.diff_lines import DiffLine, DiffReader, Sign, counts, groups, is_diff, pairs, read

__all__ = ["DiffLine", "PaintedDiff", "counts", "groups", "is_diff", "pairs", "read"]

Spans = tuple[tuple[int, int], ...]
"""Parts of a line, in characters."""
WORDS = 400
"""Most characters of a line, and most pairs of lines in a diff, to compare word by word."""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def styles(look: PaintLook, sign: Sign) -> Style:
    """Return the style of a line by its sign."""
    match sign:
        case "+":
            return look.add
        case "-":
            return look.remove
        case " ":
            return look.block
        case _:
            return look.hunk


def content(text: str, style: Style, look: PaintLook, *, approval: bool, white: Spans = ()) -> list[Piece]:
    """Return the text of a line in pieces; an approval shows every unusual character. `white` is white space that is
    the only change."""
    mark = style + Style(color=look.mark.color, reverse=True)
    if white and len(text) <= LINE_CELLS:
        found, at = list[Piece](), 0
        for start, end in white:
            found += content(text[at:start], style, look, approval=approval)
            found.append(Piece(white_space.signs(text[start:end]), mark))
            at = end
        return [one for one in (*found, *content(text[at:], style, look, approval=approval)) if one.text]
    if not approval:
        return [Piece(capped(text).expandtabs(TAB), style)]
    return [
        Piece(part if ours else part.expandtabs(TAB), mark if ours else style) for part, ours in visible.pieces(text)
    ]


class DiffLines:
    """Paint a diff line by line."""

    def __init__(self, frame: Frame, *, approval: bool = False) -> None:
        self._frame, self._approval = frame, approval
        self._reader = DiffReader()

    def line(self, text: str) -> list[Row]:
        """Return the rows of one line without its newline."""
        return change_rows(self._reader.line(text), self._frame, approval=self._approval)

    def peek(self, text: str) -> list[Row]:
        """Return the rows of a line that isn't whole yet."""
        kept = copy(self._reader)
        rows = self.line(text)
        self._reader = kept
        return rows


def gutter(change: DiffLine, style: Style) -> list[Piece]:
    """Return `+42 `, the line's sign and number."""
    if change.sign in "@#\\":
        return [Piece(" ", style)]
    number = change.new if change.sign == "+" else change.old
    shown = f"{number:>{change.digits}}" if number is not None else spaces(change.digits)
    return [Piece(f"{change.sign}{shown}{'  ' if change.digits else ' '}", style)]


def change_rows(
    change: DiffLine, frame: Frame, *, approval: bool = False, words: Spans | None = None, white: Spans = ()
) -> list[Row]:
    """Return the rows of one change; `words` are the parts of its text that differ from its counterpart, `white` its
    white space if nothing else differs."""
    style = styles(frame.look, change.sign)
    lead = gutter(change, style)
    margin = [Piece(spaces(len(lead[0].text)), style)]
    inside = frame.inside(lead, margin, base=style)
    pieces = content(change.text, style, frame.look, approval=approval, white=white)
    if words is not None and len(pieces) == 1:
        pieces = _stressed(pieces[0], words, frame.look.add_word if change.sign == "+" else frame.look.remove_word)
    room = inside.room
    parts = [pieces] if width_of(pieces) <= room else chop_pieces(pieces, max(room - 1, 1))
    last, mark = len(parts) - 1, cut_mark(frame, style)
    return [
        inside.emit(part, join="" if at else None, fill=style, tail=mark if at < last else ())
        for at, part in enumerate(parts)
    ]


def _stressed(piece: Piece, words: Spans, style: Style) -> list[Piece]:
    found, at = list[Piece](), 0
    for start, end in words:
        found += [Piece(piece.text[at:start], piece.style), Piece(piece.text[start:end], style)]
        at = end
    return [one for one in (*found, Piece(piece.text[at:], piece.style)) if one.text]


def word_spans(before: str, after: str, *, closely: bool = True) -> tuple[Spans, Spans] | None:
    """Return the words that differ between two lines as they are shown; None when too little is common to help.

    Not `closely`: one span in each, cheap enough for any number of lines.
    """
    before, after = before.expandtabs(TAB), after.expandtabs(TAB)
    if before == after or max(len(before), len(after)) > WORDS:
        return None
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not closely or len(old) * len(new) > WORDS * WORDS // 4:
        middle = changed_words(before, after)
        return middle and tuple((ends,) if ends[0] < ends[1] else () for ends in middle)  # type: ignore[return-value]
    from difflib import SequenceMatcher

    same = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    common = sum(len(word.strip()) for block in same for word in old[block.a : block.a + block.size])
    if common * 3 < max(len(before.strip()), len(after.strip())):
        return None
    return _others(old, [(block.a, block.size) for block in same]), _others(
        new, [(block.b, block.size) for block in same]
    )


def _others(words: Sequence[str], same: Sequence[tuple[int, int]]) -> Spans:
    """Return the places of all words outside `same`, joined where only blanks are between."""
    ends = [0, *accumulate(map(len, words))]
    found, at = list[tuple[int, int]](), 0
    for start, size in same:
        if start > at:
            joins = bool(found) and not "".join(words)[found[-1][1] : ends[at]].strip()
            first = found.pop()[0] if joins else ends[at]
            found.append((first, ends[start]))
        at = start + size
    return tuple(found)


def changed_words(before: str, after: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the middle that differs between two lines, in characters; None when too little is common to help."""
    if before == after or max(len(before), len(after)) > 400 or "\t" in before + after:
        return None
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    while start and _inside_word(before, after, start):
        start -= 1
    while end and _inside_word(before, after, -end):
        end -= 1
    if (start + end) * 3 < max(len(before), len(after)):
        return None
    return (start, len(before) - end), (start, len(after) - end)


def _inside_word(before: str, after: str, at: int) -> bool:
    """Return True if a place is inside a word, in either line; negative places count from the end."""
    return any(
        0 < (place := at if at >= 0 else len(text) + at) < len(text)
        and text[place - 1].isalnum()
        and text[place].isalnum()
        for text in (before, after)
    )


@dataclass(slots=True)
class PaintedDiff:
    """A diff or another context as rows. `hunks` are the rows where hunks begin, `first` is the row of the first
    changed line, `last` the row after the last one if more follows. `whole`: nothing is left out; `more`: the rest is
    still being laid out."""

    rows: list[Row] = field(default_factory=list)
    hunks: list[int] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    whole: bool = True
    more: bool = False
    first: int | None = None
    last: int | None = None

    def reached(self, group: Sequence[DiffLine]) -> None:
        """Note the rows of a group, which come next."""
        if group[0].sign == "@":
            self.hunks.append(len(self.rows))
        elif group[0].sign in "+-":
            self.first = len(self.rows) if self.first is None else self.first
            self.last = None
        elif self.first is not None and self.last is None:
            self.last = len(self.rows)


def headed(changes: Sequence[DiffLine], named: str = "") -> list[DiffLine]:
    """Join the two lines that name a file into one, or drop both for a file that is `named` beside the diff already."""
    found: list[DiffLine] = []
    for change in changes:
        pair = change.sign == "#" and change.text.startswith("+++ ") and bool(found)
        if pair and found[-1].sign == "#" and found[-1].text.startswith("--- "):
            name = file_name(found.pop().text[4:], change.text[4:])
            if not named or name != named:
                found.append(DiffLine("#", name))
        else:
            found.append(change)
    return found


def file_name(old: str, new: str) -> str:
    """Return a file's name from both names in a diff's head."""
    plain = [name[2:] if name[:2] == side else name for name, side in ((old, "a/"), (new, "b/"))]
    if old == "/dev/null":
        return f"{plain[1]} (new file)"
    if new == "/dev/null":
        return f"{plain[0]} (deleted)"
    return plain[0] if plain[0] == plain[1] else f"{old} → {new}"


def unified(text: str, frame: Frame, *, approval: bool = False, named: str = "") -> PaintedDiff:
    """Return a whole diff in one column, the words that changed within a line emphasised; `named` as in `headed`."""
    changes = headed(read(text), named) if approval else read(text)
    white = white_space.marks(changes)
    return with_white_space_row(column(changes, frame, approval=approval, white=white), changes, white, frame)


def with_white_space_row(
    found: PaintedDiff, changes: Sequence[DiffLine], white: white_space.Marks, frame: Frame
) -> PaintedDiff:
    """Add a row above a diff that explains changes in white space alone (Z26)."""
    if words := white_space.note(changes, white):
        rows = frame.paragraph([Piece(words, frame.look.waiting)])
        found.rows[:0] = rows
        found.hunks = [at + len(rows) for at in found.hunks]
        found.first = None  # the view must not jump past it
    return found


def recorded(text: str, frame: Frame) -> list[Row]:
    """Return a diff of the log, which needs no approval; white space is checked before neutralising drops some of
    it."""
    marked, words = white_space.in_diff(text)
    rows = frame.paragraph([Piece(words, frame.look.waiting)]) if words else []
    return [*rows, *unified(neutral.neutralise(marked, "visualize"), frame).rows]


def column(
    changes: Sequence[DiffLine], frame: Frame, *, approval: bool, white: white_space.Marks | None = None
) -> PaintedDiff:
    """Return lines of a diff, as `unified`; `white` as in `white_space.marks`."""
    found = PaintedDiff(added=counts(changes)[1], removed=counts(changes)[2])
    white = white_space.marks(changes) if white is None else white
    closely = WORDS
    for group in groups(changes):
        found.reached(group)
        words = _words(group, closely=closely > 0)
        closely -= len(words)
        for line in _folded(group) if approval else group:
            if isinstance(line, int):
                found.rows.append(_blanks(line, group[0].sign, frame))
            else:
                marks = white.of(line)
                found.rows.extend(change_rows(line, frame, approval=approval, words=words.get(id(line)), white=marks))
    return found


def _words(group: Sequence[DiffLine], *, closely: bool) -> dict[int, Spans]:
    found: dict[int, Spans] = {}
    for before, after in pairs(group):
        if before is not None and after is not None:
            spans = word_spans(before.text, after.text, closely=closely)
            if spans is not None:
                found[id(before)], found[id(after)] = spans
    return found


def _folded(group: Sequence[DiffLine]) -> list[DiffLine | int]:
    """Return the changes of a group; a run of more than two blank lines of one sign becomes their number (T3)."""
    found: list[DiffLine | int] = []
    run: list[DiffLine] = []
    for change in (*group, None):
        if change is not None and not change.text.strip() and (not run or run[-1].sign == change.sign):
            run.append(change)
            continue
        found.extend(run if len(run) <= visible.LINES else [len(run)])
        run = [change] if change is not None and not change.text.strip() else []
        if change is not None and not run:
            found.append(change)
    return found


def _blanks(count: int, sign: Sign, frame: Frame) -> Row:
    style = styles(frame.look, sign)
    inside = frame.inside([Piece(f"{sign} ", style)], [Piece("  ", style)], base=style)
    return inside.emit([Piece(f"⟨{count:,} blank lines⟩", style + Style(reverse=True))], fill=style)

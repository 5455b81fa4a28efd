"""The context of a question as rows: a diff in one or two columns, or text; by default nothing hidden.

In approval mode unusual characters are visible, long blanks are counted and no Markdown is interpreted (traps.md T3,
R195); a first row names what was found. Otherwise, for previews, Markdown is painted as in the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import diff, markdown, plain
from jp_tui.ui.painting.diff import DiffLine, PaintedDiff
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import Piece, Row
from jp_tui.view.wording import white_space

APPROVED, LINES = 512 * 1024, 10_000
"""Most characters and lines of a context. A longer one could not be read to its end."""
FIRST, FIRST_LINES = 8 * 1024, 120
"""Characters and lines of a long context that are laid out at once; the rest is laid out later (T4)."""
SPLIT = 60
"""Fewest cells for two columns."""


def context(
    text: Foreign, width: int, look: PaintLook, *, approval: bool = True, split: bool = False, named: str = ""
) -> PaintedDiff:
    """Return the rows of a context, and where its hunks begin. `split` shows a diff in two columns, `named` is a file
    that the diff need not name."""
    frame = Frame(look, width, look.text)
    shown, missing = _bounded(text, approval)
    found = _content(Foreign(shown), frame, approval, split and width >= SPLIT, named, is_diff=diff.is_diff(shown))
    if approval:
        _warned(found, shown, frame)
    if missing:
        found.rows += plain.note(missing, frame)
        found.whole = False
    return found


def beginning(
    text: Foreign, width: int, look: PaintLook, *, approval: bool = True, split: bool = False, named: str = ""
) -> PaintedDiff | None:
    """Return the first rows of a long context, shown while `context` lays out all of it; None for a short one.

    Except for a badge and the last few, its rows are those of the whole. The counts of all changes are left out, since
    they aren't known yet.
    """
    shown, _ = _bounded(text, approval)
    if len(shown) <= 2 * FIRST and shown.count("\n") <= 2 * FIRST_LINES:
        return None
    frame = Frame(look, width, look.text)
    kept = "\n".join(shown[:FIRST].split("\n", FIRST_LINES)[:FIRST_LINES])
    found = _content(Foreign(kept), frame, approval, split and width >= SPLIT, named, is_diff=diff.is_diff(shown))
    if approval:
        _warned(found, kept, frame)  # the search through the whole context takes too long as well
    found.rows.append(frame.emit([Piece("⟨loading the rest⟩", look.waiting)]))
    found.added = found.removed = 0
    found.whole, found.more = False, True
    return found


def _bounded(text: Foreign, approval: bool) -> tuple[str, int]:
    """Return the text of a context that is shown, and how many characters are not."""
    shown, missing = plain.cut(text.raw.strip("\n"), APPROVED if approval else plain.SHOWN)
    if shown.count("\n") > LINES:
        kept = "\n".join(shown.split("\n", LINES)[:LINES])
        shown, missing = kept, missing + len(shown) - len(kept)
    return shown, missing


def _warned(found: PaintedDiff, shown: str, frame: Frame) -> None:
    """Add a badge above the rows that names the unusual characters of a text."""
    if kinds := neutral.warnings(shown):
        style = frame.look.waiting + Style(bold=True)
        badge = frame.paragraph([Piece(f"▲ found in this text: {', '.join(kinds)}", style)])
        found.rows[:0] = badge
        found.hunks = [at + len(badge) for at in found.hunks]
        found.first = None  # the view must not jump past the badge


def _content(text: Foreign, frame: Frame, approval: bool, split: bool, named: str, *, is_diff: bool) -> PaintedDiff:
    if is_diff:
        raw = text.raw if approval else neutral.neutralise(text)
        if split:
            return sides(raw, frame, approval=approval, named=named)
        return diff.unified(raw, frame, approval=approval, named=named)
    if approval:
        return PaintedDiff(plain.paragraphs(plain.lines(text, frame.base, frame.look, approval=True), frame))
    return PaintedDiff(markdown.document(markdown.parse(neutral.neutralise(text), {}), frame))


def sides(text: str, frame: Frame, *, approval: bool, named: str = "") -> PaintedDiff:
    """Return a diff in two columns."""
    changes = diff.headed(diff.read(text), named) if approval else diff.read(text)
    white = white_space.marks(changes)
    return diff.with_white_space_row(columns(changes, frame, approval=approval, white=white), changes, white, frame)


def columns(
    changes: Sequence[DiffLine], frame: Frame, *, approval: bool, white: white_space.Marks | None = None
) -> PaintedDiff:
    """Return lines of a diff, as `sides`; `white` as in `white_space.marks`."""
    found = PaintedDiff(added=diff.counts(changes)[1], removed=diff.counts(changes)[2])
    white = white_space.marks(changes) if white is None else white
    left = (frame.full - 1) // 2
    widths = (left, frame.full - 1 - left)
    for group in diff.groups(changes):
        found.reached(group)
        if group[0].sign in "@#\\":
            found.rows += [row for change in group for row in diff.change_rows(change, frame, approval=approval)]
        elif group[0].sign == " ":
            for change in group:
                found.rows += _beside((change, change), widths, frame.look, approval, white)
        else:
            for pair in diff.pairs(group):
                found.rows += _beside(pair, widths, frame.look, approval, white)
    return found


def _beside(
    pair: tuple[DiffLine | None, DiffLine | None],
    widths: tuple[int, int],
    look: PaintLook,
    approval: bool,
    white: white_space.Marks,
) -> Sequence[Row]:
    """Return both sides of one place. The copied text is the new side, or the old one if there is no new one."""
    before, after = pair
    spans = diff.word_spans(before.text, after.text) if before and after and before is not after else None
    columns: list[list[Row]] = []
    for number, (change, width) in enumerate(zip(pair, widths, strict=True)):
        words = spans[number] if spans else None
        frame = Frame(look, width, look.block)
        marks = white.of(change) if change is not None else ()
        columns.append(
            [] if change is None else diff.change_rows(change, frame, approval=approval, words=words, white=marks)
        )
    rows: list[Row] = []
    blanks = [Frame(look, width, look.block).blank().strip for width in widths]
    for old, new in zip_longest(*columns):
        left, right = (old.strip if old else blanks[0]), (new.strip if new else blanks[1])
        strip = Strip([*left, Segment("│", look.muted), *right], sum(widths) + 1)
        source, offset = (new, sum(len(s.text) for s in left) + 1) if new else (old, 0)
        rows.append(Row(strip, source.text, source.lead + offset, source.join))
    return rows

"""Nested margins: the cells left of a row for the quotes, lists and blocks around it.

A frame knows the width that is left and emits rows; the first row of a list item carries its marker. Bars and margins
are gutters and never copied, markers and indentations are part of the text. However deep the nesting, content keeps a
few cells: the margins shrink, so nothing is painted past the edge.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style

from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import Piece, Row, chop, row, spaces, width_of, wrap

LEAST = 4
"""Least cells of content, however deep it is nested; twice as many in a row of at least WIDE cells."""
WIDE = 40
"""Cells of a row from which content keeps twice LEAST."""


class Frame:
    """`first` is painted before the first row, `rest` before the others; `gutter`: they are not content.

    `width` is of whole rows, `room` what content may use of it; the cells right of that are a margin. `measure` is the
    part of the room for prose (S52): tables, code and output use all of it.
    """

    def __init__(
        self,
        look: PaintLook,
        width: int,
        base: Style,
        *,
        parent: Frame | None = None,
        first: Sequence[Piece] = (),
        rest: Sequence[Piece] = (),
        gutter: bool = True,
        room: int | None = None,
        measure: int | None = None,
    ) -> None:
        self.look, self.base, self._parent, self._gutter = look, base, parent, gutter
        self.full = width
        self.right: int = parent.right if parent else width - (width if room is None else room)
        free = parent.room if parent else width if room is None else room
        lead = max(free - (LEAST if width < WIDE else 2 * LEAST), 0)
        self._first, self._rest, self._begun = _within(first, lead), _within(rest, lead), False
        own = width_of(self._first)
        self.room: int = free - own
        prose = self.room if measure is None else min(measure, self.room)
        self.measure: int = min(max(parent.measure - own, LEAST), self.room) if parent else prose

    def inside(
        self, first: Sequence[Piece], rest: Sequence[Piece], *, gutter: bool = True, base: Style | None = None
    ) -> Frame:
        """Return a frame within this one."""
        style = self.base if base is None else base
        return Frame(self.look, self.full, style, parent=self, first=first, rest=rest, gutter=gutter)

    def indented(self, cells: int) -> Frame:
        """Return a frame with a plain margin."""
        margin = [Piece(spaces(cells), self.base)]
        return self.inside(margin, margin)

    def _lead(self) -> tuple[list[Piece], int]:
        """Return the pieces before the next row, and how many of them are gutter."""
        before, gutters = self._parent._lead() if self._parent else ([], 0)
        own = self._rest if self._begun else self._first
        self._begun = True
        found = [*before, *own]
        return found, len(found) if self._gutter else gutters

    def emit(
        self,
        body: Sequence[Piece],
        *,
        join: str | None = None,
        fill: Style | None = None,
        full: str | None = None,
        tail: Sequence[Piece] = (),
    ) -> Row:
        """Return the next row with this body."""
        lead, gutters = self._lead()
        if join is not None or not body:
            gutters = len(lead)  # an indentation is content only where a line of the source begins
        content = [*lead[gutters:], *body]
        margin = [*tail, Piece(spaces(self.right), self.look.text)]
        ground = self.base if fill is None else fill
        return row(lead[:gutters], content, self.full, ground, join=join, full=full, tail=margin)

    def blank(self) -> Row:
        """Return an empty row inside this frame."""
        return self.emit(())

    def paragraph(self, pieces: Sequence[Piece], *, wide: bool = False) -> list[Row]:
        """Return one source line, wrapped as prose, or `wide` in all the room there is."""
        return [self.emit(line.pieces, join=line.join) for line in wrap(pieces, self.room if wide else self.measure)]


def _within(pieces: Sequence[Piece], room: int) -> list[Piece]:
    """Return the pieces before content, cut to `room` cells."""
    found: list[Piece] = []
    for piece in pieces:
        size = width_of([piece])
        if size > room:
            return [*found, piece._replace(text=chop(piece.text, room)[0])] if room else found
        found.append(piece)
        room -= size
    return found

"""Nested margins: what stands left of a row because of the quotes, lists and blocks that it is in.

A frame knows the width that is left and emits rows; the first row of a list item carries its marker. Bars and
margins are gutters and never copied, markers and indentations are part of the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style

from jp_tui.ui.painting.look import Look
from jp_tui.ui.painting.rows import Piece, Row, row, spaces, wrap

LEAST = 8
"""Content never gets fewer cells than this, however deep it is nested."""


class Frame:
    """`first` stands before the first row, `rest` before the others; `gutter` says that they are not content.

    `width` is of whole rows, `room` what content may use of it; what is right of that is a margin.
    """

    def __init__(
        self,
        look: Look,
        width: int,
        base: Style,
        *,
        parent: Frame | None = None,
        first: Sequence[Piece] = (),
        rest: Sequence[Piece] = (),
        gutter: bool = True,
        room: int | None = None,
    ) -> None:
        self.look, self.base, self._parent, self._gutter = look, base, parent, gutter
        self._first, self._rest, self._begun = list(first), list(rest), False
        self.full = width
        self.right: int = parent.right if parent else width - (width if room is None else room)
        taken = sum(cell_len(piece.text) for piece in first)
        self.room: int = max((parent.room if parent else width if room is None else room) - taken, LEAST)

    def inside(
        self, first: Sequence[Piece], rest: Sequence[Piece], *, gutter: bool = True, base: Style | None = None
    ) -> Frame:
        """A frame within this one."""
        style = self.base if base is None else base
        return Frame(self.look, self.full, style, parent=self, first=first, rest=rest, gutter=gutter)

    def indented(self, cells: int) -> Frame:
        """A plain margin."""
        margin = [Piece(spaces(cells), self.base)]
        return self.inside(margin, margin)

    def _lead(self) -> tuple[list[Piece], int]:
        """The pieces before the next row, and how many of them are gutter."""
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
        """The next row with this body."""
        lead, gutters = self._lead()
        if join is not None or not body:
            gutters = len(lead)  # an indentation is content only where a line of the source begins
        content = [*lead[gutters:], *body]
        margin = [*tail, Piece(spaces(self.right), self.look.text)]
        ground = self.base if fill is None else fill
        return row(lead[:gutters], content, self.full, ground, join=join, full=full, tail=margin)

    def blank(self) -> Row:
        """An empty row inside this frame."""
        return self.emit(())

    def paragraph(self, pieces: Sequence[Piece]) -> list[Row]:
        """One source line, wrapped."""
        return [self.emit(line.pieces, join=line.join) for line in wrap(pieces, self.room)]

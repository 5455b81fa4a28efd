"""Tables: columns fitted to the width, cells wrapped, numbers aligned as in the source.

A table too narrow for columns becomes one record a row, `name: value`. Takes cells as pieces, not Markdown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rich.style import Style

from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.rows import Piece, Row, WrappedLine, spaces, width_of, wrap

Align = Literal["left", "center", "right"]
Cell = list[Piece]
LEFT: Align = "left"
NARROW = 5
"""Least cells of a column; a table that needs a narrower one becomes a list of records."""


def table(rows: Sequence[Sequence[Cell]], aligns: Sequence[Align], frame: Frame) -> list[Row]:
    """Return the rows of a table whose first row is its header."""
    count = max((len(cells) for cells in rows), default=0)
    if not count:
        return []
    full = [[*cells, *([] for _ in range(count - len(cells)))] for cells in rows]
    natural = [max(1, *(width_of(cells[column]) for cells in full)) for column in range(count)]
    widths = fitted(natural, frame.room - 1 - 3 * (count - 1))
    if widths is None:
        return _records(full, frame)
    sides = list[Align](aligns) + [LEFT] * (count - len(aligns))
    return _columns(full, widths, sides, frame)


def fitted(natural: Sequence[int], room: int) -> list[int] | None:
    """Return widths that fit, taken from the widest columns first; None when some would become too narrow."""
    widths = list(natural)
    over = sum(widths) - room
    while over > 0:
        widest = max(widths)
        wide = [at for at, width in enumerate(widths) if width == widest]
        below = max((width for width in widths if width < widest), default=1)
        step = min(widest - max(below, 1), -(-over // len(wide)))
        if widest - max(step, 1) < NARROW:
            return None
        for at in wide:
            take = min(max(step, 1), over)
            widths[at] -= take
            over -= take
            if over <= 0:
                break
    return widths


def _columns(rows: Sequence[Sequence[Cell]], widths: Sequence[int], aligns: Sequence[Align], frame: Frame) -> list[Row]:
    line = frame.look.muted
    bar = Piece(" │ ", line)
    found: list[Row] = []
    for number, cells in enumerate(rows):
        wrapped = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for at in range(max(len(lines) for lines in wrapped)):
            body: list[Piece] = []
            for column, (lines, width) in enumerate(zip(wrapped, widths, strict=True)):
                if column:
                    body.append(bar)
                part = lines[at] if at < len(lines) else WrappedLine([], None)
                body.extend(_aligned(part.pieces, width, aligns[column], frame.base))
            found.append(frame.emit(_trimmed(body)))
        if number == 0:
            rule = "─┼─".join("─" * width for width in widths)
            found.append(frame.emit([Piece(rule, line)]))
    return found


def _aligned(pieces: list[Piece], width: int, align: Align, style: Style) -> list[Piece]:
    free = max(width - width_of(pieces), 0)
    left = free if align == "right" else free // 2 if align == "center" else 0
    return [Piece(spaces(left), style), *pieces, Piece(spaces(free - left), style)]


def _trimmed(body: list[Piece]) -> list[Piece]:
    """Return pieces without the blanks that only fill the last column."""
    while body and not body[-1].text.strip():
        body = body[:-1]
    return body


def _records(rows: Sequence[Sequence[Cell]], frame: Frame) -> list[Row]:
    names, found = rows[0], list[Row]()
    for number, cells in enumerate(rows[1:] or rows):
        if number:
            found.append(frame.blank())
        for name, cell in zip(names, cells, strict=True):
            label = [*name, Piece(": ", frame.look.muted)] if name and rows[1:] else []
            found.extend(frame.paragraph([*label, *cell], wide=True))
    return found

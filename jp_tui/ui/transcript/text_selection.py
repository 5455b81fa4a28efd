"""Text selection over rows: the character at a cell, the text between two places, words and lines.

Offsets are Textual's: x counts characters of a row, y is the document row. The text is the source without gutters, with
wrapped rows joined again. Functions only; the screen keeps the selection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from jp_tui.ui.painting.rows import Row

_WORD = re.compile(r"[\w./:@~+-]+|\S")


def character(row: Row, cell: int) -> int:
    """Return the index of the character that covers a cell; the row's length if the cell is beyond its end."""
    text, used = row.strip.text, 0
    for at, char in enumerate(text):
        used += get_character_cell_size(char)
        if used > cell:
            return at
    return len(text)


def _ends(row: Row, span: tuple[int, int]) -> tuple[int, int]:
    """Convert a span of the strip to characters of the row's content."""
    start, end = span
    size = len(row.text)
    return min(max(start - row.lead, 0), size), size if end == -1 else min(max(end - row.lead, 0), size)


def text_between(rows: Callable[[int, int], Iterable[tuple[int, Row]]], selection: Selection, last: int) -> str:
    """Return the source text of a selection; `rows` yields those between two numbers, `last` is the last row."""
    first_row = selection.start.y if selection.start is not None else 0
    last_row = min(selection.end.y if selection.end is not None else last, last)
    parts: list[str] = []
    for number, row in rows(max(first_row, 0), last_row):
        span = selection.get_span(number)
        if span is None:
            continue
        start, end = _ends(row, span)
        whole = start == 0 and end == len(row.text)
        if parts:
            parts.append("\n" if row.join is None else row.join)
        parts.append(row.full if whole and row.full is not None else row.text[start:end])
    return "".join(parts).rstrip("\n")


def shaded(strip: Strip, span: tuple[int, int], style: Style) -> Strip:
    """Return a strip with a span of its characters in the selection's style."""
    start, end = span
    size = sum(len(segment.text) for segment in strip)
    end = size if end == -1 else min(end, size)
    if start >= end:
        return strip
    found: list[Segment] = []
    at = 0
    for text, own, control in strip:
        low, high = min(max(start - at, 0), len(text)), min(max(end - at, 0), len(text))
        for part, look in ((text[:low], own), (text[low:high], (own or Style()) + style), (text[high:], own)):
            if part:
                found.append(Segment(part, look, control))
        at += len(text)
    return Strip(found, strip.cell_length)


def word_at(row: Row, number: int, offset: int) -> Selection | None:
    """Return the word at a character of a row."""
    for match in _WORD.finditer(row.text):
        if match.start() <= offset - row.lead < match.end():
            return Selection(Offset(match.start() + row.lead, number), Offset(match.end() + row.lead, number))
    return None


def line_at(row_at: Callable[[int], Row], number: int, last: int) -> Selection:
    """Return the whole source line that a row belongs to, over all rows that it wraps to."""
    first = number
    while first > 0 and row_at(first).join is not None:
        first -= 1
    end = number
    while end < last and row_at(end + 1).join is not None:
        end += 1
    row = row_at(end)
    return Selection(Offset(row_at(first).lead, first), Offset(row.lead + len(row.text), end))

"""A painted row, and the greedy wrap that makes rows of styled pieces.

Widths are terminal cells, wide characters and joined emoji included; offsets count characters of the row's text, as
Textual's selection does. A row remembers its text without gutters, so that copying returns the source. Knows nothing of
Markdown, blocks or themes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from jp_tui.ui import textual_patches

textual_patches.install()  # before the first of many rows is made
LINE_CELLS = 2_000
"""Most cells of a line that are shown (traps.md T4)."""


class ClickTarget(NamedTuple):
    """The effect of a click on a part of a row: follow a link, fold or unfold a block, choose a word of a menu."""

    kind: Literal["link", "fold", "word"]
    value: str


class Piece(NamedTuple):
    """A run of text in one style."""

    text: str
    style: Style
    hit: ClickTarget | None = None


class Row:
    """One row of a pane: its strip and its source text.

    `text` is the content without gutters, which are the first `lead` characters of the strip. `join` is the source text
    between the row above and this one if both are one line there, else None. `hits` are (start, end, hit) in characters
    of the strip; `full` is the text if the whole line is copied.
    """

    __slots__ = ("_marked", "full", "hits", "join", "lead", "strip", "text")

    def __init__(
        self,
        strip: Strip,
        text: str = "",
        lead: int = 0,
        join: str | None = None,
        hits: tuple[tuple[int, int, ClickTarget], ...] = (),
        full: str | None = None,
    ) -> None:
        self.strip, self.text, self.lead, self.join, self.hits, self.full = strip, text, lead, join, hits, full
        self._marked: dict[tuple[Style, str], Strip] = {}

    def marked(self, style: Style, sign: str) -> Strip:
        """Return the row with one cell more at its right, for the scroll mark; cached, since rows are painted often."""
        found = self._marked.get((style, sign))
        if found is None:
            found = Strip([*self.strip, Segment(sign, style)], self.strip.cell_length + 1)
            self._marked[style, sign] = found
        return found

    def same(self, other: Row) -> bool:
        """Return True if both look and copy identically."""
        return self.text == other.text and self.join == other.join and list(self.strip) == list(other.strip)

    def at(self, offset: int) -> ClickTarget | None:
        """Return the target at a character of the strip."""
        return next((hit for start, end, hit in self.hits if start <= offset < end), None)


@lru_cache(maxsize=64)
def spaces(count: int) -> str:
    return " " * count


def width_of(pieces: Iterable[Piece]) -> int:
    """Return the cells of pieces on one line."""
    return sum(cell_len(piece.text) for piece in pieces)


def row(
    lead: Sequence[Piece],
    body: Sequence[Piece],
    width: int,
    fill: Style,
    *,
    join: str | None = None,
    full: str | None = None,
    tail: Sequence[Piece] = (),
) -> Row:
    """Return one row of exactly `width` cells: gutter, body, `fill` up to `tail`, which is at the right edge."""
    made = _Segments()
    for piece in (*lead, *body):
        made.add(piece)
    free = width - made.cells - width_of(tail)
    if free > 0:
        made.add(Piece(spaces(free), fill))
    for piece in tail:
        made.add(piece)
    strip = Strip([Segment(text, style) for text, style in made.parts], made.cells)
    if made.cells > width:
        strip = Strip(list(strip.crop(0, width)), width)
    text = "".join(piece.text for piece in body)
    return Row(strip, text, sum(len(piece.text) for piece in lead), join, tuple(made.hits), full)


class _Segments:
    """Join pieces, neighbours of one style as one: fewer segments are fewer bytes to the terminal."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, Style]] = []
        self.hits: list[tuple[int, int, ClickTarget]] = []
        self.at = self.cells = 0

    def add(self, piece: Piece) -> None:
        if not piece.text:
            return
        if "\t" in piece.text:  # a tab moves the cursor and paints no cell
            piece = piece._replace(text=piece.text.replace("\t", " "))
        last = self.parts[-1] if self.parts else None
        if last is not None and (last[1] is piece.style or last[1] == piece.style):
            self.parts[-1] = (last[0] + piece.text, piece.style)
        else:
            self.parts.append((piece.text, piece.style))
        if piece.hit is not None:
            self.hits.append((self.at, self.at + len(piece.text), piece.hit))
        self.at += len(piece.text)
        self.cells += cell_len(piece.text)


_WORDS = re.compile(r"[ \t]+|[^ \t]+")
_WIDE = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U0001f000-\U0003ffff]"
)


class WrappedLine(NamedTuple):
    """A wrapped line: its pieces, and the blanks dropped between it and the line above (None at the first)."""

    pieces: list[Piece]
    join: str | None


def wrap(pieces: Sequence[Piece], first: int, rest: int | None = None) -> list[WrappedLine]:
    """Wrap one source line greedily into lines of at most `first`, then `rest` cells; at least one line.

    Breaks at blanks, between wide characters, and inside words only when a word is longer than a line.
    """
    rest = first if rest is None else rest
    if any("\t" in piece.text for piece in pieces):
        pieces = [piece._replace(text=piece.text.replace("\t", " ")) for piece in pieces]
    if width_of(pieces) <= first:
        return [WrappedLine([piece for piece in pieces if piece.text], None)]
    first, rest = max(first, 1), max(rest, 1)
    if (lines := _wrapped(pieces, first, rest)) is not None:
        return lines
    wrapper = _Wrapper(first, rest)
    for word, blank in _units(pieces):
        if blank:
            wrapper.blank(word)
        else:
            wrapper.word(word)
    return wrapper.lines()


def _wrapped(pieces: Sequence[Piece], first: int, rest: int) -> list[WrappedLine] | None:
    """Return the result of `wrap` for plain text, faster: every character takes one cell, the text begins with a word,
    and no word is longer than a line. None for all else. Growing text is wrapped with each frame that shows it."""
    text = "".join([piece.text for piece in pieces])
    if not (text.isascii() and text.isprintable()) or text[:1] in ("", " "):
        return None
    spans, joins = list[tuple[int, int]](), list[str | None]([None])
    start, room, last = 0, first, len(text.rstrip(" "))
    while last - start > room:
        blank = text.rfind(" ", start, start + room + 1)
        end = start + len(text[start:blank].rstrip(" ")) if blank > start else start
        if end == start:
            return None
        spans.append((start, end))
        start, room = blank + 1, rest
        while text[start] == " ":
            start += 1
        joins.append(text[end:start])
    return list(map(WrappedLine, _divided(pieces, [*spans, (start, last)]), joins))


def _divided(pieces: Sequence[Piece], spans: Sequence[tuple[int, int]]) -> list[list[Piece]]:
    """Return the pieces inside each span; spans count the characters of all pieces, one after the other."""
    found: list[list[Piece]] = [[] for _ in spans]
    number = at = 0
    for text, style, hit in pieces:
        while number < len(spans):
            start, end = spans[number]
            if part := text[max(start - at, 0) : max(end - at, 0)]:
                found[number].append(Piece(part, style, hit))
            if end > at + len(text):
                break  # it continues in the next piece
            number += 1
        at += len(text)
    return found


def _units(pieces: Sequence[Piece]) -> Iterable[tuple[list[Piece], bool]]:
    """Yield words and blanks; a word may have several styles, and ends before and after a wide character."""
    word: list[Piece] = []
    for text, style, hit in pieces:
        for match in _WORDS.finditer(text):
            part = match.group()
            if part[0] in " \t":
                if word:
                    yield word, False
                    word = []
                yield [Piece(part, style, hit)], True
            elif part.isascii() or not _WIDE.search(part):
                word.append(Piece(part, style, hit))
            else:
                for unit in _wide_units(part):
                    if word and _WIDE.match(unit):
                        yield word, False
                        word = []
                    word.append(Piece(unit, style, hit))
                    if _WIDE.match(unit):
                        yield word, False
                        word = []
    if word:
        yield word, False


def _wide_units(text: str) -> list[str]:
    """Return each wide character with its joiners and the closing mark after it; narrow runs whole."""
    found: list[str] = []
    for start, end, cells in split_graphemes(text)[0]:
        unit = text[start:end]
        wide = cells == 2
        if found and (unit in "、。，．！？：；）」』】》〉…" or (not wide and not _WIDE.match(found[-1]))):
            found[-1] += unit
        else:
            found.append(unit)
    return found


class _Wrapper:
    def __init__(self, first: int, rest: int) -> None:
        self._room, self._rest = first, rest
        self._done: list[WrappedLine] = []
        self._line: list[Piece] = []
        self._join: str | None = None
        self._used = 0
        self._gap: list[Piece] = []

    def blank(self, pieces: list[Piece]) -> None:
        self._gap.extend(pieces)

    def word(self, pieces: list[Piece]) -> None:
        size, gap = width_of(pieces), width_of(self._gap)
        if self._used + gap + size <= self._room:
            self._add(self._gap, gap)
            self._add(pieces, size)
            self._gap = []
            return
        if self._used:
            self._break("".join(piece.text for piece in self._gap))
            self._gap = []
        elif self._gap:  # blanks at the very start are content: an indentation
            self._add(*_cut_to(self._gap, max(self._room - 1, 0)))
            self._gap = []
        if self._used + size <= self._room:
            self._add(pieces, size)
        else:
            self._long(pieces)

    def _long(self, pieces: list[Piece]) -> None:
        """Add a word longer than a line, cluster by cluster."""
        for text, style, hit in pieces:
            start = 0
            for begin, _, cells in _clusters(text):
                if self._used + cells > self._room and self._used:
                    if begin > start:
                        self._line.append(Piece(text[start:begin], style, hit))
                    self._break("")
                    start = begin
                self._used += cells
            if start < len(text):
                self._line.append(Piece(text[start:], style, hit))

    def _add(self, pieces: list[Piece], cells: int) -> None:
        self._line.extend(pieces)
        self._used += cells

    def _break(self, join: str) -> None:
        self._done.append(WrappedLine(self._line, self._join))
        self._line, self._join, self._used, self._room = [], join, 0, self._rest

    def lines(self) -> list[WrappedLine]:
        return [*self._done, WrappedLine(self._line, self._join)]


def _cut_to(pieces: list[Piece], room: int) -> tuple[list[Piece], int]:
    found: list[Piece] = []
    for text, style, hit in pieces:
        part = text[:room]
        if part:
            found.append(Piece(part, style, hit))
            room -= len(part)
    return found, width_of(found)


def _clusters(text: str) -> Iterable[tuple[int, int, int]]:
    if text.isascii():
        return ((at, at + 1, 1) for at in range(len(text)))
    return split_graphemes(text)[0]


def chop(text: str, width: int) -> list[str]:
    """Return a line of code in parts of at most `width` cells, blanks kept; at least one part."""
    if text.isascii():
        if len(text) <= width:
            return [text]
        return [text[at : at + width] for at in range(0, len(text), max(width, 1))]
    found, start, used = [], 0, 0
    for begin, _, cells in split_graphemes(text)[0]:
        if used + cells > width and used:
            found.append(text[start:begin])
            start, used = begin, 0
        used += cells
    return [*found, text[start:]]


def chop_pieces(pieces: Sequence[Piece], width: int) -> list[list[Piece]]:
    """Return styled code in lines of at most `width` cells, broken anywhere; at least one."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for text, style, hit in pieces:
        size = cell_len(text)
        if used + size <= width:
            lines[-1].append(Piece(text, style, hit))
            used += size
            continue
        start = 0
        for begin, _, cells in _clusters(text):
            if used + cells > width and used:
                if begin > start:
                    lines[-1].append(Piece(text[start:begin], style, hit))
                lines.append([])
                start, used = begin, 0
            used += cells
        if start < len(text):
            lines[-1].append(Piece(text[start:], style, hit))
    return lines


def capped(line: str) -> str:
    """Return a line limited to LINE_CELLS, with a note of the omitted characters (traps.md T4)."""
    if len(line) <= LINE_CELLS and (line.isascii() or cell_len(line) <= LINE_CELLS):
        return line
    kept = chop(line[: LINE_CELLS + 1], LINE_CELLS)[0]
    return f"{kept}… ⟨{len(line) - len(kept):,} more characters⟩"

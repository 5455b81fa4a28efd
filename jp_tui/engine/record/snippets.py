"""One line around a search match, with the positions of all matches in it. Pure; the text isn't changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jp_tui.journal.fts_query import Term, fold, fold_one

BEFORE, WIDTH = 50, 200
LOOKED = 1 << 18
"""Characters of a text that are searched; less for text with accents, which is slower."""
LOOKED_FOLDED = 8_000
_BLANKS = re.compile(r"\s+")
_BETWEEN = r"[\W_]+"


class Marker:
    """Finds the pieces of one search in texts."""

    def __init__(self, terms: Sequence[Term]) -> None:
        found = [_pattern(term) for term in terms]
        self._each = [re.compile(one) for one in found]
        self._any = re.compile("|".join(found)) if found else None

    def marks(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return the positions of the pieces in a short text, from and to, in order."""
        if self._any is None:
            return ()
        if text.isascii():
            return tuple(one.span() for one in self._any.finditer(text.lower()))
        return _folded(self._any, text[:LOOKED_FOLDED])

    def _first(self, text: str) -> int:
        """Return the position of the first in a text of any length, 0 if not found."""
        lowered = text.lower()
        same = self._any is not None and len(lowered) == len(text)
        if same and self._any is not None and (found := self._any.search(lowered)) is not None:
            return found.start()
        marks = self.marks(text)
        return marks[0][0] if marks else 0

    def fits(self, text: str) -> bool:
        """True if all pieces occur in it."""
        folded = fold(text)
        return bool(self._each) and all(one.search(folded) for one in self._each)

    def line(self, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return one line around the first match, blanks collapsed, with the matches in it."""
        begin = max(0, self._first(text[:LOOKED]) - BEFORE)
        cut = _BLANKS.sub(" ", text[begin : begin + 2 * WIDTH]).strip()[:WIDTH]
        line = f"{'…' if begin else ''}{cut}{'…' if begin + WIDTH < len(text) else ''}"
        return line, self.marks(line)


def _pattern(term: Term) -> str:
    words = _BETWEEN.join(re.escape(word) for word in term.words)
    return rf"(?<![^\W_]){words}" + ("" if term.prefix else r"(?![^\W_])")


def _folded(pattern: re.Pattern[str], text: str) -> tuple[tuple[int, int], ...]:
    """As `marks`, for a text in which folding moves characters."""
    pieces, places = list[str](), list[int]()
    for place, letter in enumerate(text):
        folded = fold_one(letter)
        pieces.append(folded)
        places += [place] * len(folded)
    places.append(len(text))
    return tuple((places[one.start()], places[one.end() - 1] + 1) for one in pattern.finditer("".join(pieces)))

"""A line around what a search found in a text, and where in it the matches are. Pure; the text stays what it was."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jp_tui.journal.words import Term, fold, fold_one

BEFORE, WIDTH = 50, 200
LOOKED = 1 << 18
"""Characters of a text that are looked at; what has accents is looked at more slowly, and so less far."""
LOOKED_FOLDED = 20_000
_BLANKS = re.compile(r"\s+")
_BETWEEN = r"[\W_]+"


class Marker:
    """Finds the pieces of one search in texts."""

    def __init__(self, terms: Sequence[Term]) -> None:
        found = [_pattern(term) for term in terms]
        self._each = [re.compile(one) for one in found]
        self._any = re.compile("|".join(found)) if found else None

    def marks(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where the pieces stand, from and to, in order."""
        if self._any is None:
            return ()
        lowered = text.lower()
        if len(lowered) == len(text):
            found = tuple(one.span() for one in self._any.finditer(lowered))
            if found or text.isascii():
                return found
        return _folded(self._any, text[:LOOKED_FOLDED])

    def fits(self, text: str) -> bool:
        """Whether all pieces stand in it."""
        folded = fold(text)
        return bool(self._each) and all(one.search(folded) for one in self._each)

    def line(self, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """One line around the first match, blanks made one, with the matches in it."""
        found = self.marks(text[:LOOKED])
        first = found[0][0] if found else 0
        begin = max(0, first - BEFORE)
        cut = _BLANKS.sub(" ", text[begin : begin + 2 * WIDTH]).strip()[:WIDTH]
        return ("…" if begin else "") + cut + ("…" if begin + WIDTH < len(text) else ""), self.marks(
            ("…" if begin else "") + cut
        )


def _pattern(term: Term) -> str:
    words = _BETWEEN.join(re.escape(word) for word in term.words)
    return rf"(?<![^\W_]){words}" + ("" if term.prefix else r"(?![^\W_])")


def _folded(pattern: re.Pattern[str], text: str) -> tuple[tuple[int, int], ...]:
    """As `marks`, of a text in which folding moves characters."""
    pieces, places = list[str](), list[int]()
    for place, letter in enumerate(text):
        folded = fold_one(letter)
        pieces.append(folded)
        places += [place] * len(folded)
    places.append(len(text))
    return tuple((places[one.start()], places[one.end() - 1] + 1) for one in pattern.finditer("".join(pieces)))

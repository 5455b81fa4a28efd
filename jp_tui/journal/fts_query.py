"""Convert user text to a query of the index (FTS5).

User text is never syntax: each piece is a quoted string. A piece between blanks is a word prefix, or with punctuation
several consecutive words (`foo.bar`); text in double quotes is taken literally. Pure; knows no tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

MOST = 32
"""Pieces of one search; more would exceed SQLite's expression depth."""
_PIECES = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """Consecutive words as indexed, folded; with `prefix` the last is a word prefix."""

    words: tuple[str, ...]
    prefix: bool


def terms(text: str) -> list[Term]:
    """Return the pieces that contain a letter or a digit."""
    found: list[Term] = []
    for quoted, bare in _PIECES.findall(text):
        if words := split(quoted or bare):
            found.append(Term(tuple(words), prefix=not quoted))
    return found[:MOST]


def expression(found: Sequence[Term]) -> str:
    """Combine all of them in FTS5 syntax."""
    return " AND ".join(f'"{" ".join(term.words)}"{" *" if term.prefix else ""}' for term in found)


def split(text: str) -> list[str]:
    """Return the words of a text as indexed: runs of letters and digits, folded."""
    return "".join(letter if _is_word(letter) else " " for letter in fold(text)).split()


def fold(text: str) -> str:
    """Remove case and accents, as the index compares; one character may become several or none."""
    if text.isascii():
        return text.lower()
    return "".join(fold_one(letter) for letter in text)


def fold_one(letter: str) -> str:
    """Fold one character."""
    if letter.isascii():
        return letter.lower()
    return "".join(one for one in unicodedata.normalize("NFD", letter.lower()) if unicodedata.category(one) != "Mn")


def _is_word(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter)[0] in "LN" or unicodedata.category(letter) == "Co"

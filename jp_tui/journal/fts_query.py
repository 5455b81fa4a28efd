"""From what a user types to what the index is asked (FTS5). User text is never syntax: each piece is a quoted string.

A piece between blanks is the beginning of a word, or where signs stand in it of several words in a row (`foo.bar`);
what stands in double quotes is taken as it is. Pure; knows no tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

MOST = 32
"""Pieces of one search; more would make one statement too deep for SQLite."""
_PIECES = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """Words in a row as the index has them, folded; with `prefix` the last is the beginning of one."""

    words: tuple[str, ...]
    prefix: bool


def terms(text: str) -> list[Term]:
    """The pieces that hold a letter or a digit."""
    found: list[Term] = []
    for quoted, bare in _PIECES.findall(text):
        if words := split(quoted or bare):
            found.append(Term(tuple(words), prefix=not quoted))
    return found[:MOST]


def expression(found: Sequence[Term]) -> str:
    """All of them, as FTS5 reads it."""
    return " AND ".join(f'"{" ".join(term.words)}"{" *" if term.prefix else ""}' for term in found)


def split(text: str) -> list[str]:
    """The words of a text as the index has them: letters and digits in a row, folded."""
    return "".join(letter if _is_word(letter) else " " for letter in fold(text)).split()


def fold(text: str) -> str:
    """Without capitals and accents, as the index compares; one character may become several or none."""
    if text.isascii():
        return text.lower()
    return "".join(fold_one(letter) for letter in text)


def fold_one(letter: str) -> str:
    """One character, folded."""
    if letter.isascii():
        return letter.lower()
    return "".join(one for one in unicodedata.normalize("NFD", letter.lower()) if unicodedata.category(one) != "Mn")


def _is_word(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter)[0] in "LN" or unicodedata.category(letter) == "Co"

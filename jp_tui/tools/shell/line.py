"""Check where untrusted values are placed in a line for /bin/sh (inquiries.md R83; issue 4, item 7).

A quoted word is safe only where the shell expects a word: not inside quotes, back-quotes, comments or here-documents,
nor after a backslash or a dollar. Any other line is refused. Parses roughly like a shell and refuses when in doubt.
Runs and quotes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

_NAMES = {
    "'": "inside quotes",
    '"': "inside quotes",
    "`": "inside back-quotes",
    "#": "inside a comment",
    "<<": "behind a here-document",
    "\\": "behind a backslash",
    "$": "behind a dollar sign",
}
_BEFORE_COMMENT = " \t\n;&|()"


class Unsafe(Exception):
    """Template or rendered line that must not be used; the message gives the reason without values."""


def check(pieces: Sequence[str]) -> str:
    """Return the whole line; the odd items of `pieces` are quoted values. Raises Unsafe for a value in an unsafe
    place."""
    inside, before = "", " "
    for number, piece in enumerate(pieces):
        if number % 2:
            if inside:
                raise Unsafe(f"a value stands {_NAMES[inside]}; it is quoted already and must stand by itself")
            before = "x"
        else:
            inside = _behind(piece, inside, before)
    return "".join(pieces)


def _behind(piece: str, inside: str, before: str) -> str:
    """Return what is open after this piece, as a key of _NAMES, or nothing; `before` is the character in front of
    it."""
    at = 0
    while at < len(piece) and inside != "<<":
        char = piece[at]
        if char == "\\" and inside in ("", '"', "`"):
            if at + 1 == len(piece):
                return inside or char
            at, before = at + 2, "x"
            continue
        if inside:
            inside = "" if char == ("\n" if inside == "#" else inside) else inside
        elif char in "'\"`" or (char == "#" and before in _BEFORE_COMMENT):
            inside = char
        elif piece.startswith("<<", at):
            inside = "<<"
        at, before = at + 1, char
    return inside or ("$" if piece.endswith("$") else "")

"""Where foreign values stand in a line for /bin/sh (inquiries.md R83; issue 4, item 7).

A quoted word is safe only where the shell expects a word: not inside of quotes, back-quotes, comments and
here-documents, not behind a backslash or a dollar. A line with a value elsewhere is refused. Reads the line as a shell
would, roughly: in doubt it refuses. Runs nothing, quotes nothing.
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
    """A template, or what came out of it, must not be used; the words say why and hold no value."""


def check(pieces: Sequence[str]) -> str:
    """The whole line; at odd places of `pieces` stand values that were quoted. Unsafe when one stands badly."""
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
    """What is open behind this piece, as a key of _NAMES, or nothing; `before` is the character in front of it."""
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

"""Unified diffs as data: lines with their sign and numbers, grouped. Pure.

Reads diffs; creates and paints none. The first character of a line decides its kind, and the counts of a hunk's header
decide its end, so content can't pose as a header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Sign = Literal["+", "-", " ", "@", "#", "\\"]
_HUNK = re.compile(r"@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@+")
_HEAD = re.compile(r"(?:diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ |new file mode|deleted file|similarity|rename )")
_FENCE = re.compile(r"(?:`{3,}|~{3,})(?:diff|patch|udiff)?[ \t]*\Z")
_LOOKS = re.compile(r"^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|--- \S.*\n\+\+\+ \S)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff: its sign, its text without the sign, and its numbers if known."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None
    digits: int = 0


def is_diff(text: str) -> bool:
    """True for a unified diff."""
    return _LOOKS.search(text) is not None


class DiffReader:
    """Converts lines of a diff to changes, counting the numbers.

    Inside a hunk the first character decides the kind, also of `--- ` and `+++ `: the counts of the header decide its
    end, so content can't pose as a header.
    """

    def __init__(self) -> None:
        self._old = self._new = self._left_old = self._left_new = 0
        self._digits = 0

    @property
    def inside(self) -> bool:
        """True if the next line belongs to a hunk."""
        return self._left_old > 0 or self._left_new > 0

    def line(self, text: str) -> DiffLine:
        """Parse one line without its newline."""
        inside = self.inside
        if found := _HUNK.match(text):  # content has a sign before it, so this is a header anywhere
            counts = [1 if count is None else int(count) for count in (found[2], found[4])]
            self._old, self._new = int(found[1]), int(found[3])
            self._left_old, self._left_new = counts
            self._digits = len(str(max(self._old + counts[0], self._new + counts[1])))
            return DiffLine("@", text)
        if text.startswith("\\"):
            return DiffLine("\\", text)
        if not inside and _HEAD.match(text):
            return DiffLine("#", text)
        return self._content(text[:1], text[1:], text)

    def _content(self, sign: str, rest: str, whole: str) -> DiffLine:
        numbered = self._digits > 0 and self.inside
        if not numbered:
            match sign:
                case "+":
                    return DiffLine("+", rest)
                case "-":
                    return DiffLine("-", rest)
                case _:
                    return DiffLine(" ", rest if sign == " " else whole)
        old, new = self._old, self._new
        if sign == "+":
            self._new, self._left_new = new + 1, self._left_new - 1
            return DiffLine("+", rest, None, new, self._digits)
        if sign == "-":
            self._old, self._left_old = old + 1, self._left_old - 1
            return DiffLine("-", rest, old, None, self._digits)
        self._old, self._new = old + 1, new + 1
        self._left_old, self._left_new = self._left_old - 1, self._left_new - 1
        return DiffLine(" ", rest if sign == " " else whole, old, new, self._digits)


def read(text: str) -> list[DiffLine]:
    """Parse all lines of a diff."""
    reader, found = DiffReader(), list[DiffLine]()
    for line in text.removesuffix("\n").split("\n"):
        if not reader.inside and _FENCE.match(line):
            continue  # a tool's fence around its diff
        found.append(reader.line(line))
    return found


def counts(changes: Sequence[DiffLine]) -> tuple[int, int, int]:
    """Return the numbers of hunks, added lines and removed lines."""
    return tuple(sum(change.sign == sign for change in changes) for sign in ("@", "+", "-"))  # type: ignore[return-value]


def groups(changes: Sequence[DiffLine]) -> list[list[DiffLine]]:
    """Return runs of removed lines with the added ones that follow, runs of unchanged ones, and every other line
    alone."""
    found: list[list[DiffLine]] = []
    for change in changes:
        last = found[-1] if found else []
        before = last[-1].sign if last else "@"
        if change.sign in "+- " and (change.sign == before or (before, change.sign) == ("-", "+")):
            last.append(change)
        else:
            found.append([change])
    return found


def pairs(group: Sequence[DiffLine]) -> list[tuple[DiffLine | None, DiffLine | None]]:
    """Return removed and added lines side by side."""
    removed = [change for change in group if change.sign == "-"]
    added = [change for change in group if change.sign == "+"]
    size = max(len(removed), len(added))
    return [(removed[at] if at < len(removed) else None, added[at] if at < len(added) else None) for at in range(size)]

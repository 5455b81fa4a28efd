"""Unified diffs as data: lines with their sign and numbers, groups of lines that belong together. Pure.

Reads diffs; makes none and paints none. A line is what its first character says, and the counts of a hunk's header
tell where it ends, so that content cannot pass itself off as a header.
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
    """One line of a diff: its sign, its text without the sign, and its numbers where they are known."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None
    digits: int = 0


def is_diff(text: str) -> bool:
    """Whether a text is a unified diff."""
    return _LOOKS.search(text) is not None


class DiffReader:
    """Lines of a diff to changes, keeping count of the numbers.

    Inside a hunk a line is what its first character says, also `--- ` and `+++ `: the counts of the header tell
    where the hunk ends, so that content cannot pass itself off as a header.
    """

    def __init__(self) -> None:
        self._old = self._new = self._left_old = self._left_new = 0
        self._digits = 0

    @property
    def inside(self) -> bool:
        """Whether the next line belongs to a hunk."""
        return self._left_old > 0 or self._left_new > 0

    def line(self, text: str) -> DiffLine:
        """One line without its newline."""
        inside = self.inside
        if found := _HUNK.match(text):  # content has a sign before it, so this is a header wherever it stands
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
    """All lines of a diff."""
    reader, found = DiffReader(), list[DiffLine]()
    for line in text.removesuffix("\n").split("\n"):
        if not reader.inside and _FENCE.match(line):
            continue  # the fence that a tool put round its diff
        found.append(reader.line(line))
    return found


def counts(changes: Sequence[DiffLine]) -> tuple[int, int, int]:
    """Hunks, added lines, removed lines."""
    return tuple(sum(change.sign == sign for change in changes) for sign in ("@", "+", "-"))  # type: ignore[return-value]


def groups(changes: Sequence[DiffLine]) -> list[list[DiffLine]]:
    """Runs of removed lines followed by added ones together, runs of unchanged ones, every other line alone."""
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
    """Removed and added lines side by side."""
    removed = [change for change in group if change.sign == "-"]
    added = [change for change in group if change.sign == "+"]
    size = max(len(removed), len(added))
    return [(removed[at] if at < len(removed) else None, added[at] if at < len(added) else None) for at in range(size)]

"""Approval of a change hunk by hunk (inquiries.md R251; asking.md E26): its parts, and the text with the accepted ones.

Works on the displayed unified diffs, so the applied change is by construction the shown one. Lines end only at "\\n"
and keep their bytes. Creates no diff, accesses no file, and never guesses: a hunk that doesn't match at its place isn't
applied.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from jp_tui.questions.types import Part

MAX_PARTS = 2000
"""Above this many hunks a change is approved whole: a person wouldn't select them individually."""

_HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_END = "\\ No newline at end of file\n"


class BadDiff(ValueError):
    """Invalid diff, or one of another text."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """Proposal for one file: its displayed name, its present text, and the unified diff of the change."""

    name: str
    base: str
    diff: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """`start` counts the old lines before it, from 0; the lines include their ends. `text` is the hunk as shown."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Some:
    """Result for one file: its new text, the number of its hunks in it, and their added and removed lines."""

    text: str
    count: int
    all: int
    added: int
    removed: int


def parts(changes: Sequence[FileDiff]) -> tuple[Part, ...]:
    """Return every hunk of every file, in display order; ids count from 1, so the same change has the same ids.

    () without a choice: a single hunk is the whole change, and more than MAX_PARTS are too many.
    """
    found = [(change.name, hunk) for change in changes for hunk in hunks(change.diff)]
    if not 1 < len(found) <= MAX_PARTS:
        return ()
    return tuple(_part(str(number), name, hunk) for number, (name, hunk) in enumerate(found, 1))


def apply_accepted(changes: Sequence[FileDiff], accepted: Collection[str]) -> list[Some | None]:
    """Return each file with only the accepted parts; None if none of its parts is accepted."""
    found: list[Some | None] = []
    number = 0
    for change in changes:
        every = hunks(change.diff)
        kept = [hunk for at, hunk in enumerate(every, number + 1) if str(at) in accepted]
        number += len(every)
        some = Some(apply(change.base, kept), len(kept), len(every), *_lines_changed(kept)) if kept else None
        found.append(some)
    return found


def hunks(diff: str) -> list[Hunk]:
    """Return the hunks of one file's unified diff. Raises BadDiff for an invalid one."""
    lines = _lines(diff)
    at = 2 if len(lines) > 2 and lines[0].startswith("--- ") and lines[1].startswith("+++ ") else 0
    found: list[Hunk] = []
    while at < len(lines):
        hunk, at = _hunk(lines, at)
        found.append(hunk)
    return found


def apply(base: str, chosen: Sequence[Hunk]) -> str:
    """Apply these hunks of one diff to `base`, in order. Raises BadDiff if one doesn't match at its place."""
    lines = _lines(base)
    out: list[str] = []
    at = 0
    for hunk in chosen:
        end = hunk.start + len(hunk.old)
        if hunk.start < at or tuple(lines[hunk.start : end]) != hunk.old:
            raise BadDiff("a hunk doesn't match the text")
        out += [*lines[at : hunk.start], *hunk.new]
        at = end
    return "".join([*out, *lines[at:]])


def _lines_changed(chosen: Sequence[Hunk]) -> tuple[int, int]:
    """Return how many lines these hunks add and how many they remove."""
    marks = [line[0] for hunk in chosen for line in _lines(hunk.text)[1:]]
    return marks.count("+"), marks.count("-")


def _part(id: str, name: str, hunk: Hunk) -> Part:
    digest = hashlib.sha256(f"{name}\n{hunk.text}".encode("utf-8", "surrogatepass")).hexdigest()
    return Part(id, digest, f"{name}, {_where(hunk)}", hunk.text)


def _where(hunk: Hunk) -> str:
    """Return the present lines of the file that a hunk changes, without equal ones around them."""
    marks = [line[0] for line in _lines(hunk.text)[1:] if line != _NO_END]
    head = next(at for at, mark in enumerate(marks) if mark != " ")
    tail = next(at for at, mark in enumerate(reversed(marks)) if mark != " ")
    first, last = hunk.start + head + 1, hunk.start + len(hunk.old) - tail
    if last < first:
        return f"after line {last}" if last else "at the beginning"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _hunk(lines: list[str], at: int) -> tuple[Hunk, int]:
    """Parse the hunk at `at`; return it and the next position. Its length comes from its head, not from the lines'
    content."""
    head = _HEAD.match(lines[at])
    if head is None:
        raise BadDiff("a hunk has no head")
    start, olds, news = int(head[1]), _count(head[2]), _count(head[4])
    first, old, new = at, list[str](), list[str]()
    at += 1
    while len(old) < olds or len(new) < news:
        if at == len(lines):
            raise BadDiff("a hunk is truncated")
        mark, line = lines[at][:1], lines[at][1:]
        at += 1
        if at < len(lines) and lines[at] == _NO_END:
            line = line.removesuffix("\n")
            at += 1
        if mark not in (" ", "-", "+"):
            raise BadDiff("a line of a hunk has no mark")
        if mark != "+":
            old.append(line)
        if mark != "-":
            new.append(line)
    if (len(old), len(new)) != (olds, news):
        raise BadDiff("a hunk has more lines than it says")
    return Hunk(start - 1 if olds else start, tuple(old), tuple(new), "".join(lines[first:at])), at


def _count(digits: str | None) -> int:
    return 1 if digits is None else int(digits)


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; the last one may have none."""
    found = [f"{line}\n" for line in text.split("\n")]
    found[-1] = found[-1][:-1]
    return found if found[-1] else found[:-1]

"""Unified diffs that are exact and come in bounded time (traps.md T28; inquiries.md R234).

The same two texts always give the same diff, whatever the machine does: bounds are counted, never timed. Standard
library only, so that a bare child process can load it. Lines end at "\\n" alone; nothing is made visible or cut here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise

_CLOSE = 8_000_000
"""Steps that comparing gaps without anchors closely may take together, at worst; a gap beyond that is one hunk."""
_ROUNDS = 64
"""How often the lines may be looked at for anchors, all in all."""

Op = tuple[bool, int, int, int, int]
"""Whether the lines are equal, and their ranges: before from, to; after from, to."""


def unified(old: str, new: str, before: str, after: str, *, context: int = 3) -> str:
    """The diff that turns `before` into `after`; "" when they are the same. `old` and `new` head it as they are."""
    left, right = lines_of(before), lines_of(after)
    out: list[str] = []
    for hunk in _hunks(operations(left, right), context):
        if not out:
            out += [f"--- {old}\n", f"+++ {new}\n"]
        first, last = hunk[0], hunk[-1]
        out.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n")
        for equal, i1, i2, j1, j2 in hunk:
            if equal:
                out += [_line(" ", line) for line in left[i1:i2]]
            else:
                out += [_line("-", line) for line in left[i1:i2]]
                out += [_line("+", line) for line in right[j1:j2]]
    return "".join(out)


def changed_lines(before: str, after: str) -> tuple[int, int]:
    """How many lines were added and how many removed."""
    changes = [op for op in operations(lines_of(before), lines_of(after)) if not op[0]]
    return sum(op[4] - op[3] for op in changes), sum(op[2] - op[1] for op in changes)


def lines_of(text: str) -> list[str]:
    """The lines with their ends; the last one may lack it."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def operations(left: list[str], right: list[str]) -> list[Op]:
    """Equal and unequal ranges in turn, covering both sides whole."""
    found: list[Op] = []
    i = j = 0
    for start, to, size in [*_blocks(left, right), (len(left), len(right), 0)]:
        if start > i or to > j:
            found.append((False, i, start, j, to))
        if size:
            found.append((True, start, start + size, to, to + size))
        i, j = start + size, to + size
    return found


def _blocks(left: list[str], right: list[str]) -> list[tuple[int, int, int]]:
    """Equal runs in order, joined where they touch: common ends, then lines that stand once, then closer."""
    found: list[tuple[int, int, int]] = []
    todo = [(0, len(left), 0, len(right))]
    close, looks = _CLOSE, _ROUNDS * (len(left) + len(right))
    while todo:
        i1, i2, j1, j2 = todo.pop()
        head = 0
        while i1 + head < i2 and j1 + head < j2 and left[i1 + head] == right[j1 + head]:
            head += 1
        tail = 0
        while i2 - tail > i1 + head and j2 - tail > j1 + head and left[i2 - tail - 1] == right[j2 - tail - 1]:
            tail += 1
        found += [(i1, j1, head), (i2 - tail, j2 - tail, tail)]
        i1, i2, j1, j2 = i1 + head, i2 - tail, j1 + head, j2 - tail
        if i1 == i2 or j1 == j2:
            continue
        looks -= (i2 - i1) + (j2 - j1)
        anchors = _anchors(left, right, i1, i2, j1, j2) if looks > 0 else []
        if anchors:
            edges = [(i1, j1), *anchors, (i2, j2)]
            todo += [(a, b, c, d) for (a, c), (b, d) in pairwise(edges)]
            continue
        steps = (i2 - i1) * (j2 - j1) * min(i2 - i1, j2 - j1)
        if steps <= close:
            close -= steps
            blocks = SequenceMatcher(None, left[i1:i2], right[j1:j2], autojunk=False).get_matching_blocks()
            found += [(i1 + one.a, j1 + one.b, one.size) for one in blocks]
    return _joined(sorted(one for one in found if one[2]))


def _anchors(left: list[str], right: list[str], i1: int, i2: int, j1: int, j2: int) -> list[tuple[int, int]]:
    """Lines that stand once on either side, the longest series of them that keeps its order (patience)."""
    once = Counter(left[i1:i2])
    there = Counter(right[j1:j2])
    place = {right[j]: j for j in range(j1, j2) if there[right[j]] == 1}
    pairs = [(i, place[left[i]]) for i in range(i1, i2) if once[left[i]] == 1 and left[i] in place]
    tops: list[int] = []  # the lowest end of a series of each length, and which pair that is
    ends: list[int] = []
    back: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(tops, j)
        back.append(ends[length - 1] if length else -1)
        if length == len(tops):
            tops.append(j)
            ends.append(at)
        else:
            tops[length], ends[length] = j, at
    chain: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = back[at]
    return chain[::-1]


def _joined(blocks: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    for i, j, size in blocks:
        if found and found[-1][0] + found[-1][2] == i and found[-1][1] + found[-1][2] == j:
            found[-1] = (*found[-1][:2], found[-1][2] + size)
        else:
            found.append((i, j, size))
    return found


def _hunks(ops: list[Op], context: int) -> list[list[Op]]:
    """The changes with up to `context` equal lines around them, near ones together."""
    hunks: list[list[Op]] = []
    for at, (equal, i1, i2, j1, j2) in enumerate(ops):
        if not equal:
            if not hunks or hunks[-1][-1][2] != i1:
                hunks.append([])
            hunks[-1].append((False, i1, i2, j1, j2))
            continue
        first, last = at == 0, at == len(ops) - 1
        if not first and not last and i2 - i1 <= 2 * context:
            hunks[-1].append((True, i1, i2, j1, j2))
            continue
        keep = min(context, i2 - i1)
        if not first and keep:
            hunks[-1].append((True, i1, i1 + keep, j1, j1 + keep))
        if not last:
            hunks.append([(True, i2 - keep, i2, j2 - keep, j2)])
    return hunks


def _range(start: int, end: int) -> str:
    """The range of a hunk as `diff -u` writes it: counted from 1, an empty one by the line before it."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"

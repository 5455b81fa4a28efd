"""Exact unified diffs in bounded time (traps.md T28; inquiries.md R234).

The same two texts always give the same diff on any machine: limits count steps, not time. Standard library only, so
that a minimal child process can import it. Lines end at "\\n" only; nothing is made visible or truncated here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise

_CLOSE = 8_000_000
"""Step limit for comparing gaps without anchors closely, in total (up to about 1 s); a larger gap is one hunk."""
_ROUNDS = 64
"""Limit for passes over the lines in search of anchors, in total."""

Op = tuple[bool, int, int, int, int]
"""True if the lines are equal, and their ranges: before from, to; after from, to."""


def unified(old: str, new: str, before: str, after: str, *, context: int = 3) -> str:
    """Return the diff from `before` to `after`; "" if they are equal. `old` and `new` are its header lines,
    unchanged."""
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
    """Return the number of added and of removed lines."""
    changes = [op for op in operations(lines_of(before), lines_of(after)) if not op[0]]
    return sum(op[4] - op[3] for op in changes), sum(op[2] - op[1] for op in changes)


def lines_of(text: str) -> list[str]:
    """Return the lines with their ends; the last one may have none."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def operations(left: list[str], right: list[str]) -> list[Op]:
    """Return equal and unequal ranges in order; together they cover both sides."""
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
    """Return equal runs in order, joined where they touch: common ends, then unique lines, then a close comparison."""
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
    """Return lines that are unique on both sides, the longest series of them in order (patience diff)."""
    once = Counter(left[i1:i2])
    there = Counter(right[j1:j2])
    place = {right[j]: j for j in range(j1, j2) if there[right[j]] == 1}
    pairs = [(i, place[left[i]]) for i in range(i1, i2) if once[left[i]] == 1 and left[i] in place]
    tops: list[int] = []  # the lowest end of a series of each length, and its pair
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
    """Return the changes with up to `context` equal lines around them; nearby changes share a hunk."""
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
    """Return the range of a hunk as in `diff -u`: counted from 1, an empty one by the line before it."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def _line(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"

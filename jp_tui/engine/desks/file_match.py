"""Fuzzy path search: bounded slices, and only among the matches of a shorter query. Pure: no disk, no loop.

Letters match in order with gaps; a name that starts with them ranks first, then one that contains them, then a path
that does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest

SLICE = 2000
"""Paths checked in one step: some 2 ms."""
LONGEST = 100
"""Letters of a query that count."""

Rank = tuple[int, int, str]


def rank(query: str, low: str) -> Rank | None:
    """Return the rank of a path, smaller is better; None if it doesn't match. Both in lower case."""
    if not query:
        return low.rstrip("/").count("/"), len(low), low
    name = low.rfind("/", 0, len(low) - 1) + 1
    at = low.find(query, name)
    if at == name:
        return 0, len(low), low
    if at > name:
        return (2 if low[at - 1].isalnum() else 1), len(low), low
    if query in low:
        return 3, len(low), low
    first = at = low.find(query[0])
    for letter in query[1:]:
        if at < 0:
            break
        at = low.find(letter, at + 1)
    return (4, at - first + len(low) // 8, low) if at >= 0 else None


class Matcher:
    """Paths of a workspace, and its last query."""

    def __init__(self, paths: Sequence[str], lows: Sequence[str]) -> None:
        """`lows` are the same paths in lower case."""
        self.paths = paths
        self._lows = lows
        self._left: tuple[str, Sequence[int]] = ("", range(len(paths)))
        self.looked = 0
        """Paths checked by the last search."""

    def search(self, query: str, limit: int) -> Iterator[tuple[str, ...]]:
        """Yield the best so far after each slice; the caller may stop at any time. The matches of a complete search
        limit the next one if its query extends this one."""
        wanted = query.casefold()[:LONGEST]
        before, among = self._left
        if not wanted.startswith(before):
            among = range(len(self.paths))
        best: list[tuple[Rank, int]] = []
        left: list[int] = []
        self.looked = 0
        for start in range(0, len(among), SLICE):
            found = []
            for index in among[start : start + SLICE]:
                if (one := rank(wanted, self._lows[index])) is not None:
                    found.append((one, index))
            left.extend(index for _, index in found)
            best = nsmallest(limit, [*best, *found])
            self.looked = min(start + SLICE, len(among))
            if start + SLICE >= len(among):
                self._left = wanted, left
            yield tuple(self.paths[index] for _, index in best)
        if not among:
            yield ()

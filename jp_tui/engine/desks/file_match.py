"""Which paths a few letters may mean: in slices of bounded work, and only among what the letters before them left.

Pure: knows no disk and no loop. Letters match in their order, whatever stands between them; a name that begins with
them comes first, then one that holds them, then a path that does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest

SLICE = 2000
"""Paths that are looked at in one step: some 2 ms."""
LONGEST = 100
"""Letters of a query that count."""

Rank = tuple[int, int, str]


def rank(query: str, low: str) -> Rank | None:
    """How well a path answers, smaller is better; None when it does not. Both in small letters."""
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
    """The paths of a workspace, and what was asked about them last."""

    def __init__(self, paths: Sequence[str], lows: Sequence[str]) -> None:
        """`lows` are the same paths in small letters."""
        self.paths = paths
        self._lows = lows
        self._left: tuple[str, Sequence[int]] = ("", range(len(paths)))
        self.looked = 0
        """Paths that the last search has looked at."""

    def search(self, query: str, limit: int) -> Iterator[tuple[str, ...]]:
        """After each slice the best so far; whoever has heard enough stops. What a search to its end left is where the
        next one looks, when its query begins with this one."""
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

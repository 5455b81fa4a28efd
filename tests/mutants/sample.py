"""Which mutants are tried: a sample that a seed fixes, and that changes elsewhere in the program hardly disturb. Pure.

Every statement has the same chance, whatever number of mutants it has; one mutant a statement is tried.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping

from tests.mutants.find import mutants, real
from tests.mutants.mutant import Mutant


def sample(sources: Mapping[str, bytes], seed: int, count: int | None) -> list[Mutant]:
    """`count` mutants of these files, the first that the seed ranks; with None one of every statement."""
    statements: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for path, source in sources.items():
        for one in mutants(path, source):
            statements[path, one.statement].append(one)
    ranked = sorted(statements.values(), key=lambda found: _rank(seed, f"{found[0].path}:{min(m.key for m in found)}"))
    chosen: list[Mutant] = []
    keys: set[str] = set()  # the same line twice in a function is one
    for found in ranked:
        if count is not None and len(chosen) >= count:
            break
        by_chance = sorted(found, key=lambda one: _rank(seed, one.key))
        one = next((one for one in by_chance if one.key not in keys and real(one, sources[one.path])), None)
        if one is not None:
            chosen.append(one)
            keys.add(one.key)
    return chosen


def every(sources: Mapping[str, bytes]) -> list[Mutant]:
    """All mutants of these files."""
    return [one for path, source in sources.items() for one in mutants(path, source) if real(one, source)]


def _rank(seed: int, text: str) -> bytes:
    return hashlib.sha256(f"{seed}:{text}".encode()).digest()

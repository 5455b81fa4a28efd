"""Trying one mutant: apply it in a copy, ask the tests that reach it, the likeliest first, until one fails.

A failure counts when it comes again in a run of that test alone: a busy machine kills no mutant. A run without an end
counts at once. Survived is said only after every test that reaches the change has passed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.mutants.copies import Copy
from tests.mutants.mutant import Mutant
from tests.mutants.record import Map

Result = Literal["killed", "hangs", "survived", "unsure"]
"""`unsure`: it survived the first steps, and the rest was not asked yet (`quick`)."""
_STEPS = ((50, 15.0), (200, 30.0))
"""The first steps: at most so many tests, that take so many seconds together. What is left is the last step."""
_START = 40.0
_SLOWER = 6.0
_TEST_LIMIT = 60
SWEEP = 12.0
"""Seconds of a test that is a sweep (kills at every commit, every call that fails): asked only if that is wanted."""
_TRIES = 4


@dataclass(frozen=True)
class Tried:
    """What came of a mutant; `by` is the test that noticed, `tests` how many were asked, of how many that reach it."""

    result: Result
    by: str = ""
    tests: int = 0
    reach: int = 0
    seconds: float = 0.0


def order(mutant: Mutant, tests: Sequence[str], known: Map) -> list[str]:
    """Tests of the same room first, and among them those that reach little else."""
    room = mutant.path.split("/")[1]
    stem = Path(mutant.path).stem

    def rank(test: str) -> tuple[bool, bool, float]:
        path = test.partition("::")[0]
        return stem not in path, f"/{room}/" not in path, known.breadth[test] * (1 + known.seconds[test])

    return sorted(tests, key=rank)


def steps(tests: Sequence[str], known: Map, *, quick: bool = False) -> Iterator[list[str]]:
    """The tests in portions, without the last one if `quick`; within one, by file: what a file shares is made once."""
    left = list(tests)
    for most, seconds in _STEPS:
        portion: list[str] = []
        spent = 0.0
        while left and len(portion) < most and (not portion or spent + known.seconds[left[0]] <= seconds):
            spent += known.seconds[left[0]]
            portion.append(left.pop(0))
        if portion:
            yield _by_file(portion)
    if left and not quick:
        yield _by_file(left)


def _by_file(tests: Sequence[str]) -> list[str]:
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return sorted(tests, key=lambda test: files.index(test.partition("::")[0]))


class Trier:
    """Tries mutants in one copy, one after the other."""

    def __init__(self, copy: Copy, known: Map, log: Path, *, sweeps: bool = False, quick: bool = False) -> None:
        self._copy, self._known, self._log, self._sweeps, self._quick = copy, known, log, sweeps, quick
        self._stamp = int(time.time())

    def tried(self, mutant: Mutant) -> Tried:
        file = self._copy.tree / mutant.path
        source = file.read_bytes()
        begun = time.monotonic()
        try:
            self._put(file, mutant.applied(source))
            found = self._ask(mutant, source)
        finally:
            self._put(file, source)
        return Tried(found.result, found.by, found.tests, found.reach, round(time.monotonic() - begun, 1))

    def _put(self, file: Path, data: bytes) -> None:
        """Bytecode is valid for a second and a size: each version gets a second of its own."""
        file.write_bytes(data)
        self._stamp += 1
        os.utime(file, (self._stamp, self._stamp))

    def _ask(self, mutant: Mutant, source: bytes) -> Tried:
        reach = self._known.tests_of(mutant.path, source, mutant.line) - self._known.failed
        if not self._sweeps:
            reach = {test for test in reach if self._known.seconds[test] < SWEEP}
        asked = 0
        for portion in steps(order(mutant, sorted(reach), self._known), self._known, quick=self._quick):
            result, by = self._portion(portion)
            asked += len(portion)
            if result != "survived":
                return Tried(result, by, asked, len(reach))
        return Tried("survived" if asked == len(reach) else "unsure", "", asked, len(reach))

    def _portion(self, tests: list[str]) -> tuple[Result, str]:
        left = list(tests)
        for _ in range(_TRIES):
            status, words = self._run(left)
            if status is None:
                return "hangs", (re.findall(r"^(tests/\S+\.py)", words, re.M) or [""])[-1]
            if status == 0 or not left:
                return "survived", ""
            if gone := re.findall(r"^ERROR: (?:not found: |found no collectors for )(.+)$", words, re.M):
                left = [test for test in left if not any(one.endswith(test) for one in gone)]
                continue
            failed = [test for test in left if f"FAILED {test}" in words or f"ERROR {test}" in words]
            if status != 1 or not failed:
                return "killed", "the tests cannot be loaded"
            first = max(failed, key=len)
            again, _ = self._run([first])
            if again != 0:
                return "killed" if again is not None else "hangs", first
            left.remove(first)
        return "survived", ""

    def _run(self, tests: list[str]) -> tuple[int | None, str]:
        each = [self._known.seconds.get(test, 1.0) for test in tests]
        seconds, longest = sum(each), max(each, default=0)
        options = ("-x", "-o", f"timeout={max(_TEST_LIMIT, _SLOWER * longest):.0f}", "--tb=no")
        status = self._copy.pytest(tests, _START + _SLOWER * seconds, self._log, *options)
        return status, self._log.read_text("utf-8", "replace")

"""Everything that reads input of others, fuzzed: no exception but the parser's own refusal, in bounded time and memory.

With hypothesis, and in the whole run with atheris (the extra "fuzz"; its coverage finds what chance doesn't); an
input that takes too long is ended by a watchdog of processor time. Which parsers there are stands in `fuzz_targets.py`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, given, seed
from hypothesis import settings as options
from hypothesis import strategies as st

from tests.faults.fuzz_targets import TARGETS, Target, nasty
from tests.faults.report import Found

CPU_SECS = 4.0
"""Of the processor, for one input."""
MEMORY_MB = 600
"""By which the process may grow over a whole part."""
ROOT = Path(__file__).resolve().parents[2]


class TooLong(BaseException):
    """The watchdog: no parser may catch it by mistake."""


@contextlib.contextmanager
def watched(seconds: float = CPU_SECS) -> Iterator[None]:
    """Raises TooLong in what takes more processor time."""

    def bark(*_: object) -> None:
        raise TooLong(f"more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, bark)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judged(target: Target, data: bytes) -> str:
    """What is wrong when the parser reads this; empty when nothing is."""
    try:
        with watched():
            target.one(data)
    except (Exception, TooLong) as wrong:
        return f"{type(wrong).__name__}: {wrong}"[:300]
    return ""


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Words of its language in any order, with any bytes between."""
    words = st.sampled_from(target.words)
    pieces = st.lists(st.one_of(words, words, words, st.binary(max_size=6)), max_size=60)
    return pieces.map(lambda found: b"".join(found)[: target.most]) | st.binary(max_size=200)


def by_hypothesis(target: Target, count: int, number: int) -> tuple[int, list[str]]:
    """So many inputs; a failure is made small first. Stops at the first that fails."""
    runs, failed = 0, list[str]()

    @seed(number)
    @options(
        max_examples=count,
        deadline=None,
        database=None,
        verbosity=Verbosity.quiet,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs(target))
    def all_of_them(data: bytes) -> None:
        nonlocal runs
        runs += 1
        if wrong := judged(target, data):
            failed.append(f"{target.name}, {data[:200]!r}: {wrong}")
            raise AssertionError(wrong)

    with contextlib.suppress(AssertionError):
        all_of_them()
    return runs, failed[-1:]


# --- atheris -----------------------------------------------------------------------------------------------


def by_atheris(target: Target, seconds: int, number: int) -> tuple[int, list[str]]:
    """In a child, since it never comes back: (how many inputs, what failed)."""
    with tempfile.TemporaryDirectory() as corpus:
        chance = random.Random(number)
        for at in range(60):
            data = b"".join(chance.choice(target.words) for _ in range(chance.randrange(12)))
            Path(corpus, str(at)).write_bytes(data)
        limits = [
            f"-max_total_time={seconds}",
            f"-seed={number}",
            f"-timeout={int(4 * CPU_SECS)}",
            "-rss_limit_mb=2048",
        ]
        ran = subprocess.run(
            [sys.executable, "-m", "tests.faults.fuzz", target.name, *limits, "-max_len=4096", corpus],
            cwd=ROOT,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    said = ran.stderr + ran.stdout
    counts = [line for line in said.splitlines() if line.startswith("Done ") and line.split()[1].isdigit()]
    runs = int(counts[-1].split()[1]) if counts else 0
    return runs, [] if ran.returncode == 0 else [f"{target.name} (atheris, seed {number}): {said[-1500:]}"]


def _child(name: str, words: list[str]) -> None:
    """What runs in it; never returns."""
    import atheris

    with atheris.instrument_imports(include=["jp_tui"]):
        for module in [name for name in sys.modules if name.startswith(("jp_tui", "tests.faults.fuzz_targets"))]:
            del sys.modules[module]
        targets = importlib.import_module("tests.faults.fuzz_targets")
    one: Callable[[bytes], None] = next(target.one for target in targets.TARGETS if target.name == name)
    atheris.Setup([sys.argv[0], *words], one)
    atheris.Fuzz()


# --- the part ----------------------------------------------------------------------------------------------


def tried(whole: bool, seed: int) -> list[Found]:
    """`whole`: 20,000 inputs of each parser, a minute of atheris each, large inputs at the limit of what is read; else
    50, and large ones of a tenth."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    chance = Found("what reads input of others, fuzzed with hypothesis", 0)
    for target in TARGETS:
        runs, failed = by_hypothesis(target, 20_000 if whole else 40, seed)
        chance.runs += runs
        chance.failed += failed
    chance.figures = {"parsers": str(len(TARGETS))}
    large = Found("inputs made to cost much", 0)
    slowest = (0.0, "")
    for what, target, data in nasty(500_000 if whole else 40_000):
        begun = time.process_time()
        large.runs += 1
        if wrong := judged(target, data):
            large.failed.append(f"{target.name}, {what}: {wrong}")
        slowest = max(slowest, (time.process_time() - begun, f"{target.name}, {what}"))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) // 1024
    if grown > MEMORY_MB:
        large.failed.append(f"the process grew by {grown} MB")
    large.figures = {"slowest": f"{slowest[0]:.2f} s ({slowest[1]})", "grown by": f"{grown} MB"}
    return [chance, large, *([_with_coverage(seed)] if whole else [])]


def _with_coverage(number: int) -> Found:
    found = Found("the same, fuzzed with atheris", 0)
    if importlib.util.find_spec("atheris") is None:
        found.not_here = 'atheris is not installed: pip install -e ".[fuzz]"'
        return found
    for target in TARGETS:
        runs, failed = by_atheris(target, 60, number)
        found.runs += runs
        found.failed += failed
    return found


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2:])

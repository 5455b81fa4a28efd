"""From the start of the program to the end of a long conversation on the screen, beside a short one."""

from __future__ import annotations

from tests.bench import store
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench, interleaved

SECONDS = 40.0
EVENTS = {"short": 100, "long": 10_000}


def rows(bench: Bench) -> list[Row]:
    """One row."""
    store.seed(bench.home, bench.workspace, EVENTS)
    times: dict[str, list[float]] = {name: [] for name in EVENTS}

    def measure(name: str, program: Program) -> None:
        times[name].append(program.wait("zqend") - program.start)

    with bench.model():
        interleaved(bench.reps, {name: bench.ours("--resume", name) for name in EVENTS}, measure)
    what = f"start to the end of {EVENTS['long']:,} events"
    return [Row(what, times["long"], times["short"], against=f"{EVENTS['short']} events", goal=1.1)]

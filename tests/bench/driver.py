"""What the guardian and the driver cost and save: the bare app with and without them (`--driver`)."""

from __future__ import annotations

from tests.bench import idle, keys, start
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench, interleaved, start_and_keys

SECONDS = 120.0


def rows(bench: Bench) -> list[Row]:
    """Start, keys, a lone escape, idle."""
    starts = {"bare app": bench.bare(), "guarded": bench.bare("--guarded")}
    found = start_and_keys(bench, starts)
    ours, theirs = found["guarded"], found["bare app"]
    escapes: dict[str, list[float]] = {name: [] for name in starts}
    interleaved(bench.reps, starts, lambda name, program: escapes[name].extend(_escapes(program)))
    return [
        *start.compared(ours, theirs, "guarded: ", (1.1, 1.1)),
        *keys.compared(ours, theirs, "guarded: ", 1.1),
        Row("guarded: lone escape to paint", escapes["guarded"], escapes["bare app"]),
        *idle.compared(bench, starts["guarded"], starts["bare app"], "guarded: "),
    ]


def _escapes(program: Program) -> list[float]:
    program.first_key()
    return program.escapes(5)

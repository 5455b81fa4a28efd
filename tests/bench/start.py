"""From the start of the process to the first echoed key and to the whole workspace, beside the bare app; `--version`.

The first key is echoed by the guardian, long before there is a workspace; that is on the screen when the app itself has
painted its first frame. jp-tui has run before, as it has for everybody but once.
"""

from __future__ import annotations

import subprocess
import sys
import time

from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench, Samples, interleaved

SECONDS = 70.0


def rows(bench: Bench) -> list[Row]:
    """Three rows."""
    ours, theirs = bench.started["jp-tui"], bench.started["bare app"]
    whole = wholes(bench)
    version = versions(bench)
    return [
        Row("start to first echoed key", ours["first key"], theirs["first key"], goal=0.15),
        Row("start to the whole workspace", whole["jp-tui"], whole["bare app"], goal=1.25),
        Row("jp-tui --version", version["jp-tui"], version["pass"], against="python -c pass", goal=3),
    ]


def wholes(bench: Bench) -> Samples:
    """Seconds until the app's own first frame."""
    found: Samples = {"bare app": [], "jp-tui": []}
    with bench.model():
        starts = {"bare app": bench.bare(), "jp-tui": bench.ours()}
        interleaved(bench.reps, starts, lambda name, program: found[name].append(_whole(program)))
    return found


def _whole(program: Program) -> float:
    took = program.whole()
    program.settle(0.3)
    return took


def versions(bench: Bench) -> Samples:
    """Seconds of a whole process, in turns."""
    commands = {"pass": ["-c", "pass"], "jp-tui": ["-m", "jp_tui", "--version"]}
    found: Samples = {name: [] for name in commands}
    for _ in range(bench.reps + 1):
        for name, command in commands.items():
            begun = time.monotonic()
            subprocess.run([sys.executable, *command], env=bench.env, check=True, stdout=subprocess.DEVNULL)
            found[name].append(time.monotonic() - begun)
    return {name: times[1:] for name, times in found.items()}


def compared(ours: Samples, theirs: Samples, label: str = "", goals: tuple[float, float] = (1.5, 1.5)) -> list[Row]:
    """The rows of a start."""
    return [
        Row(f"{label}start to first frame", ours["frame"], theirs["frame"], goal=goals[0]),
        Row(f"{label}start to first echoed key", ours["first key"], theirs["first key"], goal=goals[1]),
    ]

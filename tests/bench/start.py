"""From the start of the process to the first echoed key and to the whole workspace, beside the bare app; `--version`.

The first key is echoed by the guardian, long before there is a workspace. The workspace is whole when the conversation
is on the screen: a new one when the top line names its model, which only the engine knows, and one with a history when
its last word is there, at first in its last screen. The bare app is whole with its first frame. The rows of the app's
own first frame and of the conversation that takes the last screen's place have no goal. jp-tui has run before, as it
has for everybody but once, and so has the conversation been resumed.
"""

from __future__ import annotations

import subprocess
import sys
import time

from tests.bench.opening import FEW, LAST, left, seeded
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench, Samples, interleaved

SECONDS = 100.0
MODEL = "bench/steady"


def rows(bench: Bench) -> list[Row]:
    """First keys, first frames, whole workspaces, the version."""
    ours, theirs = bench.started["jp-tui"], bench.started["bare app"]
    whole = wholes(bench)
    version = versions(bench)
    return [
        Row("start to first echoed key", ours["first key"], theirs["first key"], goal=0.15),
        Row("start to the whole workspace, a new conversation", whole["new"], whole["bare app"], goal=1.25),
        Row("start to the whole workspace, 100 events", whole["history"], whole["bare app"], goal=1.25),
        Row("start to the whole workspace, 100 events, itself", whole["itself"], whole["bare app"]),
        Row("start to the app's first frame", whole["frame"], whole["bare app"]),
        Row("jp-tui --version", version["jp-tui"], version["pass"], against="python -c pass", goal=3),
    ]


def wholes(bench: Bench) -> Samples:
    """Seconds until the bare app's first frame, until a new conversation and one with a history are on the screen, and
    until the first frame of jp-tui itself."""
    found: Samples = {"bare app": [], "new": [], "history": [], "itself": [], "frame": []}
    seeded(bench, {"short": FEW})

    def measure(name: str, program: Program) -> None:
        if name == "history":
            found[name].append(program.wait(LAST) - program.start)
            found["itself"].append(program.whole())
        else:
            frame = program.whole()
            found["frame" if name == "new" else name].append(frame)
        if name == "new":
            found[name].append(program.wait(MODEL) - program.start)
        program.settle(0.3)

    with bench.model():
        starts = {"bare app": bench.bare(), "new": bench.ours(), "history": bench.ours("--resume", "short")}
        left(starts["history"])
        interleaved(bench.reps, starts, measure)
    return found


def versions(bench: Bench) -> Samples:
    """Seconds of a whole process, in turns."""
    commands = {"pass": ["-c", "pass"], "jp-tui": ["-m", "jp_tui", "--version"]}
    found: Samples = {name: [] for name in commands}
    for _ in range(bench.reps + 1):
        for name, command in commands.items():
            begun = time.monotonic()
            bench.runs += 1
            subprocess.run([sys.executable, *command], env=bench.env, check=True, stdout=subprocess.DEVNULL)
            found[name].append(time.monotonic() - begun)
    return {name: times[1:] for name, times in found.items()}


def compared(ours: Samples, theirs: Samples, label: str = "", goals: tuple[float, float] = (1.5, 1.5)) -> list[Row]:
    """The rows of a start."""
    return [
        Row(f"{label}start to first frame", ours["frame"], theirs["frame"], goal=goals[0]),
        Row(f"{label}start to first echoed key", ours["first key"], theirs["first key"], goal=goals[1]),
    ]

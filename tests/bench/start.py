"""From the start of the process to the first echoed key and to the whole workspace, beside the bare app; `--version`.

The first key is echoed by the guardian, long before there is a workspace. The workspace is whole when all that it will
show without a key is on the screen. That is, for a new conversation, the model in the top line, the last conversations
and the tips; for one with a history its last word. jp-tui has run before, as it has for everybody but once, so it kept
both when it was left: the app's first frame has the first, the last screen the second. The bare app is whole with its
first frame.

Rows without a goal: the conversation with a history that takes the last screen's place (`itself`); the new one where
nothing is kept, so that all of it comes from the engine; both are the time until the engine is loaded and has answered.
And the app's first frame.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import AbstractContextManager

from tests.bench.opening import FEW, LAST, left, seeded
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench, Samples, Start, interleaved

SECONDS = 100.0
MODEL, LISTED, TIP = "bench/steady", "Last conversations", "\N{MIDDLE DOT} "
"""What is on the screen of a new conversation."""


def rows(bench: Bench) -> list[Row]:
    """First keys, first frames, whole workspaces, the version."""
    ours, theirs = bench.started["jp-tui"], bench.started["bare app"]
    whole = wholes(bench)
    version = versions(bench)
    return [
        Row("start to first echoed key", ours["first key"], theirs["first key"], goal=0.15),
        Row("start to the whole workspace, a new conversation", whole["new"], whole["bare app"], goal=1.25),
        Row("start to the whole workspace, a new conversation, nothing kept", whole["engine"], whole["bare app"]),
        Row("start to the whole workspace, 100 events", whole["history"], whole["bare app"], goal=1.25),
        Row("start to the whole workspace, 100 events, itself", whole["itself"], whole["bare app"]),
        Row("start to the app's first frame", whole["frame"], whole["bare app"]),
        Row("jp-tui --version", version["jp-tui"], version["pass"], against="python -c pass", goal=3),
    ]


def wholes(bench: Bench) -> Samples:
    """Seconds until the bare app's first frame, until a new conversation and one with a history are on the screen, and
    until the first frame of jp-tui itself."""
    found: Samples = {"bare app": [], "new": [], "engine": [], "history": [], "itself": [], "frame": []}
    seeded(bench, {"short": FEW})

    def measure(name: str, program: Program) -> None:
        if name == "history":
            found[name].append(program.wait(LAST) - program.start)
            found["itself"].append(program.whole())
        elif (frame := program.whole()) and name != "engine":
            found["frame" if name == "new" else name].append(frame)
        if name in ("new", "engine"):
            found[name].append(max(program.wait(word) for word in (MODEL, LISTED, TIP)) - program.start)
        program.settle(0.3)

    with bench.model():
        starts = {"bare app": bench.bare(), "new": bench.ours(), "history": bench.ours("--resume", "short")}
        left(starts["history"])
        left(starts["new"], TIP)
        interleaved(bench.reps, starts, measure)
        interleaved(bench.reps, {"engine": nothing_kept(bench)}, measure)
    return found


def nothing_kept(bench: Bench) -> Start:
    """A start where no first screen is kept."""

    def started() -> AbstractContextManager[Program]:
        shutil.rmtree(bench.home / "state" / "new-conversations", ignore_errors=True)
        return bench.run("-m", "jp_tui")

    return started


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

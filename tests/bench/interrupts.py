"""How soon an interruption shows, in every state (issue 4, 9): from the key to the first paint of what it opens.

The states are made by scripts of the scripted model and a local tool that sleeps, so no network is in them. Nothing
is interrupted: each menu is left as it was opened, and the same state is asked again.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench

SECONDS = 180.0

WITHIN = 0.1
"""Seconds within which the first reaction must be on the screen."""
LONG = 600
"""Seconds that a state lasts: longer than it is looked at."""

_CONFIG = """
[conversation.tools.doze]
source = "local"
summary = "Sleep."
run = "{run}"
[conversation.tools.doze.command]
program = "sleep"
args = ["{seconds}"]
"""
_TOOL = '[[turns]]\ntext = "zqstate"\ncalls = [{ name = "doze", arguments = {} }]\n'


@dataclass(frozen=True, slots=True)
class State:
    """Where the program is: the script that leads there, what shows that it is there, the key, what that opens."""

    name: str
    script: str
    run: str
    there: str
    key: bytes
    opens: str


STATES = (
    State("idle (Ctrl+C)", _TOOL, "skip", "", b"\x03", "again"),
    State("a reply streams", f'rate = 20\n[[turns]]\ntext = "zqstate {"word " * 20 * LONG}"\n', "skip", "word", b"\x1b",
          "Continue"),
    State("tools run", _TOOL, "unattended", "running", b"\x1b", "Continue"),
    State("a permission is asked", _TOOL, "ask", "Run local", b"\x1b", "End Turn"),
)  # fmt: skip


def rows(bench: Bench) -> list[Row]:
    """From the key that interrupts to the menu, in every state, against the bare app's key."""
    keys, found = bench.rest, list[Row]()
    for state in STATES:
        more = prepare(state, bench.home, bench.folder)
        with bench.ours(*more)() as program:
            reach(state, program)
            times = reactions(state, program, 3 if bench.quick else 25)
        what = f"interrupt to menu: {state.name}"
        found += [Row(what, times, keys, "bare app's key", tail=tail, within=WITHIN) for tail in (False, True)]
    return found


def prepare(state: State, home: Path, folder: Path) -> list[str]:
    """Write the state's configuration and script; the arguments that start the program in it."""
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(_CONFIG.format(run=state.run, seconds=LONG))
    script = folder / "state.toml"
    script.write_text(state.script)
    return ["--model", f"demo/{script}"]


def reach(state: State, program: Program) -> None:
    """Into the state, from a program that was just started."""
    program.first_key()
    program.settle(0.5)
    if not state.there:
        return
    os.write(program.master, b"\x7f" * 9 + b"go")
    program.settle(0.3)
    os.write(program.master, b"\r")
    program.wait(state.there)
    program.pass_time(2.0)  # a sheet opens after a second of silence, and then listens


def reactions(state: State, program: Program, count: int) -> list[float]:
    """Seconds from each key to the paint of what it opens, which is put away again each time."""
    times: list[float] = []
    for _ in range(count):
        program.pass_time(1.2)  # two of them within a second are another key
        program.seen = b""
        at = time.monotonic()
        os.write(program.master, state.key)
        times.append(program.wait(state.opens) - at)
        if state.there:
            program.pass_time(0.3)
            os.write(program.master, b"\x1b")
    return times

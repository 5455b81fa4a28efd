"""Keys while a thousand questions of fifty sub-agents come, wait and end in one go (issue 7 "Reliability").

A script of the scripted model in the whole program in a real pty: one response starts fifty sub-agents, each of which
asks twenty questions at once. Keys are compared with keys of the same program at rest; memory with half as many
questions, and with the memory after the first thousand when a second thousand came and went.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.bench.program import Program, family
from tests.bench.report import Row
from tests.bench.setting import Bench

SECONDS = 150.0

AGENTS, EACH = 50, 20
TWICE = 2.0
"""Times the idle time, within which a key is painted."""
LIMIT = 60.0
"""Seconds after which no more are waited for."""
ENTER, ESC, FOLD, STOP = b"\r", b"\x1b", b"\x0f", b"3"
QUIET = 2.5
"""Seconds of silence after which a sheet stands open and listens."""
OVER = 15.0
"""Seconds after which all of a thousand have been heard of as ended, and what they left is tidied up."""
REST, COMING, WAITING, SHEET, GOING = "at rest", "come", "wait", "wait, in the sheet of one", "end at once"
Started = AbstractContextManager[Program]


def script(each: int) -> str:
    """Fifty sub-agents at the first message, each with so many questions in one response."""
    spawn = '  { name = "spawn_agent", arguments = { name = "agent %d", task = "worker %d" } },'
    ask = (
        '  { name = "ask_user", arguments = { questions = '
        '[{ id = "q", text = "Question %d?", answer_type = "text" }] } },'
    )
    spawns = "\n".join(spawn % (number, number) for number in range(AGENTS))
    asks = "\n".join(ask % number for number in range(each))
    walk = '[[walks]]\nname = "%s"\nwords = ["%s"]\n[[walks.turns]]\ntext = "zq%s"\ncalls = [\n%s\n]\n'
    over = '[[walks.turns]]\ntext = "zqover"\n'
    return walk % ("go", "go", "going", spawns) + over + walk % ("worker", "worker", "asks", asks) + over


class Run:
    """One program, and what was found in it: seconds of keys by state, and bytes."""

    def __init__(self, program: Program, seconds: float, each: int = EACH) -> None:
        self.program, self.seconds = program, seconds
        self.came = False
        read, all_ = program.read, b"%d waiting for you" % (AGENTS * each)

        def watched(until: float) -> float | None:
            at = read(until)
            self.came = self.came or all_ in program.seen[-200_000:]
            return at

        program.read = watched  # type: ignore[method-assign]
        self.keys: dict[str, list[float]] = {}

    def start(self) -> None:
        self.program.first_key()
        self.program.settle(0.5)
        self.program.pass_time(0.7)

    def typed(self, state: str, *, count: int = 0, idle: bool = True) -> None:
        until = 0.0 if count else time.monotonic() + self.seconds
        self.keys.setdefault(state, []).extend(self.program.keys(count, until=until, idle=idle))

    def ask(self) -> None:
        """The thousand begin."""
        os.write(self.program.master, b"\x7f" * 60)
        self.program.settle(0.3)
        os.write(self.program.master, b"go")
        self.program.settle(0.3)
        os.write(self.program.master, ENTER)

    def typed_until_all_wait(self) -> None:
        """Somebody types while they come; a pause, and the first would open and take the keys."""
        end, times = time.monotonic() + LIMIT, self.keys.setdefault(COMING, [])
        while not self.came and time.monotonic() < end:
            times += self.program.keys(1, idle=False)

    def open(self) -> None:
        """Until all wait and the sheet of the first stands open."""
        end = time.monotonic() + LIMIT
        while not self.came and time.monotonic() < end:
            self.program.pass_time(0.1)
        self.program.seen = b""
        self.program.pass_time(QUIET)
        self.program.settle(0.6)

    def end(self) -> None:
        """The turn, with all of them: the sheet is folded, so that keys are seen from the first one on."""
        for key, pause in ((FOLD, 0.5), (ESC, 0.5), (STOP, 0.05)):
            os.write(self.program.master, key)
            self.program.pass_time(pause)

    @property
    def memory(self) -> int:
        """Bytes of its processes that nobody shares."""
        found = 0
        for pid in family(self.program.process.pid):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            found += sum(int(line.split()[1]) for line in rollup if line.startswith("Private_")) * 1024
        return found


def rows(bench: Bench) -> list[Row]:
    """All rows of this part."""
    reps, keys, seconds = (1, 10, 4.0) if bench.quick else (3, 40, 6.0)
    return measured(bench.folder, reps, keys, seconds, lambda model: bench.ours("--model", model)())


def measured(folder: Path, reps: int, keys: int, seconds: float, ours: Callable[[str], Started]) -> list[Row]:
    """Rows of keys and of memory. `ours(model)` starts the program."""
    found: dict[str, list[float]] = {}
    rest, half, whole, first, second = [list[float]() for _ in range(5)]
    for _ in range(reps):
        with ours(_written(folder / "half.toml", EACH // 2)) as program:
            run = Run(program, seconds, EACH // 2)
            run.start()
            before = run.memory
            run.ask()
            run.open()
            half.append(run.memory - before)
        with ours(_written(folder / "whole.toml", EACH)) as program:
            run = Run(program, seconds)
            _go_through(run, keys)
            for state, times in run.keys.items():
                found.setdefault(state, []).extend(times)
            program.pass_time(OVER)
            first.append(run.memory)
            run.came = False
            run.ask()
            run.open()
            run.end()
            program.pass_time(OVER)
            second.append(run.memory)
        with ours(_written(folder / "whole.toml", EACH)) as program:
            run = Run(program, seconds)
            run.start()
            before = run.memory
            run.ask()
            run.open()
            whole.append(run.memory - before)
    rest = found.pop(REST)
    rows = [
        Row(f"key to paint while {AGENTS * EACH:,} questions {state}", times, rest, "itself at rest", tail, TWICE)
        for state, times in found.items()
        for tail in (False, True)
    ]
    return [
        *rows,
        Row(f"memory of {AGENTS * EACH:,} questions", whole, half, f"{AGENTS * EACH // 2}", goal=2.2, unit="B"),
        Row("memory after a second thousand", second, first, "after the first", goal=1.1, unit="B"),
    ]


def _go_through(run: Run, keys: int) -> None:
    run.start()
    run.typed(REST, count=keys)
    run.ask()
    run.typed_until_all_wait()
    run.typed(WAITING, count=keys)
    run.open()
    run.typed(SHEET, count=keys)
    run.end()
    run.typed(GOING, idle=False)
    run.program.settle(0.6)


def _written(path: Path, each: int) -> str:
    path.write_text(script(each))
    return f"demo/{path}"

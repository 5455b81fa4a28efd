"""A day of work in one workspace: what it holds after a thousand turns, beside ten (issue 9).

Several workspaces live through it at the same time, each a process with a home of its own and one sample. Each turn is
a message, a thought, a tool that reads a file, and half a screen of Markdown, by a script of the scripted model in the
whole program in a real pty. Memory is what its processes have to themselves or their share of (PSS).
"""

from __future__ import annotations

import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.bench.model import tokens
from tests.bench.program import Never, Program, family
from tests.bench.report import Row
from tests.bench.setting import Bench

SECONDS = 300.0
FEW, MANY, QUICK = 10, 1000, 40
PROCESSES = 5
LOOKS, REST = 7, 3.0
"""Looks at a workspace's memory, of which the middle one counts; seconds before them in which nothing is typed."""
OVER = "zqover"
SAID = ("gamma", "delta")
PATIENCE, TRIES = 5.0, 4
CLEAR, ENTER = b"\x15", b"\r"


def rows(bench: Bench) -> list[Row]:
    """One row; each sample is a process."""
    many = QUICK if bench.quick else MANY
    script = written(bench.folder / "day.toml", bench.workspace)
    with ExitStack() as stack:
        programs = []
        for number in range(2 if bench.quick else PROCESSES):
            with bench.living_in(bench.folder / f"day-{number}"):
                programs.append(stack.enter_context(bench.ours("--model", f"demo/{script}")()))
        with ThreadPoolExecutor(len(programs)) as hands:
            found = list(hands.map(lambda program: lived(program, many), programs))
    after = [last for _, last in found]
    return [Row(f"memory after {many:,} turns", after, [few for few, _ in found], f"after {FEW}", goal=1.2, unit="B")]


def lived(program: Program, many: int) -> tuple[float, float]:
    """Bytes that a workspace has after few turns and after many."""
    begin(program)
    turns(program, FEW)
    few = looked(program)
    turns(program, many - FEW, FEW + 1)
    return few, looked(program)


def written(path: Path, workspace: Path) -> Path:
    """A script of two kinds of turns: rows that look as before would not be painted, and not be seen here."""
    (workspace / "read.txt").write_text("\n".join(f"line {number} of what is read" for number in range(60)) + "\n")
    walks = []
    for number, word in enumerate(SAID):
        text = "".join(tokens(150, seed=number)).replace("zqfirst", "What was found").replace("zqlast", "")
        walks.append(
            f'[[walks]]\nname = "{word}"\nwords = ["{word}"]\n'
            '[[walks.turns]]\nreasoning = "The file first."\ntext = "I read it."\n'
            'calls = [{ name = "fs_read_file", arguments = { path = "read.txt" } }]\n'
            f"[[walks.turns]]\ntext = '''\n{text}\n\n{OVER} {{user}} {OVER}'''\n"
        )
    path.write_text('fallback = "What?"\n' + "".join(walks))
    return path


def begin(program: Program) -> None:
    """Until the workspace takes messages."""
    program.first_key()
    program.settle(1.0, 20.0)
    program.pass_time(2.0)
    os.write(program.master, CLEAR + b"\x7f" * 60)
    program.settle(0.3)


def turns(program: Program, count: int, first: int = 1) -> None:
    """So many, one after the other, as fast as they go. Each is told by its number from those that are painted anew.
    Enter right behind a letter may be taken for a paste's."""
    for number in range(first, first + count):
        said = f"{SAID[number % len(SAID)]} {number}"
        over = f"{OVER} {said} {OVER}".encode()
        program.seen = b""
        os.write(program.master, said.encode())
        program.wait(said)
        until, tries = 0.0, 0
        while over not in program.seen:
            if time.monotonic() > until:
                if tries == TRIES:
                    raise Never(f"turn {number} did not end: {program.tail()}")
                until, tries = time.monotonic() + PATIENCE, tries + 1
                os.write(program.master, ENTER)
            program.read(until)


def looked(program: Program) -> float:
    """Bytes, the median of some moments without a key, in the first of which it may tidy up."""
    program.pass_time(REST)
    found = []
    for _ in range(LOOKS):
        program.pass_time(0.3)
        found.append(memory(program))
    return statistics.median(found)


def memory(program: Program) -> float:
    """Bytes now."""
    return float(sum(map(_share, family(program.process.pid))))


def _share(pid: int) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) * 1024

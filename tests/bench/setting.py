"""What the parts of the benchmark share: a folder, the programs, a model server, and what is measured once for all.

Programs that are compared are started in turns, so that a busy moment of the machine meets both. Reads no results.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.bench import store
from tests.bench.program import Never, Program

ROOT = Path(__file__).resolve().parents[2]
RATE = 200
"""Tokens a second of the model server, when nothing else is asked for."""
KEYS = 25
"""Keys that are typed into each program that was started."""
T = TypeVar("T")
Start = Callable[[], AbstractContextManager[Program]]
Samples = dict[str, list[float]]
"""By what was measured, in seconds."""


class Bench:
    """One run: `reps` starts of each program (few when `quick`), in folders of its own."""

    BARE = str(Path(__file__).with_name("bare_app.py"))

    def __init__(self, folder: Path, quick: bool) -> None:
        self.folder = folder
        self.home, self.workspace = folder / "home", folder / "workspace"
        self.workspace.mkdir()
        self.quick = quick
        self.reps = 2 if quick else 9
        self.runs = self.failed = 0
        """Programs that were started since `begin`, and those of them for which something never came."""
        self._shared: dict[str, tuple[Any, int, int]] = {}
        self._counted: set[str] = set()
        self.env = {
            **{name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ},
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "HOME": str(folder),
            "JP_TUI_HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
        }

    def begin(self) -> None:
        """A part begins: count its runs."""
        self.runs = self.failed = 0
        self._counted.clear()

    # -- programs

    @contextmanager
    def run(self, *command: str) -> Iterator[Program]:
        """Python with these arguments, in a pty; ended at the end."""
        self.runs += 1
        program = Program([sys.executable, *command], self.env, self.workspace)
        try:
            yield program
        except Never:
            self.failed += 1
            raise
        finally:
            program.close()

    def watched(self, log: Path, program: str, *more: str) -> AbstractContextManager[Program]:
        """A program that writes to `log` how long its loop is held."""
        return self.run("-m", "tests.bench.holds", str(log), program, *more)

    def bare(self, *more: str) -> Start:
        """The bare app; with "--guarded" under our guardian and driver."""
        return lambda: self.run(self.BARE, *more)

    def ours(self, *more: str) -> Start:
        """jp-tui as a user starts it."""
        return lambda: self.run("-m", "jp_tui", *more)

    @contextmanager
    def living_in(self, home: Path) -> Iterator[None]:
        """With another JP_TUI_HOME meanwhile."""
        before = self.home
        self.home, self.env["JP_TUI_HOME"] = home, str(home)
        try:
            yield
        finally:
            self.home, self.env["JP_TUI_HOME"] = before, str(before)

    @contextmanager
    def model(self, tokens: int = RATE * 12, rate: float = RATE) -> Iterator[None]:
        """A model server in a process of its own, so that the stopwatch is not held up; the only one configured."""
        command = [sys.executable, "-m", "tests.bench.model", str(rate), str(tokens)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdin is not None and server.stdout is not None
            store.configure(self.home, int(server.stdout.readline()))
            try:
                yield
            finally:
                server.stdin.close()

    # -- measured once, for every part that compares with it

    def once(self, name: str, measure: Callable[[], T]) -> T:
        """What `measure` gives, measured once for all parts. Each part that uses it counts its runs."""
        if name not in self._shared:
            runs, failed = self.runs, self.failed
            found = measure()
            self._shared[name] = found, self.runs - runs, self.failed - failed
        elif name not in self._counted:
            self.runs += self._shared[name][1]
            self.failed += self._shared[name][2]
        self._counted.add(name)
        made: T = self._shared[name][0]
        return made

    @property
    def started(self) -> dict[str, Samples]:
        """ "frame", "first key" and "keys" of "jp-tui" and the "bare app", started in turns."""

        def measure() -> dict[str, Samples]:
            with self.model():
                return start_and_keys(self, {"bare app": self.bare(), "jp-tui": self.ours()})

        return self.once("started", measure)

    @property
    def rest(self) -> list[float]:
        """Seconds from key to paint of the bare app at rest."""
        if "started" in self._shared:
            return self.started["bare app"]["keys"]
        return self.once("rest", lambda: start_and_keys(self, {"bare app": self.bare()})["bare app"]["keys"])

    @property
    def page(self) -> list[float]:
        """Seconds from PageDown to the last row of that page in the bare app."""
        return self.once("page", lambda: pages(self))


def pages(bench: Bench) -> list[float]:
    """So many pages of the bare app, one after the other; the first, which warms it up, doesn't count."""
    times = []
    with bench.bare("--pages")() as program:
        program.wait("zq00000")
        program.settle(0.5)
        rows = 1 + max(map(int, re.findall(rb"zq(\d{5})", program.seen)))
        for number in range(2, 6 if bench.quick else 42):
            program.seen = b""
            at = time.monotonic()
            os.write(program.master, b"\x1b[6~")
            times.append(program.wait(f"zq{number * rows - 1:05d}") - at)
            program.settle(0.05)
    return times[1:]


def interleaved(reps: int, starts: dict[str, Start], measure: Callable[[str, Program], None]) -> None:
    """Start each in turn, `reps` times and once before that for nothing. A run for which something never comes gives no
    sample and is counted by the bench; raises Never once a third of the runs of a program has failed."""
    failed = dict.fromkeys(starts, 0)
    for rep in range(-1, reps):
        for name, start in starts.items():
            try:
                with start() as program:
                    if rep < 0:
                        program.first_key()
                    else:
                        measure(name, program)
            except Never:
                failed[name] += 1
                if 3 * failed[name] > reps:
                    raise


def start_and_keys(bench: Bench, starts: dict[str, Start], keys: int = KEYS) -> dict[str, Samples]:
    """First frame, first echoed key, and keys at rest, by program."""
    found: dict[str, Samples] = {name: {"frame": [], "first key": [], "keys": []} for name in starts}

    def measure(name: str, program: Program) -> None:
        mine = found[name]
        mine["frame"].append(program.first_frame())
        mine["first key"].append(program.first_key())
        program.settle(0.3)
        program.pass_time(0.7)  # what a program defers until after its first frame
        mine["keys"] += program.keys(keys)

    interleaved(bench.reps, starts, measure)
    return found

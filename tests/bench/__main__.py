"""`python -m tests.bench [--quick] [--only PART,…] [--driver] [--json FILE]`: jp-tui beside a bare Textual app.

Everything is measured in one run in real ptys, what is compared in turns, after one uncounted run of each. Ratios
are the result; milliseconds depend on the machine, which is named. No test depends on any of these times.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from pathlib import Path

from tests.bench import interrupts, many, sheets, store
from tests.bench.program import Never, Program
from tests.bench.report import Row, machine, table

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("start", "keys", "open", "stream", "interrupt", "append", "idle", "schema", "many")
EVENTS = {"short": 100, "long": 10_000}
RATE = 200


class Bench:
    """The folder, the model server and the programs that are measured."""

    BARE = str(Path(__file__).with_name("bare_app.py"))

    def __init__(self, folder: Path, quick: bool) -> None:
        self.home, self.workspace = folder / "home", folder / "workspace"
        self.workspace.mkdir()
        self.quick = quick
        self.reps = 2 if quick else 9
        self.env = {
            **{name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ},
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "HOME": str(folder),
            "JP_TUI_HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
        }

    @contextmanager
    def _run(self, *command: str) -> Iterator[Program]:
        program = Program([sys.executable, *command], self.env, self.workspace)
        try:
            yield program
        finally:
            program.close()

    def watched(self, log: Path, program: str, *more: str) -> AbstractContextManager[Program]:
        """A program that writes to `log` how long its loop is held."""
        return self._run("-m", "tests.bench.holds", str(log), program, *more)

    def bare(self, *more: str) -> Callable[[], object]:
        """The bare app; with "--guarded" under our guardian and driver."""
        return lambda: self._run(self.BARE, *more)

    def ours(self, *more: str) -> Callable[[], object]:
        """jp-tui as a user starts it."""
        return lambda: self._run("-m", "jp_tui", *more)

    @contextmanager
    def model(self, tokens: int) -> Iterator[None]:
        """A model server of its own process, so that its work does not hold the stopwatch up."""
        command = [sys.executable, "-m", "tests.bench.model", str(RATE), str(tokens)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdin is not None and server.stdout is not None
            store.configure(self.home, int(server.stdout.readline()))
            try:
                yield
            finally:
                server.stdin.close()


Start = Callable[[], "object"]


def interleaved(reps: int, starts: dict[str, Start], measure: Callable[[str, Program], None]) -> None:
    """Start each in turn, `reps` times and once before that for nothing."""
    for rep in range(-1, reps):
        for name, start in starts.items():
            with start() as program:  # type: ignore[attr-defined]
                if rep < 0:
                    program.first_key()
                else:
                    measure(name, program)


def start_and_keys(bench: Bench, starts: dict[str, Start], keys: int) -> dict[str, dict[str, list[float]]]:
    """First frame, first echoed key, and keys at rest, by program."""
    found: dict[str, dict[str, list[float]]] = {name: {"frame": [], "first key": [], "keys": []} for name in starts}

    def measure(name: str, program: Program) -> None:
        mine = found[name]
        mine["frame"].append(program.first_frame())
        mine["first key"].append(program.first_key())
        program.settle(0.3)
        program.pass_time(0.7)  # what a program defers until after its first frame
        mine["keys"] += program.keys(keys)

    interleaved(bench.reps, starts, measure)
    return found


def compared(found: dict[str, dict[str, list[float]]], name: str, base: str, goals: tuple[float, ...]) -> list[Row]:
    """The four rows of a start and of keys."""
    ours, theirs = found[name], found[base]
    label = "" if name == "jp-tui" else f"{name}: "
    frame, first, key = goals
    return [
        Row(f"{label}start to first frame", ours["frame"], theirs["frame"], goal=frame),
        Row(f"{label}start to first echoed key", ours["first key"], theirs["first key"], goal=first),
        Row(f"{label}key to paint at rest", ours["keys"], theirs["keys"], goal=key),
        Row(f"{label}key to paint at rest", ours["keys"], theirs["keys"], tail=True, goal=key),
    ]


def opening(bench: Bench) -> Row:
    """From the start of the program to the end of the conversation on the screen."""
    store.seed(bench.home, bench.workspace, EVENTS)
    times: dict[str, list[float]] = {name: [] for name in EVENTS}

    def measure(name: str, program: Program) -> None:
        times[name].append(program.wait("zqend") - program.start)

    interleaved(bench.reps, {name: bench.ours("--resume", name) for name in EVENTS}, measure)
    what = f"start to the end of {EVENTS['long']:,} events"
    return Row(what, times["long"], times["short"], against=f"{EVENTS['short']} events", goal=1.1)


def streaming(bench: Bench, at_rest: list[float]) -> list[Row]:
    """Keys while a reply streams, against the bare app at rest."""
    seconds = 2.0 if bench.quick else 5.0
    times: list[float] = []
    for _ in range(1 if bench.quick else 5):
        with bench.ours()() as program:  # type: ignore[attr-defined]
            program.first_key()
            program.settle(0.5)
            os.write(program.master, b"\x7f" * 9 + b"go")
            program.settle(0.3)
            os.write(program.master, b"\r")
            program.wait("zqfirst")
            times += program.keys(until=time.monotonic() + seconds, idle=False)
    what = f"key to paint while {RATE} tokens/s stream"
    return [Row(what, times, at_rest, against="bare app at rest", tail=tail, goal=None) for tail in (False, True)]


def interrupting(bench: Bench, keys: list[float]) -> list[Row]:
    """From the key that interrupts to the menu, in every state, against the bare app's key."""
    rows: list[Row] = []
    for state in interrupts.STATES:
        times: list[float] = []
        more = interrupts.prepare(state, bench.home, bench.home.parent)
        with bench.ours(*more)() as program:  # type: ignore[attr-defined]
            interrupts.reach(state, program)
            times += interrupts.reactions(state, program, 3 if bench.quick else 25)
        rows += [
            Row(f"interrupt to menu: {state.name}", times, keys, "bare app's key", tail=tail, within=interrupts.WITHIN)
            for tail in (False, True)
        ]
    return rows


def at_rest(bench: Bench, starts: dict[str, Start], names: tuple[str, str]) -> list[Row]:
    """Bytes and CPU of ten idle seconds."""
    seconds = 2.0 if bench.quick else 10.0
    bytes_, cpu = {name: [] for name in starts}, {name: [] for name in starts}  # type: ignore[var-annotated]
    for _ in range(1 if bench.quick else 3):
        for name, start in starts.items():
            with start() as program:  # type: ignore[attr-defined]
                program.first_key()
                written, used = program.idle(seconds)
                bytes_[name].append(written)
                cpu[name].append(used)
    ours, theirs = names
    what = f"{'' if ours == 'jp-tui' else ours + ': '}{seconds:g} idle seconds"
    return [
        Row(f"{what}, written", bytes_[ours], bytes_[theirs], unit="B"),
        Row(f"{what}, CPU", cpu[ours], cpu[theirs], unit="s"),
    ]


def driver_rows(bench: Bench) -> list[Row]:
    """What the guardian and the driver cost and save: the bare app with and without them."""
    starts = {"bare app": bench.bare(), "guarded": bench.bare("--guarded")}
    found = start_and_keys(bench, starts, 25)
    escapes: dict[str, list[float]] = {name: [] for name in starts}
    interleaved(bench.reps, starts, lambda name, program: escapes[name].extend(_escapes(program)))
    return [
        *compared(found, "guarded", "bare app", (1.1, 1.1, 1.1)),
        Row("guarded: lone escape to paint", escapes["guarded"], escapes["bare app"]),
        *at_rest(bench, starts, ("guarded", "bare app")),
    ]


def _escapes(program: Program) -> list[float]:
    program.first_key()
    return program.escapes(5)


def run(bench: Bench, parts: list[str], driver: bool) -> list[Row]:
    """All rows that were asked for."""
    if driver:
        return driver_rows(bench)
    rows: list[Row] = []
    starts = {"bare app": bench.bare(), "jp-tui": bench.ours()}
    with bench.model(RATE * 12):
        rest: list[float] = []
        if {"start", "keys", "stream", "interrupt"} & set(parts):
            found = start_and_keys(bench, starts, 25)
            rest = found["bare app"]["keys"]
            wanted = compared(found, "jp-tui", "bare app", (1.5, 1.5, 1.3))
            rows += wanted[:2] * ("start" in parts) + wanted[2:] * ("keys" in parts)
        if "open" in parts:
            rows.append(opening(bench))
        if "stream" in parts:
            rows += streaming(bench, rest)
        if "append" in parts:
            ours, theirs = store.appends(bench.home.parent / "append", 40 if bench.quick else 400)
            rows.append(Row("durable append of an event", ours, theirs, against="raw SQLite"))
        if "idle" in parts:
            rows += at_rest(bench, starts, ("jp-tui", "bare app"))
    if "interrupt" in parts:  # last: it writes another configuration
        rows += interrupting(bench, rest)
    if "schema" in parts:
        rows += sheets.measured(
            bench.home.parent, 1 if bench.quick else 5, lambda log: bench.watched(log, bench.BARE, "--text"),
            lambda log, model: bench.watched(log, "jp_tui", "--model", model),
        )  # fmt: skip
    if "many" in parts:
        quick = bench.quick
        rows += many.measured(
            bench.home.parent, 1 if quick else 3, 10 if quick else 40, 4.0 if quick else 6.0,
            lambda model: bench.ours("--model", model)(),  # type: ignore[arg-type, return-value]
        )  # fmt: skip
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions: does it work, not how fast is it")
    parser.add_argument("--only", metavar="PART,…", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--driver", action="store_true", help="the bare app with and without guardian and driver")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples, in seconds, to FILE")
    options = parser.parse_args()
    parts = options.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    facts = machine()
    with tempfile.TemporaryDirectory(prefix="jp-tui-bench-") as folder:
        try:
            rows = run(Bench(Path(folder), options.quick), parts, options.driver)
        except Never as problem:
            sys.stderr.write(f"tests.bench: {problem}\n")
            return 1
    print(", ".join(facts.values()) + "\n\n" + table(rows))
    if options.json:
        results = [asdict(row) | {"ratio": row.ratio} for row in rows]
        options.json.write_text(json.dumps({"facts": facts, "rows": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

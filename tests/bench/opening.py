"""A conversation of 100,000 events, beside one of 100 and beside the bare app's start: resumed, in memory, and scrolled
through by pages.

A conversation's end is on the screen when its last word is. It was resumed and left before, so its last screen is kept
and shown first; two more rows have no goal: the same without a last screen, and the conversation itself, which takes
the last screen's place (the app's own first frame then).

A page is timed from its key to the end of the frame that shows all of it; the screen after every frame on the way is
looked at, too: a row that is not there yet is blank or has the sign for that. Scrolls up and down again, across what
was read at the start, at a steady pace that no page may hold up.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pyte

from tests.bench import store
from tests.bench.program import Never, Program, family
from tests.bench.report import Row
from tests.bench.setting import Bench, Start, interleaved

SECONDS = 120.0
FEW, MANY = 100, 100_000
EVENTS = {"short": FEW, "long": MANY}
LAST = "zqend"
"""The last word of each."""
FRAMES = 3
"""Of the bare app, from its key to its paint: what a page may take."""
PAGES = 80
"""Up, and the same down again."""
PACE = 0.12
"""Seconds between two pages."""
UP, DOWN = b"\x1b[5~", b"\x1b[6~"
LEAVE = b"\x11"
SYNC, ANSWER, END = b"\x1b[?2026$p", b"\x1b[?2026;2$y", b"\x1b[?2026l"
NOT_THERE = "⋯"
_PRIVATE = re.compile(rb"\x1b\[[<>=?][0-9;]*[ -/]*[a-z]")


def seeded(bench: Bench, sizes: dict[str, int]) -> None:
    """The conversations, made when they are not there yet."""
    missing = {name: events for name, events in sizes.items() if not (bench.folder / f"seeded-{name}").exists()}
    if missing:
        store.seed(bench.home, bench.workspace, missing)
    for name in missing:
        (bench.folder / f"seeded-{name}").touch()


def rows(bench: Bench) -> list[Row]:
    """Time, memory, pages."""
    seeded(bench, EVENTS)
    ways = {"-c": ("-c",), "short": ("--resume", "short"), "long": ("--resume", "long")}
    times: dict[str, list[float]] = {name: [] for name in (*ways, "bare", "none short", "none long", "itself")}
    memory: dict[str, list[float]] = {name: [] for name in EVENTS}

    def measure(name: str, program: Program) -> None:
        if name == "bare":
            times[name].append(program.whole())
            return
        times[name].append(program.wait(LAST) - program.start)
        itself = program.whole()
        if name == "long":
            times["itself"].append(itself)
        program.settle(0.3)
        program.pass_time(0.5)
        if name in memory:
            memory[name].append(private(program))

    with bench.model():
        resumed: dict[str, Start] = {name: bench.ours(*words) for name, words in ways.items()}
        for start in resumed.values():
            left(start)
        forgetful = {f"none {name}": without_screen(bench, resumed[name]) for name in EVENTS}
        interleaved(min(bench.reps, 7), resumed | {"bare": bench.bare()}, measure)
        interleaved(min(bench.reps, 3), forgetful, measure)
        keys = first_keys(bench)
        pages = scrolled(bench)
    what, against, bare = f"start to the end of {MANY:,} events", f"{FEW} events", "start of the bare app"
    return [
        Row(what, times["long"], times["short"], against, goal=1.1),
        Row(what, times["long"], times["bare"], bare, goal=1.3),
        Row(f"start to the end of {FEW} events", times["short"], times["bare"], bare, goal=1.3),
        Row("start to the end of the latest conversation, -c", times["-c"], times["bare"], bare, goal=1.3),
        Row(f"{what}, the conversation itself", times["itself"], times["bare"], bare),
        Row(f"{what}, no last screen", times["none long"], times["bare"], bare),
        Row(f"start to the end of {FEW} events, no last screen", times["none short"], times["bare"], bare),
        *keys,
        Row(f"memory with {MANY:,} events", memory["long"], memory["short"], against, goal=1.3, unit="B"),
        *pages,
    ]


def left(start: Start, last: str = LAST) -> None:
    """Start the workspace and leave it once this word is on the screen, so that the screen is kept."""
    with start() as program:
        program.wait(last)
        program.whole()
        program.settle(0.5)
        program.pass_time(0.7)
        os.write(program.master, LEAVE)
        with contextlib.suppress(Never):
            program.pass_time(10.0)


def without_screen(bench: Bench, start: Start) -> Start:
    """The same start with no last screen kept."""

    def started() -> AbstractContextManager[Program]:
        shutil.rmtree(bench.home / "state" / "last-screens", ignore_errors=True)
        return start()

    return started


def first_keys(bench: Bench) -> list[Row]:
    """The first echoed key where a conversation is opened again."""
    ways = {"-c": bench.ours("-c"), "--resume": bench.ours("--resume", "long")}
    times: dict[str, list[float]] = {name: [] for name in (*ways, "bare")}
    interleaved(
        min(bench.reps, 7),
        ways | {"bare": bench.bare()},
        lambda name, program: times[name].append(program.first_key()),
    )
    return [Row(f"start to first echoed key with {name}", times[name], times["bare"], goal=0.15) for name in ways]


def private(program: Program) -> float:
    """Bytes of a program's processes that nobody shares."""
    found = 0
    for pid in family(program.process.pid):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        found += sum(int(line.split()[1]) for line in rollup if line.startswith("Private_")) * 1024
    return float(found)


# -- pages


class Filmed(Program):
    """Keeps each piece that was written, with its time; says yes to synchronised output, so that frames have ends."""

    pieces: tuple[tuple[float, bytes], ...] = ()

    def read(self, until: float) -> float | None:
        before = self.total
        now = super().read(until)
        if now is not None:
            piece = self.seen[len(self.seen) - (self.total - before) :]
            self.pieces = (*self.pieces, (now, piece))
            if SYNC in piece:
                os.write(self.master, ANSWER)
        return now


class Film:
    """The screen after every frame."""

    def __init__(self) -> None:
        self._screen = pyte.Screen(120, 40)
        self._stream = pyte.ByteStream(self._screen)
        self._rest = b""

    def frames(self, pieces: tuple[tuple[float, bytes], ...]) -> list[tuple[float, list[str]]]:
        """When each frame was over, and the rows of the conversation in it."""
        found = []
        for at, piece in pieces:
            self._rest += piece
            while (end := self._rest.find(END)) >= 0:
                frame, self._rest = self._rest[: end + len(END)], self._rest[end + len(END) :]
                self._stream.feed(_PRIVATE.sub(b"", frame))
                found.append((at, [line[:78].strip() for line in self._screen.display[1:35]]))
        return found


def missing(frame: list[str], last: list[str]) -> int:
    """Rows that are not there yet in a frame, as the one in which all had come to rest tells: blank in this one only,
    or said to come. A frame of another page, late from the key before, has nothing to do with that."""
    coming = sum(row == NOT_THERE for row in frame)
    pairs = list(zip(frame, last, strict=True))
    if 2 * sum(row == whole for row, whole in pairs if row) < sum(bool(row) for row in frame):
        return coming
    return coming + sum(not row and bool(whole) for row, whole in pairs)


def scrolled(bench: Bench) -> list[Row]:
    """The rows of pages, beside the bare app's keys at rest."""
    times: list[float] = []
    absent: list[float] = []
    count = 15 if bench.quick else PAGES
    bench.runs += 1
    shutil.rmtree(bench.home / "state" / "last-screens", ignore_errors=True)  # its frames have no ends
    program = Filmed([sys.executable, "-m", "jp_tui", "--resume", "long"], bench.env, bench.workspace)
    try:
        program.wait(LAST)
        program.settle(0.5)
        film = Film()
        film.frames(program.pieces)
        for key in [UP] * count + [DOWN] * count:
            program.pieces = ()
            at = time.monotonic()
            os.write(program.master, key)
            program.pass_time(PACE)
            frames = film.frames(program.pieces)
            absent += [missing(rows, frames[-1][1]) for _, rows in frames]
            times.append(next((end - at for end, rows in frames if not missing(rows, frames[-1][1])), PACE))
            program.seen = b""
    finally:
        program.close()
    what = f"a page of {MANY:,} events"
    return [
        Row(what, times, bench.rest, "a frame of the bare app", tail=True, goal=FRAMES),
        Row(f"{what}: blank rows, the most in any frame", [max(absent)], [], "", unit="rows", within=0),
    ]

"""Full-text search over a million events, as people see it: from the last key to the first screen of what was found.

Beside opening a conversation of the same store from the shell. What was found and is opened by Enter in the same
workspace is beside a page of the bare app: both fill a screen whose program runs already. Searched while another
process writes turns as well. The store is made once (half a minute) and kept; `--quick` takes a small one.
"""

from __future__ import annotations

import os
import select
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jp_tui.conversation.ids import timestamp
from jp_tui.journal.store import open_journal
from jp_tui.system.paths import Paths
from tests.bench import store, vast
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import ROOT, Bench

SECONDS = 100.0
SMALL = 20_000
PAUSE = 0.02
"""Seconds between two turns of the process that writes."""
ENTERED = "what was found opened by Enter"
SHOWN = (
    "keys to first screen: a rare word", "keys to first screen: common words",
    "keys to first screen: while turns are written", ENTERED,
)  # fmt: skip
ENTER, DOWN, EMPTY = b"\r", b"\x1b[B", b"\x15"


def rows(bench: Bench) -> list[Row]:
    """What is searched for is a rare word, two that stand nearly everywhere, and the rare one in a busy store."""
    events = SMALL if bench.quick else vast.EVENTS
    reps = 2 if bench.quick else vast.RARES - 1
    home = _own(bench, events)
    with bench.living_in(home), bench.model():
        found = _in_the_workspace(bench, reps)
        shell, opened = _from_the_shell(bench, reps)
    what, start = f"search in {events:,} events", "start to the end of one"
    entered = found.pop(ENTERED)
    return [
        *(Row(f"{what}, {name}", times, opened, start, goal=1.0) for name, times in found.items()),
        Row(f"{what}, {ENTERED}", entered, bench.page, "a page of the bare app", goal=1.0),
        Row(f"{what} from the shell", shell, opened, start, goal=1.0),
        _store_itself(bench, home, events),
    ]


def _own(bench: Bench, events: int) -> Path:
    """A copy of the store that may be written to, whose conversations are of the bench's workspace."""
    copy = bench.folder / "vast"
    shutil.copytree(vast.store(events), copy)
    db = sqlite3.connect(_database(copy))
    with db:
        db.execute("UPDATE conversations SET workspace = ?", (str(bench.workspace),))
    db.close()
    return copy


def _database(home: Path) -> Path:
    return Paths.of({"JP_TUI_HOME": str(home)}).database


# -- in the workspace


def _in_the_workspace(bench: Bench, reps: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in SHOWN}
    with bench.ours()() as program:
        program.first_key()
        program.settle(1.0, 20.0)
        program.pass_time(2.0)  # the first key may be shown before the workspace is there
        for rep in range(-1, reps):
            times = list(_session(bench, program, rep + 1))
            if rep >= 0:
                for name, seconds in zip(found, times, strict=True):
                    found[name].append(seconds)
    return found


def _session(bench: Bench, program: Program, number: int) -> Iterator[float]:
    """Into the list, three searches, and into what was found at that number: its end is on the screen."""
    _type(program, EMPTY)
    _until(program, b"/conversations", "Search, open, rename")
    program.settle(0.3)
    _until(program, ENTER, vast.TITLE)
    program.settle(0.6)
    os.write(program.master, b"/")
    program.settle(0.4)
    yield _search(program, vast.RARE, vast.BESIDE)
    yield _search(program, vast.COMMON, "3+ places")
    with _writing(bench.home):
        yield _search(program, vast.RARE, vast.BESIDE)
    _type(program, ENTER)
    for _ in range(number):
        _type(program, DOWN)
    yield _until(program, ENTER, vast.END)
    program.settle(0.3)


def _type(program: Program, keys: bytes) -> None:
    os.write(program.master, keys)
    program.settle(0.3)


def _until(program: Program, key: bytes, shown: str) -> float:
    program.seen = b""
    at = time.monotonic()
    os.write(program.master, key)
    return program.wait(shown) - at


def _search(program: Program, words: str, shown: str) -> float:
    """From the write of the words, as fast as a paste, to the read of what shows the first hits."""
    _type(program, EMPTY)
    program.settle(0.5)
    return _until(program, words.encode(), shown)


@contextmanager
def _writing(home: Path) -> Iterator[None]:
    """Another process writes turns into the same store meanwhile."""
    command = [sys.executable, "-m", "tests.bench.searching", str(home)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        writer.stdout.readline()
        try:
            yield
        finally:
            writer.stdin.close()


def write(home: Path) -> None:
    """Turns without end into a conversation of its own, each as large as one of the store's, until its input ends."""
    journal = open_journal(_database(home))
    name, at = f"w{os.getpid()}", timestamp(store.BEGAN)
    try:
        journal.create(name, workspace="/elsewhere", model="bench/steady", at=at, title="written").result()
        print("writes", flush=True)
        number = 0
        while not select.select([sys.stdin], [], [], PAUSE)[0]:
            number += 1
            journal.append(name, store.turn(number, last=False)).result()
    finally:
        journal.close()


# -- from the shell, and below


def _from_the_shell(bench: Bench, reps: int) -> tuple[list[float], list[float]]:
    """From the start of the process to the first hit, and to the end of a conversation on the screen."""
    searched: list[float] = []
    opened: list[float] = []
    for rep in range(-1, reps):
        with bench.ours("conversations", "search", vast.RARE)() as program:
            found = program.wait(vast.BESIDE) - program.start
        with bench.ours("--resume", f"vast{rep + 2:05d}")() as program:
            end = program.wait(vast.END) - program.start
        if rep >= 0:
            searched.append(found)
            opened.append(end)
    return searched, opened


def _store_itself(bench: Bench, home: Path, events: int) -> Row:
    """Opened, looked at and closed by the journal's own means, beside a store of one conversation."""
    small = vast.made(bench.folder / "small", vast.EACH)
    found: dict[Path, list[float]] = {_database(home): [], small: []}
    for rep in range(-1, 7 if bench.quick else 101):
        for path, times in found.items():
            at = time.process_time()  # a busy machine would be all that is seen of two milliseconds
            journal = open_journal(path)
            journal.tail("vast00001", 256)
            journal.open_inquiries()
            journal.conversations(limit=1)
            journal.close()
            if rep >= 0:
                times.append(time.process_time() - at)
    ours, theirs = found.values()
    return Row(f"CPU of the store of {events:,} events opened and read", ours, theirs, f"of {vast.EACH:,}", goal=1.5)


if __name__ == "__main__":
    write(Path(sys.argv[1]))

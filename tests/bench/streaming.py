"""Keys and processor time while a reply streams, at once into a long conversation and at the end of a long message.

Keys are beside those of the bare app at rest, processor time beside a bare app that updates one Static with each token
of the same server. Both are counted over a stretch of steady tokens, never over a start. Waits for no end of a reply.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench import store
from tests.bench.opening import seeded
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import ROOT, Bench

SECONDS = 140.0
STATIC = str(Path(__file__).with_name("static_app.py"))
MESSAGES = 10_000
"""Of the conversation that a reply streams into."""
EVENTS = MESSAGES // 2 * 5
"""That make so many: each stored turn has a question, a reply, and three more events."""
FAST, STEADY = 500, 200
"""Tokens a second, for keys and for processor time."""
LONG = 100_000
"""Characters of a long message."""
NINE = 9_000 * 4
"""Characters of nine thousand tokens."""
STRETCH = 1.5
"""Seconds of steady tokens over which processor time is counted."""


@dataclass(frozen=True, slots=True)
class Server:
    """A model server of its own process; `ahead` characters come before its tokens, which then wait for `go_on`."""

    url: str
    ahead: int
    go_on: Callable[[], None]


@contextmanager
def server(bench: Bench, rate: int, tokens: int, ahead: int = 0) -> Iterator[Server]:
    """The only one that is configured."""
    command = [sys.executable, "-m", "tests.bench.model", str(rate), str(tokens), str(ahead)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        port = int(process.stdout.readline())
        store.configure(bench.home, port)
        told = process.stdin

        def go_on() -> None:
            told.write("\n")
            told.flush()

        try:
            yield Server(f"http://127.0.0.1:{port}", ahead, go_on)
        finally:
            process.stdin.close()


def rows(bench: Bench) -> list[Row]:
    """Keys first, then processor time."""
    return [*keys(bench), *work(bench)]


# -- keys


def keys(bench: Bench) -> list[Row]:
    """The median and the tail, into a long conversation and at the end of a long message of it."""
    seeded(bench, {"messages": EVENTS})
    at_rest, found = bench.rest, []
    for what, ahead in (
        (f"key while {FAST} tokens/s come, after {MESSAGES:,} messages", 0),
        (f"the same, the message {LONG // 1000} KB long already", LONG),
    ):
        times: list[float] = []
        with server(bench, FAST, FAST * 30, ahead) as model:
            for _ in range(1 if bench.quick else 3):
                with bench.ours("--resume", "messages")() as program:
                    ask(program, model)
                    times += program.keys(until=time.monotonic() + (2.0 if bench.quick else 3.0), idle=False)
        found += [Row(what, times, at_rest, "bare app at rest", tail, 1.5 if tail else None) for tail in (False, True)]
    return found


def ask(program: Program, model: Server) -> None:
    """Send something, and wait until the steady part of the reply is on the screen."""
    program.first_key()
    program.settle(0.5)
    os.write(program.master, b"\x7f" * 9 + b"go")
    program.settle(0.3)
    os.write(program.master, b"\r")
    if model.ahead:
        program.wait("zqahead")
        program.settle(0.5)
        model.go_on()
    program.wait("zqfirst")
    program.pass_time(0.3)


# -- processor time


def work(bench: Bench) -> list[Row]:
    """For a thousand tokens: the first of a message and the tenth, beside Static, and beside each other.

    In a short conversation with code in sight, so that what is loaded once for all code is loaded.
    """
    seeded(bench, {"short": 100})
    ours: dict[str, list[float]] = {"first": [], "tenth": []}
    static: list[float] = []
    tokens = int(STEADY * (STRETCH + 4))
    for _ in range(1 if bench.quick else 7):
        for name, ahead in (("first", 0), ("tenth", NINE)):
            with server(bench, STEADY, tokens, ahead) as model, bench.ours("--resume", "short")() as program:
                ask(program, model)
                ours[name].append(used(program))
        with server(bench, STEADY, tokens) as model, bench.run(STATIC, model.url) as program:
            program.wait("zqfirst")
            program.pass_time(0.3)
            static.append(used(program))
    what = f"CPU for 1,000 tokens at {STEADY}/s"
    return [
        Row(what, ours["first"], static, "Static.update", goal=0.25, unit="s"),
        Row(f"{what}, the tenth thousand", ours["tenth"], static, "Static.update", goal=0.25, unit="s"),
        Row(f"{what}, the tenth thousand", ours["tenth"], ours["first"], "the first", goal=1.2, unit="s"),
    ]


def used(program: Program) -> float:
    """Processor seconds for a thousand tokens."""
    began, before = time.monotonic(), program.cpu()
    program.pass_time(STRETCH)
    return (program.cpu() - before) / (time.monotonic() - began) / STEADY * 1000

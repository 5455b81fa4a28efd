"""`python -m tests.bench.holds LOG PROGRAM [ARGUMENT …]`: a program that writes down how long its loop is held.

PROGRAM is `jp_tui` or the path of a script. Each step of the event loop of the main thread that lasts a millisecond
or more is a line of LOG: when it began (the clock of the whole machine), how long it lasted, and how much of that the
processor worked for it, in seconds. It adds looks at clocks around a step, nothing inside, and changes no program.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
import threading
import time
from pathlib import Path

LEAST = 0.001
"""Seconds below which a step is not written down."""


def watch(log: Path) -> None:
    """From now on, in this process and those that it forks, write down what holds the loop."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    run, clock, work, thread = asyncio.Handle._run, time.monotonic, time.thread_time, threading.get_ident

    def timed(self: asyncio.Handle) -> None:
        worked, began = work(), clock()
        run(self)  # type: ignore[no-untyped-call]
        lasted = clock() - began
        if lasted >= LEAST and thread() == threading.main_thread().ident:
            os.write(out, b"%.6f %.6f %.6f\n" % (began, lasted, work() - worked))

    asyncio.Handle._run = timed  # type: ignore[method-assign]


def longest(log: Path, start: float, end: float) -> tuple[float, float]:
    """The longest step that touches the time between two of `time.monotonic`, and the one that took the most work.

    Both in seconds, LEAST when all were shorter. What a busy machine adds is in the first only.
    """
    lasted, worked = LEAST, LEAST
    for line in log.read_text().splitlines():
        began, length, work = map(float, line.split())
        if start <= began + length and began <= end:
            lasted, worked = max(lasted, length), max(worked, work)
    return lasted, worked


def main() -> None:
    log, program, *more = sys.argv[1:]
    watch(Path(log))
    sys.argv = [program, *more]
    if program.endswith(".py"):
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()

"""Keys while a reply streams, against the bare app at rest."""

from __future__ import annotations

import os
import time

from tests.bench.report import Row
from tests.bench.setting import RATE, Bench

SECONDS = 60.0


def rows(bench: Bench) -> list[Row]:
    """The median and the tail."""
    at_rest = bench.rest
    seconds = 2.0 if bench.quick else 5.0
    times: list[float] = []
    with bench.model():
        for _ in range(1 if bench.quick else 5):
            with bench.ours()() as program:
                program.first_key()
                program.settle(0.5)
                os.write(program.master, b"\x7f" * 9 + b"go")
                program.settle(0.3)
                os.write(program.master, b"\r")
                program.wait("zqfirst")
                times += program.keys(until=time.monotonic() + seconds, idle=False)
    what = f"key to paint while {RATE} tokens/s stream"
    return [Row(what, times, at_rest, against="bare app at rest", tail=tail) for tail in (False, True)]

"""What the patches of Python and Textual buy: each a row, jp-tui beside itself without that one patch.

CPU seconds and bytes, as they depend less than times on what else the machine does. A patch that buys less than 3 %
of its row has no place. Not here: `timer` and `crashes`, which change what happens and not what it costs, and `driver`,
which has rows of its own (`--driver`, idle).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.bench.opening import LAST, UP, private, seeded
from tests.bench.program import Program
from tests.bench.report import Row
from tests.bench.setting import Bench, Start, interleaved
from tests.bench.start import MODEL

SECONDS = 480.0
BUYS = 0.97
"""The most that a row may cost with its patch, of what it costs without."""
KEYS, PAGES, SCREENS = 100, 40, 40
F1, ESCAPE, ENTER = b"\x1bOP", b"\x1b", b"\r"
WAYS: dict[str, tuple[str, Callable[[Program], float]]] = {}
"""What is measured for a patch, and how."""


def rows(bench: Bench) -> list[Row]:
    """A row for each patch."""
    seeded(bench, {"long": 10_000})
    found = []
    with bench.model():
        for name, (what, measure) in WAYS.items():
            found.append(_row(bench, name, what, measure))
    return found


def _row(bench: Bench, name: str, what: str, measure: Callable[[Program], float]) -> Row:
    samples: dict[str, list[float]] = {"nothing": [], name: []}
    words = () if measure is started else ("--resume", "long")

    def start(left_out: str) -> Start:
        return lambda: bench.run("-m", "tests.bench.without", left_out, *words)

    interleaved(
        2 if bench.quick else 5,
        {one: start(one) for one in samples},
        lambda one, program: samples[one].append(measure(program)),
    )
    unit = "B" if measure in (scrolled, opened_and_closed) else "s"
    return Row(f"{name}: {what}", samples["nothing"], samples[name], "without it", unit=unit, goal=BUYS)


def started(program: Program) -> float:
    """CPU seconds until a new conversation's workspace is whole."""
    program.wait(MODEL)
    program.settle(0.3)
    return program.cpu()


def _resumed(program: Program) -> None:
    program.wait(LAST)
    program.whole()
    program.settle(0.5)
    program.pass_time(1.0)


def typed(program: Program) -> float:
    """CPU seconds of so many keys."""
    _resumed(program)
    before = program.cpu()
    program.keys(KEYS)
    return program.cpu() - before


def paged(program: Program) -> float:
    """CPU seconds of so many pages back in a conversation."""
    _resumed(program)
    before = program.cpu()
    for _ in range(PAGES):
        os.write(program.master, UP)
        program.pass_time(0.06)
    return program.cpu() - before


def scrolled(program: Program) -> float:
    """Bytes after so many pages back in a conversation."""
    paged(program)
    program.pass_time(3.0)
    return private(program)


def opened_and_closed(program: Program) -> float:
    """Bytes after the list of keys was opened and closed so many times."""
    _resumed(program)
    for _ in range(SCREENS):
        os.write(program.master, F1)
        program.settle(0.1, 2.0)
        os.write(program.master, ESCAPE)
        program.settle(0.15, 2.0)
    program.pass_time(3.0)
    return private(program)


WAYS |= {
    "quick classes": ("CPU of the start", started),
    "compositor": (f"CPU of {KEYS} keys", typed),
    "text colours": (f"CPU of {KEYS} keys", typed),
    "strips": (f"memory after {PAGES} pages", scrolled),
    "style cache": (f"memory after {SCREENS} lists", opened_and_closed),
}

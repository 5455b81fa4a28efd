"""Bytes written and processor time used in ten seconds without input, beside the bare app."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from tests.bench.report import Row
from tests.bench.setting import Bench, Start

SECONDS = 45.0


def rows(bench: Bench) -> list[Row]:
    """Bytes and CPU."""
    with bench.model():
        return compared(bench, bench.ours(), bench.bare())


def compared(bench: Bench, ours: Start, theirs: Start, label: str = "") -> list[Row]:
    """The rows of two programs; at rest several do not disturb each other."""
    seconds, rounds, together = (2.0, 1, 1) if bench.quick else (10.0, 2, 4)
    bytes_: tuple[list[float], list[float]] = ([], [])
    cpu: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        with ExitStack() as stack:
            started = [(number, stack.enter_context(start())) for number, start in enumerate((ours, theirs) * together)]
            for _, program in started:
                program.first_key()
            with ThreadPoolExecutor(len(started)) as watchers:
                rests = list(watchers.map(lambda one: one[1].idle(seconds), started))
        for (number, _), (written, used) in zip(started, rests, strict=True):
            bytes_[number % 2].append(written)
            cpu[number % 2].append(used)
    what = f"{label}{seconds:g} idle seconds"
    return [
        Row(f"{what}, written", *bytes_, unit="B", within=0),
        Row(f"{what}, CPU", *cpu, unit="s", within=0.01),
    ]

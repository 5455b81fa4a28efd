"""Bytes written and processor time used in ten seconds without input, beside the bare app."""

from __future__ import annotations

from tests.bench.report import Row
from tests.bench.setting import Bench, Start

SECONDS = 90.0


def rows(bench: Bench) -> list[Row]:
    """Bytes and CPU."""
    with bench.model():
        return compared(bench, bench.ours(), bench.bare())


def compared(bench: Bench, ours: Start, theirs: Start, label: str = "") -> list[Row]:
    """The rows of two programs, in turns."""
    seconds = 2.0 if bench.quick else 10.0
    bytes_: tuple[list[float], list[float]] = ([], [])
    cpu: tuple[list[float], list[float]] = ([], [])
    for _ in range(1 if bench.quick else 3):
        for number, start in enumerate((ours, theirs)):
            with start() as program:
                program.first_key()
                written, used = program.idle(seconds)
                bytes_[number].append(written)
                cpu[number].append(used)
    what = f"{label}{seconds:g} idle seconds"
    return [Row(f"{what}, written", *bytes_, unit="B"), Row(f"{what}, CPU", *cpu, unit="s")]

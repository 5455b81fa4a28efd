"""From the start of the process to the first frame and the first echoed key, beside the bare app."""

from __future__ import annotations

from tests.bench.report import Row
from tests.bench.setting import Bench, Samples

SECONDS = 60.0


def rows(bench: Bench) -> list[Row]:
    """Two rows."""
    return compared(bench.started["jp-tui"], bench.started["bare app"])


def compared(ours: Samples, theirs: Samples, label: str = "", goals: tuple[float, float] = (1.5, 1.5)) -> list[Row]:
    """The rows of a start."""
    return [
        Row(f"{label}start to first frame", ours["frame"], theirs["frame"], goal=goals[0]),
        Row(f"{label}start to first echoed key", ours["first key"], theirs["first key"], goal=goals[1]),
    ]

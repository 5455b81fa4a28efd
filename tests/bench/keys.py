"""From a key to its paint, at rest, beside the bare app."""

from __future__ import annotations

from tests.bench.report import Row
from tests.bench.setting import Bench, Samples

SECONDS = 35.0
"""Mostly what other parts use, too: measured here where it is the first of them."""


def rows(bench: Bench) -> list[Row]:
    """The median and the tail."""
    return compared(bench.started["jp-tui"], bench.started["bare app"])


def compared(ours: Samples, theirs: Samples, label: str = "", goal: float = 1.1) -> list[Row]:
    """The rows of keys."""
    what = f"{label}key to paint at rest"
    return [Row(what, ours["keys"], theirs["keys"], tail=tail, goal=goal) for tail in (False, True)]

"""From samples to a table of ratios, with the machine and the day. Pure but for `machine`, which reads /proc."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, by the nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * 95 // 100) - 1)]


@dataclass
class Row:
    """One comparison: samples in seconds (or in bytes, see `unit`), and the goal for the ratio when there is one.

    `tail` compares the 95th percentiles instead of the medians; `within` is a goal for ours alone, in the unit of the
    samples.
    """

    what: str
    ours: Sequence[float]
    theirs: Sequence[float]
    against: str = "bare app"
    tail: bool = False
    goal: float | None = None
    within: float | None = None
    unit: str = "ms"
    notes: list[str] = field(default_factory=list)

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs; None when there is nothing to compare with."""
        if not self.ours or not self.theirs:
            return None
        middle = p95 if self.tail else statistics.median
        below = middle(self.theirs)
        return middle(self.ours) / below if below else None

    @property
    def met(self) -> bool | None:
        """Whether all its goals were; None without one, or when nothing was measured."""
        met: list[bool] = []
        if self.goal is not None and self.ratio is not None:
            met.append(self.ratio <= self.goal)
        if self.within is not None and self.ours:
            met.append((p95 if self.tail else statistics.median)(self.ours) <= self.within)
        return all(met) if met else None

    def _cell(self, values: Sequence[float]) -> str:
        if not values:
            return "–"
        scale = 1000.0 if self.unit == "ms" else 1.0
        digits = 0 if self.unit == "B" or (self.unit == "ms" and min(values) >= 0.1) else 3 if self.unit == "s" else 2
        middle = p95 if self.tail else statistics.median
        median, low, high = (round(one * scale, digits) for one in (middle(values), min(values), max(values)))
        return f"{median:,.{digits}f} ({low:,.{digits}f}–{high:,.{digits}f})"

    def cells(self) -> list[str]:
        """The row of the table."""
        ratio = "–" if self.ratio is None else f"{self.ratio:.2f}"
        goals = [] if self.goal is None else [f"≤ {self.goal:g}"]
        if self.within is not None:
            goals.append(f"ours ≤ {self.within * (1000 if self.unit == 'ms' else 1):g} {self.unit}")
        goal = ", ".join(goals)
        count = str(len(self.ours)) if len(self.ours) == len(self.theirs) else f"{len(self.ours)} / {len(self.theirs)}"
        what = f"{self.what}, {'p95' if self.tail else 'median'}, {self.unit}"
        met = {None: "", True: "met", False: "**missed**"}[self.met]
        return [what, self._cell(self.ours), self.against, self._cell(self.theirs), count, f"**{ratio}**", goal, met]


def table(rows: Sequence[Row]) -> str:
    """The rows in Markdown."""
    head = ["what", "ours (min–max)", "against", "theirs (min–max)", "n", "ratio", "goal", ""]
    lines = [head, ["---"] * len(head), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine() -> dict[str, str]:
    """The day, the machine's size, and the versions that matter."""
    facts = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in facts if line.startswith("model name")), "")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 1024**2
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores {model or platform.machine()}, {memory:.0f} GB",
        "versions": f"Python {platform.python_version()}, Textual {version('textual')}, Linux {platform.release()}",
        "load": f"{os.getloadavg()[0]:.1f} at the start",
    }

"""From samples to a table of ratios. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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
    runs: int = 0
    """Programs that were started for it, those that failed included. Filled in by the part's run where it is 0."""
    failed: int = 0
    """Of these, those that gave no sample because something never came."""

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

    def summed(self) -> dict[str, Any]:
        """The row without its samples, as it is saved; times in seconds."""
        found: dict[str, Any] = {
            "what": self.what, "against": self.against, "of": "p95" if self.tail else "median", "unit": self.unit,
            "ratio": self.ratio, "goal": self.goal, "within": self.within, "met": self.met,
            "runs": self.runs, "failed": self.failed,
        }  # fmt: skip
        for name, values in (("ours", self.ours), ("theirs", self.theirs)):
            if values:
                low, middle, high = min(values), statistics.median(values), max(values)
                found[name] = {"n": len(values), "min": low, "median": middle, "p95": p95(values), "max": high}
        return found


Kept = Mapping[str, Any]
"""A row as `Row.summed` gives it. With "not_here" it was not measured, and has no more than "what" besides."""
HEAD = ("what", "ours (min–max)", "against", "theirs (min–max)", "n", "runs", "ratio", "goal", "")


def cells(row: Kept) -> list[str]:
    """The row of the table."""
    if row.get("not_here"):
        return [row["what"], f"not run here: {row['not_here']}", *[""] * (len(HEAD) - 2)]
    ratio = "–" if row["ratio"] is None else f"{row['ratio']:.2f}"
    goals = [] if row["goal"] is None else [f"≤ {row['goal']:g}"]
    if row["within"] is not None:
        goals.append(f"ours ≤ {row['within'] * (1000 if row['unit'] == 'ms' else 1):g} {row['unit']}")
    ours, theirs = (row.get(name, {}).get("n", 0) for name in ("ours", "theirs"))
    runs = f"{row['runs']:,}" + (f", {row['failed']:,} failed" if row["failed"] else "")
    met = {None: "", True: "met", False: "**missed**"}[row["met"]]
    return [
        f"{row['what']}, {row['of']}, {row['unit']}", _cell(row, "ours"), row["against"], _cell(row, "theirs"),
        str(ours) if ours == theirs else f"{ours} / {theirs}", runs, f"**{ratio}**", ", ".join(goals), met,
    ]  # fmt: skip


def _cell(row: Kept, name: str) -> str:
    if not (values := row.get(name)):
        return "–"
    unit = row["unit"]
    scale = 1000.0 if unit == "ms" else 1.0
    digits = 0 if unit == "B" or (unit == "ms" and values["min"] >= 0.1) else 3 if unit == "s" else 2
    middle, low, high = (round(values[one] * scale, digits) for one in (row["of"], "min", "max"))
    return f"{middle:,.{digits}f} ({low:,.{digits}f}–{high:,.{digits}f})"


def table(rows: Sequence[Kept], run: Sequence[str] = ()) -> str:
    """The rows in Markdown; `run` names the run of each, in a column of its own."""
    head = [*HEAD, "run"] if run else [*HEAD]
    lines = [[*cells(row), *run[number : number + 1]] for number, row in enumerate(rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])

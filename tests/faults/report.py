"""What a part of `python -m tests.faults` found: how often it was tried, what went wrong, in a table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Found:
    """One promise that was tried: `runs` times, each failure in words (with what repeats it, such as a seed)."""

    what: str
    runs: int
    failed: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    """What was measured besides, by name, with its unit: {"slowest": "87 ms"}."""
    not_here: str = ""
    """Why it could not be tried on this machine, in words; empty where it was."""

    @property
    def cells(self) -> list[str]:
        """The row of the table."""
        result = f"not here: {self.not_here}" if self.not_here else f"{len(self.failed)} failed"
        return [
            self.what,
            f"{self.runs:,}",
            result,
            ", ".join(f"{name} {value}" for name, value in self.figures.items()),
        ]


def table(found: Sequence[Found]) -> str:
    """The rows in Markdown, the failures below them."""
    head = ["what", "tried", "result", "figures"]
    rows = [head, ["---"] * len(head), *(one.cells for one in found)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines += [f"- {one.what}: {words}" for one in found for words in one.failed[:20]]
    return "\n".join(lines)

"""Height estimates before painting, at any width, and an index from rows to items.

Painted heights replace the estimates. Arithmetic over sizes; no text is parsed and no row is made.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from jp_tui.view.transcript.blocks import (
    Block,
    CompactionBlock,
    Data,
    Ending,
    Header,
    Note,
    Odd,
    QuestionBlock,
    ReasoningBlock,
    Resumed,
    RetryBlock,
    TextBlock,
    ToolBlock,
    User,
)
from jp_tui.view.transcript.loaded_ranges import LoadedRange

PER_EVENT = 1.1
"""Rows of an event besides its text: a blank one, a header, the line of a call; an average."""
PROSE = 100
"""Most cells of a line of prose: a longer one is hard to read (S52)."""
SEEN = 0.6
"""Visible part of stored text: tool results are folded; an average."""


def of_run(run: LoadedRange, width: int) -> int:
    """Return the rows of a run that isn't loaded."""
    if run.rows is not None:
        return run.rows
    text = run.lines + run.characters / _usual(width)
    return max(round(run.events * PER_EVENT + text * SEEN), 1)


def characters(run: LoadedRange, rows: int, width: int) -> int:
    """Return the characters that would give a run these rows: the record of a released one."""
    return max(round((rows - run.events * PER_EVENT) / SEEN * _usual(width)), 0)


def _usual(width: int) -> int:
    """Return the cells of a line of stored text."""
    return min(max(width - 8, 8), PROSE)


def of_block(block: Block, width: int) -> int:
    """Return the rows of an unpainted block."""
    room = max(width - 6, 8)
    match block:
        case User(text=text) | TextBlock(text=text):
            return of_text(text.raw, min(room, PROSE))
        case Data(text=text):
            return of_text(text.raw, room)
        case ReasoningBlock(text=text):
            return min(of_text(text.raw[:8192], min(room, PROSE)), 4)
        case ToolBlock(in_sheet=True):
            return 1
        case ToolBlock(dialogue=True, asked=asked):
            return 3 * len(asked) or 1
        case ToolBlock(asked=asked, decided=decided, end=end):
            return 1 + len(asked) + len(decided) + (2 if end == "error" else 0)
        case QuestionBlock():
            return 3
        case Ending(how=how):
            return 2 if how == "failed" else 1
        case Header() | Odd() | Resumed() | Note() | CompactionBlock() | RetryBlock():
            return 1


def of_text(text: str, room: int) -> int:
    """Return the rows of a text with short and long lines."""
    if len(text) > 65_536:
        return text.count("\n") + len(text) // room + 1
    return sum(1 + max(len(line) - 1, 0) // room for line in text.split("\n"))


class HeightIndex:
    """Positions of items with heights: the item at a row, and the start of an item."""

    __slots__ = ("_ends", "heights")

    def __init__(self, heights: Sequence[int]) -> None:
        self.heights = list(heights)
        self._ends = list(accumulate(self.heights))

    def replace_last(self, height: int) -> None:
        """Change the height of the last item."""
        self._ends[-1] += height - self.heights[-1]
        self.heights[-1] = height

    @property
    def total(self) -> int:
        return self._ends[-1] if self._ends else 0

    def start(self, at: int) -> int:
        """Return the row where an item begins."""
        return self._ends[at] - self.heights[at]

    def find(self, row: int) -> tuple[int, int] | None:
        """Return the item at a row and the row within it; None outside."""
        if row < 0 or row >= self.total:
            return None
        at = bisect_right(self._ends, row)
        return at, row - self.start(at)

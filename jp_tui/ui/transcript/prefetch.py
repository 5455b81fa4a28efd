"""Rows that are ready when they come in sight: what a step leads to is painted before it is taken.

The painter paints ahead in its own time; where it is behind, small blocks are painted here, within milliseconds, so
that a page is whole in its first frame and the place is found by true heights. What is large waits for the painter.
A part of the transcript.
"""

from __future__ import annotations

import re
from time import thread_time

from jp_tui.ui.paint import Painted, painted
from jp_tui.ui.painting import code
from jp_tui.ui.pane import Pane
from jp_tui.ui.transcript.resending import Resending
from jp_tui.view.transcript.blocks import Block, Data, Ending, Header, Note, Resumed, Retry, Said, Thought, User

BUDGET = 0.012
"""Seconds of work that a step may take more for it."""
SMALL = 6_000
"""Characters of a block that takes a few milliseconds at most."""
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[ \t]*([^\s`]*)", re.MULTILINE)


class Readying(Resending):
    """A conversation that looks where it goes."""

    _pane: Pane

    def ahead(self, rows: int) -> None:
        until = thread_time() + BUDGET
        while self._made_ready(rows, until):
            self.place()  # other heights may bring other blocks in sight

    def moved(self) -> None:
        self.ahead(0)

    def _made_ready(self, rows: int, until: float) -> bool:
        """Paint what is small and not painted between here and there; whether anything was."""
        changed = False
        first, last = self.top + min(rows, 0), self.top + self.height - 1 + max(rows, 0)
        for order in self._pane.unpainted(first, last):
            if thread_time() > until:
                break
            if small(order.block):
                self._pane.paint(Painted(order, painted(order)))
                changed = True
        return changed and thread_time() < until


def small(block: Block) -> bool:
    """Whether it takes no time worth a thread to paint it, loading included."""
    match block:
        case Said(text=text, growing=False):
            return len(text) <= SMALL and all(code.ready(name) for name in _FENCE.findall(text.raw))
        case User(text=text) | Thought(text=text, growing=False):
            return len(text) <= SMALL
        case Data(text=text):
            return len(text) <= SMALL and code.ready("json")
        case Header() | Ending() | Note() | Resumed() | Retry():
            return True
        case _:
            return False

"""Paint small blocks before a scroll shows them, if the painter's thread has not painted them yet.

So a page is whole in its first frame, and exact heights decide where it begins. Large blocks wait for the painter.
"""

from __future__ import annotations

import re
from time import thread_time

from jp_tui.ui.painting import code
from jp_tui.ui.painting.painter import PaintedBlock, painted
from jp_tui.ui.transcript.document import TranscriptDocument
from jp_tui.view.transcript.blocks import (
    Block,
    CompactionBlock,
    Data,
    Ending,
    Header,
    Note,
    ReasoningBlock,
    Resumed,
    RetryBlock,
    TextBlock,
    User,
)

BUDGET = 0.012
"""Most seconds that this may add to a scroll: less than a frame at 60 frames a second."""
SMALL = 6_000
"""Characters of a block that takes a few milliseconds at most."""
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[ \t]*([^\s`]*)", re.MULTILINE)


def paint_small(document: TranscriptDocument, first: int, last: int, until: float) -> bool:
    """Paint small unpainted blocks in the rows `first`..`last`, until `thread_time()` is `until`.

    Return True if some were painted and time is left: their heights may bring other blocks into these rows.
    """
    changed = False
    for order in document.unpainted(first, last):
        if thread_time() > until:
            break
        if is_small(order.block):
            document.paint(PaintedBlock(order, painted(order)))
            changed = True
    return changed and thread_time() < until


def is_small(block: Block) -> bool:
    """Return True if painting the block takes too little time for a thread, loading of a lexer included."""
    match block:
        case TextBlock(text=text, growing=False):
            return len(text) <= SMALL and all(code.ready(name) for name in _FENCE.findall(text.raw))
        case CompactionBlock(details=text):
            return len(text) <= SMALL
        case User(text=text) | ReasoningBlock(text=text, growing=False):
            return len(text) <= SMALL
        case Data(text=text):
            return len(text) <= SMALL and code.ready("json")
        case Header() | Ending() | Note() | Resumed() | RetryBlock():
            return True
        case _:
            return False

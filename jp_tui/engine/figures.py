"""How reviewers fared, from the record of all conversations. Reads only, in pieces, so that nothing else waits."""

from __future__ import annotations

from jp_tui.journal.port import Reading
from jp_tui.protocol.values import ReviewerFigures


async def figures(journal: Reading) -> tuple[ReviewerFigures, ...]:
    """One row for each tool, question and model that was asked, the most asked first."""
    return ()

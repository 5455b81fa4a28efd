"""Reviewer results over all conversations."""

from __future__ import annotations

from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.reviewer.statistics import figures
from jp_tui.protocol.commands import ReadReviewers
from jp_tui.protocol.events import ReviewersRead


def desk(context: DeskContext) -> Desk:
    """Reads the log, in pieces."""

    async def read(_: ReadReviewers) -> None:
        found = await figures(context.setup.journal, context.setup.tools)
        context.publish(ReviewersRead(reviewers=found))

    return Desk(beside={ReadReviewers: read})

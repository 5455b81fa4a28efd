"""Service for models and the first run: lists, a test, saving the choice (issue 8 "First minutes"). Also the results of
reviewers.

Passes commands to the catalogue and publishes its results.
"""

from __future__ import annotations

from jp_tui.engine.base.catalogue import Catalogue
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.reviewer.statistics import figures
from jp_tui.protocol.commands import ReadReviewers
from jp_tui.protocol.events import ReviewersRead
from jp_tui.protocol.models import ListModels
from jp_tui.protocol.setup import ProbeSetup, SaveSetup, TestModel


def desk(context: DeskContext) -> Desk:
    """Serves the commands of a picker and the first-run page."""

    def catalogue() -> Catalogue:
        if context.setup.catalogue is None:
            raise ValueError("Models can't be listed here.")
        return context.setup.catalogue

    async def models(command: ListModels) -> None:
        found = await catalogue().models(command.provider, command.server)
        session = context.sessions.get(command.conversation)
        if session is not None:
            found = found.model_copy(update={"effort": await session.models.effort()})
        context.publish(found)

    async def probe(_: ProbeSetup) -> None:
        context.publish(await catalogue().found())

    async def test(command: TestModel) -> None:
        context.publish(await catalogue().tested(command.model, command.server, command.agent))

    async def save(command: SaveSetup) -> None:
        context.publish(catalogue().save(command.model, command.reviewer, command.server, command.agent))

    async def fared(_: ReadReviewers) -> None:
        """From the record of all conversations, in pieces."""
        found = await figures(context.setup.journal, context.setup.tools)
        context.publish(ReviewersRead(reviewers=found))

    return Desk(beside={ListModels: models, ProbeSetup: probe, TestModel: test, SaveSetup: save, ReadReviewers: fared})

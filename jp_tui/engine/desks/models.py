"""Service for models and the first run: lists, a test, saving the choice (issue 8 "First minutes").

Passes commands to the catalogue and publishes its results.
"""

from __future__ import annotations

from jp_tui.engine.base.catalogue import Catalogue
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.protocol.models import ListModels
from jp_tui.protocol.setup import ProbeSetup, SaveSetup, TestModel


def desk(context: DeskContext) -> Desk:
    """Serves the commands of a picker and the first-run page."""

    def catalogue() -> Catalogue:
        if context.setup.catalogue is None:
            raise ValueError("Models are not looked for here.")
        return context.setup.catalogue

    async def models(command: ListModels) -> None:
        context.publish(await catalogue().models(command.provider, command.server))

    async def probe(_: ProbeSetup) -> None:
        context.publish(await catalogue().found())

    async def test(command: TestModel) -> None:
        context.publish(await catalogue().tested(command.model, command.server))

    async def save(command: SaveSetup) -> None:
        context.publish(catalogue().save(command.model, command.reviewer, command.server))

    return Desk(beside={ListModels: models, ProbeSetup: probe, TestModel: test, SaveSetup: save})

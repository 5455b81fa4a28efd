"""Models and the first run, beside the turns: lists, a test, the choice that is written (issue 8 "First minutes").

It carries commands to the port and its answers to the faces; it decides nothing and keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from jp_tui.engine.base.catalogue import Catalogue
from jp_tui.protocol.base import Model
from jp_tui.protocol.events import Event
from jp_tui.protocol.models import ListModels
from jp_tui.protocol.setup import ProbeSetup, SaveSetup, TestModel


class ModelsDesk:
    """Takes what a picker and the first-run page send."""

    takes: ClassVar[tuple[type[Model], ...]] = (ListModels, ProbeSetup, TestModel, SaveSetup)

    def __init__(self, catalogue: Catalogue | None, publish: Callable[[Event], None]) -> None:
        self._catalogue, self._publish = catalogue, publish

    async def handle(self, command: Model) -> None:
        """Raises ValueError with words."""
        if self._catalogue is None:
            raise ValueError("Models are not looked for here.")
        match command:
            case ListModels(provider=provider, server=server):
                self._publish(await self._catalogue.models(provider, server))
            case ProbeSetup():
                self._publish(await self._catalogue.found())
            case TestModel(model=model, server=server):
                self._publish(await self._catalogue.tested(model, server))
            case SaveSetup(model=model, reviewer=reviewer, server=server):
                self._publish(self._catalogue.save(model, reviewer, server))
            case _:
                raise AssertionError(command)

    async def close(self) -> None:
        """It holds nothing."""

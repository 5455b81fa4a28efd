"""The port to what is known of models and servers before a conversation: lists, the first run, what is written then.

Filled in by the composition root. The engine itself asks no server for a list and writes no file.
"""

from __future__ import annotations

from typing import Protocol

from jp_tui.protocol.models import ModelsListed, ServerSpec
from jp_tui.protocol.setup import ModelTested, SetupFound, SetupSaved


class Catalogue(Protocol):
    """Each raises ValueError with words for what cannot be done."""

    async def models(self, provider: str, server: ServerSpec | None) -> ModelsListed:
        """What ListModels asks for; 5 seconds at most."""

    async def found(self) -> SetupFound:
        """What is on this machine: variables that are set, local servers that answer."""

    async def tested(self, model: str, server: ServerSpec | None) -> ModelTested:
        """One tiny request; a failure is in the answer, not raised."""

    def save(self, model: str, reviewer: str, server: ServerSpec | None) -> SetupSaved:
        """Write the user's file; from now on new conversations of this run are held with `model`."""

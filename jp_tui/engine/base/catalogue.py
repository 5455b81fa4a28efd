"""Port to information about models and servers before a conversation: lists, the first run, saving its result.

The composition root implements it. The engine itself queries no server for a list and writes no file.
"""

from __future__ import annotations

from typing import Protocol

from jp_tui.protocol.models import ModelsListed, ServerSpec
from jp_tui.protocol.setup import FoundAgent, ModelTested, SetupFound, SetupSaved


class Catalogue(Protocol):
    """Every method raises ValueError with a message."""

    async def models(self, provider: str, server: ServerSpec | None) -> ModelsListed:
        """Return the reply to ListModels; 5 seconds at most."""

    async def found(self) -> SetupFound:
        """Detect what is on this machine: variables that are set, local servers that respond."""

    async def tested(self, model: str, server: ServerSpec | None, agent: FoundAgent | None = None) -> ModelTested:
        """Send one tiny request, or start the agent; a failure is part of the result, not raised."""

    def save(self, model: str, reviewer: str, server: ServerSpec | None, agent: FoundAgent | None = None) -> SetupSaved:
        """Write the user's file; new conversations of this run then use `model`."""

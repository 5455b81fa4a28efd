"""Connections of reviewing models, resolved for each inquiry, since settings can change during the run (R130).

Each connection is opened once and reused (R131). The conversation's own, which a reviewer may inherit, is never closed
here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ModelSetup, ReviewQuestion
from jp_tui.providers.port import Provider

Open = Callable[[JsonObject, ModelSetup, str, str], Awaitable[ModelSetup]]
"""(overrides, the conversation's model, tool, question) → the model to ask, with the retries set for inquiries (R135);
raises ModelError that names the wrong setting."""


class ReviewerConnections:
    """Opens reviewers and closes what was opened."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._held: list[Provider] = []

    async def get(self, asked: ReviewQuestion) -> ModelSetup:
        """Return the model for this inquiry. Raises ModelError."""
        made = await self._open(asked.overrides, asked.model, asked.tool, asked.question.id)
        provider = made.provider
        if provider is not asked.model.provider and not any(provider is held for held in self._held):
            self._held.append(provider)
        return made

    async def close(self) -> None:
        """Close all connections opened here."""
        held, self._held = self._held, []
        for provider in held:
            await provider.close()

"""The models that reviewers are: resolved anew for each inquiry, their connections made once and kept (R130, R131).

A connection of the conversation's own model is used where a reviewer inherits it, and is never kept or closed here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from jp_tui.conversation.strict_json import JsonObject, dump
from jp_tui.engine.setup import Inquiry, ModelSetup, Retry
from jp_tui.providers.port import Provider

Open = Callable[[JsonObject, ModelSetup, str, str], Awaitable[ModelSetup]]
"""(overrides, the conversation's model, tool, question) → the model to ask; raises ModelError that names what is
configured wrong. Whoever gives it sets `retry`: INQUIRY_RETRY, where nobody configured another (R135)."""

INQUIRY_RETRY = Retry(most=2, base_ms=1000, max_backoff_secs=30.0)
"""R135: three attempts in all, 1 s, 30 s."""


class Models:
    """Opens reviewers; two of one id share their provider, unless their requests are configured differently."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._held: dict[tuple[str, str], Provider] = {}

    async def get(self, asked: Inquiry) -> ModelSetup:
        """The model for this inquiry. Raises ModelError."""
        made = await self._open(asked.overrides, asked.model, asked.tool, asked.question.id)
        if made.provider is asked.model.provider:
            return made
        key = made.id, dump(asked.overrides.get("request"))
        held = self._held.setdefault(key, made.provider)
        if held is not made.provider:
            if made.provider not in self._held.values():
                await made.provider.close()
            made = replace(made, provider=held)
        return made

    async def close(self) -> None:
        """Give up all connections that were made here."""
        held, self._held = list(self._held.values()), {}
        for number, provider in enumerate(held):
            if not any(provider is before for before in held[:number]):
                await provider.close()

"""Interface between engine and providers: one streaming method, and what a scripted model adds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Protocol

from jp_tui.conversation.model import Delta, Message, ModelRequest
from jp_tui.providers.catalogue import ListedModel


class Provider(Protocol):
    """Model behind one wire. Made once per provider id and reused."""

    @property
    def greeting(self) -> str | None:
        """Return the message before the first prompt; None for real models."""

    @property
    def sample(self) -> Path | None:
        """Return a folder of which each turn's tools get a copy instead of the workspace; None for real models."""

    @property
    def titles(self) -> bool:
        """True if it can generate a title."""

    @property
    def reviews(self) -> Callable[[tuple[Message, ...]], frozenset[str]] | None:
        """Return the tool questions that it reviews itself after these messages, unless others are configured; None for
        real models."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Yield the deltas of one response, ended by Finished. Raises ModelError. Closing the iterator closes the
        socket."""

    async def models(self) -> tuple[ListedModel, ...]:
        """Return its server's models. Raises ModelError."""

    async def close(self) -> None:
        """Close connections."""

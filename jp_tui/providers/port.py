"""What the engine needs of a provider: one method that streams, and what a scripted model brings along."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Protocol

from jp_tui.conversation.model import Delta, Message, ModelRequest
from jp_tui.providers.catalogue import ListedModel


class Provider(Protocol):
    """A model behind one wire. Made once per provider id and reused."""

    @property
    def greeting(self) -> str | None:
        """What it says before anybody spoke; None for real models."""

    @property
    def sample(self) -> Path | None:
        """A folder of which each turn's tools get a scratch copy instead of the workspace; None for real models."""

    @property
    def titles(self) -> bool:
        """Whether it can be asked for a title."""

    @property
    def reviews(self) -> Callable[[tuple[Message, ...]], frozenset[str]] | None:
        """The questions of tools that it reviews itself after these messages, unless others are configured; None for
        real models."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Deltas of one response, ended by Finished; raises ModelError. Closing the iterator closes the socket."""

    async def models(self) -> tuple[ListedModel, ...]:
        """The models of its server. Raises ModelError."""

    async def close(self) -> None:
        """Give up connections."""

"""What the engine needs of a provider: one method that streams, and what a scripted model brings along."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from jp_tui.conversation.model import Delta, ModelRequest


class Provider(Protocol):
    """A model behind one wire. Made once per provider id and reused."""

    @property
    def greeting(self) -> str | None:
        """What it says before anybody spoke; None for real models."""

    @property
    def sample(self) -> Path | None:
        """A folder of which each turn's tools get a scratch copy instead of the workspace; None for real models."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Deltas of one response, ended by Finished; raises ModelError. Closing the iterator closes the socket."""

    async def close(self) -> None:
        """Give up connections."""

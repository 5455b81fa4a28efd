"""Resources and prompts of MCP servers (mcp.md P48), as the engine gets them: for the user alone, never for a model's
own use. All texts are a server's: untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ContentArgument:
    """An argument of a prompt; its value is text."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class ContentPrompt:
    """A prompt that a server offers."""

    name: str
    description: str = ""
    arguments: tuple[ContentArgument, ...] = ()


class ServerContent(Protocol):
    """Offers of servers besides tools. The methods that wait start the server, and raise ValueError with a message."""

    def names(self) -> Sequence[str]:
        """Return the names of the servers that may start."""

    def running(self, server: str) -> bool:
        """Return whether it can be asked without being started."""

    async def resources(self, server: str) -> Sequence[str]:
        """Return the addresses that it lists."""

    async def read(self, server: str, address: str) -> str:
        """Return a resource as text, within the bounds of a result."""

    async def prompts(self, server: str) -> Sequence[ContentPrompt]:
        """Return the prompts that it lists."""

    async def fill(self, server: str, prompt: str, arguments: Mapping[str, str]) -> str:
        """Return a prompt's text with these arguments."""

"""A login that the user began on the page of MCP servers (mcp.md P60): what it shows, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from jp_tui.mcp.connection import KeptLogin
from jp_tui.mcp.host import NO_EXTRA, installed
from jp_tui.mcp.questions import address_lines
from jp_tui.mcp.servers import McpServers
from jp_tui.mcp.values import McpFailure, McpState


class LoginRuns(Protocol):
    """The servers of a run."""

    def servers(self) -> McpServers:
        """Return the servers."""

    async def log_in(
        self, name: str, shows: Callable[[str], None], *, calls: bool = False
    ) -> tuple[McpState, KeptLogin | None]:
        """Start a server with a login; return its listing and where the login is kept."""


class UserLogin:
    """A login at the server `name`. `shows` gets the address of its page and what to know about it; `url` is the
    address."""

    def __init__(self, runs: LoginRuns, name: str, shows: Callable[[str, Sequence[str]], None]) -> None:
        self._runs, self.name, self._shows = runs, name, shows
        self._task: asyncio.Task[tuple[McpState, KeptLogin | None]] | None = None
        self._stopped = False
        self.url = ""

    async def run(self) -> str:
        """Return a sentence about the login. Raises ValueError."""
        if not installed():
            raise ValueError(NO_EXTRA)
        if self.name not in self._runs.servers().enabled:
            raise ValueError(f"The MCP server {self.name} isn't enabled.")
        self._task = asyncio.ensure_future(self._runs.log_in(self.name, self._show))
        try:
            state, kept = await self._task
        except asyncio.CancelledError:
            if self._stopped:
                raise ValueError(f"The login at {self.name} was stopped.") from None
            raise
        if isinstance(state, McpFailure):
            raise ValueError(f"{state.error.rstrip('.')}.")
        return login_words(self.name, kept)

    def stop(self) -> None:
        """Wait no longer."""
        if self._task is not None:
            self._stopped = True
            self._task.cancel()

    def _show(self, url: str) -> None:
        self.url = url
        self._shows(url, address_lines(url, self._runs.servers().server(self.name).host)[1:])


def login_words(name: str, kept: KeptLogin | None) -> str:
    """Return where a login is kept, as a sentence; None for a server that wanted none."""
    if kept is None:
        return f"{name} doesn't need a login."
    if kept.problem:
        return f"Logged in to {name}, but the login isn't kept, and ends with this run: {kept.problem}"
    where = "in your keyring" if kept.place == "keyring" else "in a file that only you can read"
    return f"Logged in to {name}. The login is kept {where}{f' ({kept.note})' if kept.note else ''}."

"""All servers of a run: start them when they are needed, keep what they list, and start them again (mcp.md P3, P50).

Used from one event loop. A server that fails is a state, never an exception for the others.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from jp_tui.mcp.connection import Connection, KeptLogin, Launch, McpProblem
from jp_tui.mcp.host import McpHost
from jp_tui.mcp.values import McpFailure, McpListing, McpServer, McpState

STARTS, STARTS_SECS = 3, 60.0


class McpServers:
    """The servers in `configured`. `launch` returns all that a server's process needs, and raises McpProblem, for
    example for a variable that isn't set. `listed` is called with each new listing and failure."""

    def __init__(
        self,
        configured: Mapping[str, McpServer],
        launch: Callable[[McpServer], Launch],
        listed: Callable[[McpState], None] = lambda _: None,
    ) -> None:
        self._launch, self._listed = launch, listed
        self._configured = dict(configured)
        self._host = McpHost()
        self._connections: dict[str, Connection] = {}
        self._starting: dict[str, asyncio.Task[McpState]] = {}
        self._logins: set[str] = set()
        self._states: dict[str, McpState] = {}
        self._listings: dict[str, McpListing] = {}
        self._starts: dict[str, deque[float]] = {}
        self._closed = False
        self.version = 0
        """Counts changes of what is listed."""

    @property
    def enabled(self) -> tuple[str, ...]:
        """Return the names of the servers that may start."""
        return tuple(name for name, one in self._configured.items() if one.enabled and one.trusted)

    def configure(self, configured: Mapping[str, McpServer]) -> None:
        """Take other settings. A server that isn't the same ends, and starts again when it is needed."""
        for name, connection in list(self._connections.items()):
            if configured.get(name) != connection.server:
                del self._connections[name]
                self._forget(name)
                asyncio.get_running_loop().create_task(connection.close())
        for name in [name for name in self._states if name not in configured]:
            self._forget(name)
        self._configured = dict(configured)

    def server(self, name: str) -> McpServer:
        """Return a server's settings. Raises KeyError."""
        return self._configured[name]

    def state(self, name: str) -> McpState | None:
        """Return the last listing or failure; None for a server that was never started."""
        return self._states.get(name)

    def listings(self) -> dict[str, McpListing]:
        """Return what is listed now; a server that ended keeps its listing, because the next call starts it again."""
        return {name: self._listings[name] for name in self.enabled if name in self._listings}

    def alive(self, name: str) -> bool:
        """Return whether the server runs."""
        return name in self._connections and self._connections[name].alive

    async def ready(self) -> tuple[str, ...]:
        """Start every enabled server that was never started, all at once, and wait for them. Return a line for each
        that can't be used. One that failed before is tried again in the background, and a login isn't waited for."""
        new = [name for name in self.enabled if name not in self._states]
        fresh = [name for name in new if name not in self._logins]
        for name in self.enabled:
            if name in self._states and name not in self._listings and self._may_start(name):
                self._begin(name)
        found = await asyncio.gather(*map(self._state, fresh), return_exceptions=True)
        why = [one.error for one in found if isinstance(one, McpFailure)]
        why += [f"{name} waits for your login" for name in new if name not in fresh]
        return tuple(f"MCP server {one.rstrip('.')}. The turn goes on without its tools." for one in why)

    async def connection(self, name: str) -> Connection:
        """Return a running server, started again if it ended. Raises McpProblem."""
        if name not in self.enabled:
            raise McpProblem(f"{name} isn't enabled")
        while (found := self._connections.get(name)) is None or not found.alive:
            if not self._may_start(name) and name not in self._starting:
                raise McpProblem(f"{name} was started {STARTS} times within a minute. Try again later")
            state = await self._state(name)
            if isinstance(state, McpFailure):
                raise McpProblem(state.error, state.log)
        return found

    async def restart(self, name: str) -> McpState:
        """End a server and start it again."""
        found = self._connections.pop(name, None)
        if found is not None:
            await found.close()
        self._starts.pop(name, None)
        return await self._state(name)

    async def login(self, name: str, shows: Callable[[str], None], *, calls: bool = False) -> McpState:
        """End a server and start it with a new login, where it wants one. `shows` gets the address for the user's
        browser. `calls`: with the login that it has, if there is one; `shows` gets also what later calls need.
        Cancelled, it waits no longer."""
        while True:  # what runs, or is made meanwhile, has the old login
            if (task := self._starting.get(name)) is not None:
                await asyncio.wait({task})
            elif (found := self._connections.pop(name, None)) is not None:
                await found.close()
            else:
                break
        self._starts.pop(name, None)
        self._logins.add(name)
        task = self._run(name, shows, calls=calls)
        task.add_done_callback(lambda _: self._logins.discard(name))
        return await task

    def kept_login(self, name: str) -> KeptLogin | None:
        """Return where the login is kept that was made when the server started; None if none was."""
        found = self._connections.get(name)
        return found.login if found is not None else None

    async def close(self) -> None:
        """End all of them."""
        self._closed = True
        for task in list(self._starting.values()):
            task.cancel()
        connections, self._connections = list(self._connections.values()), {}
        await asyncio.gather(*(one.close() for one in connections), return_exceptions=True)
        await self._host.close()

    # --- one server -------------------------------------------------------------------------------------------

    def _may_start(self, name: str) -> bool:
        now = time.monotonic()
        starts = self._starts.setdefault(name, deque(maxlen=STARTS))
        return len(starts) < STARTS or now - starts[0] > STARTS_SECS

    async def _state(self, name: str) -> McpState:
        """Return the state of a server after a start, also one that others began. A login that is stopped isn't one."""
        while not self._closed:
            task = self._begin(name)
            await asyncio.wait({task})
            if not task.cancelled():
                return task.result()
        return McpFailure(name, f"{name} was stopped")

    def _begin(self, name: str) -> asyncio.Task[McpState]:
        if (task := self._starting.get(name)) is not None:
            return task
        self._starts.setdefault(name, deque(maxlen=STARTS)).append(time.monotonic())
        return self._run(name)

    def _run(
        self, name: str, shows: Callable[[str], None] | None = None, *, calls: bool = False
    ) -> asyncio.Task[McpState]:
        task = self._starting[name] = asyncio.create_task(self._start(name, shows, calls=calls))
        task.add_done_callback(lambda _: self._starting.pop(name, None))
        return task

    async def _start(self, name: str, shows: Callable[[str], None] | None = None, *, calls: bool = False) -> McpState:
        server = self._configured[name]
        try:
            launch = self._launch(server)
            if shows is not None and launch.login is not None:
                launch = replace(
                    launch, login=replace(launch.login, asks="always" if calls else "start", fresh=not calls)
                )
            connection = Connection(launch, self._changed, self._ended)
            listing = await connection.start(self._host, shows or (lambda _: None))
        except McpProblem as problem:
            return self._keep(McpFailure(name, str(problem), problem.log))
        if self._closed or self._configured.get(name) != server:
            await connection.close()
            return McpFailure(name, f"{name} was stopped")
        self._connections[name] = connection
        return self._keep(listing)

    def _changed(self, listing: McpListing) -> None:
        self._keep(
            replace(listing, ms=self._listings[listing.server].ms) if listing.server in self._listings else listing
        )

    def _keep(self, state: McpState) -> McpState:
        self._states[state.server] = state
        if isinstance(state, McpListing):
            self._listings[state.server] = state
        self.version += 1
        self._listed(state)
        return state

    def _ended(self, connection: Connection) -> None:
        name = connection.server.name
        if self._connections.get(name) is connection:
            del self._connections[name]

    def _forget(self, name: str) -> None:
        self._states.pop(name, None)
        self._listings.pop(name, None)
        self.version += 1

"""The MCP servers of a run: started when a turn needs them, their listings on record, their tools as ours (mcp.md P3,
P5, P22).

Without an enabled server nothing of it is imported.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from jp_tui.startup.parts import Parts

if TYPE_CHECKING:
    from jp_tui.engine.base.dependencies import ToolSetup
    from jp_tui.engine.base.server_content import ServerContent
    from jp_tui.mcp.approval import OfferedTool
    from jp_tui.mcp.connection import KeptLogin, Launch, LoginSetup
    from jp_tui.mcp.servers import McpServers
    from jp_tui.mcp.tool import OpenCalls
    from jp_tui.mcp.values import McpListing, McpServer, McpState
    from jp_tui.settings.layers.layers import Settings
    from jp_tui.startup.mcp.toolbox import McpToolbox
    from jp_tui.startup.mcp.user_login import UserLogin
    from jp_tui.tools.port import Tool

_DESKTOP = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY")
"""Beginnings of variables that a browser needs."""
NOT_OFFERED = "its x-mcp-header isn't valid"


class RunningServers:
    """See `ToolServers` of the engine. `settings` are the latest that were loaded; with `only`, the others don't
    exist."""

    def __init__(self, parts: Parts, *, only: str = "") -> None:
        self._parts, self.only = parts, only
        self.settings: Settings = parts.settings
        self._servers: McpServers | None = None
        self._calls: OpenCalls | None = None
        self._toolbox: McpToolbox | None = None
        self._opening: set[asyncio.Task[None]] = set()
        self._unusable: dict[str, Mapping[str, str]] = {}
        self._absorbed: dict[str, McpState] = {}
        self._said_extra = False
        self._login: UserLogin | None = None
        self._guard()

    @property
    def version(self) -> int:
        """Count changes of what is listed."""
        return 0 if self._servers is None else self._servers.version

    def instructions(self) -> dict[str, str]:
        """Return what servers tell the model about themselves, by name, where a setting lets them."""
        if self._servers is None:
            return {}
        found = self._servers.listings()
        return {
            name: one.instructions
            for name, one in found.items()
            if one.instructions.strip() and self._servers.server(name).instructions
        }

    @property
    def starting(self) -> Sequence[str]:
        """Return the names of the servers that `ready` would wait for."""
        if not self.settings.get("providers", "mcp"):
            return ()
        servers = self.servers()
        return tuple(name for name in servers.enabled if servers.state(name) is None)

    def follow(self, settings: Settings) -> None:
        """Take settings that were loaded again."""
        self.settings = settings
        self._guard()
        if self._servers is not None:
            self._servers.configure(self._configured(settings))

    async def ready(self) -> Sequence[str]:
        """Start what was never started, and take what is listed now. Return a line for each that can't be used, and
        for each whose tools are accepted for the first time (P30)."""
        if not self.settings.get("providers", "mcp"):
            return ()
        servers = self.servers()
        if servers.enabled and not self.only and (said := self._without_extra()) is not None:
            return said
        lines = list(await servers.ready())
        for name in servers.enabled:
            state = servers.state(name)
            if state is not None and self._absorbed.get(name) is not state:
                self._absorbed[name] = state
                await self._absorb(state)
                cut, kept = getattr(state, "cut", ""), servers.kept_login(name)
                if kept is not None and kept.problem:
                    lines.append(f"MCP server {name}: its login isn't kept, and ends with this run: {kept.problem}")
                lines += [f"MCP server {name}: {cut}"] if cut else []
        return [*lines, *self.toolbox().said()]

    def _without_extra(self) -> tuple[str, ...] | None:
        """Return the line about the missing extra, the first time only; None if it is installed (P14)."""
        from jp_tui.mcp.host import NO_EXTRA, installed

        if installed():
            return None
        said, self._said_extra = () if self._said_extra else (NO_EXTRA,), True
        return said

    def servers(self) -> McpServers:
        """Return the servers, none of them started by this."""
        if self._servers is None:
            from jp_tui.mcp.servers import McpServers

            self._servers = McpServers(self._configured(self.settings), self._launch)
        return self._servers

    def tools(self, settings: Settings) -> dict[str, ToolSetup]:
        """Return the tools that servers offer now, as these settings have them. Raises SettingsError, UsageError."""
        if self._servers is None or not self._absorbed:
            return {}
        enabled = set(self._servers.enabled)
        made = self.toolbox().setups(settings, self._parts.toggles)
        return {name: one for name, one in made.items() if one.server in enabled}

    def content(self) -> ServerContent | None:
        """Return what reads resources and prompts; None without a configured server."""
        if not self.settings.get("providers", "mcp"):
            return None
        from jp_tui.startup.mcp.content import RunningContent

        return RunningContent(self)

    def toolbox(self) -> McpToolbox:
        """Return the tools of all servers as they are listed now, whatever their state."""
        if self._toolbox is None:
            from jp_tui.mcp.store import McpStore
            from jp_tui.startup.mcp.toolbox import McpToolbox

            paths = self._parts.paths
            store = McpStore(paths.data, paths.state, self._parts.workspace)
            self._toolbox = McpToolbox(store, self.settings, self._tool, lambda one: self._unusable[one.server])
        return self._toolbox

    def alive(self, name: str) -> bool:
        """Return whether a server runs now."""
        return self._servers is not None and self._servers.alive(name)

    def taken(self, name: str) -> None:
        """Compare what a server lists with what is accepted now."""
        if self._toolbox is not None:
            self._toolbox.refresh(name)

    async def start(self, settings: Settings) -> tuple[str, ...] | None:
        """Start what was never started, for a page; return lines about it, None if there was nothing to start."""
        from jp_tui.mcp.host import installed

        if not installed() or not settings.get("providers", "mcp"):
            return None
        self.follow(settings)
        servers = self.servers()
        if all(servers.state(name) is not None for name in servers.enabled):
            return None
        return tuple(await self.ready())

    async def restart(self, name: str, settings: Settings) -> None:
        """End a server, start it again by these settings, and put its listing on record. Raises ValueError."""
        from jp_tui.mcp.host import NO_EXTRA, installed

        if not installed():
            raise ValueError(NO_EXTRA)
        self.follow(settings)
        servers = self.servers()
        if name not in servers.enabled:
            raise ValueError(f"The MCP server {name} isn't enabled.")
        state = self._absorbed[name] = await servers.restart(name)
        await self._absorb(state)

    async def log_in(
        self, name: str, shows: Callable[[str], None], *, calls: bool = False
    ) -> tuple[McpState, KeptLogin | None]:
        """Start a server with a login, and put its listing on record; return it and where the login is kept. See
        `McpServers.login`."""
        servers = self.servers()
        state = self._absorbed[name] = await servers.login(name, shows, calls=calls)
        await self._absorb(state)
        return state, servers.kept_login(name)

    async def user_login(self, name: str, settings: Settings, shows: Callable[[str, Sequence[str]], None]) -> str:
        """Start a server with a new login, for a page; return a sentence about it. Raises ValueError."""
        from jp_tui.startup.mcp.user_login import UserLogin

        if self._login is not None:
            raise ValueError(f"A login at {self._login.name} is waiting already.")
        self.follow(settings)
        self._login = UserLogin(self, name, shows)
        try:
            return await self._login.run()
        finally:
            self._login = None

    def open_login(self, name: str) -> None:
        """Open the page of the login that waits. Raises ValueError."""
        if self._login is None or self._login.name != name or not self._login.url:
            raise ValueError(f"No login at {name} is waiting.")
        self.open_page(self._login.url)

    def stop_login(self, name: str) -> None:
        """Stop the login that waits."""
        if self._login is not None and self._login.name == name:
            self._login.stop()

    async def close(self) -> None:
        """End all servers."""
        for task in self._opening:
            task.cancel()
        if self._servers is not None:
            await self._servers.close()

    def _guard(self) -> None:
        """Guard the files of the workspace that servers' command lines name (P2)."""
        if self.settings.get("providers", "mcp"):
            from jp_tui.mcp.configured import started_files
            from jp_tui.tools.files.guard import guard_started

            for server in self._configured(self.settings).values():
                guard_started(started_files(server, str(self._parts.workspace)))

    # --- one server -------------------------------------------------------------------------------------------

    def _tool(self, one: OfferedTool, name: str) -> Tool:
        from jp_tui.mcp.tool import McpToolAdapter, OpenCalls

        if self._calls is None:
            self._calls = OpenCalls(self._parts.paths.state / "mcp" / "open")
        return McpToolAdapter(self.servers(), self._calls, one.server, one.tool, name, self.open_page)

    def _configured(self, settings: Settings) -> dict[str, McpServer]:
        from jp_tui.mcp.configured import servers

        return {name: one for name, one in servers(settings).items() if self.only in ("", name)}

    def open_page(self, url: str) -> None:
        """Open an address in the user's browser (P45, intake.md N42). Without one, the address was shown."""
        from jp_tui.system.children import ChildProblem, run

        async def opened() -> None:
            kept = {key: one for key, one in self._parts.environment.items() if key.startswith(_DESKTOP)}
            with suppress(ChildProblem):
                await run(browser(url, self._parts.environment), cwd="/", env_extra=kept, leashed=True, lets_go=True)

        task = asyncio.get_running_loop().create_task(opened())
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    def _launch(self, server: McpServer) -> Launch:
        return replace(launch(server, self._parts), sampling=not self.only)

    async def _absorb(self, state: McpState) -> None:
        """Put a listing or failure on record, and decide what of it is offered (P30)."""
        from jp_tui.mcp.values import McpListing, McpTool

        if isinstance(state, McpListing):
            off = {name: f"{NOT_OFFERED}: {reason}" for name, reason in state.off.items()}
            self._unusable[state.server] = {**await unusable(state), **off}
            state = replace(state, tools=(*state.tools, *map(McpTool, state.off)))
        self.toolbox().configure(self.settings)
        self.toolbox().listed(state)


def browser(url: str, environment: Mapping[str, str]) -> list[str]:
    """Return the command that opens an address: `$BROWSER`, else the desktop's. Never a shell's."""
    named = environment.get("BROWSER", "").split(os.pathsep)[0]
    try:
        words = shlex.split(named)
    except ValueError:
        words = []
    if not words:
        return ["open" if sys.platform == "darwin" else "xdg-open", url]
    return [word.replace("%s", url) for word in words] if "%s" in named else [*words, url]


def launch(server: McpServer, parts: Parts) -> Launch:
    """Return the start of a server's process. Raises McpProblem for a variable that isn't set (P2)."""
    from jp_tui import __version__
    from jp_tui.mcp.configured import logs_in
    from jp_tui.mcp.connection import Launch, McpProblem
    from jp_tui.mcp.host import passed_on

    environment = parts.environment
    named = [*server.env_from.values(), *server.headers_from.values()]
    named += [server.bearer_env] if server.bearer_env else []
    for variable in named:
        if not environment.get(variable):
            raise McpProblem(f"{server.name} needs the variable {variable}, which isn't set")
    headers = {**server.headers, **_values(server.headers_from, environment)}
    if server.bearer_env:
        headers["Authorization"] = f"Bearer {environment[server.bearer_env]}"
    given = {**passed_on(dict(environment)), **server.env, **_values(server.env_from, environment)}
    secrets = tuple(environment[variable] for variable in named)
    login = _login(server, parts) if logs_in(server) else None
    secrets += (login.secret,) if login is not None and login.secret else ()
    cwd, log = str(parts.workspace / server.cwd), str(parts.paths.state / "mcp" / f"{server.name}.log")
    return Launch(server, cwd, given, headers, log, parts.workspace.as_uri(), __version__, secrets, login)


def _login(server: McpServer, parts: Parts) -> LoginSetup:
    """Return how to log in at a server. A portable home keeps its logins in itself, not in the keyring."""
    from jp_tui.mcp.connection import LoginSetup, McpProblem
    from jp_tui.mcp.values import McpOAuth

    oauth = server.oauth or McpOAuth()
    secret = parts.environment.get(oauth.client_secret_env, "") if oauth.client_secret_env else ""
    if oauth.client_secret_env and not secret:
        raise McpProblem(f"{server.name} needs the variable {oauth.client_secret_env}, which isn't set")
    return LoginSetup(str(parts.paths.data), not parts.environment.get("JP_TUI_HOME"), oauth, secret)


async def unusable(listing: McpListing) -> dict[str, str]:
    """Return why tools can't be offered, by their names: schemas that can't be checked (P22)."""
    from jp_tui.conversation.strict_json import dump
    from jp_tui.engine.schema_check.process import SchemaChecker

    checker, found = SchemaChecker(), dict[str, str]()
    try:
        for tool in listing.tools:
            for kind, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
                if schema is None:
                    continue
                if len(dump(schema).encode("utf-8", "replace")) > MAX_SCHEMA:
                    found[tool.name] = f"its {kind} schema has more than {MAX_SCHEMA >> 10} KiB"
                elif why := await checker.usable(schema):
                    found[tool.name] = f"its {kind} schema can't be used: {why}"
    finally:
        await checker.close()
    return found


MAX_SCHEMA = 64 << 10


def _values(names: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    return {key: environment[variable] for key, variable in names.items()}

"""MCP servers for the page and for `doctor` (mcp.md P14): settings, records and, in a run, what is up."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.mcp.approval import OfferedTool, accepted, difference, fingerprint
from jp_tui.mcp.configured import identity, logs_in
from jp_tui.protocol.mcp import McpRead, McpServerInfo, McpServerState, McpToolInfo
from jp_tui.providers.tool_names import wire_name
from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.toolset import ToolSettings
from jp_tui.startup.mcp.known import KnownServer, known_servers
from jp_tui.startup.parts import Parts
from jp_tui.system.paths import PathsError

LOG_LINES = 20
_LOG_BYTES = 16 << 10


class Running(Protocol):
    """The servers of a run."""

    def alive(self, name: str) -> bool:
        """True if the server runs."""

    def taken(self, name: str) -> None:
        """Compare what the server lists with what is accepted now."""

    async def start(self, settings: Settings) -> tuple[str, ...] | None:
        """Start the servers that never were, by these settings; return lines about them, None if there was none."""

    async def restart(self, name: str, settings: Settings) -> None:
        """End a server, start it again by these settings, and put its listing on record. Raises ValueError."""

    async def user_login(self, name: str, settings: Settings, shows: Callable[[str, Sequence[str]], None]) -> str:
        """Start a server with a new login; return a sentence about it. Raises ValueError."""

    def open_login(self, name: str) -> None:
        """Open the page of a login that waits. Raises ValueError."""

    def stop_login(self, name: str) -> None:
        """Stop a login that waits."""


class Admin:
    """See `McpAdmin`. `running` is None where no server can run."""

    def __init__(self, parts: Parts, running: Running | None = None) -> None:
        self._parts, self._running = parts, running

    def read(self, deltas: Sequence[JsonObject]) -> McpRead:
        from jp_tui.mcp.host import NO_EXTRA, installed

        settings, known = self._known(deltas)
        tools = self._settings_of(settings, known)
        problem = NO_EXTRA if known and not installed() else ""
        return McpRead(servers=tuple(self._server(one, tools) for one in known), problem=Foreign(problem))

    async def start(self) -> tuple[str, ...] | None:
        if self._running is None:
            return None
        return await self._running.start(self._known(())[0])

    def accept(self, server: str, tools: Sequence[tuple[str, str]]) -> None:
        _, known = self._known(())
        one = next((each for each in known if each.server.name == server), None)
        if one is None or not one.server.trusted:
            raise ValueError(f"There is no MCP server {server} any more.")
        listed = {tool.listed.name: tool for tool in one.offered if tool.state in ("new", "changed")}
        picked: list[OfferedTool] = []
        for name, shown in tools:
            found = listed.get(name)
            if found is None or fingerprint(found.listed) != shown:
                raise ValueError(f"{server} lists {name} differently by now. Look at it again.")
            picked.append(found)
        try:
            with one.store.locked(server, folder=one.folder):
                pins = one.store.pins(server, folder=one.folder) or {}
                one.store.save_pins(server, accepted(pins, identity(one.server), picked), folder=one.folder)
        except (PathsError, SettingsError) as problem:
            raise ValueError(str(problem)) from problem
        if self._running is not None:
            self._running.taken(server)

    async def restart(self, server: str) -> None:
        if self._running is None:
            raise ValueError("MCP servers can't be started here.")
        await self._running.restart(server, self._known(())[0])

    async def log_in(self, server: str, shows: Callable[[str, Sequence[str]], None]) -> str:
        if self._running is None:
            raise ValueError("MCP servers can't be started here.")
        return await self._running.user_login(server, self._known(())[0], shows)

    def open_login(self, server: str) -> None:
        if self._running is not None:
            self._running.open_login(server)

    def stop_login(self, server: str) -> None:
        if self._running is not None:
            self._running.stop_login(server)

    def _known(self, deltas: Sequence[JsonObject]) -> tuple[Settings, list[KnownServer]]:
        try:
            settings = self._parts.sources.load(deltas)
            return settings, known_servers(settings, self._parts)
        except SettingsError as problem:
            raise ValueError(str(problem)) from problem

    def _settings_of(self, settings: Settings, known: Sequence[KnownServer]) -> dict[str, ToolSettings]:
        """Return the settings of listed tools by their full names, after `-t` and `-T`."""
        listed = {one.server.name: [tool.listed.name for tool in one.offered] for one in known}
        try:
            found = toolset.mcp_tools(settings, listed)
            switched = toggles.apply({**toolset.tools(settings), **found}, self._parts.toggles, listed)
        except (SettingsError, UsageError) as problem:
            raise ValueError(str(problem)) from problem
        return {one.source: switched[name] for name, one in found.items()}

    def _server(self, one: KnownServer, tools: dict[str, ToolSettings]) -> McpServerInfo:
        server, contact = one.server, one.contact
        return McpServerInfo(
            name=server.name,
            transport=server.transport,
            target=Foreign(server.url or " ".join((server.command, *server.args))),
            origin=Foreign(server.origin),
            state=self._state(one),
            error=Foreign(contact.error if contact.state == "failed" else ""),
            protocol=contact.protocol,
            title=Foreign(f"{contact.server_name} {contact.version}".strip()),
            at=contact.at,
            log=Foreign(last_lines(one.store.log(server.name))),
            tools=tuple(_tool(tool, tools.get(tool.name)) for tool in one.offered),
            logs_in=logs_in(server),
        )

    def _state(self, one: KnownServer) -> McpServerState:
        if not one.server.trusted:
            return "untrusted"
        if not one.server.enabled:
            return "off"
        if self._running is not None and self._running.alive(one.server.name):
            return "running"
        return "never" if one.contact.state == "never" else "failed" if one.contact.state == "failed" else "listed"


def last_lines(log: Path) -> str:
    """Return the last lines of a log; empty if there is none."""
    try:
        with open(log, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _LOG_BYTES))
            data = stream.read(_LOG_BYTES)
    except OSError:
        return ""
    return "\n".join(data.decode("utf-8", "replace").splitlines()[-LOG_LINES:])


def _tool(one: OfferedTool, settings: ToolSettings | None) -> McpToolInfo:
    listed = one.listed
    name = settings.name if settings is not None else one.name
    return McpToolInfo(
        tool=Foreign(listed.name),
        name=name,
        wire=wire_name(name),
        state=one.state,
        reason=Foreign(one.reason),
        title=Foreign(listed.title),
        description=Foreign(listed.description),
        input_schema=Foreign(_json(listed.input_schema)),
        output_schema=Foreign(_json(listed.output_schema)),
        hints=Foreign(_json(listed.annotations)),
        fingerprint=fingerprint(listed),
        changes=one.changes,
        difference=Foreign(difference(one) if one.state == "changed" else ""),
        on=settings is not None and settings.enable.state,
        locked=settings is None or settings.enable.allow_toggle == "never",
    )


def _json(value: JsonObject | None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) if value else ""

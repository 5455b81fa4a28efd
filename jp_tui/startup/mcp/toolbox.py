"""Tools of MCP servers for a conversation (mcp.md P20, P21, P30, P31).

A listing comes in with `listed`: the contact is recorded, the first one pinned. `setups` makes tools of what is
accepted, by the settings of the moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.engine.base.dependencies import ToolChange, ToolSetup
from jp_tui.mcp.approval import OfferedTool, accepted, difference, offered
from jp_tui.mcp.configured import from_folder, identity, servers
from jp_tui.mcp.store import Contact, McpStore, waiting
from jp_tui.mcp.values import McpListing, McpServer, McpState
from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.toolset import ToolSettings
from jp_tui.startup.tools import setup_of
from jp_tui.system.paths import PathsError
from jp_tui.tools.port import Tool

Makes = Callable[[OfferedTool, str], Tool]
"""Makes the tool that calls a server's, with its name here."""


class McpToolbox:
    """The tools of all servers, as they are listed now. `unusable` returns why a listed tool can't be used, by its own
    name (P22)."""

    def __init__(
        self,
        store: McpStore,
        settings: Settings,
        makes: Makes,
        unusable: Callable[[McpListing], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self._store, self._makes, self._unusable = store, makes, unusable
        self._servers = servers(settings)
        self._folder = {name: from_folder(settings, name) for name in self._servers}
        self._offered: dict[str, tuple[OfferedTool, ...]] = {}
        self._said: list[str] = []

    def configure(self, settings: Settings) -> None:
        """Take other settings; what is listed stays."""
        self._servers = servers(settings)
        self._folder = {name: from_folder(settings, name) for name in self._servers}

    def listed(self, state: McpState) -> None:
        """Take a new listing, or a failure: record the contact, pin the first listing."""
        server = self._servers.get(state.server)
        if server is None:
            return
        at, folder = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", self._folder[server.name]
        try:
            if not isinstance(state, McpListing):
                before = self._store.contact(server.name, folder=folder)
                failed = replace(before, state="failed", at=at, error=state.error)
                self._store.save_contact(server.name, failed, folder=folder)
                return
            unusable = dict(self._unusable(state))
            self._take(server, state, unusable, folder=folder)
            found = Contact(
                "ok", at, "", state.protocol, state.server_name, state.version, tuple(state.tools), unusable
            )
            self._store.save_contact(server.name, found, folder=folder)
        except (PathsError, SettingsError) as problem:
            self._said.append(f"MCP server {server.name}: {problem}")

    def _take(self, server: McpServer, listing: McpListing, unusable: Mapping[str, str], *, folder: bool) -> None:
        name = server.name
        with self._store.locked(name, folder=folder):
            before = self._store.pins(name, folder=folder)
            found, pins = offered(name, identity(server), listing.tools, before, unusable=unusable)
            self._offered[name] = found
            if before is None:
                self._store.save_pins(name, pins, folder=folder)
        count = len(pins)
        if before is None:
            self._said.append(
                f"MCP server {name}: {count} {'tool' if count == 1 else 'tools'}, accepted as listed now. Later "
                "changes wait for you."
            )
        if names := waiting(found):
            named = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            self._said.append(f"MCP server {name}: new or changed tools wait for you (/mcp): {named}")

    def said(self) -> tuple[str, ...]:
        """Return lines about listings since the last call: untrusted text."""
        lines, self._said = tuple(dict.fromkeys(self._said)), []
        return lines

    def of(self, server: str) -> tuple[OfferedTool, ...]:
        """Return the tools of a server as they are listed now, in all states."""
        return self._offered.get(server, ())

    def accept(self, server: str, tools: Iterable[str]) -> None:
        """Accept these tools, by their own names, as they are listed now. Raises ValueError with a message."""
        known = self._servers.get(server)
        wanted = set(tools)
        if known is None:
            raise ValueError(f"no MCP server {server}")
        folder = self._folder[server]
        try:
            with self._store.locked(server, folder=folder):
                pins = self._store.pins(server, folder=folder) or {}
                picked = [one for one in self.of(server) if one.listed.name in wanted]
                self._store.save_pins(server, accepted(pins, identity(known), picked), folder=folder)
        except (PathsError, SettingsError) as problem:
            raise ValueError(str(problem)) from problem
        self._again(known)

    def refresh(self, name: str) -> None:
        """Compare what a server lists with the pins as they are stored now."""
        if (server := self._servers.get(name)) is not None and self.of(name):
            self._again(server)

    def _again(self, server: McpServer) -> None:
        """Compare what is listed with the pins as they are stored now: another process may have changed them."""
        pins = self._store.pins(server.name, folder=self._folder[server.name]) or {}
        reasons = {one.listed.name: one.reason for one in self.of(server.name) if one.state == "off"}
        tools = [one.listed for one in self.of(server.name)]
        self._offered[server.name] = offered(server.name, identity(server), tools, pins, unusable=reasons)[0]

    def change(self, server: str, tool: str) -> ToolChange | None:
        """Return what changed in a tool since it was accepted."""
        for one in self.of(server):
            if one.listed.name == tool and one.state == "changed":
                return ToolChange(one.changes, difference(one), lambda: self.accept(server, [tool]))
        return None

    def tools(self, settings: Settings, given: Sequence[Toggle] = ()) -> dict[str, ToolSettings]:
        """Return the settings of all that is offered, after `-t` and `-T`. Raises UsageError."""
        enabled = {name: one for name, one in servers(settings).items() if one.enabled}
        listed = {name: [one.listed.name for one in self.of(name) if one.offered] for name in enabled}
        found = toolset.mcp_tools(settings, listed)
        known = {**toolset.tools(settings), **found}
        switched = toggles.apply(known, given, enabled)
        return {name: switched[name] for name in found}

    def setups(self, settings: Settings, given: Sequence[Toggle] = ()) -> dict[str, ToolSetup]:
        """Return the tools that the model gets. Raises SettingsError, UsageError."""
        self.configure(settings)
        for server in self._servers.values():
            if self.of(server.name):
                self._again(server)
        offers = {one.name: one for name in self._servers for one in self.of(name) if one.offered}
        made: dict[str, ToolSetup] = {}
        for name, tool in self.tools(settings, given).items():
            one = offers.get(tool.source)
            if one is not None and tool.enable.state:
                made[name] = self.setup(settings, tool, one)
        return made

    def setup(self, settings: Settings, tool: ToolSettings, one: OfferedTool) -> ToolSetup:
        """Return a tool with its settings."""
        said = tool.summary or tool.description or one.tool.description or one.tool.title
        spec = ToolSpec(tool.name, said, _object(one.tool.input_schema))
        server, own = one.server, one.listed.name
        made = setup_of(settings, tool, self._makes(one, tool.name), spec)
        return replace(made, server=server, change=lambda: self.change(server, own))


def _object(schema: JsonObject) -> JsonObject:
    """Return a tool's schema as APIs accept it: an object, whatever the server forgot."""
    found: JsonObject = {"type": "object", **schema}
    found.setdefault("properties", {})
    return found

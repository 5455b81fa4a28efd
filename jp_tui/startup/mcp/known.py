"""Servers as configured, with the last contact and what of it is accepted. Starts no server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jp_tui.mcp.approval import OfferedTool, offered
from jp_tui.mcp.configured import all_servers, from_folder, identity
from jp_tui.mcp.store import Contact, McpStore
from jp_tui.mcp.values import McpServer
from jp_tui.settings import toolset
from jp_tui.settings.cli import toggles
from jp_tui.settings.cli.toggles import Toggle
from jp_tui.settings.errors import UsageError, nearest
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.toolset import ToolSettings
from jp_tui.startup.parts import Parts, RunLocation


@dataclass(frozen=True, slots=True)
class KnownServer:
    """One server. `folder`: it comes from the folder's file; `offered` are the tools of its last listing."""

    server: McpServer
    contact: Contact
    offered: tuple[OfferedTool, ...]
    folder: bool
    store: McpStore


def known_servers(settings: Settings, place: RunLocation | Parts) -> list[KnownServer]:
    """Return every server, also of a folder's file that isn't trusted. Raises SettingsError."""
    store = McpStore(place.paths.data, place.paths.state, place.workspace)
    return [
        known(server, store, folder=not server.trusted or from_folder(settings, name))
        for name, server in all_servers(settings, place.sources).items()
    ]


def usable_server(name: str, settings: Settings, place: RunLocation) -> McpServer:
    """Return a server that may start. Raises UsageError, SettingsError."""
    known = all_servers(settings, place.sources)
    server = known.get(name)
    if server is None:
        raise UsageError(f"no MCP server {name}", nearest(name, known))
    if not server.trusted:
        raise UsageError(f"{name} is in a file that isn't trusted: {server.origin} (jp-tui config trust)")
    if not server.enabled:
        raise UsageError(f"{name} is off: {server.origin} has enabled = false")
    return server


def known(server: McpServer, store: McpStore, *, folder: bool) -> KnownServer:
    """Return what is known of a server."""
    contact = store.contact(server.name, folder=folder)
    pins = store.pins(server.name, folder=folder)
    found, _ = offered(server.name, identity(server), contact.tools, pins, unusable=contact.unusable)
    return KnownServer(server, contact, found, folder, store)


def last_tools(settings: Settings, place: RunLocation, given: Sequence[Toggle] = ()) -> dict[str, ToolSettings]:
    """Return the settings of the tools that servers offered when they were reached last, after `-t` and `-T`. Raises
    SettingsError, UsageError."""
    known = [one for one in known_servers(settings, place) if one.server.trusted and one.server.enabled]
    listed = {one.server.name: [tool.listed.name for tool in one.offered if tool.offered] for one in known}
    found = toolset.mcp_tools(settings, listed)
    switched = toggles.apply({**toolset.tools(settings), **found}, given, settings.get("providers", "mcp") or ())
    return {name: switched[name] for name in found}

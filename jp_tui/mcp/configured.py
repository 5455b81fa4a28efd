"""Servers as the settings name them (mcp.md P1, P2)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from jp_tui.conversation.strict_json import dump
from jp_tui.mcp.values import McpOAuth, McpServer
from jp_tui.settings.layers import layers, toml
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import check, get
from jp_tui.settings.schema.keys import SCHEMA
from jp_tui.settings.schema.mcp import NOT_FROM_FOLDER
from jp_tui.settings.sources import Sources

PATH = ("providers", "mcp")


def servers(settings: Settings) -> dict[str, McpServer]:
    """Return every server that counts, by name, in the order of the layers."""
    found: Mapping[str, Any] = settings.get(*PATH) or {}
    return {name: _server(settings, name, values) for name, values in found.items()}


def all_servers(settings: Settings, sources: Sources) -> dict[str, McpServer]:
    """Return also those of a folder's file that isn't trusted: they are shown, and never start. Raises SettingsError if
    the file can't be read."""
    found = servers(settings)
    document = toml.read(str(sources.workspace))
    if document is None or sources.trusts(document.data):
        return found
    tree, _ = check(document.tree, SCHEMA)
    layer = layers.Layer("workspace", str(sources.workspace), tree, document.places)
    for name, values in (get(tree, PATH) or {}).items():
        if name not in found:
            kept = {key: item for key, item in values.items() if key not in NOT_FROM_FOLDER}
            found[name] = _made(name, kept, layer.origin((*PATH, name)).words(), trusted=False)
    return found


def logs_in(server: McpServer) -> bool:
    """True for a server that has a login (P60): one with a url, that gets no credentials by its table."""
    given = {name.lower() for name in (*server.headers, *server.headers_from)}
    return bool(server.url) and not server.bearer_env and "authorization" not in given


def from_folder(settings: Settings, name: str) -> bool:
    """True if a server that counts comes from the folder's file."""
    origin = settings.origin(*PATH, name)
    return origin is not None and origin.layer == "workspace"


def started_files(server: McpServer, workspace: str) -> set[str]:
    """Return the files of the workspace that a server's command line names, as real paths in it (P2)."""
    root = os.path.realpath(workspace)
    found = set()
    for word in (server.command, *server.args):
        for named in {word, word.partition("=")[2]} - {""}:
            real = os.path.realpath(os.path.join(root, server.cwd, named))
            if real.startswith(f"{root}{os.sep}") and os.path.isfile(real):
                found.add(os.path.relpath(real, root))
    return found


def identity(server: McpServer) -> str:
    """Return what a tool's approval is bound to besides its definition (P30)."""
    from hashlib import sha256

    said = dump([server.command, list(server.args), server.url])
    return "sha256:" + sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _server(settings: Settings, name: str, values: Mapping[str, Any]) -> McpServer:
    origin = settings.origin(*PATH, name)
    return _made(name, values, origin.words() if origin else "", trusted=True)


def _made(name: str, values: Mapping[str, Any], origin: str, *, trusted: bool) -> McpServer:
    given = dict(values)
    oauth = given.pop("oauth", None)
    given["args"] = tuple(given.get("args", ()))
    if oauth is not None:
        given["oauth"] = McpOAuth(**{**oauth, "scopes": tuple(oauth.get("scopes", ()))})
    return McpServer(name=name, trusted=trusted, origin=origin, **given)

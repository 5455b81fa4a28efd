"""`jp-tui mcp list | import | accept` (mcp.md P10, P12, P13): servers as they are configured and were reached last.

Starts no server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from jp_tui.headless.lists.mcp import ImportRow, ServerRow, show_accepted, show_imports, show_servers
from jp_tui.headless.output import TextOutput
from jp_tui.mcp.approval import accepted, difference
from jp_tui.mcp.configured import all_servers, identity
from jp_tui.mcp.importing import MAX_BYTES, ImportedServer, imported, read
from jp_tui.mcp.store import waiting
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import SettingsError, UsageError, nearest
from jp_tui.settings.layers.explain import toml_value
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.mcp.known import KnownServer, known_servers
from jp_tui.startup.parts import RunLocation
from jp_tui.system.paths import PathsError

FAILED = 1
IN_WORKSPACE = (".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".codex/config.toml")
IN_HOME = (".claude.json", ".codex/config.toml")


def mcp(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    """The exit status. Raises UsageError, SettingsError, PathsError, OutputEnded."""
    match arguments.command:
        case "mcp list":
            return show_servers([_row(one) for one in known_servers(settings, place)], output)
        case "mcp import":
            return _import(arguments, settings, place, output)
        case _:
            return _accept(arguments, settings, place, output)


def _row(one: KnownServer) -> ServerRow:
    server, contact = one.server, one.contact
    return ServerRow(
        name=server.name,
        transport=server.transport,
        enabled=server.enabled,
        trusted=server.trusted,
        origin=server.origin,
        state=contact.state,
        error=contact.error,
        protocol=contact.protocol,
        tools=len(one.offered) if contact.state == "ok" else None,
        changed=waiting(one.offered),
        off=tuple((tool.listed.name, tool.reason) for tool in one.offered if tool.state == "off"),
        target=server.url or " ".join((server.command, *server.args)),
    )


def _accept(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    """Accept what a server listed last. What it lists later is compared with exactly this."""
    servers = {one.server.name: one for one in known_servers(settings, place)}
    name = arguments.server or ""
    one = servers.get(name)
    if one is None:
        raise UsageError(f"no MCP server {name}", nearest(name, servers))
    if not one.server.trusted:
        raise UsageError(f"{name} is in a file that isn't trusted: {one.server.origin} (jp-tui config trust)")
    if one.contact.state != "ok":
        raise UsageError(f"{name} hasn't listed its tools yet. Run jp-tui mcp test {name}")
    wait = {tool.listed.name: tool for tool in one.offered if tool.state in ("new", "changed")}
    chosen = [tool.removeprefix(f"mcp.{name}.") for tool in arguments.tools]
    for tool in chosen:
        if tool not in {known.listed.name for known in one.offered}:
            raise UsageError(f"{name} lists no tool {tool}", nearest(tool, wait))
    picked = [tool for own, tool in wait.items() if not chosen or own in chosen]
    with one.store.locked(name, folder=one.folder):
        pins = one.store.pins(name, folder=one.folder) or {}
        one.store.save_pins(name, accepted(pins, identity(one.server), picked), folder=one.folder)
    return show_accepted(name, [(tool.listed.name, tool.state, difference(tool)) for tool in picked], output)


def _import(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    if arguments.to not in (None, "user", "folder"):
        raise UsageError(f"--to is user or folder, not {arguments.to}")
    root, rows, unread = place.workspace, list[ImportRow](), 0
    existing = {name: server.origin for name, server in all_servers(settings, place.sources).items()}
    for file, target in _files(arguments, place):
        try:
            found = read(_text(file), str(root))
        except (ValueError, OSError) as problem:
            if arguments.path is None and isinstance(problem, ValueError) and str(problem).startswith("has no "):
                continue  # a file of a program without servers
            reason = problem.strerror or "can't be read" if isinstance(problem, OSError) else str(problem)
            output.tell(f"jp-tui: {file} {reason}")
            unread += 1
            continue
        to = place.settings_file if target == "folder" else place.paths.config_file
        for one in imported(found, existing, folder=target == "folder"):
            if one.taken and not arguments.dry_run:
                _write(one, to)
            if one.taken:
                existing[one.name] = f"from {file}"
            rows.append(ImportRow(str(file), one.name or one.written, one.taken, tuple(one.notes), str(to), _toml(one)))
    show_imports(rows, output, dry=bool(arguments.dry_run))
    return FAILED if unread else 0


def _files(arguments: CommandLine, place: RunLocation) -> Iterator[tuple[Path, str]]:
    """Yield each file with its target: `user` or `folder`."""
    root, home = place.workspace, Path(place.environment.get("HOME") or os.path.expanduser("~"))
    if arguments.path is not None:
        file = Path(os.path.abspath(arguments.path))
        inside = Path(os.path.realpath(file)).is_relative_to(root)
        yield file, arguments.to or ("folder" if inside else "user")
        return
    for base, names, target in ((root, IN_WORKSPACE, "folder"), (home, IN_HOME, "user")):
        for name in names:
            if (base / name).is_file() and not (target == "user" and home == root and name in IN_WORKSPACE):
                yield base / name, arguments.to or target


def _text(file: Path) -> str:
    """Raises OSError, and ValueError with a message."""
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ValueError("isn't a file")
    with open(file, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"is larger than {MAX_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"isn't UTF-8 at byte {problem.start}") from None


def _write(one: ImportedServer, to: Path) -> None:
    """Write a server's table; one that can't be written is named and not taken."""
    from jp_tui.settings.edit.edit import set_value

    try:
        set_value(to, ("providers", "mcp", one.name), one.values)
    except (SettingsError, PathsError) as problem:
        one.values = {}
        one.notes.append(f"not written: {problem}")


def _toml(one: ImportedServer) -> str:
    lines = [f"{key} = {toml_value(value)}" for key, value in one.values.items()]
    return "\n".join([f"[providers.mcp.{one.name}]", *lines]) if lines else ""

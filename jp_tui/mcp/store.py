"""Records of servers between runs: accepted tools, and the last contact (mcp.md P10, P30).

A file a server and kind, private to the user: `mcp/NAME.json` in the data folder has what was accepted, the one in the
state folder the last contact. A server of a folder's file has its own, because other folders may use its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jp_tui.conversation.strict_json import Json, JsonObject, JsonProblem, dump, parse_object, text_of
from jp_tui.mcp.approval import OfferedTool, Pin, Pins, definition, fingerprint, read_definition
from jp_tui.mcp.values import McpTool

MAX_BYTES = 64 << 20
"""Largest file that is read: 500 tools with their schemas stay far below."""
VERSION = 1


@dataclass(frozen=True, slots=True)
class Contact:
    """A server's words when it was reached last. `at` is a time as in the log; `changed` are names of tools that wait
    for the user, `tools` are all as listed."""

    state: Literal["never", "ok", "failed"] = "never"
    at: str = ""
    error: str = ""
    protocol: str = ""
    server_name: str = ""
    version: str = ""
    tools: tuple[McpTool, ...] = ()
    unusable: Mapping[str, str] = field(default_factory=dict)


class McpStore:
    """Files of servers in these two folders; `workspace` is the one whose file names servers."""

    def __init__(self, data: Path, state: Path, workspace: Path) -> None:
        self._data, self._state, self._workspace = data / "mcp", state / "mcp", workspace

    def log(self, name: str) -> Path:
        """Return the log of a server (P6)."""
        return self._state / f"{name}.log"

    def pins(self, name: str, *, folder: bool) -> Pins | None:
        """Return the accepted tools; None before the first listing. If its file can't be read, none is accepted."""
        found = _read(self._file(self._data, name, folder))
        if found is None:
            return None
        pinned = found.get("pinned")
        return dict(_pins(pinned)) if isinstance(pinned, dict) else {}

    def save_pins(self, name: str, pins: Pins, *, folder: bool) -> None:
        """Store them. Raises PathsError."""
        pinned: JsonObject = {
            tool: {"identity": pin.identity, "fingerprint": fingerprint(pin.tool), "tool": definition(pin.tool)}
            for tool, pin in pins.items()
        }
        _write(self._file(self._data, name, folder), {"version": VERSION, "pinned": pinned})

    @contextmanager
    def locked(self, name: str, *, folder: bool) -> Iterator[None]:
        """Lock a server's accepted tools against other processes. Raises SettingsError."""
        from jp_tui.settings.edit.file_lock import locked
        from jp_tui.system.paths import private_folder

        private_folder(self._data)
        with locked(self._file(self._data, name, folder)):
            yield

    def contact(self, name: str, *, folder: bool) -> Contact:
        """Return the last contact; `never` if there is none, or its file can't be read."""
        found = _read(self._file(self._state, name, folder))
        if found is None:
            return Contact()
        state, tools, unusable = found.get("state"), found.get("tools"), found.get("unusable")
        return Contact(
            state="ok" if state == "ok" else "failed" if state == "failed" else "never",
            at=text_of(found.get("at")),
            error=text_of(found.get("error")),
            protocol=text_of(found.get("protocol")),
            server_name=text_of(found.get("server_name")),
            version=text_of(found.get("server_version")),
            tools=tuple(_tools(tools)) if isinstance(tools, list) else (),
            unusable={k: text_of(v) for k, v in unusable.items()} if isinstance(unusable, dict) else {},
        )

    def save_contact(self, name: str, contact: Contact, *, folder: bool) -> None:
        """Store it. Raises PathsError."""
        found: JsonObject = {
            "version": VERSION,
            "state": contact.state,
            "at": contact.at,
            "error": contact.error,
            "protocol": contact.protocol,
            "server_name": contact.server_name,
            "server_version": contact.version,
            "tools": [definition(tool) for tool in contact.tools],
            "unusable": dict(contact.unusable),
        }
        _write(self._file(self._state, name, folder), found)

    def _file(self, base: Path, name: str, folder: bool) -> Path:
        if not folder:
            return base / f"{name}.json"
        from hashlib import sha256

        where = sha256(os.fsencode(os.path.realpath(self._workspace))).hexdigest()[:16]
        return base / f"{name}@{where}.json"


def waiting(tools: tuple[OfferedTool, ...]) -> tuple[str, ...]:
    """Return the own names of the tools that wait for the user."""
    return tuple(one.listed.name for one in tools if one.state in ("new", "changed"))


def _pins(pinned: JsonObject) -> Iterator[tuple[str, Pin]]:
    """Return the pins of a file whose definition fits its fingerprint; others count as not accepted."""
    for name, one in pinned.items():
        if not isinstance(one, dict) or not isinstance(one.get("tool"), dict):
            continue
        for tool in _tools([one["tool"]]):
            if tool.name == name and fingerprint(tool) == one.get("fingerprint"):
                yield name, Pin(tool, text_of(one.get("identity")))


def _tools(found: list[Json]) -> Iterator[McpTool]:
    for one in found:
        if isinstance(one, dict):
            try:
                yield read_definition(one)
            except ValueError:
                continue


def _read(file: Path) -> JsonObject | None:
    """Return the object in a file; None if it doesn't exist. Whatever else is there counts as an empty object."""
    try:
        with open(file, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError:
        return {}
    try:
        return parse_object(data, max_bytes=MAX_BYTES, max_depth=256)
    except JsonProblem:
        return {}


def _write(file: Path, value: JsonObject) -> None:
    from jp_tui.system.paths import write_private

    write_private(file, dump(value).encode("utf-8", "backslashreplace"))

"""Tools of a server that are offered, and in which form (mcp.md P20, P30, P31).

Pure. The first listing is taken as it is; after that nothing a server changes reaches the model before the user
accepts it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.mcp.values import McpTool
from jp_tui.providers.tool_names import wire_name
from jp_tui.settings.schema.mcp import TOOL

ToolState = Literal["pinned", "new", "changed", "off"]
MOVED = "the server's command, args or url"
"""Name of a change that isn't in the tool itself."""
UNWRITABLE = "its definition isn't valid Unicode"
_PARTS = ("title", "description", "input_schema", "output_schema", "annotations")
_SAID = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
_SHOWN = 60
"""Characters of a tool's name in a reason."""


@dataclass(frozen=True, slots=True)
class Pin:
    """An accepted tool; `identity` is the program or address it was accepted for."""

    tool: McpTool
    identity: str


Pins = Mapping[str, Pin]
"""Accepted tools of a server, by their own names."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as the user accepted it (`tool`), and as its server lists it now (`listed`); they differ for a changed one
    only. `changes` names what changed, `reason` says why a tool is off."""

    server: str
    state: ToolState
    tool: McpTool
    listed: McpTool
    changes: tuple[str, ...] = ()
    reason: str = ""

    @property
    def name(self) -> str:
        """Its name in settings, events and lists (P20)."""
        return full_name(self.server, self.tool.name)

    @property
    def offered(self) -> bool:
        """True if the model may get it: a new one waits."""
        return self.state in ("pinned", "changed")


def full_name(server: str, tool: str) -> str:
    """Return the name of a server's tool everywhere but on a wire (P20)."""
    return f"mcp.{server}.{tool}"


def fingerprint(tool: McpTool) -> str:
    """Return `sha256:` over the canonical JSON of a tool's definition (P30)."""
    said = json.dumps(definition(tool), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def definition(tool: McpTool) -> JsonObject:
    """Return all that a fingerprint covers."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    }


def read_definition(found: Mapping[str, object]) -> McpTool:
    """Return the tool of a stored definition. Raises ValueError for any other value."""
    texts = [found.get(key, "") for key in ("name", "title", "description")]
    objects = [found.get(key) for key in ("inputSchema", "outputSchema", "annotations")]
    if not all(isinstance(one, str) for one in texts) or not all(
        one is None or isinstance(one, dict) for one in objects
    ):
        raise ValueError("not a tool's definition")
    name, title, description = map(str, texts)
    schema, output, hints = (one if isinstance(one, dict) else None for one in objects)
    return McpTool(name, title, description, schema or {}, output, hints)


def changed_parts(old: McpTool, new: McpTool) -> tuple[str, ...]:
    """Return the names of the parts that differ, as the protocol names them."""
    before, after = definition(old), definition(new)
    keys = [_SAID.get(part, part) for part in _PARTS]
    return tuple(key for key in keys if not _same(before[key], after[key]))


def _writable(tool: McpTool) -> bool:
    """True unless a text of the tool has half of a surrogate pair, which no file and no request can hold."""
    try:
        json.dumps(definition(tool), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _same(left: object, right: object) -> bool:
    """Compare as a fingerprint does: 1 is not 1.0."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def offered(
    server: str,
    identity: str,
    tools: Sequence[McpTool],
    pins: Pins | None,
    *,
    unusable: Mapping[str, str] | None = None,
    taken: Collection[str] = (),
) -> tuple[tuple[OfferedTool, ...], Pins]:
    """Return the tools of a listing with their states, and the pins from now on.

    Without pins the listing is the first, and every usable tool is accepted. `unusable` are reasons by a tool's own
    name, such as a schema that can't be checked (P22); `taken` are wire names of other tools.
    """
    why = {tool.name: UNWRITABLE for tool in tools if not _writable(tool)}
    why |= {**{k: v for k, v in (unusable or {}).items() if v}, **_bad_names(server, tools, taken)}
    if pins is None:
        pins = {tool.name: Pin(tool, identity) for tool in tools if tool.name not in why}
    found = []
    for tool in tools:
        pin = pins.get(tool.name)
        if tool.name in why:
            found.append(OfferedTool(server, "off", tool, tool, reason=why[tool.name]))
        elif pin is None:
            found.append(OfferedTool(server, "new", tool, tool))
        else:
            changes = (*changed_parts(pin.tool, tool), *((MOVED,) if pin.identity != identity else ()))
            found.append(OfferedTool(server, "changed" if changes else "pinned", pin.tool, tool, changes))
    return tuple(found), pins


def accepted(pins: Pins, identity: str, tools: Sequence[OfferedTool]) -> Pins:
    """Return the pins after these tools were accepted as they are listed now."""
    return {**pins, **{one.listed.name: Pin(one.listed, identity) for one in tools if one.state != "off"}}


def _bad_names(server: str, tools: Sequence[McpTool], taken: Collection[str]) -> dict[str, str]:
    """Return why tools are off for their names (P20)."""
    names = [tool.name for tool in tools]
    found: dict[str, str] = {}
    wires: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(TOOL, name):
            found[name] = "its name isn't 1 to 128 letters, digits, _, . and -"
        elif names.count(name) > 1:
            found[name] = "its server lists this name more than once"
        else:
            wire = wire_name(full_name(server, name))
            if wire in taken:
                found[name] = f"another tool is already called {wire} on the wire"
            elif wire in wires:
                found[name] = f"its name on the wire is that of {wires[wire][:_SHOWN]}"
                found.setdefault(wires[wire], f"its name on the wire is that of {name[:_SHOWN]}")
            wires.setdefault(wire, name)
    return found


def difference(one: OfferedTool) -> str:
    """Return what changed as a text for people: what was accepted in lines with -, what is listed in lines with +.

    Untrusted text.
    """
    from jp_tui.tools.files.difference import unified

    before, after = definition(one.tool), definition(one.listed)
    said = []
    for part in one.changes:
        if part == MOVED:
            said.append(f"{part} changed since these tools were accepted")
            continue
        old, new = (_lines(each[part]) for each in (before, after))
        said.append("".join([f"{part}:\n", *unified("", "", old, new).splitlines(keepends=True)[2:]]))
    return "\n".join(said)


def _lines(value: object) -> str:
    if value is None or value == "":
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return text if text.endswith("\n") else f"{text}\n"

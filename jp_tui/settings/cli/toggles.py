"""`-t` and `-T`: switch tools on and off for one run, left to right (inquiries.md R73-R79, surface.md S7).

Pure. They change only `state`, never the lock that protects it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jp_tui.settings.errors import UsageError, nearest
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import merge
from jp_tui.settings.schema.keys import CHANGEABLE
from jp_tui.settings.toolset import Enable, Scope, ToolSettings


@dataclass(frozen=True, slots=True)
class Toggle:
    """One `-t` (on) or `-T` (off); `name` None means all tools."""

    on: bool
    name: str | None = None


def apply(
    tools: Mapping[str, ToolSettings], toggles: Sequence[Toggle], servers: Container[str] = ()
) -> dict[str, ToolSettings]:
    """Apply all toggles in order. Raises UsageError for an unknown tool name, before any toggle applies (R74).

    Tools of `servers`, the MCP servers that are configured, may be missing: they are known only once their server runs
    (mcp.md P21).
    """
    for toggle in toggles:
        if toggle.name is not None and toggle.name not in tools and server_of(toggle.name) not in servers:
            raise UsageError(f"no tool {toggle.name}", nearest(toggle.name, tools))
    changed = dict(tools)
    for toggle in toggles:
        for name in _meant(toggle.name, changed):
            changed[name] = _toggled(changed[name], toggle)
    return changed


def server_of(name: str) -> str:
    """Return the MCP server of `mcp.SERVER.TOOL` or `mcp.SERVER.*`; empty for any other name."""
    head, _, rest = name.partition(".")
    server, dot, _ = rest.partition(".")
    return server if head == "mcp" and dot else ""


def _group(name: str | None) -> bool:
    """True for `mcp.SERVER.*`."""
    return name is not None and name.endswith(".*") and bool(server_of(name))


def _meant(name: str | None, tools: Mapping[str, ToolSettings]) -> list[str]:
    if name is None:
        return list(tools)
    if _group(name):
        return [tool for tool, one in tools.items() if one.source.startswith(name[:-1])]
    return [name] if name in tools else []


def _toggled(tool: ToolSettings, toggle: Toggle) -> ToolSettings:
    enable = tool.enable
    if enable.state == toggle.on:
        return tool
    scope: Scope = "bulk" if toggle.name is None else "group" if _group(toggle.name) else "named"
    if enable.accepts(scope):
        return replace(tool, enable=Enable(toggle.on, enable.allow_toggle))
    if scope != "named":
        return tool
    verb, lock = ("enable", "locked-off") if toggle.on else ("disable", "locked-on")
    raise UsageError(f"cannot {verb} `{tool.name}`: this tool is configured as {lock}")  # M24


def check_choice(tools: Mapping[str, ToolSettings], choice: str, settings: Settings | None = None) -> None:
    """Check a forced tool (R71, R78, R79). It must exist and must not be locked off. The configuration may force a tool
    that is off; a flag may not. Raises UsageError."""
    if choice in ("auto", "none", "required"):
        return
    tool = tools.get(choice)
    if tool is None and settings is not None and settings.get("providers", "mcp", server_of(choice)) is not None:
        return  # known once its server runs
    if tool is None:
        raise UsageError(f"no tool {choice} to use", nearest(choice, [*tools, "auto", "none", "required"]))
    if tool.enable.state:
        return
    enable = ("conversation", "tools", choice, "enable", "state")
    if tool.enable.allow_toggle == "never":
        wants = f"assistant.tool_choice{_place(settings, 'assistant', 'tool_choice')} names {choice}"
        raise UsageError(f"{wants}, but {'.'.join(enable[:4])}{_place(settings, *enable)} locks it off")
    origin = settings.origin("assistant", "tool_choice") if settings else None
    if origin is None or origin.layer == "flag":
        raise UsageError(f"tool {choice} is required but not enabled. Add -t {choice}")


def _place(settings: Settings | None, *path: str) -> str:
    origin = settings.origin(*path) if settings else None
    return f" ({origin.words()})" if origin else ""


def offered(tools: Mapping[str, ToolSettings], choice: str) -> dict[str, ToolSettings]:
    """Return the tools offered to the model: those that are on, and the forced one (R79)."""
    return {
        name: tool
        for name, tool in tools.items()
        if tool.enable.state or (name == choice and tool.enable.allow_toggle != "never")
    }


def delta(
    assignments: Mapping[str, Any],
    before: Mapping[str, ToolSettings],
    after: Mapping[str, ToolSettings],
    effort: str | None = None,
    toggles: Sequence[Toggle] = (),
) -> dict[str, Any]:
    """Return what this command line changes for its conversation (R67): `--cfg` (`assignments`, a checked tree),
    `--effort`, `-t` and `-T`. Empty if nothing changes. Names of MCP servers' tools are kept as they are given."""
    changed: dict[str, Any] = {key: assignments[key] for key in CHANGEABLE.children if key in assignments}
    if effort is not None:
        changed = merge(changed, {"assistant": {"model": {"effort": effort}}}, CHANGEABLE)
    states = {
        name: {"enable": {"state": tool.enable.state}}
        for name, tool in after.items()
        if tool.enable.state != before[name].enable.state
    }
    states |= {one.name: {"enable": {"state": one.on}} for one in toggles if one.name and server_of(one.name)}
    return merge(changed, {"conversation": {"tools": states}}, CHANGEABLE) if states else changed

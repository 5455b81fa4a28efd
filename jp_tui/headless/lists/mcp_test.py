"""Output of `jp-tui mcp test`: lines for people, or one JSON object (mcp.md P11). Texts of servers are untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jp_tui.conversation.strict_json import Json, JsonObject, dump
from jp_tui.conversation.text import first_line
from jp_tui.headless.output import TextOutput


@dataclass(frozen=True, slots=True)
class TriedCall:
    """A call that was typed, and its result."""

    tool: str
    is_error: bool
    content: str
    structured: Json = None
    ms: int | None = None

    def json(self) -> dict[str, Any]:
        """Return the object of `--json`."""
        found: dict[str, Any] = {"tool": self.tool, "is_error": self.is_error, "content": self.content}
        found |= {"structured": self.structured} if self.structured is not None else {}
        return found | {"ms": self.ms}


@dataclass(frozen=True, slots=True)
class Tried:
    """A server that was tried: what it lists, `ms` the time until it was ready; or the `error` with the last lines of
    its log."""

    name: str
    protocol: str = ""
    server_name: str = ""
    version: str = ""
    ms: int = 0
    tools: Sequence[Mapping[str, Any]] = ()
    resources: Sequence[JsonObject] = ()
    prompts: Sequence[JsonObject] = ()
    calls: Sequence[TriedCall] = field(default=())
    error: str = ""
    log: Sequence[str] = ()

    def json(self) -> dict[str, Any]:
        """Return the object of `--json`."""
        if self.error:
            return {"name": self.name, "ok": False, "error": self.error, "log": list(self.log)}
        return {
            "name": self.name,
            "ok": True,
            "protocol": self.protocol,
            "server": {"name": self.server_name, "version": self.version},
            "ms": self.ms,
            "tools": [dict(one) for one in self.tools],
            "resources": list(self.resources),
            "prompts": list(self.prompts),
            "calls": [one.json() for one in self.calls],
        }


def show_tried(found: Tried, output: TextOutput) -> None:
    """Print it. Raises OutputEnded."""
    if output.as_json:
        output.line(found.json())
        return
    if found.error:
        output.print(found.error)
        for line in found.log:
            output.print(f"  {line}")
        return
    who = " ".join(part for part in (found.server_name, found.version) if part) or "a server without a name"
    output.print(f"{found.name}: {who}, MCP {found.protocol}, ready in {found.ms} ms")
    output.print(f"{len(found.tools)} tools, {len(found.resources)} resources, {len(found.prompts)} prompts")
    for tool in found.tools:
        why = f" ({tool['reason']})" if tool.get("reason") else ""
        state = "" if tool["state"] == "pinned" else f" [{tool['state']}{why}]"
        output.print(f"  {tool['name']}{state}  {first_line(tool['description'])}".rstrip())
    for call in found.calls:
        output.print(f"{call.tool}: {'failed' if call.is_error else 'ok'}, {call.ms} ms")
        output.print(call.content or dump(call.structured))

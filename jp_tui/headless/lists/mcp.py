"""Output of `jp-tui mcp list | import | accept`: lines for people, or one JSON object a line (mcp.md P10, P12, P13).

Texts of servers and of other programs' files are untrusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from jp_tui.conversation.neutral import neutralise
from jp_tui.headless.forms.steps import line
from jp_tui.headless.output import TextOutput

NO_SERVERS = (
    "No MCP servers. Add one under [providers.mcp.NAME] in your config.toml, or run jp-tui mcp import to take those of "
    "another program."
)
NOTHING_WAITS = "Nothing waits to be accepted."
_MOST = 12


@dataclass(frozen=True, slots=True)
class ServerRow:
    """A server as it is listed. `target` is its program or address, `off` names tools that are off, with the reason."""

    name: str
    transport: Literal["stdio", "http"]
    enabled: bool
    trusted: bool
    origin: str
    state: Literal["never", "ok", "failed"]
    error: str = ""
    protocol: str = ""
    tools: int | None = None
    changed: tuple[str, ...] = ()
    off: tuple[tuple[str, str], ...] = ()
    target: str = ""

    def json(self) -> dict[str, object]:
        """Return the object of `--json`."""
        found: dict[str, object] = {
            "name": self.name,
            "transport": self.transport,
            "enabled": self.enabled,
            "trusted": self.trusted,
            "origin": self.origin,
            "state": self.state,
        }
        optional = (("error", self.error or None), ("protocol", self.protocol or None), ("tools", self.tools))
        return {**found, **{key: value for key, value in optional if value is not None}, "changed": list(self.changed)}


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A server of another program's file; `toml` is the table that is written to `to`."""

    file: str
    name: str
    taken: bool
    notes: tuple[str, ...]
    to: str
    toml: str


def show_servers(rows: Sequence[ServerRow], output: TextOutput) -> int:
    """Print the servers; return the exit status. Raises OutputEnded."""
    for row in rows:
        if output.as_json:
            output.line(row.json())
        else:
            for text in _server(row):
                output.print(text)
    if not rows and not output.as_json:
        output.print(NO_SERVERS)
    return 0


def _server(row: ServerRow) -> Iterator[str]:
    yield f"{line(row.name)}  {row.transport}  {line(row.target)}"
    yield f"  {_state(row)}"
    yield f"  {line(row.origin)}"
    if row.changed:
        names = ", ".join(line(name) for name in row.changed[:_MOST])
        more = f" and {len(row.changed) - _MOST} more" if len(row.changed) > _MOST else ""
        yield f"  waits for you: {names}{more} (jp-tui mcp accept {row.name} shows and accepts)"
    for name, why in row.off:
        yield f"  off: {line(name)}: {line(why)}"


def _state(row: ServerRow) -> str:
    if not row.trusted:
        return "not started: its file isn't trusted (jp-tui config trust shows it)"
    if not row.enabled:
        return "off: enabled = false"
    if row.state == "never":
        return f"not reached yet (jp-tui mcp test {row.name})"
    if row.state == "failed":
        return f"failed: {line(row.error)}"
    return f"{row.tools} {'tool' if row.tools == 1 else 'tools'}, protocol {line(row.protocol)}"


def show_imports(rows: Sequence[ImportRow], output: TextOutput, *, dry: bool) -> None:
    """Print what became of each server. Raises OutputEnded."""
    for row in rows:
        if output.as_json:
            output.line({"from": row.file, "name": row.name, "taken": row.taken, "notes": list(row.notes)})
            continue
        what = f"{'would go' if dry else 'written'} to {line(row.to)}" if row.taken else "not taken"
        output.print(f"{line(row.name)}  from {line(row.file)}: {what}")
        for note in row.notes:
            output.print(f"  {line(note)}")
        if dry and row.toml:
            output.print("".join(f"  | {text}\n" for text in row.toml.splitlines()).rstrip("\n"))
    if not rows and not output.as_json:
        output.print("No servers found.")


def show_accepted(server: str, tools: Sequence[tuple[str, str, str]], output: TextOutput) -> int:
    """Print the tools that were accepted, each with its state before and what changed. Raises OutputEnded."""
    for name, state, changes in tools:
        if output.as_json:
            output.line({"server": server, "tool": name, "was": state, "changes": changes})
            continue
        output.print(f"mcp.{line(server)}.{line(name)}  {state}, accepted")
        for text in changes.split("\n"):
            output.print(f"  {neutralise(text, 'approval')}".rstrip())
    if not tools and not output.as_json:
        output.print(NOTHING_WAITS)
    return 0

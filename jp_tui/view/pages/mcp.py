"""The page of MCP servers as rows: each server, below it its tools (mcp.md P14).

Changes nothing. Names, descriptions, schemas and errors are a server's, so untrusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.mcp import McpRead, McpServerInfo, McpToolInfo

EMPTY: Final = (
    "No MCP servers.\n\nAdd one under [providers.mcp.NAME] in your config.toml, or run `jp-tui mcp import` to take "
    "those of Claude, Cursor, VS Code or Codex."
)
ACCEPTS: Final = "Accept {what} as shown? Press a again to accept, any other key to cancel."
ACCEPTING: Final = "Accepting…"
ACCEPTED: Final = "Accepted {what}. It is offered from the next request."
SWITCHING: Final = "Saving…"
SWITCHED: Final = "Saved for {what} in your config.toml. It applies from the next request."
RESTARTS: Final = "Restart {what}? Its open calls fail. Press s again to restart, any other key to cancel."
STARTING: Final = "Starting {what}…"
RESTARTED: Final = "{what} was started. Its row says how it went."
LOGS_IN: Final = "Asking {what} for the page of its login…"
LOGGED_IN: Final = "{what}"
LOGIN_TITLE: Final = "Log in to {what}"
LOGIN_ASKS: Final = "The server wants you to log in on this page. Check its address before you open it."
LOGIN_WAITS: Final = "Waiting for the login. Enter opens the page in your browser."
LOGIN_OPENED: Final = "Your browser opens the page. Waiting for the login…"
HINTS: Final = "hints of the server"
Tone = Literal["good", "waiting", "bad", "quiet"]
_STATES: Final[dict[str, tuple[str, Tone]]] = {
    "untrusted": ("not trusted", "waiting"),
    "off": ("off", "quiet"),
    "never": ("not started yet", "quiet"),
    "failed": ("failed", "bad"),
    "listed": ("ready", "good"),
    "running": ("running", "good"),
}
_TOOL_STATES: Final[dict[str, tuple[str, Tone]]] = {
    "new": ("new", "waiting"),
    "changed": ("changed", "waiting"),
    "off": ("can't be used", "bad"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class McpRow:
    """A server, or one of its tools. `what` is its name, `mark` its state, `about` the second line, `detail` what is
    read of it below the list, `whole` all of it. `waits` are the tools to accept, with their fingerprints."""

    key: str
    server: str
    tool: str = ""
    name: str = ""
    what: Foreign
    mark: str
    tone: Tone
    about: Foreign
    detail: Foreign
    whole: Foreign
    waits: tuple[tuple[str, str], ...] = ()
    on: bool = True
    locked: bool = False
    startable: bool = False
    running: bool = False
    logs_in: bool = False


def rows(told: McpRead) -> tuple[McpRow, ...]:
    """Return a row for each server, followed by those of its tools: what waits for the user first."""
    found: list[McpRow] = []
    for server in told.servers:
        found.append(_server(server))
        order = {"changed": 0, "new": 1, "pinned": 2, "off": 3}
        tools = sorted(enumerate(server.tools), key=lambda one: (order[one[1].state], one[0]))
        found += [_tool(server, tool, at) for at, tool in tools]
    return tuple(found)


def _server(server: McpServerInfo) -> McpRow:
    mark, tone = _STATES[server.state]
    count = len(server.tools)
    counted = f"{count} {'tool' if count == 1 else 'tools'}" if count or server.state in ("listed", "running") else ""
    waits = tuple((one.tool.raw, one.fingerprint) for one in server.tools if one.state in ("new", "changed"))
    waiting = f"{len(waits)} waiting for you" if waits else ""
    about = " · ".join(part for part in (counted, waiting, server.target.raw) if part)
    reached = f"reached {server.at[:16].replace('T', ' ')} UTC" if server.at else ""
    revision = f"protocol {server.protocol}" if server.protocol else ""
    itself = " · ".join(part for part in (server.title.raw, revision, reached) if part)
    lines = [server.target.raw, server.origin.raw, itself, server.error.raw]
    detail = "\n".join(line for line in lines if line)
    whole = f"{detail}\n\nlog, last lines:\n{server.log.raw}" if server.log else f"{detail}\n\nlog: empty"
    return McpRow(
        key=server.name,
        server=server.name,
        what=Foreign(server.name),
        mark=mark,
        tone=tone,
        about=Foreign(about),
        detail=Foreign(detail),
        whole=Foreign(whole),
        waits=waits,
        startable=server.state not in ("untrusted", "off"),
        running=server.state == "running",
        logs_in=server.logs_in and server.state not in ("untrusted", "off"),
    )


def _tool(server: McpServerInfo, tool: McpToolInfo, at: int) -> McpRow:
    mark, tone = _TOOL_STATES.get(tool.state, ("on" if tool.on else "off", "good" if tool.on else "quiet"))
    changes = f"changed: {', '.join(tool.changes)}" if tool.changes else ""
    first = tool.description.raw.strip().split("\n")[0] or tool.title.raw
    about = " · ".join(part for part in (tool.reason.raw, changes, first) if part)
    parts = [("", tool.difference.raw), ("", tool.reason.raw), ("", tool.title.raw), ("", tool.description.raw)]
    parts += [("arguments", tool.input_schema.raw), ("result", tool.output_schema.raw), (HINTS, tool.hints.raw)]
    blocks = [f"{head}:\n{text.rstrip()}" if head else text.rstrip() for head, text in parts if text.strip()]
    names = f"{tool.name}, on the wire {tool.wire}"
    return McpRow(
        key=f"{server.name}/{at}",
        server=server.name,
        tool=tool.tool.raw,
        name=tool.name,
        what=tool.tool,
        mark=mark,
        tone=tone,
        about=Foreign(about),
        detail=Foreign(tool.difference.raw or tool.description.raw or tool.reason.raw),
        whole=Foreign("\n\n".join([names, *blocks])),
        waits=((tool.tool.raw, tool.fingerprint),) if tool.state in ("new", "changed") else (),
        on=tool.on,
        locked=tool.locked or tool.state not in ("pinned", "changed"),
    )

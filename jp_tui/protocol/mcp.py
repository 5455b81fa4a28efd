"""MCP servers and their tools (mcp.md P14): commands, the event that lists them, and its values.

Names, descriptions, schemas, errors and log lines are a server's: untrusted.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.base import Model

McpServerState = Literal["untrusted", "off", "never", "failed", "listed", "running"]
McpToolState = Literal["pinned", "new", "changed", "off"]


class McpToolInfo(Model):
    """A tool as its server lists it. `tool` is its own name, `name` that in settings, `wire` that on a wire. Schemas
    and `hints` are indented JSON, empty if there are none. For a changed one `changes` names the parts and `difference`
    shows them; for one that is off `reason` says why. `on`: its settings offer it; `locked`: no switch changes that."""

    tool: Foreign
    name: str
    wire: str
    state: McpToolState
    reason: Foreign = Foreign("")
    title: Foreign = Foreign("")
    description: Foreign = Foreign("")
    input_schema: Foreign = Foreign("")
    output_schema: Foreign = Foreign("")
    hints: Foreign = Foreign("")
    fingerprint: str = ""
    changes: tuple[str, ...] = ()
    difference: Foreign = Foreign("")
    on: bool = True
    locked: bool = False


class McpServerInfo(Model):
    """A server as configured, and as it was reached last: `at` is UTC, empty for never. `target` is its program with
    all arguments, or its address; `origin` FILE:LINE; `log` the last lines of its log. `logs_in`: it gets its
    credentials by a login (P60), if it wants any."""

    name: str
    transport: Literal["stdio", "http"]
    target: Foreign
    origin: Foreign
    state: McpServerState
    error: Foreign = Foreign("")
    protocol: str = ""
    title: Foreign = Foreign("")
    at: str = ""
    log: Foreign = Foreign("")
    tools: tuple[McpToolInfo, ...] = ()
    logs_in: bool = False


class ReadMcp(Model):
    """Answered by McpRead, as settings, records and servers are now, and by another one once servers that never ran are
    ready or failed. `conversation` is the open one, whose switches count; empty without one."""

    type: Literal["read_mcp"] = "read_mcp"
    conversation: str = ""


class AcceptMcpTools(Model):
    """Accept tools as they were shown, by their own names, each with its fingerprint (P31). Answered by McpRead;
    refused if one is listed differently by now."""

    type: Literal["accept_mcp_tools"] = "accept_mcp_tools"
    conversation: str = ""
    server: str
    tools: tuple[tuple[str, str], ...]


class SwitchMcpTool(Model):
    """Set in the user's file whether the model gets a tool. Answered by McpRead."""

    type: Literal["switch_mcp_tool"] = "switch_mcp_tool"
    conversation: str = ""
    name: str
    on: bool


class RestartMcpServer(Model):
    """Start a server, or end it and start it again. Answered by McpRead when it is ready or failed."""

    type: Literal["restart_mcp_server"] = "restart_mcp_server"
    conversation: str = ""
    server: str


class LogInToMcpServer(Model):
    """Start a server with a new login (P60). Answered by McpLogin for each page that it shows, and at the end by
    McpRead, or refused with the reason."""

    type: Literal["log_in_to_mcp_server"] = "log_in_to_mcp_server"
    conversation: str = ""
    server: str


class OpenMcpLogin(Model):
    """Open the page of the login that waits in the user's browser."""

    type: Literal["open_mcp_login"] = "open_mcp_login"
    server: str


class StopMcpLogin(Model):
    """Stop the login that waits; LogInToMcpServer is refused then."""

    type: Literal["stop_mcp_login"] = "stop_mcp_login"
    server: str


class McpLogin(Model):
    """A login waits for the user at `url`, an address without anything that acts on a terminal; `notes` has its host,
    and warnings about it."""

    type: Literal["mcp_login"] = "mcp_login"
    server: str
    url: Foreign
    notes: tuple[Foreign, ...] = ()


class ReadServerPrompt(Model):
    """Answered by ServerPromptRead. The server starts, if it doesn't run (P48)."""

    type: Literal["read_server_prompt"] = "read_server_prompt"
    server: str
    prompt: str


class FillServerPrompt(Model):
    """Answered by ServerPromptFilled."""

    type: Literal["fill_server_prompt"] = "fill_server_prompt"
    server: str
    prompt: str
    arguments: dict[str, str] = field(default_factory=dict)


class PromptArgument(Model):
    """An argument of a server's prompt; its value is text."""

    name: Foreign
    description: Foreign = Foreign("")
    required: bool = False


class ServerPromptRead(Model):
    """A prompt that a server lists."""

    type: Literal["server_prompt_read"] = "server_prompt_read"
    server: str
    prompt: str
    description: Foreign = Foreign("")
    arguments: tuple[PromptArgument, ...] = ()


class ServerPromptFilled(Model):
    """The text of a prompt, for the composer."""

    type: Literal["server_prompt_filled"] = "server_prompt_filled"
    server: str
    prompt: str
    text: Foreign


class McpRead(Model):
    """All servers. `problem`: why none can start here. `done`: the command that this answers, `changed` what it
    changed, for a login a sentence about it."""

    type: Literal["mcp_read"] = "mcp_read"
    servers: tuple[McpServerInfo, ...]
    problem: Foreign = Foreign("")
    done: Literal["", "accepted", "switched", "restarted", "logged_in"] = ""
    changed: Foreign = Foreign("")

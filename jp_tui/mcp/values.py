"""Servers as configured, and what they list (mcp.md P1, P11). Texts of a listing are a server's: untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from jp_tui.conversation.strict_json import JsonObject

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class McpOAuth:
    """Parts of a login at a server (P60); each is optional."""

    client_id: str = ""
    client_secret_env: str = ""
    client_metadata_url: str = ""
    scopes: tuple[str, ...] = ()
    redirect_port: int | None = None


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server of `[providers.mcp.NAME]` with the keys of P1; exactly one of `command` and `url` is set.

    `cwd` is empty for the workspace. `trusted` is false for a server of a folder's file that isn't trusted: it never
    starts. `origin` is FILE:LINE of its table.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    cwd: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    env_from: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_from: Mapping[str, str] = field(default_factory=dict)
    bearer_env: str = ""
    oauth: McpOAuth | None = None
    enabled: bool = True
    protocol: str = AUTO
    start_timeout_secs: float = 30.0
    call_timeout_secs: float = 60.0
    max_call_secs: float = 3600.0
    max_message_bytes: int = 8 << 20
    max_result_bytes: int = 1 << 20
    max_questions: int = 10
    sampling: Literal["off", "ask"] = "off"
    sampling_requests: int = 5
    sampling_tokens: int = 4096
    instructions: bool = False
    trusted: bool = True
    origin: str = ""

    @property
    def transport(self) -> Literal["stdio", "http"]:
        return "http" if self.url else "stdio"

    @property
    def host(self) -> str:
        """Return the host of its address; empty for a program."""
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool as its server lists it; schemas and annotations word for word, also where they are nonsense."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: JsonObject = field(default_factory=dict)
    output_schema: JsonObject | None = None
    annotations: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class McpListing:
    """Words of a started server about itself.

    `server_name` and `version` are its own, `ms` the time of start and listing. `resources` and `prompts` tell whether
    it has any. `off` are tools that the SDK leaves out, with the reason; `cut` tells what else was left out of `tools`
    (P22), empty if nothing.
    """

    server: str
    protocol: str
    server_name: str = ""
    version: str = ""
    instructions: str = ""
    tools: tuple[McpTool, ...] = ()
    resources: bool = False
    prompts: bool = False
    ms: int = 0
    cut: str = ""
    off: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class McpFailure:
    """A server that couldn't start, or ended: the error names it (P50). `log` has its last lines."""

    server: str
    error: str
    log: tuple[str, ...] = ()


McpState = McpListing | McpFailure

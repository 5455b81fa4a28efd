"""AcpParams of an editor's requests, and what its answers are made of (N50). Pure.

Fields that the protocol doesn't name are ignored, since editors send extensions; those that it names are checked.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from jp_tui import __version__
from jp_tui.conversation.strict_json import Json, JsonObject

PROTOCOL_VERSION = 1
INITIALIZE, AUTHENTICATE = "initialize", "authenticate"
NEW, LOAD, RESUME, LIST, CLOSE = "session/new", "session/load", "session/resume", "session/list", "session/close"
PROMPT, CANCEL = "session/prompt", "session/cancel"
SET_MODE, SET_OPTION = "session/set_mode", "session/set_config_option"
UPDATE, PERMISSION, ELICITATION = "session/update", "session/request_permission", "elicitation/create"
CANCEL_REQUEST = "$/cancel_request"
LISTED = 100
"""Conversations a page of `session/list`."""

Mode = Literal["ask", "read-only"]
_MODES: dict[Mode, tuple[str, str]] = {
    "ask": ("Ask", "Asks before anything is changed, run or sent."),
    "read-only": ("Read-only", "Only tools that read; the model submits a plan first."),
}


class AcpParams(BaseModel):
    """Params by name, from an editor."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, defer_build=True, alias_generator=to_camel)


class AcpInitializeParams(AcpParams):
    """`client_capabilities` is looked at for `elicitation.form` only."""

    protocol_version: int = PROTOCOL_VERSION
    client_capabilities: dict[str, Any] | None = None

    @property
    def forms(self) -> bool:
        """True if the editor shows forms."""
        found = (self.client_capabilities or {}).get("elicitation")
        return isinstance(found, dict) and isinstance(found.get("form"), dict)


class AcpNewParams(AcpParams):
    """`cwd` is an absolute path; `mcp_servers` are not used."""

    cwd: str
    mcp_servers: list[Any] | None = None


class AcpStoredParams(AcpNewParams):
    """A conversation that goes on; its own folder counts."""

    session_id: str
    cwd: str = ""


class AcpSessionParams(AcpParams):
    session_id: str


class AcpListParams(AcpParams):
    """`cursor` is that of the page before."""

    cwd: str | None = None
    cursor: str | None = None


class AcpPromptParams(AcpSessionParams):
    """`prompt` are content blocks."""

    prompt: list[dict[str, Any]]


class AcpModeParams(AcpSessionParams):
    mode_id: str


class AcpOptionParams(AcpSessionParams):
    config_id: str
    value: str | bool


class AcpSelected(AcpParams):
    """The outcome of a permission request."""

    outcome: Literal["selected", "cancelled"]
    option_id: str = ""


class AcpElicited(AcpParams):
    """The outcome of a form."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None = Field(default=None, repr=False)


def initialized() -> JsonObject:
    """Return what `initialize` answers."""
    session: JsonObject = {"list": {}, "resume": {}, "close": {}}
    prompts: JsonObject = {"image": True, "audio": False, "embeddedContext": True}
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": prompts,
            "mcpCapabilities": {"http": False, "sse": False},
            "sessionCapabilities": session,
        },
        "agentInfo": {"name": "jp-tui", "title": "jp-tui", "version": __version__},
        "authMethods": [],
    }


def modes(current: Mode) -> JsonObject:
    """Return the modes of a session."""
    known: list[Json] = [{"id": id_, "name": name, "description": what} for id_, (name, what) in _MODES.items()]
    return {"currentModeId": current, "availableModes": known}


def is_mode(name: str) -> bool:
    """True for the id of a mode."""
    return name in _MODES


def model_option(current: str, known: tuple[str, ...]) -> JsonObject:
    """Return the model as a configuration option."""
    names = dict.fromkeys((current, *known))
    return {
        "id": "model",
        "name": "Model",
        "category": "model",
        "type": "select",
        "currentValue": current,
        "options": [{"value": name, "name": name} for name in names],
    }

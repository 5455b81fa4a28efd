"""What an engine is built from, as values and two ports: filled in by the composition root, read by everything here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry.values import Policy, Rule
from jp_tui.journal.port import Journal
from jp_tui.providers.port import Provider
from jp_tui.tools.port import Tool

RunMode = Literal["ask", "unattended", "edit", "skip"]
CANCELLATION = (
    "This tool request was intentionally rejected by the user. Please evaluate and either ask the user why it was "
    "rejected, or infer the reason by looking at the historical messages in the conversation."
)
"""M27."""


@dataclass(frozen=True, slots=True)
class ToolSetup:
    """A tool as this conversation has it. `tool` is None when `source` names no executor we have (R63)."""

    name: str
    spec: ToolSpec
    tool: Tool | None
    run: RunMode = "unattended"
    hidden: bool = False
    options: JsonObject = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)
    policy: Policy = "unset"
    cancellation: str = CANCELLATION


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how patiently a transient failure is tried again (R68: assistant.request.*)."""

    most: int = 5
    base_ms: int = 1000
    max_backoff_secs: float = 60.0


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """A model ready to be asked; `id` is provider/model, `name` what is sent."""

    id: str
    name: str
    provider: Provider
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    retry: Retry = Retry()


class Lock(Protocol):
    """A conversation held for writing (surface S12)."""

    def release(self) -> None:
        """Let go."""


@dataclass(frozen=True, slots=True)
class HeldBy:
    """Somebody else writes this conversation; `words` says who, for people."""

    words: str


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything the engine needs from outside.

    `open_model` takes the model a conversation was held with ("" for a new one) and may look for a local server;
    it raises ModelError. `lock` raises JournalError, `save_setting` ValueError with words. `monotonic` counts seconds.
    """

    journal: Journal
    workspace: Path
    scratch: Path
    client: bool
    tools: Mapping[str, ToolSetup]
    open_model: Callable[[str], Awaitable[ModelSetup]]
    lock: Callable[[str], Lock | HeldBy]
    save_setting: Callable[[str, Json], Path]
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    new_id: Callable[[], str]
    tool_choice: str = "auto"
    max_attempts: int = 20
    via: str = ""

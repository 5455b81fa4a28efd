"""Typed values of the configuration, and the function that loads it.

They are built from the merged tree on request and passed to engine and front ends as arguments. Nothing is global or
looked up later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.schema.context import Context
from jp_tui.settings.schema.notify import Notify
from jp_tui.settings.schema.store import Serve, Store
from jp_tui.settings.schema.undo import Undo

Mode = Literal["ask", "edits", "unattended"]
Sidebar = Literal["auto", "show", "hide"]
StreamingInterrupt = Literal["prompt", "continue", "stop", "abort", "reply"]
ToolInterrupt = Literal["prompt", "continue", "restart", "respond", "stop"]


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """Retries and limits of a model request. Seconds, except the backoff, which starts in milliseconds."""

    max_retries: int
    base_backoff_ms: int
    max_backoff_secs: int
    stream_idle_timeout_secs: int
    max_response_bytes: int
    cache: str = "short"
    """`off`, `short`, `long`, or a duration like 10m: how long a provider may keep the prompt (R134)"""


@dataclass(frozen=True, slots=True)
class AssistantSettings:
    """The assistant: `model` as written (provider/model, an alias, or None: S21 selects), and its request settings.
    `extra` are unknown parameters, sent to the wire unchanged. `system_prompt` ends with its sections."""

    model: str | None
    system_prompt: str
    tool_choice: str
    max_tokens: int | None
    temperature: float | None
    request: RequestSettings
    effort: Literal["low", "medium", "high"] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InterruptSettings:
    """Immediate action of Esc; `prompt` opens the menu (R211, R233)."""

    streaming: StreamingInterrupt
    tool_call: ToolInterrupt


@dataclass(frozen=True, slots=True)
class LookSettings:
    """Display settings of a front end."""

    theme: str
    sidebar: Sidebar
    review: bool = True
    ascii: str = "auto"
    keys: Literal["usual", "vi"] = "usual"


def assistant(settings: Settings) -> AssistantSettings:
    return assistant_of(settings.get("assistant"))


def assistant_of(values: Mapping[str, Any]) -> AssistantSettings:
    """Build an assistant from the complete table of its keys."""
    parameters = dict(values.get("model", {}).get("parameters", {}))
    return AssistantSettings(
        model=values.get("model", {}).get("id"),
        system_prompt=_with_sections(values["system_prompt"], values.get("system_prompt_sections", [])),
        tool_choice=values["tool_choice"],
        max_tokens=parameters.pop("max_tokens", None),
        temperature=parameters.pop("temperature", None),
        request=RequestSettings(**values["request"]),
        effort=None if (level := values.get("model", {}).get("effort")) == "default" else level,
        extra=parameters,
    )


def _with_sections(prompt: str, sections: Sequence[str | Mapping[str, str]]) -> str:
    """Join the prompt and its sections with blank lines; a title becomes a heading."""
    parts = [prompt]
    for section in sections:
        if isinstance(section, str):
            parts.append(section)
        else:
            title = section.get("title", "")
            parts.append(f"# {title}\n\n{section['content']}" if title else section["content"])
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def interrupts(settings: Settings) -> InterruptSettings:
    values: dict[str, Any] = settings.get("interrupt")
    return InterruptSettings(
        streaming=values["streaming"]["action"],
        tool_call=values["tool_call"]["action"],
    )


def mode(settings: Settings) -> tuple[Mode, bool]:
    """Return the approval mode with which conversations begin, and whether the folder's file allows `ask` only
    (AR30)."""
    folder = settings.own("workspace").get("conversation", {})
    return settings.get("conversation", "mode"), folder.get("mode") == "ask"


def titles(settings: Settings) -> str:
    """Return who names a conversation: `model` or `first_line`."""
    return str(settings.get("conversation", "titles"))


def look_settings(settings: Settings) -> LookSettings:
    return LookSettings(
        theme=settings.get("ui", "theme"),
        sidebar=settings.get("ui", "sidebar"),
        review=settings.get("ui", "review"),
        ascii=settings.get("ui", "ascii"),
        keys=settings.get("ui", "keys"),
    )


def max_attempts(settings: Settings) -> int:
    """Return how often one question may be asked in a turn (R98)."""
    return cast(int, settings.get("inquiry", "max_attempts"))


def notify(settings: Settings) -> Notify:
    values: dict[str, Any] = settings.get("notify")
    return Notify(**{**values, "command": tuple(values["command"])})


def undo(settings: Settings) -> Undo:
    values: dict[str, Any] = settings.get("undo")
    return Undo(**values)


def store(settings: Settings) -> Store:
    """Return where conversations are kept (store.md D1)."""
    values: dict[str, Any] = settings.get("store")
    return Store(**values)


def serve(settings: Settings) -> Serve:
    """Return how a worker resumes turns (store.md D20, D22)."""
    values: dict[str, Any] = settings.get("serve")
    return Serve(**values)


def context(settings: Settings) -> Context:
    """Return which instruction files are read, and whether the environment is sent (K1, K10)."""
    values: dict[str, Any] = settings.get("context")
    return Context(tuple(values["files"]), values["instructions"], values["instructions_kib"], values["environment"])

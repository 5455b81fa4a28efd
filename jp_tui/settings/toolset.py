"""The tools as they are configured: each with its own values over those of all tools (inquiries.md R66, R144).

Values only: which code a source stands for is the engine's to know, and what a route makes of a question's settings
is `inquiry`'s. A tool without a source is an error here, most often a misspelt name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.settings.errors import Problem, SettingsError, nearest
from jp_tui.settings.layers import Settings
from jp_tui.settings.merge import merge

AllowToggle = Literal["any", "never", "if_named", "if_named_or_group"]
Scope = Literal["bulk", "named", "group"]
RunMode = Literal["ask", "unattended", "edit", "skip"]
Detached = Literal["unset", "auto", "defaults", "deny", "defer"]
TargetKind = Literal["user", "assistant", "assistant_with_escalation"]

TOOLS = ("conversation", "tools")


@dataclass(frozen=True, slots=True)
class Enable:
    """Whether a tool is offered, and what may change that (R36-R38)."""

    state: bool
    allow_toggle: AllowToggle

    def accepts(self, scope: Scope) -> bool:
        if self.allow_toggle in ("any", "never"):
            return self.allow_toggle == "any"
        return scope == "named" or (scope == "group" and self.allow_toggle == "if_named_or_group")


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """What is set for one question (R33). `place` says where its answer, else its target, was written."""

    target: TargetKind = "user"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    has_answer: bool = False
    answer: Any = None
    prompt_label: str | None = None
    exclusive: bool | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class StyleSettings:
    """How a call is shown. `inline_results` in lines, None for all of them."""

    hidden: bool
    inline_results: int | None
    results_file_link: Literal["full", "osc8", "off"]
    parameters: Literal["json", "function_call", "off"]


@dataclass(frozen=True, slots=True)
class DetachedSettings:
    """What is done without a client, by kind of prompt (R144)."""

    run: Detached = "unset"
    deliver: Detached = "unset"
    tool: Detached = "unset"


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """One tool. `parameters` by name, each a JSON schema that may carry `required` (R68, R80)."""

    name: str
    source: str
    enable: Enable
    run: RunMode
    result: RunMode
    style: StyleSettings
    detached: DetachedSettings
    summary: str = ""
    description: str = ""
    examples: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    questions: Mapping[str, QuestionSettings] = field(default_factory=dict)
    cancellation_response: str | None = None

    @property
    def executor(self) -> str:
        """The built-in that its source names: `builtin` by the tool's own key, `builtin.NAME` by that name (R63)."""
        return self.source.partition(".")[2] or self.name

    def question(self, identifier: str) -> QuestionSettings:
        return self.questions.get(identifier, _UNSET)


_UNSET = QuestionSettings()


def tools(settings: Settings) -> dict[str, ToolSettings]:
    """Every configured tool by name, in the order of the layers. SettingsError for one that has no source."""
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    shared: dict[str, Any] = entries.get("*", {})
    named = {name: own for name, own in entries.items() if name != "*"}
    for name, own in named.items():
        if "source" not in own:
            raise SettingsError(_no_source(settings, name, [known for known in named if "source" in named[known]]))
    return {name: _tool(settings, name, own, merge(shared, own, None)) for name, own in named.items()}


def _no_source(settings: Settings, name: str, known: list[str]) -> Problem:
    near = nearest(name, known)
    return settings.problem((*TOOLS, name), "is no tool: it has no source", nearest=near)


def _tool(settings: Settings, name: str, own: dict[str, Any], all_: dict[str, Any]) -> ToolSettings:
    style = all_["style"]
    lines = style["inline_results"]
    return ToolSettings(
        name=name,
        source=all_["source"],
        enable=Enable(**all_["enable"]),
        run=all_["run"],
        result=all_["result"],
        style=StyleSettings(
            style["hidden"],
            None if lines == "full" else 0 if lines == "off" else lines,
            style["results_file_link"],
            style["parameters"],
        ),
        detached=DetachedSettings(**all_.get("detached", {})),
        summary=all_.get("summary", ""),
        description=all_.get("description", ""),
        examples=all_.get("examples", ""),
        parameters=all_.get("parameters", {}),
        options=all_.get("options", {}),
        questions={key: _question(settings, name, key, value) for key, value in own.get("questions", {}).items()},
        cancellation_response=all_.get("cancellation_response"),
    )


def _question(settings: Settings, tool: str, key: str, value: dict[str, Any]) -> QuestionSettings:
    kind, overrides = _target(value.get("target", "user"))
    deciding = "answer" if "answer" in value else "target" if "target" in value else ""
    origin = settings.origin(*TOOLS, tool, "questions", key, deciding) if deciding else None
    return QuestionSettings(
        target=kind,
        overrides=overrides,
        has_answer="answer" in value,
        answer=value.get("answer"),
        prompt_label=value.get("prompt_label"),
        exclusive=value.get("exclusive"),
        place=origin.words() if origin else "",
    )


def _target(value: Any) -> tuple[TargetKind, Mapping[str, Any]]:
    """R52: a string, or overrides with an optional `escalation`."""
    if isinstance(value, dict):
        overrides = {key: item for key, item in value.items() if key != "escalation"}
        return ("assistant_with_escalation" if value.get("escalation") else "assistant"), overrides
    return value, {}

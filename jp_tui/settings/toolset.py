"""Tools as configured: each tool's values over those of all tools (inquiries.md R66, R144).

Values only: the engine resolves sources, and `inquiry` applies the settings of questions. Problems of the combined
layers are errors here (R71): a tool without a source, a local one without a command, paths for a tool that isn't local,
an unconfigured server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jp_tui.settings.errors import SettingsError, SettingsProblem, nearest
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import get, merge
from jp_tui.settings.questions import REVIEWER, UNSET, QuestionSettings, questions
from jp_tui.settings.schema.shapes import SHOWN

AllowToggle = Literal["any", "never", "if_named", "if_named_or_group"]
Scope = Literal["bulk", "named", "group"]
RunMode = Literal["ask", "unattended", "edit", "skip"]
Detached = Literal["unset", "auto", "defaults", "deny", "defer"]
Kind = Literal["built-in", "local", "mcp"]

TOOLS = ("conversation", "tools")


@dataclass(frozen=True, slots=True)
class Enable:
    """State of a tool, offered or not, and what may change it (R36-R38)."""

    state: bool
    allow_toggle: AllowToggle

    def accepts(self, scope: Scope) -> bool:
        if self.allow_toggle in ("any", "never"):
            return self.allow_toggle == "any"
        return scope == "named" or (scope == "group" and self.allow_toggle == "if_named_or_group")


@dataclass(frozen=True, slots=True)
class StyleSettings:
    """Display of a call. `inline_results` in lines, None for all; `command`, as written, formats its arguments
    (R90)."""

    hidden: bool
    inline_results: int | None
    results_file_link: Literal["full", "osc8", "off"]
    parameters: Literal["json", "function_call", "off", "command"]
    command: Any = None


@dataclass(frozen=True, slots=True)
class DetachedSettings:
    """Policies without a client, by kind of prompt (R144)."""

    run: Detached = "unset"
    deliver: Detached = "unset"
    tool: Detached = "unset"


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """One tool. `parameters` by name, each a JSON schema that may contain `required` (R68, R80); `command` as written,
    for a local tool; `access` the rules by kind; `timeout_secs` None if unset."""

    name: str
    source: str
    enable: Enable
    run: RunMode
    result: RunMode
    style: StyleSettings
    detached: DetachedSettings
    read_only: bool = False
    summary: str = ""
    description: str = ""
    examples: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    questions: Mapping[str, QuestionSettings] = field(default_factory=dict)
    cancellation_response: str | None = None
    format: Literal["ask", "unattended"] = "ask"
    command: Any = None
    access: Mapping[str, Any] = field(default_factory=dict)
    timeout_secs: int | None = None
    covers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        first = self.source.partition(".")[0]
        return "local" if first == "local" else "mcp" if first == "mcp" else "built-in"

    @property
    def executor(self) -> str:
        """Return the built-in of its source: `builtin` by the tool's own key, `builtin.NAME` by that name (R63)."""
        return self.source.partition(".")[2] or self.name

    def question(self, identifier: str) -> QuestionSettings:
        return self.questions.get(identifier, UNSET)


def tools(settings: Settings) -> dict[str, ToolSettings]:
    """Return every configured tool by name, in the order of the layers. Raises SettingsError with all problems."""
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    shared: dict[str, Any] = entries.get("*", {})
    named = {name: own for name, own in entries.items() if name != "*"}
    problems = [problem for name, own in named.items() for problem in _wrong(settings, name, own, named)]
    if problems:
        raise SettingsError(problems)
    return {
        name: _tool(settings, name, own, merge(shared, merge(_defined(settings, name, own), own, None), None))
        for name, own in named.items()
        if "source" in own
    }


DEFINITION = ("summary", "description", "examples", "parameters", "options", "covers")
"""Fields that an alias takes from the built-in it names: description and parameters. Its run settings are its own."""


def _defined(settings: Settings, name: str, own: dict[str, Any]) -> dict[str, Any]:
    """Return the definition of the built-in with this alias (Z2); empty for any other tool."""
    kind, _, executor = own["source"].partition(".")
    if kind != "builtin" or executor in ("", name):
        return {}
    ours = (layer for layer in settings.layers if layer.kind == "built-in")
    entries = [get(layer.tree, (*TOOLS, executor)) for layer in ours]
    found: dict[str, Any] = next((entry for entry in entries if entry is not None), {})
    return {key: found[key] for key in DEFINITION if key in found}


def waiting(settings: Settings) -> list[str]:
    """Return entries for a tool that no layer defines, except misspellings of a defined one (R69). They apply as soon
    as a layer defines the tool."""
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    return [name for name, own in entries.items() if name != "*" and "source" not in own]


def reviewed(settings: Settings) -> bool:
    """True if any setting assigns questions to a model."""
    if settings.get(*REVIEWER) is not None:
        return True
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    rules = (rule for own in entries.values() for rule in own.get("questions", {}).values())
    return any(rule.get("target", "user") != "user" for rule in rules)


def _wrong(settings: Settings, name: str, own: dict[str, Any], named: dict[str, Any]) -> list[SettingsProblem]:
    """Return the load-time errors of R71 in the effective values of one tool."""
    path = (*TOOLS, name)
    source = own.get("source")
    if source is None:
        near = nearest(name, [known for known in named if "source" in named[known]])
        defines = {"command", "parameters", "description", "access"} & own.keys()
        return [settings.problem(path, "isn't a tool: it has no source", nearest=near)] if near or defines else []
    found: list[SettingsProblem] = []
    kind, _, rest = source.partition(".")
    if kind == "mcp":
        server = rest.partition(".")[0]
        found.append(settings.problem((*path, "source"), f"the MCP server {server} is not configured"))
    if kind == "local" and "command" not in own:
        found.append(settings.problem((*path, "source"), "a local tool needs a command"))
    if kind != "local" and "access" in own:
        said = f"only a local tool has access rules; the source of this one is {source}"
        found.append(settings.problem((*path, "access"), said))
    return found


def _tool(settings: Settings, name: str, own: dict[str, Any], all_: dict[str, Any]) -> ToolSettings:
    style = all_["style"]
    lines, shown = style["inline_results"], style["parameters"]
    own_command = shown not in SHOWN
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
            "command" if own_command else shown,
            shown if own_command else None,
        ),
        detached=DetachedSettings(**all_.get("detached", {})),
        summary=all_.get("summary", ""),
        description=all_.get("description", ""),
        examples=all_.get("examples", ""),
        parameters=all_.get("parameters", {}),
        options=all_.get("options", {}),
        questions=questions(settings, name, all_["source"], own.get("questions", {})),
        cancellation_response=all_.get("cancellation_response"),
        format=all_.get("format", "unattended" if all_["run"] == "unattended" else "ask"),
        command=all_.get("command"),
        access=all_.get("access", {}),
        timeout_secs=all_.get("timeout_secs"),
        read_only=all_.get("read_only", False),
        covers=all_.get("covers", {}),
    )

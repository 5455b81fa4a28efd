"""Tools as configured: each tool's values over those of all tools (inquiries.md R66, R144).

Values only: the engine resolves sources, and `inquiry` applies the settings of questions. Problems of the combined
layers are errors here (R71): a tool without a source, a local one without a command, paths for a tool that isn't local,
an unconfigured server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from jp_tui.settings.errors import SettingsError, SettingsProblem, nearest
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.layers.merge import get, merge
from jp_tui.settings.questions import (
    OWNER,
    REVIEWER,
    UNSET,
    PeopleSettings,
    QuestionSettings,
    approval,
    merge_with_slot,
    people_of,
    questions,
)
from jp_tui.settings.schema.shapes import SHOWN

AllowToggle = Literal["any", "never", "if_named", "if_named_or_group"]
Scope = Literal["bulk", "named", "group"]
RunMode = Literal["ask", "unattended", "edit", "skip"]
Detached = Literal["unset", "auto", "defaults", "deny", "defer"]
Kind = Literal["built-in", "local", "mcp"]

TOOLS = ("conversation", "tools")
ALL = "*"
MCP = "mcp."
"""Begins the names of tools of MCP servers: `mcp.SERVER.TOOL` (mcp.md P20)."""


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
    for a local tool; `access` the rules by kind; `timeout_secs` None if unset; `people` who answers questions that say
    nothing themselves (D14)."""

    name: str
    source: str
    enable: Enable
    run: RunMode
    result: RunMode
    style: StyleSettings
    detached: DetachedSettings
    read_only: bool = False
    idempotent: bool = False
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
    people: PeopleSettings = OWNER

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
    """Return every configured tool by name, in the order of the layers. Raises SettingsError with all problems.

    Tools of MCP servers are listed by the servers (`mcp_tools`), but for those that have a name of the user's.
    """
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


def mcp_tools(settings: Settings, listed: Mapping[str, Sequence[str]]) -> dict[str, ToolSettings]:
    """Return the settings of the tools that servers list, by their names here; `listed` has a server's own names.

    Three levels count: all tools, all of a server (`mcp.SERVER.*`), the tool (mcp.md P21). A tool with a name of the
    user's has that name only.
    """
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    renamed = {_listed_as(name, own["source"]): name for name, own in entries.items() if _from_server(own)}
    found: dict[str, ToolSettings] = {}
    for server, names in listed.items():
        for own_name in names:
            full = f"{MCP}{server}.{own_name}"
            name = renamed.get(full, full)
            found[name] = _mcp_tool(settings, name, full, entries)
    return found


def group_of(name: str) -> str:
    """Return `mcp.SERVER.*` for a tool of a server, or for it itself; empty for any other name."""
    parts = name.split(".", 2)
    return f"{MCP}{parts[1]}.*" if len(parts) == 3 and parts[0] == "mcp" else ""


def _from_server(own: Mapping[str, Any]) -> bool:
    return str(own.get("source", "")).startswith(MCP)


def _listed_as(name: str, source: str) -> str:
    """Return the full name of a tool with this source: `mcp.SERVER` means the tool of the same name."""
    return source if source.count(".") > 1 else f"{source}.{name}"


def _mcp_tool(settings: Settings, name: str, full: str, entries: Mapping[str, Any]) -> ToolSettings:
    group = group_of(full)
    below, own = entries.get(group, {}), entries.get(name, {})
    values = {**merge(entries.get("*", {}), merge(below, own, None), None), "source": full}
    asked = questions(settings, group, full, below.get("questions", {}))
    for identifier, question in questions(settings, name, full, own.get("questions", {})).items():
        asked[identifier] = replace(merge_with_slot(question, asked.get(identifier, UNSET)), slot="")
    return replace(_tool(settings, name, own, values), questions=asked, people=people_of(settings, name, group))


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
    return [name for name, own in entries.items() if name != "*" and "source" not in own and "." not in name]


def is_outside(name: str) -> bool:
    """True for PROGRAM.TOOL, a tool of another program (intake.md N3)."""
    return "." in name and not name.startswith(MCP)


def outside_question(settings: Settings, tool: str, identifier: str) -> QuestionSettings:
    """Return the settings of one question of another program's tool: the exact name over PROGRAM.* (N3, R66)."""
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    found, group = UNSET, f"{tool.partition('.')[0]}.*"
    for name in (group, tool):
        values = entries.get(name, {}).get("questions", {})
        own = questions(settings, name, "outside", values).get(identifier)
        if own is not None:
            found = replace(merge_with_slot(own, found), slot="")
    people = found.people.over(people_of(settings, tool, group))
    return replace(found, people=people) if people != found.people else found


@dataclass(frozen=True, slots=True)
class OutsideTool:
    """Settings of another program's tool (N3). `run` is None where nothing names the tool; `covers` as written."""

    run: RunMode | None = None
    place: str = ""
    covers: Mapping[str, Any] = field(default_factory=dict)


def outside_tool(settings: Settings, tool: str) -> OutsideTool:
    """Return the settings of another program's tool: the exact name over PROGRAM.*. What `'*'` says of `run` is about
    tools of ours and loosens nothing here; its `skip` counts."""
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    found = OutsideTool("skip", ".".join((*TOOLS, ALL, "run"))) if entries.get(ALL, {}).get("run") == "skip" else None
    found = found or OutsideTool()
    for name in (f"{tool.partition('.')[0]}.*", tool):
        own = entries.get(name, {})
        if "run" in own:
            origin = settings.origin(*TOOLS, name, "run")
            found = replace(found, run=own["run"], place=origin.words() if origin else name)
        if "covers" in own:
            found = replace(found, covers=own["covers"])
    return found


def reviewed(settings: Settings) -> bool:
    """True if any setting assigns questions to a model."""
    if settings.get(*REVIEWER) is not None:
        return True
    if approval(settings).target != "user":
        return True
    entries: dict[str, Any] = settings.get(*TOOLS) or {}
    rules = (rule for own in entries.values() for rule in own.get("questions", {}).values())
    return any(rule.get("target", "user") != "user" for rule in rules)


def _wrong(settings: Settings, name: str, own: dict[str, Any], named: dict[str, Any]) -> list[SettingsProblem]:
    """Return the load-time errors of R71 in the effective values of one tool."""
    path = (*TOOLS, name)
    source = own.get("source")
    if is_outside(name):
        given = {"source", "command", "parameters", "description", "access"} & own.keys()
        said = "is a tool of another program and takes none of these keys: " + ", ".join(sorted(given))
        return [settings.problem(path, said)] if given else []
    if name.startswith(MCP):
        return _wrong_mcp(settings, path, own)
    if source is None:
        near = nearest(name, [known for known in named if "source" in named[known]])
        defines = {"command", "parameters", "description", "access"} & own.keys()
        return [settings.problem(path, "isn't a tool: it has no source", nearest=near)] if near or defines else []
    found: list[SettingsProblem] = []
    kind, _, rest = source.partition(".")
    if kind == "mcp":
        server = rest.partition(".")[0]
        if settings.get("providers", "mcp", server) is None:
            found.append(settings.problem((*path, "source"), f"the MCP server {server} is not configured"))
        found += _wrong_mcp(settings, path, {key: own[key] for key in own if key not in ("source", "access")})
    if kind == "local" and "command" not in own:
        found.append(settings.problem((*path, "source"), "a local tool needs a command"))
    elif kind != "local" and "access" in own:
        said = f"only a local tool has access rules; the source of this one is {source}"
        found.append(settings.problem((*path, "access"), said))
    return found


def _wrong_mcp(settings: Settings, path: tuple[str, ...], own: Mapping[str, Any]) -> list[SettingsProblem]:
    """A server says what its tools are and how they run."""
    keys = ("source", "command", "parameters", "access")
    return [settings.problem((*path, key), "an MCP server's tool takes no such key") for key in keys if key in own]


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
        idempotent=all_.get("idempotent", False),
        covers=all_.get("covers", {}),
        people=people_of(settings, name),
    )

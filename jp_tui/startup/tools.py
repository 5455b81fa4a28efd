"""Convert the tools' settings for the engine: executors, rules of questions, policies.

A tool is what its `source` names; its own name has no meaning (R63). Starts nothing; an invalid command is an error
before anything starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from jp_tui.conversation.model import ToolSpec
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.dependencies import CANCELLATION, OutsideCall, Policies, ToolSetup
from jp_tui.inquiry.values import Rule
from jp_tui.rules.facts import Covers
from jp_tui.settings import typed_settings as config
from jp_tui.settings.cli import toggles
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.providers import agents
from jp_tui.settings.questions import OWNER, SLOT, UNSET, PeopleSettings, QuestionSettings, approval, merge_with_slot
from jp_tui.settings.schema.tools import KINDS
from jp_tui.settings.toolset import TOOLS, ToolSettings, group_of, outside_tool
from jp_tui.startup.outside.settings import as_rule, outside_rule
from jp_tui.tools.documentation import Documented
from jp_tui.tools.local.spec import TIMEOUT_SECS, LocalSpec, ProgramCommand, words
from jp_tui.tools.port import Tool, commands
from jp_tui.tools.registry import builtin, local
from jp_tui.tools.spec import published


def tool_setups(
    settings: Settings, configured: Mapping[str, ToolSettings], sandboxed: bool = False
) -> dict[str, ToolSetup]:
    """Return the model's tools (R79); `sandboxed`: the policy lets commands run in a sandbox only (AR8). Raises
    SettingsError for an invalid command."""
    tools = toggles.offered(configured, config.assistant(settings).tool_choice)
    tools = {name: tool for name, tool in tools.items() if tool.kind != "mcp"}  # they come with their server
    executors = builtin({name: _documented(tool) for name, tool in tools.items()})
    made = {name: _tool(settings, tool, executors) for name, tool in tools.items()}
    return {name: _walled(tool) if sandboxed else tool for name, tool in made.items()}


def agent_tools(
    settings: Settings,
    configured: Mapping[str, ToolSettings],
    running: Mapping[str, Any],
    opens: Callable[[str], None],
    sandboxed: bool = False,
) -> dict[str, ToolSetup]:
    """Return the calls of the agents in the settings as tools, `NAME.KIND` (N41), and what they ask us to do (N43);
    `running` are the agents by conversation, `opens` opens an address in the user's browser, the others are as in
    `tool_setups`."""
    known = agents(settings)
    if not known:
        return {}
    from jp_tui.tools.agents import late

    def load(name: str, agent: str, *more: Any) -> Callable[[], Tool]:
        def loaded() -> Tool:
            module = import_module(f"jp_tui.tools.agents.{'call' if name == 'AgentCall' else 'client_tools'}")
            made: Tool = getattr(module, name)(agent, running, *(one() for one in more))
            return made

        return loaded

    shell = Covers(command="command", argv="argv", cwd="cwd")
    file = Covers(path=("path",))
    found: dict[str, ToolSetup] = {}
    for agent in known:
        call = late.LateTool(load("AgentCall", agent), ("observed", "render"), reasonless=True)
        made = [_agent_tool(settings, f"{agent}.{kind}", call, AGENT_COVERS) for kind in late.KINDS]
        reader = late.LateTool(load("AgentReadsFile", agent))
        reads = _unasked(_agent_tool(settings, f"{agent}.{late.READ}", reader, file))
        writer = late.LateTool(load("AgentWritesFile", agent), applies=True)
        writes = _unasked(_agent_tool(settings, f"{agent}.{late.WRITE}", writer, file))
        asker = late.LateTool(load("AgentAsks", agent, _elicits, lambda: opens))
        asks = _unasked(_agent_tool(settings, f"{agent}.{late.ASK}", asker, Covers()))
        runner = late.LateTool(load("AgentRuns", agent), ("observed", "render", "walls"), commands=True)
        runs = _as_ours(_agent_tool(settings, f"{agent}.{late.TERMINAL}", runner, shell), configured.get("shell_run"))
        made += [
            _as_ours(reads, configured.get("fs_read_file"), read_only=True),
            _as_ours(writes, configured.get("fs_create_file")),
            replace(asks, read_only=True),
            _walled(runs) if sandboxed else runs,
        ]
        found |= {setup.name: setup for setup in made}
    return found


def _elicits() -> Any:
    """Return how forms become questions: those of agents are MCP's."""
    return import_module("jp_tui.mcp.questions")


def _agent_tool(settings: Settings, name: str, tool: Tool, covers: Covers) -> ToolSetup:
    said = outside_call(settings, name)
    return ToolSetup(
        name=name,
        spec=ToolSpec(name, "", {}),
        tool=tool,
        run=said.run or "ask",
        kind="local",
        format="unattended",
        run_place=said.place,
        covers=said.covers or covers,
        rules={key: outside_rule(settings, name, key) for key in ("permission", "apply_changes", "elicit", "url")},
    )


def _unasked(setup: ToolSetup) -> ToolSetup:
    """A tool that runs unless a setting says otherwise: it asks itself, or changes nothing."""
    return setup if setup.run_place else replace(setup, run="unattended")


def _as_ours(setup: ToolSetup, ours: ToolSettings | None, **changed: Any) -> ToolSetup:
    """A tool for agents with the options of the tool that does it for models."""
    return replace(setup, options=dict(ours.options) if ours is not None else {}, **changed)


AGENT_COVERS = Covers(command="command", path=("path", "file_path", "filePath", "filepath"), host=("url",))
"""The meaning of the arguments that agents usually have."""


def _walled(tool: ToolSetup) -> ToolSetup:
    """A tool that runs commands, with the sandbox required."""
    if not commands(tool.tool):
        return tool
    said = tool.options.get("sandbox")
    sandbox: JsonObject = {**(said if isinstance(said, dict) else {}), "mode": "required"}
    return replace(tool, options={**tool.options, "sandbox": sandbox})


def _documented(tool: ToolSettings) -> Documented:
    return Documented(tool.summary, tool.description, tool.examples, tool.parameters)


def _tool(settings: Settings, tool: ToolSettings, executors: Mapping[str, Tool]) -> ToolSetup:
    entry: dict[str, Json] = {
        "summary": tool.summary,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "options": dict(tool.options),
    }
    executor = local(_local(settings, tool)) if tool.kind == "local" else executors.get(tool.executor)
    return setup_of(settings, tool, executor, published(tool.name, entry))


def setup_of(settings: Settings, tool: ToolSettings, executor: Tool | None, spec: ToolSpec) -> ToolSetup:
    """Return a tool with its settings; `executor` runs it, `spec` is what the model reads."""
    own = executor is not None and executor.source == "assistant"
    return ToolSetup(
        name=tool.name,
        spec=spec,
        tool=executor,
        run=tool.run,
        result=tool.result,
        hidden=tool.style.hidden,
        read_only=tool.read_only,
        idempotent=tool.idempotent or tool.read_only,
        kind=tool.kind,
        format=tool.format,
        run_place=_place(settings, tool.name, "run"),  # only a user's setting counts (E43)
        result_place=_place(settings, tool.name, "result"),
        options=dict(tool.options),
        rules=Rules(tool.questions, fall_back=own, people=tool.people),
        policies=_policies(settings, tool),
        cancellation=tool.cancellation_response or CANCELLATION,
        covers=Covers.of(tool.covers),
    )


def _place(settings: Settings, tool: str, *key: str) -> str:
    """Return FILE:LINE (or the variable, the flag) of a tool's key, else of its server's or of all tools' (R66, P21);
    empty for built-in data."""
    group = group_of(tool)
    place = settings.origin(*TOOLS, tool, *key) or (settings.origin(*TOOLS, group, *key) if group else None)
    place = place or settings.origin(*TOOLS, "*", *key)
    return place.words() if place and place.layer != "built-in" else ""


def _policies(settings: Settings, tool: ToolSettings) -> Policies:
    places = {kind: _place(settings, tool.name, "detached", kind) for kind in KINDS}
    set_by = {kind: place for kind, place in places.items() if place}
    return Policies(tool.detached.run, tool.detached.deliver, tool.detached.tool, set_by)


class Rules(Mapping[str, Rule]):
    """Rules of a tool's questions by id. With `fall_back` every id has one: the slot `answer` applies where the
    question has nothing of its own (R171). A static answer from the slot names it in `Rule.slot`; it only applies to a
    call with a single question, which callers check. `people` are those who answer questions that say nothing
    themselves."""

    def __init__(
        self,
        questions: Mapping[str, QuestionSettings],
        *,
        fall_back: bool,
        people: PeopleSettings = OWNER,
    ) -> None:
        asks = people != OWNER
        if asks:
            questions = {name: replace(one, people=one.people.over(people)) for name, one in questions.items()}
        self._rules = {name: as_rule(question) for name, question in questions.items()}
        self._slot: Rule | None = as_rule(replace(UNSET, people=people)) if asks else None
        if fall_back:
            slot = questions.get(SLOT, replace(UNSET, people=people))
            for name, question in questions.items():
                if name != SLOT:
                    self._rules[name] = as_rule(merge_with_slot(question, slot))
            self._slot = as_rule(merge_with_slot(None, slot))

    def __getitem__(self, question: str) -> Rule:
        rule = self._rules.get(question, self._slot)
        if rule is None:
            raise KeyError(question)
        return rule

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


def outside_call(settings: Settings, tool: str) -> OutsideCall:
    """Return the settings of another program's tool (intake.md N3)."""
    found = outside_tool(settings, tool)
    return OutsideCall(found.run, found.place, Covers.of(found.covers) if found.covers else None)


def _local(settings: Settings, tool: ToolSettings) -> LocalSpec:
    path = (*TOOLS, tool.name)
    command = _command(settings, (*path, "command"), tool.command)
    shown, style = tool.style.command, ("style", "parameters")
    written = (*path, *style) if settings.origin(*path, *style) else (*TOOLS, "*", *style)
    return LocalSpec(
        name=tool.name,
        program=command.program,
        args=command.args,
        shell=command.shell,
        stdin=command.stdin,
        parameters=tool.parameters,
        format_command=None if shown is None else _command(settings, written, shown),
        timeout_secs=TIMEOUT_SECS if tool.timeout_secs is None else float(tool.timeout_secs),
        access=dict(tool.access) or None,
    )


def _command(settings: Settings, path: tuple[str, ...], written: Any) -> ProgramCommand:
    if not isinstance(written, str):
        given = tuple(written.get("args", ()))
        return ProgramCommand(written["program"], given, written.get("shell", False), written.get("stdin"))
    try:
        program, *args = words(written)
    except ValueError as problem:
        raise SettingsError(settings.problem(path, str(problem))) from None
    return ProgramCommand(program, tuple(args))


def first_decider(settings: Settings) -> Rule:
    """Return who decides first about calls that rules leave open (AR31)."""
    return as_rule(approval(settings))

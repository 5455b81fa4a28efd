"""Convert the tools' settings for the engine: executors, rules of questions, policies.

A tool is what its `source` names; its own name has no meaning (R63). Starts nothing; an invalid command is an error
before anything starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.dependencies import CANCELLATION, Policies, ToolSetup
from jp_tui.inquiry.values import Rule
from jp_tui.rules.facts import Covers
from jp_tui.settings import typed_settings as config
from jp_tui.settings.cli import toggles
from jp_tui.settings.errors import SettingsError
from jp_tui.settings.layers.layers import Settings
from jp_tui.settings.questions import SLOT, UNSET, QuestionSettings, fallen_back
from jp_tui.settings.schema.tools import KINDS
from jp_tui.settings.toolset import TOOLS, ToolSettings
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
    executors = builtin({name: _documented(tool) for name, tool in tools.items()})
    made = {name: _tool(settings, tool, executors) for name, tool in tools.items()}
    return {name: _walled(tool) if sandboxed else tool for name, tool in made.items()}


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
    own = executor is not None and executor.source == "assistant"
    return ToolSetup(
        name=tool.name,
        spec=published(tool.name, entry),
        tool=executor,
        run=tool.run,
        result=tool.result,
        hidden=tool.style.hidden,
        read_only=tool.read_only,
        kind=tool.kind,
        format=tool.format,
        run_place=_place(settings, tool.name, "run"),  # only a user's setting counts (E43)
        result_place=_place(settings, tool.name, "result"),
        options=dict(tool.options),
        rules=Rules(tool.questions, fall_back=own),
        policies=_policies(settings, tool),
        cancellation=tool.cancellation_response or CANCELLATION,
        covers=Covers.of(tool.covers),
    )


def _place(settings: Settings, tool: str, *key: str) -> str:
    """Return FILE:LINE (or the variable, the flag) of a tool's key, else of all tools' (R66); empty for built-in
    data."""
    place = settings.origin(*TOOLS, tool, *key) or settings.origin(*TOOLS, "*", *key)
    return place.words() if place and place.layer != "built-in" else ""


def _policies(settings: Settings, tool: ToolSettings) -> Policies:
    places = {kind: _place(settings, tool.name, "detached", kind) for kind in KINDS}
    set_by = {kind: place for kind, place in places.items() if place}
    return Policies(tool.detached.run, tool.detached.deliver, tool.detached.tool, set_by)


class Rules(Mapping[str, Rule]):
    """Rules of a tool's questions by id. With `fall_back` every id has one: the slot `answer` applies where the
    question has nothing of its own (R171). A static answer from the slot names it in `Rule.slot`; it only applies to a
    call with a single question, which callers check."""

    def __init__(self, questions: Mapping[str, QuestionSettings], *, fall_back: bool) -> None:
        self._rules = {name: _rule(question) for name, question in questions.items()}
        self._slot: Rule | None = None
        if fall_back:
            slot = questions.get(SLOT, UNSET)
            for name, question in questions.items():
                if name != SLOT:
                    self._rules[name] = _rule(fallen_back(question, slot))
            self._slot = _rule(fallen_back(None, slot))

    def __getitem__(self, question: str) -> Rule:
        rule = self._rules.get(question, self._slot)
        if rule is None:
            raise KeyError(question)
        return rule

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


def _rule(question: QuestionSettings) -> Rule:
    return Rule(
        target=question.target,
        has_answer=question.has_answer,
        answer=question.answer,
        prompt_label=question.prompt_label,
        exclusive=question.exclusive,
        place=question.place,
        slot=question.slot,
        deadline_secs=question.deadline_secs,
        overrides=dict(question.overrides),
        key=question.follows,
    )


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

"""`jp-tui rules list | test | why | add | revoke | suggest` (rules.md AR24-AR27): the rules in the files, tried on
calls, changed, and what the record says of them.

No conversation is opened, no model is asked, and nothing is run.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.strict_json import parse
from jp_tui.engine.base.dependencies import RuleFilesRead, ToolSetup
from jp_tui.engine.record.rules.listing import DAYS, LEAST, rule_info
from jp_tui.engine.record.rules.record import RuleRecord
from jp_tui.headless.lists.rules import show_danger, show_decision, show_rule, show_suggestion, show_why
from jp_tui.headless.output import TextOutput
from jp_tui.protocol.outside import Asker, PermitOutside, Waiter
from jp_tui.rules.decide import decide
from jp_tui.rules.facts import Covers, call_facts
from jp_tui.rules.values import CallDecision, Situation
from jp_tui.settings import typed_settings as config
from jp_tui.settings.approval_rules import RuleFiles
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.edit.approval_rules_edit import add_rule, revoke_rules
from jp_tui.settings.errors import UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.parts import RunLocation, parts
from jp_tui.startup.rule_book import RuleBookOnDisk
from jp_tui.startup.rule_history import explained, rules_here, suggested
from jp_tui.startup.setup import FileRules
from jp_tui.startup.tools import outside_call, setup_of, tool_setups
from jp_tui.system.sandbox.probe import probed
from jp_tui.tools.files.rule_places import RulePlacesOnDisk
from jp_tui.tools.port import applies, commands

if TYPE_CHECKING:
    from jp_tui.headless.hooks.program import HookProgram, ToolMeaning

NOT_FOUND = 1
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def rules(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    """The exit status. Raises UsageError, SettingsError, OutputEnded."""
    files = RuleFiles(place.sources.rule_places)
    match arguments.command:
        case "rules list":
            return _list(arguments, files, place, output)
        case "rules why":
            return _why(arguments, place, output)
        case "rules suggest":
            return _suggest(arguments, settings, place, output)
        case "rules test":
            return _Tester(arguments, settings, place, files).run(output)
        case "rules add":
            return _add(arguments, place, output)
        case _:
            return _revoke(arguments, place, output)


def _list(arguments: CommandLine, files: RuleFiles, place: RunLocation, output: TextOutput) -> int:
    if arguments.builtin:
        for danger in files.dangers():
            show_danger(danger, output)
        return 0
    every = rules_here(place, _read(place))
    shown = [rule for rule in every if arguments.every or rule.active]
    for rule in shown:
        show_rule(rule, output)
    if not shown:
        hidden = f"; `--all` shows {len(every)} for other folders, or expired" if every else ""
        output.tell(f"No approval rule applies in this folder{hidden}.")
    return 0


def _read(place: RunLocation) -> RuleFilesRead:
    """Raises UsageError for a bad policy: its exit status is 2."""
    try:
        return RuleBookOnDisk(place.sources).read()
    except ValueError as problem:
        raise UsageError(str(problem)) from problem


def _why(arguments: CommandLine, place: RunLocation, output: TextOutput) -> int:
    id_ = arguments.id or ""
    found = explained(place, _read(place), id_)
    for one in found:
        show_why(one, output)
    if not found:
        output.tell(f"There is no rule, call or inquiry {id_}.")
    return 0 if found else NOT_FOUND


def _suggest(arguments: CommandLine, settings: Settings, place: RunLocation, output: TextOutput) -> int:
    least = arguments.least or str(LEAST)
    if not (least.isascii() and least.isdigit() and 0 < int(least[:6]) == int(least)):
        raise UsageError(f"--min must be a number from 1: {least}")
    made = parts(arguments, settings, place)
    tools = {**tool_setups(settings, made.tools, place.sources.sandbox_required()), **_of_servers(settings, place)}
    if problems := _read(place).problems:
        raise UsageError(f"rules can't be added to this file: {problems[0]}")
    found = suggested(place, tools, FileRules(made), int(least))
    for one in found:
        show_suggestion(one, output)
    if not found:
        times = f"{least} times" if least != "1" else "once"
        output.tell(f"No suggestions: nothing was approved {times} in two conversations of this folder in {DAYS} days.")
    return 0


def _of_servers(settings: Settings, place: RunLocation) -> dict[str, ToolSetup]:
    """Return the tools that MCP servers offered last; none of them can run here."""
    if not settings.get("providers", "mcp"):
        return {}
    from jp_tui.conversation.model import ToolSpec
    from jp_tui.startup.mcp.known import last_tools

    found = last_tools(settings, place)
    return {name: setup_of(settings, tool, None, ToolSpec(name, "", {})) for name, tool in found.items()}


class _Tester:
    """Decides about calls as a turn would, without what a turn refused or remembers."""

    def __init__(self, arguments: CommandLine, settings: Settings, place: RunLocation, files: RuleFiles) -> None:
        made = parts(arguments, settings, place)
        self._arguments, self._files, self._settings, self._made = arguments, files, settings, made
        every = {name: replace(tool, enable=replace(tool.enable, state=True)) for name, tool in made.tools.items()}
        self._tools = tool_setups(settings, every, place.sources.sandbox_required())
        self._tools |= _of_servers(settings, place)
        self._environment = made.environment
        self._root = os.path.realpath(place.workspace)
        self._ignored = place.sources.ignored(self._root)
        self._mode, self._folder_asks = config.mode(settings)
        self._copies = config.undo(settings).copies
        self._walls: bool | None = False if arguments.no_sandbox else None

    def run(self, output: TextOutput) -> int:
        """The exit status."""
        given = self._arguments
        if (given.text is None) == (given.args is None):
            raise UsageError("rules test needs a command line, --args JSON, or -")
        if given.text == "-":
            for number, line in enumerate(sys.stdin, 1):
                if line.strip():
                    value = _json(line, f"line {number} of standard input")
                    show_decision(value, self._decided(value, f"line {number} of standard input"), output)
            return 0
        value = given.text if given.args is None else _json(given.args, "--args")
        decision = self._of(self._tool(given.tool), value) if given.args is not None else self._decided(value, "")
        show_decision(value, decision, output)
        return 0

    def _decided(self, value: Any, where: str) -> CallDecision:
        tool = self._tool(self._arguments.tool)
        covers = self._covers(tool)
        if isinstance(value, str) and covers.command:
            return self._of(tool, {covers.command: value})
        if isinstance(value, list) and covers.argv and value and all(isinstance(word, str) for word in value):
            return self._of(tool, {covers.argv: value})
        if isinstance(value, dict) and isinstance(value.get("tool"), str) and not set(value) - {"tool", "arguments"}:
            return self._of(self._tool(value["tool"]), value.get("arguments", {}))
        raise UsageError(f"{where or 'this'} must be a command line, a list of words or {{tool, arguments}}")

    def _tool(self, name: str | None) -> str:
        found = name or next((one for one, setup in self._tools.items() if setup.covers.command), "")
        if found not in self._tools and _program_of(found) is None:
            raise UsageError(f"there is no tool {found}" if found else "no tool here runs commands")
        return found

    def _of(self, tool: str, arguments: Any) -> CallDecision:
        if not isinstance(arguments, dict):
            raise UsageError("the arguments of a call are a JSON object")
        if tool not in self._tools:
            return self._outside(tool, arguments)
        setup, layers = self._tools[tool], self._files.layers()
        names = setup.options.get("secrets")
        places = RulePlacesOnDisk(
            self._root, self._environment, list(map(str, names)) if isinstance(names, list) else None, self._ignored
        )
        runs = setup.tool is not None and commands(setup.tool)
        facts = call_facts(tool, arguments, setup.covers, root=self._root, commands=runs, real=places.real)
        sandbox = setup.options.get("sandbox")
        said = sandbox if isinstance(sandbox, dict) else {}
        walls = runs and said.get("mode", "auto") != "off" and self._sandboxed()
        situation = Situation(self._root, walls, said.get("network") is True, now=time.time())
        facts = replace(facts, edits=self._copies and setup.tool is not None and applies(setup.tool))
        layers = replace(
            layers,
            user=replace(layers.user, run=setup.run, mode=self._mode),
            folder=replace(layers.folder, mode="ask" if self._folder_asks else None),
        )
        return decide(facts, layers, situation, self._files.dangers(), places)

    def _covers(self, tool: str) -> Covers:
        """Return which arguments of a tool are command, paths and hosts."""
        if tool in self._tools:
            return self._tools[tool].covers
        _, meaning = _meaning(tool)
        return outside_call(self._settings, tool).covers or Covers.of(meaning.covers)

    def _outside(self, tool: str, arguments: dict[str, Any]) -> CallDecision:
        """Decide about a call of another program (intake.md N3)."""
        from jp_tui.engine.session.permission import outside_decision
        from jp_tui.headless.hooks.program import BadPayload, check_arguments

        program, meaning = _meaning(tool)
        try:
            check_arguments(meaning, arguments)
            paths = () if meaning.paths is None else meaning.paths(arguments)
        except BadPayload as problem:
            raise UsageError(f"{tool}: {problem}") from problem
        nobody = Asker(program=program, pid=0, started="", host="")
        call = PermitOutside(
            asker=nobody,
            waiter=Waiter(pid=0, started="", host=""),
            program=program,
            tool=tool.partition(".")[2],
            arguments=arguments,
            covers=dict(meaning.covers),
            paths=paths,
            writes=meaning.writes,
        )
        return outside_decision(Path(self._root), FileRules(self._made), call, outside_call(self._settings, tool))

    def _sandboxed(self) -> bool:
        if self._walls is None:
            self._walls = asyncio.run(probed(self._root)).bubblewrap is not None
        return self._walls


def _program_of(tool: str) -> HookProgram | None:
    """Return the program of a tool named PROGRAM.TOOL, None for any other name."""
    from jp_tui.headless.hooks.registry import program_named

    name, dot, own = tool.partition(".")
    return program_named(name) if dot and own else None


def _meaning(tool: str) -> tuple[str, ToolMeaning]:
    """Return the program of such a tool, and what its arguments mean."""
    from jp_tui.headless.hooks.program import UNKNOWN_TOOL

    program = _program_of(tool)
    if program is None:
        raise AssertionError(tool)
    return program.name, program.tools.get(tool.partition(".")[2], UNKNOWN_TOOL)


def _json(text: str, where: str) -> Any:
    try:
        return parse(text)
    except ValueError as problem:
        raise UsageError(f"{where} is no JSON: {problem}") from None


def _add(arguments: CommandLine, place: RunLocation, output: TextOutput) -> int:
    table: dict[str, Any] = {"effect": arguments.effect, "tool": arguments.tool}
    if arguments.tool is None:
        raise UsageError("rules add needs --tool")
    scopes = {
        "--command": arguments.words, "--exact": arguments.exact, "--path": arguments.path, "--host": arguments.host,
        "--args": arguments.args, "--whole-tool": arguments.whole_tool or None,
    }  # fmt: skip
    given = [name for name, value in scopes.items() if value is not None]
    if len(given) != 1:
        raise UsageError(f"rules add needs one of {', '.join(scopes)}{f', not {len(given)}' if given else ''}")
    words = arguments.words if arguments.words is not None else arguments.exact
    if words is not None:
        table |= {"command": _words(words)} | ({"exact": True} if arguments.exact is not None else {})
    table |= {name: value for name, value in (("path", arguments.path), ("host", arguments.host)) if value is not None}
    if arguments.args is not None:
        table["arguments"] = _json(arguments.args, "--args")
    if arguments.everywhere and arguments.folder is not None:
        raise UsageError("either --folder or --everywhere")
    if not arguments.everywhere:
        table["folder"] = os.path.realpath(arguments.folder or place.workspace)
    if arguments.expires is not None:
        table["expires"] = _when(arguments.expires)
    if arguments.reason is not None:
        table["reason"] = arguments.reason
    table["made_by"] = "command"
    rule = add_rule(place.paths.config / "rules.toml", table)
    show_rule(rule_info(rule, "user", RuleRecord(), os.path.realpath(place.workspace), time.time()), output)
    return 0


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as problem:
        raise UsageError(f"the command can't be split into words: {problem}") from None


def _when(text: str) -> datetime:
    """A date with or without a time, in UTC where it says nothing else; or a time from now."""
    now = datetime.now(UTC).replace(microsecond=0)
    number, unit = text[:-1], text[-1:]
    if number.isascii() and number.isdigit() and unit in _UNITS and len(number) < 9:
        found = now + timedelta(seconds=int(number) * _UNITS[unit])
    else:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            raise UsageError(f"{text} isn't a date or a time from now, such as 30s, 12h or 7d") from None
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if found <= now:
        raise UsageError(f"{text} is in the past")
    return found


def _revoke(arguments: CommandLine, place: RunLocation, output: TextOutput) -> int:
    wanted = list(dict.fromkeys(arguments.ids))
    gone = revoke_rules(place.paths.config / "rules.toml", wanted)
    for name in gone:
        if output.as_json:
            output.line({"type": "rule_revoked", "id": name})
        else:
            output.write(f"Revoked {name}.\n")
    missing = [name for name in wanted if name not in gone]
    for name in missing:
        output.tell(f"There is no rule {name} in your rules.toml.")
    return NOT_FOUND if missing else 0

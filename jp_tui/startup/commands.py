"""Commands without a screen: each gets its parts and its front end, and returns a status (surface S1).

Front ends are imported on use, so that a command loads only what it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from jp_tui.first_frame.cached_settings import interrupts
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.engine import link
from jp_tui.startup.parts import RunLocation, can_open, journal, opening, parts
from jp_tui.startup.streams import asking, lines, output, print_message, prompt, terminal
from jp_tui.system.paths import PathsError

if TYPE_CHECKING:
    from jp_tui.journal.port import Journal
    from jp_tui.link.port import Link


def command(arguments: CommandLine, place: RunLocation) -> int:
    """Run the requested command. Raises SettingsError, UsageError, PathsError, JournalError."""
    if arguments.schema:
        return _written(arguments, _schema)
    if arguments.command.startswith("config "):  # must work with broken settings
        return _written(arguments, lambda: _config(arguments, place))
    if arguments.command == "doctor":
        return _written(arguments, lambda: _doctor(arguments, place))
    if arguments.command == "completions":
        return _written(arguments, lambda: _completions(arguments, place))
    settings = place.sources.load()
    for notice in settings.notices:
        print_message(f"jp-tui: {notice.words}")
    match arguments.command:
        case "query":
            return _query(arguments, settings, place)
        case "rpc":
            return _rpc(arguments, {notice.words for notice in settings.notices})
        case "workspace":
            return _plain(arguments, settings, place)
        case "tools":
            return _written(arguments, lambda: _tools(arguments, settings, place))
        case name if name.startswith("rules "):
            return _written(arguments, lambda: _rules(arguments, settings, place))
        case _:
            return _written(arguments, lambda: _stored(arguments, settings, place))


def _written(arguments: CommandLine, face: Callable[[], int]) -> int:
    """Run a front end that writes results; a closed output ends it, silently or with a message."""
    from jp_tui.headless.output import OutputEnded

    try:
        return face()
    except OutputEnded as ended:
        if ended.words:
            output(arguments.json).tell(ended.words)
        return ended.status


def _query(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.query import Query, QueryRun

    words = None if arguments.prompt is None else prompt(arguments.prompt)
    asked = None if arguments.non_interactive or not sys.stdin.isatty() else terminal(arguments.json)
    made = parts(arguments, settings, place)
    via = "plain" if asked is not None else ""
    log = journal(made)
    connected = link(made, log, client=asked is not None, command="jp-tui query", via=via)
    if arguments.plain and asked is None and not arguments.non_interactive:
        print_message("jp-tui: no terminal: the detached policies decide")
    query = Query(opening(arguments), words, output(arguments.json), asked, arguments.plain)
    return _heeded(log, QueryRun(connected, query).run)


def _plain(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.plain import Plain, PlainRun

    made = parts(arguments, settings, place)
    log, there = journal(made), partial(can_open, place.paths)
    connected = link(made, log, client=True, command="jp-tui --plain", greet=True, via="plain")
    wishes = interrupts(settings)
    face = Plain(opening(arguments), arguments.prompt or "", lines(), interrupts=wishes, can_open=there)
    return _heeded(log, PlainRun(connected, face).run)


def _heeded(log: Journal, face: Callable[[], int]) -> int:
    """Run a front end; print notices of the store since its engine ended."""
    try:
        return face()
    finally:
        for notice in log.notices():
            print_message(f"jp-tui: {notice.message} {notice.advice}".rstrip())


def _doctor(arguments: CommandLine, place: RunLocation) -> int:
    """Works with broken settings, as far as possible."""
    from jp_tui.startup.checkup import doctor

    return doctor(place, _buildable, output(arguments.json))


def _completions(arguments: CommandLine, place: RunLocation) -> int:
    """Uses data only; an unreadable configuration contributes no aliases."""
    from jp_tui.headless.lists.completions import completions

    return completions(arguments.shell or "", place.sources, str(place.paths.themes), output(False))


def _schema() -> int:
    """Needs no settings and no database."""
    import json

    from jp_tui.headless.rpc.schema import document

    output(True).write(f"{json.dumps(document(), indent=2, ensure_ascii=False)}\n")
    return 0


def _rpc(arguments: CommandLine, told: set[str]) -> int:
    """Serve a client on the two pipes; each of its sessions gets an engine with the settings of that moment. `told` are
    notices about settings that were already printed."""
    from jp_tui.headless.rpc.run import RpcRun
    from jp_tui.headless.rpc.server import Unopened
    from jp_tui.journal.port import JournalError

    to = output(True)
    logs: list[Journal] = []

    def opens(workspace: str | None, model: str | None, *, secrets: bool) -> Link:
        there = replace(arguments, workspace=workspace or arguments.workspace, model=model or arguments.model)
        try:
            at = RunLocation(there)
            settings = at.sources.load()
            made = parts(there, settings, at)
            log = journal(made)
        except (SettingsError, UsageError, PathsError, JournalError) as problem:
            raise Unopened(str(problem)) from problem
        logs.append(log)
        for words in dict.fromkeys(notice.words for notice in settings.notices if notice.words not in told):
            to.tell(f"jp-tui: {words}")
            told.add(words)
        return link(made, log, client=True, command="jp-tui rpc", via="rpc", reviews=False, secrets=secrets)

    status = RpcRun(opens, 0, 1, lambda words: to.tell(f"jp-tui rpc: {words}")).run()
    for log in logs:
        _heeded(log, lambda: status)
    return status


def _stored(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    """Run a command on stored data: asks nothing, calls no model."""
    if arguments.command.startswith("conversations "):
        from jp_tui.startup.library import check

        check(arguments)
    made = parts(arguments, settings, place)
    log = journal(made)
    connected = link(made, log, client=False, command=f"jp-tui {arguments.command.partition(' ')[0]}")
    return _heeded(log, lambda: _looked(arguments, connected, place))


def _looked(arguments: CommandLine, connected: Link, place: RunLocation) -> int:
    to = output(arguments.json)
    match arguments.command:
        case name if name.startswith("conversations "):
            from jp_tui.startup.library import conversations

            return conversations(arguments, connected, to)
        case "inquiries":
            from jp_tui.headless.lists.inquiries import list_inquiries

            return list_inquiries(connected, arguments.conversation or "", arguments.pending, to, str(place.workspace))
        case "context":
            from jp_tui.headless.lists.context import list_context

            return list_context(connected, arguments.resume, arguments.continue_last, to)
        case "reviewers":
            from jp_tui.headless.lists.reviewers import list_reviewers

            return list_reviewers(connected, to)
        case "models":
            from jp_tui.headless.lists.models import list_models

            return list_models(connected, arguments.provider or "", to)
        case "answer":
            from jp_tui.headless.lists.answer import answer

            return answer(connected, arguments.inquiry or "", arguments.value or "", to, arguments.comment)
        case _:
            raise AssertionError(arguments.command)


def _tools(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.lists.tools import list_tools
    from jp_tui.settings.overview import overview
    from jp_tui.startup.tools import tool_setups

    made = parts(arguments, settings, place)
    tool_setups(settings, made.tools)  # an invalid command is reported here as well
    return list_tools(overview(settings, made.tools), output(arguments.json))


def _rules(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.startup.rules import rules

    return rules(arguments, settings, place, output(arguments.json))


def _config(arguments: CommandLine, place: RunLocation) -> int:
    from jp_tui.headless.lists import config

    to, sources = output(arguments.json), place.sources
    match arguments.command:
        case "config show":
            return config.show(sources, arguments.key or "", to)
        case "config set":
            value, themes = arguments.value or "", str(place.paths.themes)
            return config.change(sources, arguments.key or "", value, to, _buildable, themes)
        case "config trust":
            return config.trust(sources, arguments.yes, arguments.revoke, asking(), to)
        case "config check":
            from jp_tui.settings.approval_rules import file_problems
            from jp_tui.startup.own import own_problems

            own = [*own_problems(place.paths), *file_problems(sources.rule_places)]
            return config.check(sources, _buildable, to, str(place.paths.themes), own)
        case "config path":
            return config.path(sources, place.paths, to)
        case _:
            raise AssertionError(arguments.command)


def _buildable(settings: Settings) -> None:
    """Report problems that only appear when tools are built. Raises SettingsError."""
    from jp_tui.settings import toolset
    from jp_tui.startup.tools import tool_setups

    tool_setups(settings, toolset.tools(settings))

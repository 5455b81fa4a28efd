"""Commands without a screen: each gets its parts and its front end, and returns a status (surface S1).

Front ends are imported on use, so that a command loads only what it needs.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from jp_tui.first_frame.cached_settings import interrupts
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import SettingsError, SettingsProblem, UsageError
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.engine import link
from jp_tui.startup.parts import RunLocation, can_open, journal, opening, parts, stored_log
from jp_tui.startup.streams import asking, lines, output, print_message, prompt, terminal
from jp_tui.system.paths import Paths, PathsError

if TYPE_CHECKING:
    from jp_tui.headless.rpc.run import RpcServes
    from jp_tui.headless.rpc.sessions import Opens
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
    if arguments.command in ("hook install", "hook uninstall"):
        return _hook(arguments, place)
    if arguments.command == "ask":
        return _written(arguments, lambda: _ask(arguments, place))
    settings = _loaded(place)
    match arguments.command:
        case "query":
            return _query(arguments, settings, place)
        case "rpc":
            return _rpc(arguments, {notice.words for notice in settings.notices})
        case "acp":
            return _acp(arguments, {notice.words for notice in settings.notices})
        case "serve":
            from jp_tui.startup.serving.command import serve

            return serve(arguments, settings, place, output(arguments.json))
        case "workspace":
            return _plain(arguments, settings, place)
        case "mcp serve":
            return _mcp_serve(arguments, settings, place)
        case "answer":
            return _written(arguments, lambda: _answer(arguments, settings, place))
        case "claim":
            return _written(arguments, lambda: _claim(arguments, settings, place))
        case "tools":
            return _written(arguments, lambda: _tools(arguments, settings, place))
        case name if name.startswith("store "):
            from jp_tui.startup.store.commands import store_command

            return _written(arguments, lambda: store_command(arguments, settings, place, output(arguments.json)))
        case "people":
            from jp_tui.startup.store.people import people_command

            return _written(arguments, lambda: people_command(arguments, settings, place, output(arguments.json)))
        case "mcp test":
            return _written(arguments, lambda: _mcp_test(arguments, settings, place))
        case "mcp list" | "mcp import" | "mcp accept" | "mcp login" | "mcp logout":
            return _written(arguments, lambda: _mcp(arguments, settings, place))
        case name if name.startswith("rules "):
            return _written(arguments, lambda: _rules(arguments, settings, place))
        case _:
            return _written(arguments, lambda: _stored(arguments, settings, place))


def _loaded(place: RunLocation) -> Settings:
    """Load the settings; print their notices. Raises SettingsError."""
    settings = place.sources.load()
    for notice in settings.notices:
        print_message(f"jp-tui: {notice.words}")
    return settings


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
    log, there = journal(made), partial(can_open, place.paths, settings=settings)
    connected = link(made, log, client=True, command="jp-tui --plain", greet=True, via="plain")
    wishes = interrupts(settings)
    face = Plain(opening(arguments), arguments.prompt or "", lines(), interrupts=wishes, can_open=there)
    return _heeded(log, PlainRun(connected, face).run)


def _ask(arguments: CommandLine, place: RunLocation) -> int:
    from jp_tui.startup.asking import asked, asker, waiter
    from jp_tui.startup.outside.at_once import answered_at_once
    from jp_tui.startup.outside.kept_answers import stamp

    now = stamp(arguments, place)
    settings = _loaded(place)
    asking, asks, to = asked(arguments), asker(), output(arguments.json)
    if (status := answered_at_once(asking, asks, waiter(), settings, place, to, now)) is not None:
        return status
    gc.enable()  # it may wait for days
    from jp_tui.headless.ask import AskRun

    made = parts(arguments, settings, place)
    log = journal(made)
    connected = link(made, log, client=False, command="jp-tui ask")
    return _heeded(log, AskRun(connected, asking, asks, waiter(), to).run)


def _hook(arguments: CommandLine, place: RunLocation) -> int:
    from jp_tui.startup.hooks.entries import FILES
    from jp_tui.startup.hooks.install import install

    if arguments.program not in FILES:
        raise UsageError(f"hooks are for {', '.join(FILES)}; {arguments.program} is none of them")
    if arguments.command == "hook uninstall":
        from jp_tui.startup.asking import refuse_agent

        if refuse_agent(place.paths):
            return 1
    return _written(arguments, lambda: install(arguments, place, output(False)))


def _mcp_serve(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.startup.asking import asker, served, session_note

    try:
        from jp_tui.headless.mcp_serve.server import McpServe
    except ModuleNotFoundError:
        raise UsageError('This needs an extra: pip install "jp-tui[mcp]"') from None
    made, asks = parts(arguments, settings, place), asker()
    log = journal(made)
    connected = link(made, log, client=False, command="jp-tui mcp serve")
    with session_note(place.paths, asks, "mcp") as changed:
        return _heeded(log, McpServe(connected, served(made, asks, changed)).run)


def _answer(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.lists.answer import answer
    from jp_tui.startup.asking import given_answer, refuse_agent

    if refuse_agent(place.paths, partial(stored_log, place)):
        return 1
    given = given_answer(arguments)
    made = parts(arguments, settings, place)
    log = journal(made)
    connected = link(made, log, client=False, command="jp-tui answer")
    return _heeded(log, lambda: answer(connected, given, output(arguments.json)))


def _claim(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.lists.claim import claim
    from jp_tui.startup.asking import given_claim, refuse_agent

    given = given_claim(arguments)
    if refuse_agent(place.paths, partial(stored_log, place)):
        return 1
    made = parts(arguments, settings, place)
    log = journal(made)
    connected = link(made, log, client=False, command="jp-tui claim")
    return _heeded(log, lambda: claim(connected, given, output(arguments.json)))


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
    from jp_tui.startup.own_commands import command_reader

    own = command_reader(place.sources, place.environment).read().named
    return completions(arguments.shell or "", place.sources, str(place.paths.themes), output(False), own)


def _schema() -> int:
    """Needs no settings and no database."""
    import json

    from jp_tui.headless.rpc.schema import document

    output(True).write(f"{json.dumps(document(), indent=2, ensure_ascii=False)}\n")
    return 0


def _rpc(arguments: CommandLine, told: set[str]) -> int:
    """Serve a client on the two pipes. `told` are notices about settings that were already printed."""
    from jp_tui.headless.rpc.run import DEFERRED
    from jp_tui.headless.rpc.server import RpcServer

    return _served(arguments, told, RpcServer, "rpc", DEFERRED)


def _acp(arguments: CommandLine, told: set[str]) -> int:
    """Serve an editor on the two pipes; questions stay open when it leaves (N52)."""
    from jp_tui.headless.acp.server import AcpServer

    return _served(arguments, told, AcpServer, "acp", 0)


def _served(
    arguments: CommandLine,
    told: set[str],
    server: Callable[[Opens, Callable[[str], None], Callable[[str], None], Callable[[], None]], RpcServes],
    name: str,
    deferred: int,
) -> int:
    """Run a server; each of its sessions gets an engine with the settings of that moment. `deferred` is the status
    where a question stays open."""
    from jp_tui.headless.rpc.run import RpcRun
    from jp_tui.headless.rpc.sessions import Unopened
    from jp_tui.journal.port import JournalError

    to = output(True)
    logs: list[Journal] = []
    command = f"jp-tui {name}"

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
        return link(made, log, client=True, command=command, via=name, reviews=False, secrets=secrets)

    status = RpcRun(partial(server, opens), 0, 1, lambda words: to.tell(f"{command}: {words}"), deferred).run()
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

            of, here = arguments.conversation or "", str(place.workspace)
            return list_inquiries(connected, of, arguments.pending, to, here, every=arguments.every)
        case "context":
            from jp_tui.headless.lists.context import list_context

            return list_context(connected, arguments.resume, arguments.continue_last, to)
        case "reviewers":
            from jp_tui.headless.lists.reviewers import list_reviewers

            return list_reviewers(connected, to)
        case "models":
            from jp_tui.headless.lists.models import list_models

            return list_models(connected, arguments.provider or "", to)
        case _:
            raise AssertionError(arguments.command)


def _tools(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.lists.tools import list_tools
    from jp_tui.settings.overview import overview
    from jp_tui.startup.tools import tool_setups

    made = parts(arguments, settings, place)
    tool_setups(settings, made.tools)  # an invalid command is reported here as well
    tools = dict(made.tools)
    if settings.get("providers", "mcp"):
        from jp_tui.startup.mcp.known import last_tools

        tools |= last_tools(settings, place, arguments.toggles)
    return list_tools(overview(settings, tools), output(arguments.json))


def _rules(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.startup.rules import rules

    if arguments.command == "rules add":
        from jp_tui.startup.asking import refuse_agent

        if refuse_agent(place.paths, partial(stored_log, place)):
            return 1
    return rules(arguments, settings, place, output(arguments.json))


def _mcp_test(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.headless.lists.mcp_test import show_tried
    from jp_tui.startup.asking import refuse_agent
    from jp_tui.startup.mcp.trial import tried

    if refuse_agent(place.paths):
        return 1
    found, status = tried(arguments, settings, place, output(arguments.json))
    show_tried(found, output(arguments.json))
    return status


def _mcp(arguments: CommandLine, settings: Settings, place: RunLocation) -> int:
    from jp_tui.startup.mcp.commands import mcp

    if arguments.command != "mcp list":
        from jp_tui.startup.asking import refuse_agent

        if refuse_agent(place.paths, partial(stored_log, place)):
            return 1
    if arguments.command in ("mcp login", "mcp logout"):
        from jp_tui.startup.mcp import logins

        act = logins.login if arguments.command == "mcp login" else logins.logout
        return act(arguments, settings, place, output(arguments.json))
    return mcp(arguments, settings, place, output(arguments.json))


def _config(arguments: CommandLine, place: RunLocation) -> int:
    from jp_tui.headless.lists import config

    to, sources = output(arguments.json), place.sources
    if arguments.command in ("config set", "config trust"):
        from jp_tui.startup.asking import refuse_agent

        if refuse_agent(place.paths, partial(stored_log, place)):
            return 1
    match arguments.command:
        case "config show":
            return config.show(sources, arguments.key or "", to)
        case "config set":
            value, themes = arguments.value or "", str(place.paths.themes)
            return config.change(sources, arguments.key or "", value, to, _buildable, themes)
        case "config trust":
            from jp_tui.startup.own_commands import command_reader

            reader = command_reader(sources, place.environment)
            return config.trust(sources, reader, arguments.yes, arguments.revoke, asking(), to)
        case "config check":
            from jp_tui.settings.approval_rules import file_problems
            from jp_tui.startup.own_commands import command_reader
            from jp_tui.startup.rule_checks import rule_findings

            files = command_reader(sources, place.environment).read()
            own = [*_own_problems(place.paths), *file_problems(sources.rule_places), *files.wrong()]
            facts = [
                f"{one.check}: {one.detail}{f'. {one.mend}' if one.mend else ''}"
                for one in rule_findings(sources, str(place.workspace))
                if one.state != "bad" or one.check == "ignore lists"
            ]
            return config.check(sources, _buildable, to, str(place.paths.themes), own, files.unused(), facts)
        case "config path":
            return config.path(sources, place.paths, to)
        case _:
            raise AssertionError(arguments.command)


def _buildable(settings: Settings) -> None:
    """Report problems that only appear when tools are built. Raises SettingsError."""
    from jp_tui.settings import toolset
    from jp_tui.startup.tools import tool_setups

    tool_setups(settings, toolset.tools(settings))


def _own_problems(paths: Paths) -> list[SettingsProblem]:
    """Return the problems of files that only the screen reads, `themes/*.toml` and `keys.toml`, each with its place.
    Keys are checked against the bindings themselves, so Textual is imported, but only if there is a `keys.toml`."""
    from jp_tui.settings.themes import themes

    found: list[SettingsProblem] = []
    folder = str(paths.themes)
    for name, file in themes.names(folder).items():
        if os.path.dirname(file) == folder:
            try:
                themes.read(name, file)
            except SettingsError as error:
                found += error.problems
    if paths.keys_file.exists():
        from jp_tui.ui.app import WorkspaceApp
        from jp_tui.ui.keys import scopes, user_keys

        wishes, wrong = user_keys.read_keys(str(paths.keys_file))
        found += [*wrong, *user_keys.make_keymap(wishes, scopes.table(WorkspaceApp))[1]]
    return found

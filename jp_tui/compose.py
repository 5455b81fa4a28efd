"""The composition root: reads the command line and the settings, builds engine, link and one face, and runs it.

Whatever is wrong before anything starts is said on stderr in plain words and ends with status 2 (surface S1).
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.settings import data
from jp_tui.settings import model as config
from jp_tui.settings.arguments import Arguments, Show, parse
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.settings.layers import Settings
from jp_tui.system.paths import Paths, PathsError, workspace_root

if TYPE_CHECKING:
    from jp_tui.headless.lines import Lines
    from jp_tui.headless.output import Output
    from jp_tui.journal.port import Journal
    from jp_tui.link.local import LocalLink
    from jp_tui.link.port import Serves
    from jp_tui.protocol.commands import OpenConversation
    from jp_tui.protocol.events import Event
    from jp_tui.settings.toolset import ToolSettings

USAGE = 2
INTERRUPTED = 130
READER_GONE = 128 + 13
MAX_PROMPT = 16 << 20
"""Bytes of a prompt on standard input."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an engine is assembled from."""

    settings: Settings
    environment: Mapping[str, str]
    paths: Paths
    workspace: Path
    tools: Mapping[str, ToolSettings]


def run(argv: list[str]) -> int:
    """Run with `argv` (without the program's name); the exit status of surface S1."""
    _open_streams()
    try:
        status = _parsed(argv)
    except (UsageError, SettingsError, PathsError) as problem:
        _say(f"jp-tui: {problem}")
        if isinstance(problem, UsageError):
            _say("`jp-tui --help` shows the commands and options.")
        status = USAGE
    except KeyboardInterrupt:
        status = INTERRUPTED
    return status if _flushed() else status or READER_GONE


def _parsed(argv: list[str]) -> int:
    arguments = parse(argv)
    if isinstance(arguments, Show):
        with contextlib.suppress(OSError):  # nobody reads it any more
            sys.stdout.write(arguments.text)
        return 0
    return _run(arguments)


def _open_streams() -> None:
    """A standard stream that was closed is occupied: else a file of ours would get its number, and what is told there.

    Input has ended, output cannot be written, words for people are lost.
    """
    streams = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for number, (name, mode, access) in enumerate(streams):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)  # the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _flushed() -> bool:
    """Whether everything was taken; if not, what is left goes nowhere, so that the interpreter does not complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return False
    return True


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")


def _run(arguments: Arguments) -> int:
    from jp_tui.journal.port import JournalError

    paths = Paths.of(os.environ)
    workspace = workspace_root(arguments.workspace)
    settings = config.load(
        user_file=str(paths.config_file),
        workspace_file=str(workspace / ".jp-tui" / "config.toml"),
        environment=os.environ,
        assignments=arguments.cfg,
        flags=arguments.flags(),
        builtins=(data.DEFAULTS_FILE, data.TOOLS_FILE),
    )
    try:
        match arguments.command:
            case "workspace":
                return _workspace(arguments, settings, paths, workspace)
            case "query":
                return _query(arguments, settings, paths, workspace)
            case "conversations list" | "conversations show":
                return _conversations(arguments, settings, paths, workspace)
    except JournalError as problem:
        _say(f"jp-tui: {problem}")
        return USAGE


def _parts(arguments: Arguments, settings: Settings, paths: Paths, workspace: Path) -> Parts:
    """Whatever the settings say wrongly is found here, before any screen opens."""
    from jp_tui.settings import providers, toggles, toolset

    tools = toggles.apply(toolset.tools(settings), arguments.toggles)
    toggles.check_choice(tools, config.assistant(settings).tool_choice)
    providers.choose(settings, providers.providers(settings, os.environ), os.environ)
    return Parts(settings, dict(os.environ), paths, workspace, tools)


def _journal(parts: Parts) -> Journal:
    """The database, opened before any screen: what is wrong with it is said on stderr. Raises JournalError."""
    from jp_tui.journal.store import open_journal

    parts.paths.prepare()
    return open_journal(parts.paths.database)


def _link(parts: Parts, journal: Journal, *, client: bool, command: str, greet: bool = False) -> LocalLink:
    """An engine for a thread of its own, over the database that is open already."""
    from jp_tui.link.local import LocalLink

    def build(publish: Callable[[Event], None]) -> Serves:
        from jp_tui.assembly import setup
        from jp_tui.engine.hub import Engine

        return Engine(setup(parts, journal, client=client, command=command), publish, greet=greet)

    return LocalLink(build)


def _opening(arguments: Arguments) -> OpenConversation:
    from jp_tui.protocol.commands import OpenConversation

    if arguments.resume is not None:
        return OpenConversation(which="id", conversation=arguments.resume)
    return OpenConversation(which="latest" if arguments.continue_last else "new")


def _workspace(arguments: Arguments, settings: Settings, paths: Paths, workspace: Path) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the workspace needs a terminal; `jp-tui query PROMPT` works without one")
    parts = _parts(arguments, settings, paths, workspace)
    look = config.look(settings)
    _check_theme(look.theme, settings, paths)
    journal = _journal(parts)
    from jp_tui import guardian
    from jp_tui.settings import themes
    from jp_tui.ui.app import Workspace
    from jp_tui.ui.crash import install_excepthook

    install_excepthook(paths.state)
    app = Workspace(
        # Made after the first frame: they load the protocol and the engine (traps.md T23, T28).
        link=lambda: _link(parts, journal, client=True, command="jp-tui", greet=True),
        open_command=lambda: _opening(arguments),
        workspace=str(workspace),
        home=os.environ.get("HOME", ""),
        theme=look.theme,
        themes=themes.names(str(paths.themes)),
        sidebar=look.sidebar,
        first_prompt=arguments.prompt or "",
        state_dir=paths.state,
        clock=time.monotonic,
        notices=tuple(notice.words for notice in settings.notices),
    )
    app.run()
    if app.resumes and not app.return_code:
        guardian.last_word(f"jp-tui -r {app.resumes} goes on with this conversation.")
    return app.return_code or 0


def _check_theme(name: str, settings: Settings, paths: Paths) -> None:
    from dataclasses import replace

    from jp_tui.settings import themes

    if (problem := themes.check_name(name, str(paths.themes))) is not None:
        origin = settings.origin("ui", "theme")
        if origin is not None:
            problem = replace(problem, file=origin.name, line=origin.line, column=origin.column)
        raise SettingsError(problem)


def _query(arguments: Arguments, settings: Settings, paths: Paths, workspace: Path) -> int:
    from jp_tui.headless.query import Query, Run

    _tell(settings)
    prompt = _prompt(arguments)
    terminal = None if arguments.non_interactive or not sys.stdin.isatty() else _terminal(arguments.json)
    parts = _parts(arguments, settings, paths, workspace)
    output = _output(arguments.json)
    link = _link(parts, _journal(parts), client=terminal is not None, command="jp-tui query")
    return Run(link, Query(_opening(arguments), prompt, output, terminal)).run()


def _prompt(arguments: Arguments) -> str:
    """The words to send. Raises UsageError."""
    prompt = arguments.prompt or ""
    if prompt == "-":
        try:
            given = sys.stdin.buffer.read(MAX_PROMPT + 1)
            prompt = given.decode("utf-8").replace("\r\n", "\n")
        except OSError as problem:
            raise UsageError(f"standard input cannot be read: {problem}") from problem
        except UnicodeDecodeError as problem:
            raise UsageError(f"standard input is not UTF-8 text (at byte {problem.start})") from problem
        if len(given) > MAX_PROMPT:
            raise UsageError(f"standard input is longer than {MAX_PROMPT >> 20} MiB, too much for a prompt")
    if not prompt.strip():
        raise UsageError("the prompt is empty")
    return prompt


def _output(as_json: bool) -> Output:
    """JSON is UTF-8 whatever the terminal speaks (S2); other text shows what that cannot as a mark."""
    from jp_tui.headless.output import Output

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8" if as_json else None, errors="replace")
    return Output(as_json, sys.stdout, sys.stderr)


def _terminal(as_json: bool) -> Lines | None:
    """Questions go to the terminal itself and are read from there, never from a redirected input (R147).

    None when there is no such terminal: then nobody can be asked.
    """
    from jp_tui.headless.lines import Lines

    try:
        # The streams live as long as the program.
        terminal = open("/dev/tty", encoding="utf-8", errors="replace")  # noqa: SIM115
        out = sys.stderr if as_json else open("/dev/tty", "w", encoding="utf-8", errors="replace")  # noqa: SIM115
    except OSError:
        return None

    def read() -> str | None:
        line = terminal.readline()
        return line.removesuffix("\n") if line else None

    return Lines(out, read)


def _conversations(arguments: Arguments, settings: Settings, paths: Paths, workspace: Path) -> int:
    from jp_tui.headless.lists import list_conversations, show_conversation
    from jp_tui.headless.output import OutputEnded

    _tell(settings)
    output = _output(arguments.json)
    parts = _parts(arguments, settings, paths, workspace)
    link = _link(parts, _journal(parts), client=False, command="jp-tui conversations")
    try:
        if arguments.conversation is None:
            return list_conversations(link, output)
        return show_conversation(link, arguments.conversation, output)
    except OutputEnded as ended:
        if ended.words:
            output.tell(ended.words)
        return ended.status


def _tell(settings: Settings) -> None:
    for notice in settings.notices:
        _say(f"jp-tui: {notice.words}")

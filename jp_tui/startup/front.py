"""Run the command line: select the command and return the exit status of surface S1 in every case.

Commands with a screen are in `workspace.py`, those without in `commands.py`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jp_tui.settings.cli.arguments import CommandLine, Show, parse
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.startup.parts import RunLocation
from jp_tui.startup.streams import flushed, open_streams, print_message
from jp_tui.system.paths import PathsError

if TYPE_CHECKING:
    from jp_tui.settings.cli.commands import Command

HOOKS: dict[str, Command] = {
    "claude": "hook claude",
    "codex": "hook codex",
    "gemini": "hook gemini",
    "opencode": "hook opencode",
}
"""Hooks that other programs run, by the second word."""
ASK_OPTIONS = {
    "--id": "id", "--type": "kind", "--default": "default", "--timeout": "timeout", "--workspace": "workspace",
    "--json": "json",
}  # fmt: skip
"""Options of a plain `ask`, with their fields; each but `--json` takes one word."""
BROKEN = 1
USAGE = 2
INTERRUPTED = 130
READER_GONE = 128 + 13


def run(argv: list[str]) -> int:
    """Run with `argv` (without the program's name); return the exit status of surface S1."""
    open_streams()
    try:
        status = _parsed(argv)
    except (UsageError, SettingsError, PathsError) as problem:
        said = str(problem).replace("\n", "\njp-tui: ")  # one line per problem, each with the program's name
        print_message(f"jp-tui: {said}")
        if isinstance(problem, UsageError):
            print_message("`jp-tui --help` shows the commands and options.")
        status = USAGE
    except KeyboardInterrupt:
        status = INTERRUPTED
    return status if flushed() else status or READER_GONE


def _parsed(argv: list[str]) -> int:
    arguments = _hook(argv) or _ask(argv) or parse(argv)
    if isinstance(arguments, Show):
        with contextlib.suppress(OSError):  # stderr is closed
            sys.stdout.write(arguments.text)
        return 0
    return _run(arguments)


def _hook(argv: list[str]) -> CommandLine | None:
    """Return the words of a hook as other programs run it, without loading a parser: it delays each of their steps
    (intake.md N24)."""
    plain = len(argv) == 2 or (len(argv) == 4 and argv[2] == "--limit")
    if not plain or argv[0] != "hook" or (command := HOOKS.get(argv[1])) is None:
        return None
    return CommandLine(command, limit=argv[3] if len(argv) == 4 else None)


def _ask(argv: list[str]) -> CommandLine | None:
    """Return the words of an `ask` in its plain form, each option with its value as the next word, without loading a
    parser: scripts wait for it. Everything else is for the parser."""
    if argv[:1] != ["ask"]:
        return None
    found: dict[str, Any] = {}
    words = iter(argv[1:])
    for word in words:
        key = ASK_OPTIONS.get(word) if word.startswith("-") else "text"
        value = word if key == "text" else "" if key == "json" else next(words, "-")
        if key is None or key in found or value.startswith("-") or not value.isprintable():
            return None
        found[key] = True if key == "json" else value
    return CommandLine("ask", **found) if "text" in found else None


def _run(arguments: CommandLine) -> int:
    if arguments.command in HOOKS.values():
        from jp_tui.startup.hooks.command import hook

        return hook(arguments, lambda: RunLocation(arguments))  # it answers for its own failures (N22)
    place = RunLocation(arguments)
    if arguments.command == "workspace" and not arguments.plain and _dumb():
        print_message("jp-tui: TERM=dumb: this terminal has no full screen, so jp-tui uses lines (--plain)")
        arguments = replace(arguments, plain=True)
    if arguments.command == "workspace" and not arguments.plain:
        from jp_tui.startup.workspace import workspace

        return workspace(arguments, place)
    from jp_tui.journal.port import JournalError

    try:
        if arguments.command == "ask":
            from jp_tui.startup.outside.kept_answers import answered_before

            if (status := answered_before(arguments, place)) is not None:
                return status
        from jp_tui.startup.commands import command

        return command(arguments, place)
    except (SettingsError, UsageError, PathsError):
        raise
    except JournalError as problem:
        print_message(f"jp-tui: {problem}")
        return BROKEN if problem.kind == "offline" else USAGE  # D4
    except Exception as bug:
        return _broke(bug, place)


def _dumb() -> bool:
    """True for a terminal that can only print lines (Z26)."""
    return os.environ.get("TERM") == "dumb" and sys.stdin.isatty() and sys.stdout.isatty()


def _broke(bug: Exception, place: RunLocation) -> int:
    """Report a bug in a command: its message and the report's path, without credentials (T7)."""
    from jp_tui import guardian
    from jp_tui.startup.parts import kept_secret
    from jp_tui.ui.failures import crash_report

    crash_report.keep_out(lambda: kept_secret(place.sources.load()))
    for line in guardian.printable(crash_report.short_message(bug, place.paths.state)):
        print_message(line)
    return BROKEN

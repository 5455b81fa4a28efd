"""Run the command line: select the command and return the exit status of surface S1 in every case.

Commands with a screen are in `workspace.py`, those without in `commands.py`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace

from jp_tui.settings.cli.arguments import CommandLine, Show, parse
from jp_tui.settings.errors import SettingsError, UsageError
from jp_tui.startup.parts import RunLocation
from jp_tui.startup.streams import flushed, open_streams, print_message
from jp_tui.system.paths import PathsError

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
    arguments = parse(argv)
    if isinstance(arguments, Show):
        with contextlib.suppress(OSError):  # stderr is closed
            sys.stdout.write(arguments.text)
        return 0
    return _run(arguments)


def _run(arguments: CommandLine) -> int:
    place = RunLocation(arguments)
    if arguments.command == "workspace" and not arguments.plain and _dumb():
        print_message("jp-tui: TERM=dumb: this terminal has no full screen, so jp-tui uses lines (--plain)")
        arguments = replace(arguments, plain=True)
    if arguments.command == "workspace" and not arguments.plain:
        from jp_tui.startup.workspace import workspace

        return workspace(arguments, place)
    from jp_tui.journal.port import JournalError
    from jp_tui.startup.commands import command

    try:
        return command(arguments, place)
    except (SettingsError, UsageError, PathsError):
        raise
    except JournalError as problem:
        print_message(f"jp-tui: {problem}")
        return USAGE
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

"""Select the front end for `jp-tui conversations …`. Front ends are imported on use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import UsageError

if TYPE_CHECKING:
    from jp_tui.headless.output import TextOutput
    from jp_tui.link.port import Link
    from jp_tui.view.export.document import Format


def check(arguments: CommandLine) -> None:
    """Check the arguments alone, before anything is opened. Raises UsageError."""
    if arguments.command == "conversations export" and (arguments.format or "md") not in ("md", "json", "html"):
        raise UsageError(f"--format is md, json or html, not {arguments.format}")
    if arguments.at is not None and not (arguments.at.isascii() and arguments.at.isdigit() and int(arguments.at)):
        raise UsageError(
            f"--at must be the number of an event, from 1; `conversations show --json` lists them: {arguments.at}"
        )
    if arguments.undo and arguments.focus is not None:
        raise UsageError("--undo and --focus exclude each other")
    if arguments.undo and arguments.now:
        raise UsageError("--undo and --now exclude each other")
    if arguments.archived and arguments.deleted:
        raise UsageError("--archived and --deleted exclude each other")


def conversations(arguments: CommandLine, link: Link, to: TextOutput) -> int:
    """Run the command; return the exit status. Raises UsageError, OutputEnded."""
    id_ = arguments.conversation or ""
    match arguments.command:
        case "conversations list":
            from jp_tui.headless.lists.conversation import list_conversations

            return list_conversations(link, to, "archived" if arguments.archived else _deleted(arguments))
        case "conversations show":
            from jp_tui.headless.lists.conversation import show_conversation

            return show_conversation(link, id_, to)
        case "conversations export":
            from jp_tui.headless.lists.export import export

            return export(link, id_, _format(arguments), arguments.output or "", to)
        case _:
            return _changing(arguments, id_, link, to)


def _format(arguments: CommandLine) -> Format:
    match arguments.format or ("json" if arguments.json else "md"):
        case "html":
            return "html"
        case "json":
            return "json"
        case _:
            return "md"


def _deleted(arguments: CommandLine) -> str:
    return "deleted" if arguments.deleted else "active"


def _changing(arguments: CommandLine, id_: str, link: Link, to: TextOutput) -> int:
    from jp_tui.headless.lists import conversations as library

    match arguments.command:
        case "conversations search":
            return library.search(link, arguments.text or "", to, archived=arguments.archived)
        case "conversations fork":
            return library.fork(link, id_, int(arguments.at or 0), to)
        case "conversations compact":
            return library.compact(link, id_, arguments.focus or "", to, undo=arguments.undo)
        case "conversations import":
            return library.import_from(link, arguments.path or "", to)
        case "conversations rename":
            return library.rename(link, id_, arguments.title or "", to)
        case "conversations archive":
            return library.archive(link, id_, to, undo=arguments.undo)
        case "conversations rm":
            return library.remove(link, id_, to, undo=arguments.undo, now=arguments.now)
        case _:
            raise AssertionError(arguments.command)

"""Instruction files of the folders that calls name below the workspace, each sent once (context.md K2)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.model import Call
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.asking.shell_words import words
from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.context.brief import digest
from jp_tui.engine.context.instruction_files import InstructionFile, read_nested
from jp_tui.engine.context.system_text import block
from jp_tui.engine.record.context_facts import INSTRUCTIONS
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.tools.port import commands

MOST_WORDS, MOST_FOLDERS, LONGEST = 500, 64, 1_024


async def nested_events(log: Log, root: Path, calls: Iterable[Call]) -> list[ev.Event]:
    """Return the events to record with the results of these calls, without what the model has already read."""
    if log.context is None or log.context.instructions in ("own", "off"):
        return []
    return _events(log, log.context, root, calls, dict((await log.facts()).nested))


def _events(
    log: Log, settings: ContextSettings, root: Path, calls: Iterable[Call], known: dict[str, str]
) -> list[ev.Event]:
    top = os.path.realpath(log.setup.workspace)
    if os.path.realpath(root) != top:
        return []
    room = settings.instructions_kib * 1024
    found: list[ev.Event] = []
    for call in calls:
        setup = log.setup.tools.get(call.name)
        told: list[InstructionFile] = []
        for folder in _folders(top, _named(call.arguments, setup is not None and commands(setup.tool))):
            one = read_nested(folder, Path(top), settings, room) if room > 0 else None
            if one is None or known.get(one.path) == (mark := digest(one.text)):
                continue
            known[one.path] = mark
            room -= len(one.text.encode())
            told.append(one)
        if told:
            found.append(_event(log, call.id, told))
    return found


def _event(log: Log, call: str, files: list[InstructionFile]) -> ev.Event:
    listed: list[Json] = [
        {"path": storable(one.path), "digest": digest(one.text), "trusted": one.trusted} for one in files
    ]
    text = "".join(
        f"\n\nInstructions for work in {os.path.dirname(one.path)}, as those of the system text:\n{block(one)}"
        for one in files
    )
    head: JsonObject = {"timestamp": timestamp(log.setup.now()), "type": INSTRUCTIONS}
    return ev.Unknown({**head, "call": call, "files": listed, "text": storable(text)})


def _named(arguments: JsonObject, line: bool) -> list[str]:
    """The texts that may be paths; of a command line each word of it."""
    if line:
        found: Iterable[str] = sorted(words(arguments).found)
        cwd = arguments.get("cwd")
        if isinstance(cwd, str):
            found = [*found, *(os.path.join(cwd, word) for word in found)]
    else:
        found = _texts(arguments)
    return [one for one in found if one and len(one) <= LONGEST and "\n" not in one and "\0" not in one][:MOST_WORDS]


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one)
        case dict():
            for one in value.values():
                yield from _texts(one)
        case _:
            pass


def _folders(top: str, named: Iterable[str]) -> list[str]:
    """The folders below the workspace on the way to what is named, outermost first, as paths from it."""
    found: dict[str, None] = {}
    for word in named:
        path = os.path.normpath(os.path.join(top, word))
        if not path.startswith(f"{top}/"):
            continue
        inside = path[len(top) + 1 :]
        parts = (inside if os.path.isdir(path) else os.path.dirname(inside)).split("/")
        for count in range(1, len(parts) + 1):
            if (folder := "/".join(parts[:count])) and os.path.isdir(os.path.join(top, folder)):
                found[folder] = None
    return sorted(found)[:MOST_FOLDERS]

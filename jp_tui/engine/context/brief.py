"""Start of a turn: read the instruction files and the environment, and record changes (context.md K6, K10). Within a
turn nothing of it changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.engine.base.context_settings import ContextSettings
from jp_tui.engine.context import system_text
from jp_tui.engine.context.environment import changed, environment_text, look, platform
from jp_tui.engine.context.instruction_files import InstructionFile, read_all
from jp_tui.engine.context.own_commands import skill_block, skill_lines
from jp_tui.engine.record.context_facts import ENVIRONMENT, INSTRUCTIONS
from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log


async def brief(log: Log, *, begins: bool) -> None:
    """Build the system text for the requests of this turn; the environment is included when a turn `begins`. Raises
    JournalError."""
    settings = log.context = log.setup.context()
    if settings is None:
        return
    files = read_all(log.setup.workspace, settings)
    skills = skill_block(skill_lines(log.setup.own_commands))
    log.has_skills = bool(skills)
    servers = log.setup.servers.instructions() if log.setup.servers is not None else None
    log.briefing = system_text.briefing(files, place_of(log, settings, len(log.offered())), skills, servers)
    facts = await log.facts()
    events = [_files_told(log, files, facts.files)]
    if begins and settings.environment:
        seen = await look(log.setup.workspace, log.setup.now())
        new = changed(facts.environment, seen)
        if new:
            first = not facts.environment
            events.append(_event(log, ENVIRONMENT, {**new, "text": storable(environment_text(new, first=first))}))
    if found := [event for event in events if event is not None]:
        await log.append(found)


def place_of(log: Log, settings: ContextSettings, tools: int) -> str:
    """Return the end of the system text, with the number of `tools`; empty if the model isn't sent its environment."""
    if not settings.environment:
        return ""
    return system_text.place(os.path.realpath(log.setup.workspace), platform(), settings.shell, tools)


def digest(text: str) -> str:
    """Of what is sent of a file."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _files_told(log: Log, files: Sequence[InstructionFile], before: dict[str, str] | None) -> ev.Event | None:
    """Return the event about the files: on the first turn their list, later the changes."""
    sent = {one.path: digest(one.text) for one in files if one.text}
    if sent == (before or {}):
        return None
    listed: list[Json] = [
        {"path": storable(one.path), "digest": sent[one.path], "trusted": one.trusted} for one in files if one.text
    ]
    body: JsonObject = {"files": listed}
    if before is not None:
        changed: list[Json] = [path for path in {**sent, **before} if sent.get(path) != before.get(path)]
        body["changed"] = [storable(str(path)) for path in changed]
    return _event(log, INSTRUCTIONS, body)


def _event(log: Log, kind: str, body: JsonObject) -> ev.Event:
    head: JsonObject = {"timestamp": timestamp(log.setup.now()), "type": kind}
    return ev.Unknown({**head, **body})

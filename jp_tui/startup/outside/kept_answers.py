"""`jp-tui ask` that a setting answered before: recorded and printed again without settings or machine (intake.md N10).

What is decided follows from the question, the program that asks and the files of settings. So a decision is kept in a
private file with the state of each of these files, and counts for the same question while all of them are the same.
Nothing is kept where a value comes from a variable or an option, where a notice is to be printed, or where the store is
on a server.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from jp_tui import __version__
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.strict_json import dump
from jp_tui.headless.ask_words import Ask, AskEnding, report
from jp_tui.headless.output import OutputEnded
from jp_tui.journal.port import OUTSIDE, NewEvent
from jp_tui.protocol.outside import ASKER, WAITER, measured
from jp_tui.startup.asking import asked, asker, waiter
from jp_tui.startup.parts import new_id
from jp_tui.startup.streams import output
from jp_tui.system.paths import PathsError, write_passing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jp_tui.protocol.outside import Asker
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.parts import RunLocation

NAME = "kept-answers"
MOST, MOST_BYTES, MOST_OF_ONE = 32, 1 << 18, 1 << 13
"""Decisions in the file, its bytes, and those of one decision; a larger file isn't ours."""
_OWN, _NEUTRAL = "JP_TUI_", ("JP_TUI_HOME", "JP_TUI_FIXTURES", "JP_TUI_DEBUG")


def stamp(arguments: CommandLine, place: RunLocation) -> str:
    """Return the state of everything that settings come from; empty if that is more than files. Take it before the
    settings are read, so that a change in between isn't taken for what was read."""
    given = any(name.startswith(_OWN) and value and name not in _NEUTRAL for name, value in place.environment.items())
    if given or arguments.cfg or arguments.flags():
        return ""
    from jp_tui.settings import data

    user, folder = place.paths.config, place.settings_file
    own = (place.paths.config_file, user / data.MODELS, user / "rules.toml", place.paths.data / "trusted-workspaces")
    files = (data.DEFAULTS_FILE, data.TOOLS_FILE, data.POLICY_FILE, *own, folder, folder.parent / "rules.toml")
    return repr((__version__, os.path.dirname(__file__), [(str(file), _state(file)) for file in files]))


def _state(file: str | os.PathLike[str]) -> tuple[int, ...] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def answered_before(arguments: CommandLine, place: RunLocation) -> int | None:
    """Answer a question for which a decision is kept; return the exit status, None without one. Raises JournalError and
    PathsError."""
    if arguments.context is not None or arguments.schema_file is not None:
        return None  # their files are read once
    if not (every := _read(place)) or not (now := stamp(arguments, place)):
        return None
    asks, asking = asker(), asked(arguments)
    one = every.get(_name(place, asks, asking))
    if not isinstance(one, dict) or one.get("stamp") != now:
        return None
    try:
        at = timestamp(datetime.now(UTC))
        processes = {ASKER: measured(asks), WAITER: measured(waiter()), OUTSIDE: measured(asks)}
        rows = [NewEvent(**_filled(row, processes, at)) for row in one["rows"]]
        title, ending = str(one["title"]), AskEnding("answered", **one["ending"])
    except (KeyError, TypeError, AttributeError):
        return None
    record(place, rows, title, at)
    to = output(arguments.json)
    try:
        return report(ending, asking, to)
    except OutputEnded as ended:
        if ended.words:
            to.tell(ended.words)
        return ended.status


def keep(
    place: RunLocation, now: str, asks: Asker, asking: Ask, rows: Sequence[NewEvent], title: str, ending: AskEnding
) -> None:
    """Keep the decision that made these rows; `now` is the stamp of the settings. No error if that is impossible."""
    if not now:
        return
    one = {
        "stamp": now,
        "rows": [
            {**{field: getattr(row, field) for field in _FIELDS}, "payload": json.loads(row.payload)} for row in rows
        ],
        "title": title,
        "ending": {"answer": ending.answer, "reason": ending.reason, "responder": dict(ending.responder)},
    }
    name = _name(place, asks, asking)
    if len(json.dumps(one)) > MOST_OF_ONE:
        return
    others = [(key, other) for key, other in _read(place).items() if key != name]
    with suppress(OSError, PathsError):
        write_passing(place.paths.state / NAME, json.dumps({**dict(others[1 - MOST :]), name: one}).encode())


_FIELDS = ("kind", "turn", "inquiry", "text", "lines", "characters")


def _filled(row: dict[str, Any], processes: dict[str, dict[str, Any]], at: str) -> dict[str, Any]:
    """Return the fields of a row for this time and these processes, by the names of the metadata."""
    payload = {**row["payload"], "timestamp": at}
    if "metadata" in payload:
        payload["metadata"] = {name: processes.get(name, value) for name, value in payload["metadata"].items()}
    return {**{field: row[field] for field in _FIELDS}, "payload": dump(payload), "at": at}


def record(place: RunLocation, rows: Sequence[NewEvent], title: str, at: str) -> None:
    """Store a conversation of another program. Raises JournalError and PathsError."""
    from jp_tui.journal.store import open_journal

    place.paths.prepare()
    journal = open_journal(place.paths.database)
    try:
        journal.ask_outside(
            new_id(), rows, workspace=str(place.workspace), at=at, title=title, admits=lambda _: None
        ).result()
    finally:
        journal.close()


def _name(place: RunLocation, asks: Asker, asking: Ask) -> str:
    words = (asking.text, asking.kind, list(asking.options), asking.default, asking.id, asking.timeout)
    return repr((asks.program, str(place.settings_file), words))


def _read(place: RunLocation) -> dict[str, Any]:
    with suppress(OSError, ValueError, RecursionError):
        descriptor = os.open(place.paths.state / NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            said = os.read(descriptor, MOST_BYTES + 1)
        finally:
            os.close(descriptor)
        found = json.loads(said) if len(said) <= MOST_BYTES else None
        return found if isinstance(found, dict) else {}
    return {}

"""`jp-tui people [away | back]` (store.md D17): the people of a store, and oneself being away."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.headless.output import TextOutput
from jp_tui.journal.port import JournalError, StorePerson
from jp_tui.settings.cli.arguments import CommandLine
from jp_tui.settings.errors import UsageError, nearest
from jp_tui.settings.layers.layers import Settings
from jp_tui.startup.parts import RunLocation, is_shared

FAILED = 1
ACTIONS = ("away", "back")
DATE = "--until needs a day like 2026-12-24, or a time like 2026-12-24T09:00"


def people_command(arguments: CommandLine, settings: Settings, place: RunLocation, to: TextOutput) -> int:
    """Run the command; return the exit status. Raises UsageError, JournalError, OutputEnded."""
    action = arguments.action or ""
    until = _checked(action, arguments)
    if not is_shared(settings):
        from jp_tui.journal.reader import account

        if action:
            raise UsageError("only you use this store; set store.url to share one")
        return _list([account()], "", to)
    from jp_tui.startup.store.opening import open_on_server

    journal = open_on_server(settings, place.environment)
    try:
        me = journal.me()
        if action and all(one.name != me for one in journal.people()):
            raise JournalError("refused", f"{me} isn't a person of this store")
        if action:
            journal.set_away(timestamp(until) if until is not None else "", arguments.deputy or "").result()
        found = journal.people()
    except JournalError as problem:
        if problem.kind != "refused":
            raise
        to.tell(f"jp-tui: {problem}.")
        return FAILED
    finally:
        journal.close()
    if action:
        return _report(found, me, to)
    return _list(found, me, to)


def _checked(action: str, arguments: CommandLine) -> datetime | None:
    """Return the time of the return, None without one. Raises UsageError."""
    if action and action not in ACTIONS:
        raise UsageError(f"people has no {action}, only away and back", nearest(action, ACTIONS))
    if action != "away":
        if arguments.until is not None or arguments.deputy is not None:
            raise UsageError("--until and --deputy belong to people away")
        return None
    if arguments.until is None:
        raise UsageError(DATE)
    try:
        until = datetime.fromisoformat(arguments.until).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(DATE) from None
    if until <= datetime.now(UTC):
        raise UsageError(f"{arguments.until} is in the past; {DATE}")
    return until


def _list(found: list[StorePerson], me: str, to: TextOutput) -> int:
    for one in found:
        mine = one.name == me or len(found) == 1
        if to.as_json:
            to.line(_raw(one, mine=mine))
        else:
            words = [f"{one.name} (you)" if mine else one.name, *([one.kind] if one.kind == "owner" else [])]
            to.print(", ".join([*words, *one.groups, *([_away(one)] if one.away_until else [])]))
    return 0


def _report(found: list[StorePerson], me: str, to: TextOutput) -> int:
    """Say how it is now, and who waits for a deputy that is away."""
    mine = next((one for one in found if one.name == me), StorePerson(me, "none"))
    if to.as_json:
        to.line(_raw(mine, mine=True))
    else:
        to.print(f"You are {_away(mine)}." if mine.away_until else "You are back.")
    if mine.away_until:
        for one in found:
            if one.deputy == me:
                to.tell(f"jp-tui: {one.name} is {_away(one)}; a deputy has no deputy, so what asks {one.name} waits.")
    return 0


def _raw(one: StorePerson, *, mine: bool) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "groups": list(one.groups),
        "away_until": one.away_until or None,
        "deputy": one.deputy or None,
        "you": mine,
    }


def _away(one: StorePerson) -> str:
    until = read_timestamp(one.away_until).astimezone()
    deputy = f"; {one.deputy} answers too" if one.deputy else ""
    return f"away until {until:%Y-%m-%d %H:%M}{deputy}"

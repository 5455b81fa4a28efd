"""`jp-tui hook PROGRAM`: read one payload, print one decision (intake.md N20-N24).

No failure ends in a yes: the exit status is then 2, with one line on stderr and nothing on stdout.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from jp_tui.headless.hooks import registry
from jp_tui.headless.hooks.program import MAX_BYTES, BadPayload, Doing, HookProgram, HookVerdict, Payload, read_payload
from jp_tui.startup.hooks.named import may_be_named
from jp_tui.startup.streams import output, print_message
from jp_tui.system import processes
from jp_tui.system.agents import presence

if TYPE_CHECKING:
    from jp_tui.settings.cli.arguments import CommandLine
    from jp_tui.startup.parts import RunLocation

DONE, BLOCKED = 0, 2
LEAST_SECS, MOST_SECS = 0.1, 31_536_000.0


def hook(arguments: CommandLine, where: Callable[[], RunLocation]) -> int:
    """Return the exit status; it is 2 for every failure (N22), except of a notice. `where` raises PathsError."""
    program = registry.program(arguments.command.partition(" ")[2])
    try:
        return _hooked(program, arguments, where)
    except BadPayload as problem:
        words = str(problem)
    except Exception as bug:  # the call must not run because of a bug of ours
        words = str(bug) or type(bug).__name__
    print_message(f"jp-tui hook {program.word}: {' '.join(words.split())[:500]}")
    return BLOCKED


def _hooked(program: HookProgram, arguments: CommandLine, where: Callable[[], RunLocation]) -> int:
    limit = _limit(program, arguments.limit)
    payload = read_payload(program, sys.stdin.buffer.read(MAX_BYTES + 1))
    if payload.kind == "other":
        output(True).line({})
        return DONE
    if payload.kind == "notice":
        with suppress(Exception):  # it prints nothing and holds nothing up (N24)
            _note(program, payload, where(), payload.doing)
        return DONE
    return _decided(program, payload, arguments, where(), limit)


def _limit(program: HookProgram, said: str | None) -> float:
    """Return the time limit in seconds. Raises BadPayload."""
    if said is None:
        return program.limit
    with suppress(ValueError):
        if LEAST_SECS <= (found := float(said)) <= MOST_SECS:
            return found
    raise BadPayload(f"--limit is a number of seconds from {LEAST_SECS} to {MOST_SECS:,.0f}, not {said}")


def _decided(program: HookProgram, payload: Payload, arguments: CommandLine, place: RunLocation, limit: float) -> int:

    def notes(doing: Doing) -> None:
        with suppress(Exception):
            _note(program, payload, place, doing)

    settings = place.sources.load()
    fallback = "deny" if settings.get("hooks", "fallback") == "deny" else "program"
    if payload.kind == "before" and not may_be_named(program.name, payload.session, place, settings):
        notes("works")
        output(True).line(program.render(payload.event, payload.kind, HookVerdict("open")))
        return DONE
    from jp_tui.headless.hooks.run import HookRun
    from jp_tui.startup.asking import asker, waiter
    from jp_tui.startup.engine import link
    from jp_tui.startup.parts import journal, parts

    made = parts(arguments, settings, place)
    connected = link(made, journal(made), client=False, command="jp-tui hook")
    notes("works")
    return HookRun(
        connected,
        program,
        payload,
        asker(),
        waiter(),
        output(True),
        limit=limit,
        fallback="deny" if fallback == "deny" else "program",
        notes=notes,
    ).run()


def _note(program: HookProgram, payload: Payload, place: RunLocation, doing: Doing) -> None:
    """Write what the program does now (N24). Raises PathsError."""
    found = processes.asker()
    if found is None or found.is_shell:
        return  # a person who tries a hook in a shell has no session
    one = presence.AgentSession(
        program=program.name,
        pid=found.pid,
        started=found.started,
        host=processes.host(),
        boot=processes.boot(),
        folder=os.fsencode(found.folder).decode("utf-8", "replace"),
        way="hook",
        doing="idle" if doing == "left" else doing,
        since=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        session=payload.session[: presence.MOST_TEXT],
        model=payload.model[: presence.MOST_TEXT],
    )
    folder = presence.folder_of(place.paths)
    if doing == "left":
        presence.leave(folder, one)
    else:
        presence.note(folder, one)

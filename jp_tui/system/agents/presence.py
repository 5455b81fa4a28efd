"""Sessions that programs of other makers have with jp-tui (intake.md N5, N24): who, since when, and what it does.

A small private file for each session, replaced as a whole: noting something never waits for the database. The process
is measured; session, model and title are what the program says of itself. Whoever looks next removes the file of a
process that ended.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Literal, get_args

from jp_tui.system import processes
from jp_tui.system.paths import Paths, private_folder, write_passing

Way = Literal["ask", "hook", "mcp", "acp"]
Doing = Literal["works", "waits", "idle"]
MOST_TEXT = 200
"""Characters kept of what a program says."""
MOST_FILES = 1_000
_MOST_BYTES = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSession:
    """A session of a program. `pid`, `started`, `host` and `boot` are of its process, as in `ProcessInfo`; `folder` is
    where it works; `session`, `model` and `title` are claimed by the program; `since` is when it began to do what it
    does, UTC, as 2026-12-01T00:00:00Z."""

    program: str
    pid: int
    started: str
    host: str
    boot: str = ""
    folder: str = ""
    way: Way = "hook"
    doing: Doing = "idle"
    since: str = ""
    session: str = ""
    model: str = ""
    title: str = ""

    @property
    def ended(self) -> bool:
        """True if its process is known to have ended."""
        return processes.has_ended(self.pid, self.started, self.host, self.boot)


def folder_of(paths: Paths) -> Path:
    """Return the folder of the files."""
    return paths.state / "agents"


def note(folder: Path, one: AgentSession) -> None:
    """Write what is known of a session over what was known of it. Raises PathsError."""
    short = {key: getattr(one, key)[:MOST_TEXT] for key in ("session", "model", "title")}
    private_folder(folder)
    write_passing(folder / _name(one), json.dumps(asdict(replace(one, **short))).encode())


def leave(folder: Path, one: AgentSession) -> None:
    """Forget a session that ended."""
    with contextlib.suppress(OSError):
        os.unlink(folder / _name(one))


def sessions(folder: Path) -> list[AgentSession]:
    """Return the sessions of processes that may still run, in the order of their names; remove those that ended."""
    return sorted(_living(folder), key=lambda one: (one.program, one.pid, one.session))


def _living(folder: Path) -> Iterator[AgentSession]:
    try:
        with os.scandir(folder) as found:
            names = [one.name for one in found if one.name.endswith(".json")][:MOST_FILES]
    except OSError:
        return
    for name in names:
        one = _read(folder / name)
        if one is None:
            continue
        if one.ended:
            leave(folder, one)
        else:
            yield one


def _read(path: Path) -> AgentSession | None:
    """Return what a file says, None if it is unreadable."""
    try:
        with open(path, "rb") as file:
            raw = json.loads(file.read(_MOST_BYTES))
        one = AgentSession(**{each.name: raw[each.name] for each in fields(AgentSession)})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = all(isinstance(getattr(one, each.name), str) for each in fields(one) if each.name != "pid")
    known = one.way in get_args(Way) and one.doing in get_args(Doing)
    return one if texts and known and isinstance(one.pid, int) else None


def _name(one: AgentSession) -> str:
    told = blake2b(f"{one.host}\0{one.started}\0{one.way}\0{one.session}".encode(), digest_size=8).hexdigest()
    return f"{one.pid}-{told}.json"

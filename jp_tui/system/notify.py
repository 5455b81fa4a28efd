"""The user's own command that calls somebody (asking.md E50, `notify.command`): a program and its arguments, no shell.

It gets the words as environment and, where its arguments ask for them, as text in them; never as a program's name.
It has its time and is then ended. Refuses to raise: what went wrong is returned as words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

LIMIT = 10.0
"""Seconds that it may take."""
_DESKTOP = (
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "TMUX_PANE",
    "USER", "LOGNAME",
)  # fmt: skip
"""What a program needs to reach the desktop, beside what every child gets (traps.md T10)."""
_HOLE = re.compile(r"\{(title|text)\}")
_MOST_WORDS = 200


def filled(argv: Sequence[str], title: str, text: str) -> list[str]:
    """The arguments with `{title}` and `{text}` filled in, the program as it stands; no hole is looked for twice."""
    words = {"title": title, "text": text}
    return [*argv[:1], *(_HOLE.sub(lambda hole: words[hole[1]], part) for part in argv[1:])]


def _home(environment: Mapping[str, str]) -> str:
    home = environment.get("HOME", "")
    return home if os.path.isabs(home) and os.path.isdir(home) else "/"


async def call(
    argv: Sequence[str], title: str, text: str, environment: Mapping[str, str], *, limit: float = LIMIT
) -> str:
    """Run it to its end, at most `limit` seconds; empty when it ended with status 0, else what went wrong, foreign.

    Its environment has JP_NOTIFY_TITLE and JP_NOTIFY_TEXT. It runs in the home folder: the workspace's brings no
    program.
    """
    from jp_tui.system.children import ChildProblem, run  # nobody who sets no command pays for it

    extra = {name: environment[name] for name in _DESKTOP if name in environment}
    extra |= {"JP_NOTIFY_TITLE": title, "JP_NOTIFY_TEXT": text}
    try:
        ended = await run(
            filled(argv, title, text),
            cwd=_home(environment),
            timeout=limit,
            output_limit=4096,
            env_extra=extra,
        )
    except ChildProblem as problem:
        return str(problem).removeprefix(f"{argv[0]!r} ")  # whose it is stands in the settings
    if ended.ok:
        return ""
    if ended.timed_out:
        return f"was ended after {limit:g} seconds"
    how = f"status {ended.status}" if ended.status is not None else f"signal {ended.signal}"
    said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
    if (more := len(said) - _MOST_WORDS) > 0:
        said = f"{said[:_MOST_WORDS]}… ⟨{more:,} more characters⟩"
    return f"ended with {how}" + (f": {said}" if said else "")

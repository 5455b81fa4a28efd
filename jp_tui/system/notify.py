"""The user's notification command (asking.md E50, `notify.command`): a program and its arguments, no shell.

The text is passed in the environment and in arguments with placeholders, never as a program's name. It is ended after a
time limit. Never raises: problems are returned as text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

LIMIT = 10.0
"""Time limit in seconds."""
_DESKTOP = (
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMUX", "TMUX_PANE",
    "USER", "LOGNAME",
)  # fmt: skip
"""Variables that a program needs to reach the desktop, in addition to those of every child (traps.md T10)."""
_HOLE = re.compile(r"\{(title|text)\}")
_MOST_WORDS = 200


def filled(argv: Sequence[str], title: str, text: str) -> list[str]:
    """Fill `{title}` and `{text}` into the arguments, each placeholder once; the program name stays unchanged."""
    words = {"title": title, "text": text}
    return [*argv[:1], *(_HOLE.sub(lambda hole: words[hole[1]], part) for part in argv[1:])]


def _home(environment: Mapping[str, str]) -> str:
    home = environment.get("HOME", "")
    return home if os.path.isabs(home) and os.path.isdir(home) else "/"


async def call(
    argv: Sequence[str], title: str, text: str, environment: Mapping[str, str], *, limit: float = LIMIT
) -> str:
    """Run it to its end, at most `limit` seconds; return an empty string for status 0, else the problem, untrusted.

    Its environment has JP_NOTIFY_TITLE and JP_NOTIFY_TEXT. It runs in the home folder, so that a workspace can't supply
    the program.
    """
    from jp_tui.system.children import ChildProblem, run  # saves the import where no command is set

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
        return str(problem).removeprefix(f"{argv[0]!r} ")  # the settings already name the program
    if ended.ok:
        return ""
    if ended.timed_out:
        return f"was stopped after {limit:g} seconds"
    how = f"status {ended.status}" if ended.status is not None else f"signal {ended.signal}"
    said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
    if (more := len(said) - _MOST_WORDS) > 0:
        said = f"{said[:_MOST_WORDS]}… ⟨{more:,} more characters⟩"
    return f"ended with {how}" + (f": {said}" if said else "")

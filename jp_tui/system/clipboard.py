"""System clipboard through its own programs: pbcopy, wl-copy, xclip, xsel, clip.exe, whichever works here.

Such a program may keep running to own the text, and the child runner would end it, so it is started directly, in its
own session with the text as an input file. Text only; never raises.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from shutil import which

from jp_tui.system.children import child_environment
from jp_tui.system.paths import because

PATIENCE = 1.0
"""Seconds after which a running program counts as owner of the text; a failing one ends sooner."""
_DISPLAY = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "WSL_INTEROP", "WSL_DISTRO_NAME")


def program(environment: Mapping[str, str], platform: str = sys.platform) -> tuple[str, ...]:
    """Return the program that accepts text here, with its arguments; empty if there is none."""
    candidates: list[tuple[str, ...]] = []
    if platform == "darwin":
        candidates.append(("pbcopy",))
    if environment.get("WAYLAND_DISPLAY"):
        candidates.append(("wl-copy", "--type", "text/plain"))
    if environment.get("DISPLAY"):
        candidates += [("xclip", "-selection", "clipboard", "-in"), ("xsel", "--clipboard", "--input")]
    if environment.get("WSL_INTEROP") or environment.get("WSL_DISTRO_NAME"):
        candidates.append(("clip.exe",))
    path = child_environment(environment)["PATH"]
    found = ((place, *rest) for name, *rest in candidates if (place := which(name, path=path)))
    return next(found, ())


async def hand_over(argv: tuple[str, ...], text: str, environment: Mapping[str, str]) -> str:
    """Pass the text to that program; return an empty string on success, else the problem."""
    extra = {name: environment[name] for name in _DISPLAY if name in environment}
    with tempfile.TemporaryFile() as given:
        given.write(text.encode("utf-8", "replace"))
        given.seek(0)
        try:
            child = subprocess.Popen(  # noqa: ASYNC220  # takes milliseconds, and waits for nothing
                argv,
                cwd="/",
                env=child_environment(environment, extra),
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return because(error) if isinstance(error, OSError) else str(error)
    name = os.path.basename(argv[0])
    for _ in range(round(PATIENCE / 0.02)):
        if (status := child.poll()) is not None:
            return "" if status == 0 else f"{name} ended with status {status}"
        await asyncio.sleep(0.02)
    return ""

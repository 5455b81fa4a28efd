"""`jp-tui doctor`: query the terminal, run the checks, print the findings."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from jp_tui.headless.output import TextOutput
from jp_tui.settings.layers.problems import Builds
from jp_tui.startup.parts import RunLocation
from jp_tui.system.checkup import CheckupFinding
from jp_tui.system.terminal_query import TerminalReplies, ask


def doctor(place: RunLocation, builds: Builds, output: TextOutput) -> int:
    """Run all checks; return the exit status. Raises OutputEnded."""
    from jp_tui.headless.lists.doctor import report

    size, said = _terminal()
    return report(asyncio.run(_found(place, builds, size, said)), output)


async def _found(
    place: RunLocation, builds: Builds, size: tuple[int, int] | None, said: TerminalReplies | None
) -> list[CheckupFinding]:
    from jp_tui.startup.checkup import checked

    return [one async for one in checked(place, dict(os.environ), size, said, builds)]


def _terminal() -> tuple[tuple[int, int] | None, TerminalReplies | None]:
    """Return its size and replies if input and output are one terminal; only the size otherwise."""
    size: tuple[int, int] | None = None
    for number in (0, 2, 1):  # the output's terminal counts
        with suppress(OSError):
            columns, lines = os.get_terminal_size(number)
            size = columns, lines
    if size is None or not (os.isatty(0) and os.isatty(1)):
        return size, None
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return size, None
    try:
        return size, ask(descriptor)
    except OSError:
        return size, None
    finally:
        os.close(descriptor)

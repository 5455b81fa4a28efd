"""Which process groups of a session still have somebody alive. Signals nobody."""

from __future__ import annotations

import os
import sys


def living_groups(session: int) -> set[int]:
    """The process groups with a living member in this session; zombies that nobody fetches do not count.

    Where there is no /proc: the session's own group, as long as the system knows it.
    """
    if sys.platform != "linux":
        return _known(session)
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return _known(session)
    found = (_state(number) for number in numbers)
    return {group for state, group, its_session in found if its_session == session and state not in "ZX"}


def _known(session: int) -> set[int]:
    try:
        os.killpg(session, 0)
    except OSError:
        return set()
    return {session}


def _state(number: str) -> tuple[str, int, int]:
    """State, group and session of a process; one that is gone is in none."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            # the name in parentheses may hold anything, also parentheses
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[2]), int(fields[3])
    except (OSError, IndexError, ValueError):
        return "X", 0, 0

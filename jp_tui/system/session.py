"""Process groups of a session with living members. Sends no signals."""

from __future__ import annotations

import os
import sys


def living_groups(session: int) -> set[int]:
    """Return the process groups with a living member in this session; unreaped zombies don't count.

    Without /proc: the session's own group while the system knows it.
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
    """Return state, group and session of a process; an ended one has none."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            # the name in parentheses may contain anything, also parentheses
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[2]), int(fields[3])
    except (OSError, IndexError, ValueError):
        return "X", 0, 0

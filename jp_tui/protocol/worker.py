"""Name by which others recognise a worker (store.md D20), and what only a worker reports."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model

PROGRAM = "jp-tui serve"
"""Name by which a worker holds a conversation."""
SCHEDULE = "schedule"
"""The command in Refused where what a schedule has due can't begin."""


def by_worker(held_by: str) -> bool:
    """True if this description of a holder is a worker's."""
    return held_by.startswith(f"{PROGRAM} (") or f" ({PROGRAM}, " in held_by


class ScheduleBegan(Model):
    """A worker began the turn of a schedule for this due time, as `YYYY-MM-DDTHH:MM:SS` with the offset of the
    schedule's time zone (store.md D23)."""

    type: Literal["schedule_began"] = "schedule_began"
    name: str
    due: str
    conversation: str

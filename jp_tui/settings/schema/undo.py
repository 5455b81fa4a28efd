"""Keys of `undo`: whether, how long and how much of the files changed by tools is backed up (issue 8, 7).

A workspace's file can't turn backups off. Copies nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from jp_tui.settings.schema import checks
from jp_tui.settings.schema.nodes import Group, Leaf, stricter

UNDO = Group(
    {
        "copies": Leaf(
            checks.boolean,
            tightens=stricter(False, True),
            never=lambda new: new is False,
            help="whether a copy is kept of each file before a tool changes it, for /undo and /diff",
        ),
        "days": Leaf(checks.integer(1, 3_650), help="days that a copy is kept"),
        "file_mib": Leaf(checks.integer(1, 1_024), help="MiB of the largest file that is copied"),
        "total_mib": Leaf(checks.integer(1, 1_048_576), help="MiB of all copies together; the oldest go first"),
    }
)


@dataclass(frozen=True, slots=True)
class Undo:
    """Values of `[undo]`."""

    copies: bool
    days: int
    file_mib: int
    total_mib: int

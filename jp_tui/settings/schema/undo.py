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
            help="keep a copy of each file before a tool changes it, for /undo and /diff",
        ),
        "days": Leaf(checks.integer(1, 3_650), help="days to keep copies"),
        "file_mib": Leaf(checks.integer(1, 1_024), help="largest file to copy, in MiB"),
        "total_mib": Leaf(checks.integer(1, 1_048_576), help="maximum MiB of all copies; the oldest are deleted first"),
    }
)


@dataclass(frozen=True, slots=True)
class Undo:
    """Values of `[undo]`."""

    copies: bool
    days: int
    file_mib: int
    total_mib: int

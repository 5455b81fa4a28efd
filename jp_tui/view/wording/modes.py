"""Texts about approval modes: what runs without asking (rules.md AR30)."""

from __future__ import annotations

from jp_tui.protocol.mode import ApprovalMode, ApprovalModeSet
from jp_tui.view.activity.status import MODES

ORDER: tuple[ApprovalMode, ...] = ("ask", "edits", "unattended")
"""From strict to loose; the key cycles through them."""
_WHAT: dict[ApprovalMode, str] = {
    "ask": "nothing more runs without asking",
    "edits": "file changes run without asking; /undo restores them",
    "unattended": "file changes and sandboxed commands run without asking",
}


def next_mode(mode: str) -> ApprovalMode:
    """Return the mode after `mode`, the strictest after the loosest; of an unknown one the strictest."""
    return ORDER[(ORDER.index(mode) + 1) % len(ORDER)] if mode in ORDER else ORDER[0]


def mode_text(event: ApprovalModeSet) -> str:
    """Say which mode counts, and what it does, or why it isn't the chosen one."""
    name = MODES[event.mode]
    return f"Mode {name}. {event.why}" if event.why else f"Mode {name}: {_WHAT[event.mode]}."


def which(name: str) -> ApprovalMode | None:
    """Return the mode with this name, None if there is none."""
    return next((mode for mode in ORDER if mode == name.strip().casefold()), None)


USAGE = "Enter /mode and one of: ask, edits, unattended."
KEY = "Shift+Tab in the composer changes the mode too."

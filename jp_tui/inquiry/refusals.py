"""What was refused in a turn, and how often: it is decided by a person from then on (inquiries.md R247).

A refusal is of targets, whoever said it and whichever tool asked; of one intent, three are enough.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.inquiry import values as v
from jp_tui.inquiry.settle import Decision


def turn_resumed(state: v.State, given: v.TurnResumed) -> Decision:
    """What an earlier run of this turn was refused still is."""
    return replace(state, ledger=replace(state.ledger, refused=given.refused, rejections=given.rejections)), []

"""Plan mode: only what reads is offered to the model and run (context.md K41)."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model


class SetPlanMode(Model):
    """Begin plan mode or end it. The log tells it by a `mode` event, a new conversation by PlanModeSet."""

    type: Literal["set_plan_mode"] = "set_plan_mode"
    conversation: str
    on: bool = True


class PlanModeSet(Model):
    """Plan mode will begin, or will not, with the first message of a new conversation."""

    type: Literal["plan_mode_set"] = "plan_mode_set"
    conversation: str
    on: bool

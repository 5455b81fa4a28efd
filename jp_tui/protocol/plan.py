"""Plan mode: only tools that read are offered to the model and run (context.md K41)."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model
from jp_tui.protocol.values import StoredEvent


class SetPlanMode(Model):
    """Begin plan mode or end it. In a conversation a `mode` event reports it, for a new one PlanModeSet."""

    type: Literal["set_plan_mode"] = "set_plan_mode"
    conversation: str
    on: bool = True


class PlanModeSet(Model):
    """Plan mode will, or won't, begin with the first message of a new conversation."""

    type: Literal["plan_mode_set"] = "plan_mode_set"
    conversation: str
    on: bool


class PlanFound(Model):
    """The last `plan` and `mode` events of a conversation that was opened, where they aren't on its page; at most one
    of each. Sent after ConversationOpened."""

    type: Literal["plan_found"] = "plan_found"
    conversation: str
    events: tuple[StoredEvent, ...]

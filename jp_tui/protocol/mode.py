"""Approval modes: what runs without asking, for as long as the conversation is open (rules.md AR30)."""

from __future__ import annotations

from typing import Literal

from jp_tui.protocol.base import Model

ApprovalMode = Literal["ask", "edits", "unattended"]


class SetApprovalMode(Model):
    """Change the mode of an open conversation and its sub-agents; it counts from the next call on."""

    type: Literal["set_approval_mode"] = "set_approval_mode"
    conversation: str
    mode: ApprovalMode


class ApprovalModeSet(Model):
    """The mode of a conversation: `chosen`, and `mode`, which is in effect; `why` is a sentence if they differ. Not
    reported at the opening where both are `ask`."""

    type: Literal["approval_mode_set"] = "approval_mode_set"
    conversation: str
    mode: ApprovalMode
    chosen: ApprovalMode
    why: str = ""

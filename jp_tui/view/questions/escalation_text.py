"""Why a person sees a reviewer's question: which no is quoted, why there is none, who says so (R150, R154).

M12 is exact; every front end splits it into its own lines. Pure: jp-tui's text, and untrusted text that each front end
neutralises.
"""

from __future__ import annotations

from typing import LiteralString

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Escalation
from jp_tui.view.wording import questions as w
from jp_tui.view.wording.amounts import duration, short_model

_WITHOUT: dict[str, LiteralString] = {
    "taken_over": w.TAKEN_OVER,
    "too_long": w.TOO_LONG_TO_REVIEW,
    "": w.NO_VERDICT,
}


def refusal(told: Escalation) -> Foreign | None:
    """Return the reason quoted in M12: that of its no, or of the first one if there was no second; None without any."""
    if not told.failed:
        return told.reason
    return told.before[-1].reason if told.before else None


def no_verdict_reason(told: Escalation) -> LiteralString:
    """Return why there is no verdict, or no second one; empty if there is one."""
    return _WITHOUT[told.cause] if told.failed else ""


def partial_reason(told: Escalation) -> Foreign:
    """Return what is known of a missing verdict: the reason streamed so far, or the error; may be empty."""
    return Foreign(told.reason.raw.strip() if told.failed else "")


def earlier_reasons(told: Escalation) -> tuple[Foreign, ...]:
    """Return the reasons of its no before it read the assistant's intent, oldest first, if another no followed."""
    return () if told.failed else tuple(one.reason for one in told.before)


def quoted_reason(reason: Foreign) -> str:
    """Return the text between M12's quotes; empty without a reason, which has its own text."""
    text = reason.raw.strip("\n")
    return text if text.strip() else ""


def model(told: Escalation) -> Foreign:
    """Return the reviewer's short model name; empty if unknown."""
    return Foreign(short_model(told.model))


def review_duration(told: Escalation) -> str:
    """Return the review's duration; empty if unknown."""
    return duration(told.ms) if told.ms is not None else ""

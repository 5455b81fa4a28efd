"""Why a person sees what a reviewer was to answer: which no is quoted, why there is none, who says so (R150, R154).

M12 to the letter; every face puts it in its own lines. Pure: words of ours, and foreign text that each shows through
its gate.
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
    """The reason that M12 quotes: that of its no, of the first one where there was no second; None without any."""
    if not told.failed:
        return told.reason
    return told.before[-1].reason if told.before else None


def without(told: Escalation) -> LiteralString:
    """Why there is no verdict, or no second one; empty where there is."""
    return _WITHOUT[told.cause] if told.failed else ""


def heard(told: Escalation) -> Foreign:
    """What is known of a verdict that never was: what it had said, or what went wrong; perhaps nothing."""
    return Foreign(told.reason.raw.strip() if told.failed else "")


def earlier(told: Escalation) -> tuple[Foreign, ...]:
    """The reasons of its no before it was told the assistant's intent, oldest first, beside a no that came after it."""
    return () if told.failed else tuple(one.reason for one in told.before)


def words(reason: Foreign) -> str:
    """What stands between M12's quotes; empty where it gave no reason, for which there are words of ours."""
    text = reason.raw.strip("\n")
    return text if text.strip() else ""


def model(told: Escalation) -> Foreign:
    """Whose verdict it is, shortened; empty where that is not known."""
    return Foreign(short_model(told.model))


def took(told: Escalation) -> str:
    """How long it took; empty where that is not known."""
    return duration(told.ms) if told.ms is not None else ""

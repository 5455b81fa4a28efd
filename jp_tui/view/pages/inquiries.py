"""Questions of a conversation as rows: who asked, what, who answered, why (issue 4, 5; asking.md E42).

Built from the engine's list by the same functions as the trail, so that both agree. Requests nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, cast, get_args

from jp_tui.conversation import events as stored
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.protocol.values import InquiryInfo
from jp_tui.view.questions.inquiry import InquiryView, recorded_inquiry
from jp_tui.view.questions.outcome_line import InquiryOutcome, asker, outcome
from jp_tui.view.questions.prompt_line import agent_asks
from jp_tui.view.wording.why import why

EMPTY: Final = "No questions in this conversation yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryRow:
    """One question and its outcome; `when` is its turn and the time it was asked (UTC)."""

    id: str
    asker: Foreign
    text: Foreign
    fate: InquiryOutcome
    why: Foreign
    reason: Foreign
    when: str


def exchanges(listed: tuple[InquiryInfo, ...]) -> tuple[InquiryRow, ...]:
    """Return the rows in the list's order."""
    return tuple(_exchange(one) for one in listed)


def inquiry(info: InquiryInfo) -> InquiryView:
    """Return the inquiry of a row."""
    kind = info.source if info.source in get_args(stored.SourceKind) else "other"
    request = stored.InquiryRequest(
        id=info.id,
        source=stored.Source(cast(stored.SourceKind, kind), info.source_name),
        question=info.question,
        metadata={"why": info.why, "tool": info.tool},
    )
    response = None if info.response is None else read_event({"type": "inquiry_response", **info.response})
    known = isinstance(response, stored.InquiryAnswered | stored.InquiryCancelled | stored.InquiryRedacted)
    found = recorded_inquiry(request, response if known else None)  # type: ignore[arg-type]
    if known or not (info.to or info.approvals):
        return found
    needed, by = (1, ()) if info.approvals is None else (info.approvals.needed, info.approvals.by)
    return replace(found, to=Foreign(info.to), needed=needed, approved=tuple(by))


def _exchange(info: InquiryInfo) -> InquiryRow:
    asked, agent = inquiry(info), info.agent
    at = f" · {info.asked_at[11:16]} UTC" if len(info.asked_at) >= 16 else ""
    return InquiryRow(
        id=info.id,
        asker=asker(asked) if agent is None else Foreign(agent_asks(agent, info.asked_as or info.source, info.tool)),
        text=Foreign(first_line(asked.text.raw)),
        fate=outcome(asked),
        why=why(asked),
        reason=asked.explanation,
        when=f"turn {info.turn}{at}",
    )

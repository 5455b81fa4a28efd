"""A question and its fate as one value, for the conversation, the activity and the lists alike (R16-R25, E42).

Made from stored events, so that what is reloaded is what was live. Holds foreign text as it came and no words of
ours: those stand in `trail.py` and `why.py`. Never derives behaviour from a reason (R24) and never splits an id (R29).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.view.questions.partial_approval import Offered, PartTaken, offered, taken

How = Literal["open", "deferred", "answered", "redacted", "cancelled", "withdrawn"]
"""`deferred` is an open one whose turn was ended to wait for it; `withdrawn` one that went without a record here."""
Handed = Literal["", "rejected", "failed", "too_long", "taken_over"]
NOTHING = Foreign("")


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryView:
    """`asker` is the name of the tool or whoever else `source` says; `by` the kind of responder, `model` which one.

    `explanation` are the responder's own words or a note (R21, R182), `tag` why there is no answer (R22, R23), `via`
    through what it was answered, `escalated` that a reviewer said no before (R149), `handed` why a reviewer's question
    came to the human. `why` and `row` say which rule led here, `reviewer` which model is deciding, `heard` what was
    heard of its reason so far; `tokens` (in, out) and `dollars` are what its answer took, `saw` what it was shown.
    `question` is the bare id among those of its call; `discards` the questions whose answers were away when it was
    asked, `moved` when it was left with Back, `restores` what its undo brought back, `restarts` that nothing before
    counts (R177, R97b). `offered` are the parts of a change, `parts` what became of each (R251). `lost`: a secret
    that was gone when the turn went on after a restart, and was asked again (R12).
    """

    id: str
    text: Foreign
    context: Foreign = NOTHING
    source: stored.SourceKind = "tool"
    asker: Foreign = NOTHING
    how: How = "open"
    answer: Json = None
    by: str = ""
    model: Foreign = NOTHING
    escalated: bool = False
    handed: Handed = ""
    via: str = ""
    explanation: Foreign = NOTHING
    tag: Foreign = NOTHING
    ms: int | None = None
    row: str = ""
    why: Foreign = NOTHING
    reviewer: Foreign = NOTHING
    heard: Foreign = NOTHING
    tokens: tuple[int, int] = (0, 0)
    dollars: float | None = None
    saw: Foreign = NOTHING
    question: str = ""
    discards: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    restores: tuple[str, ...] = ()
    restarts: bool = False
    offered: Offered = ()
    parts: tuple[PartTaken, ...] = ()
    lost: bool = False

    @property
    def assistant(self) -> bool:
        """Whether the assistant itself asks (R160)."""
        return self.source == "assistant"


def question(event: stored.InquiryRequest) -> InquiryView:
    """A recorded question, open as yet."""
    context = event.question.get("context", event.question.get("pre_amble"))
    row = event.metadata.get("row")
    why_me = handed(event.metadata.get("escalation"))
    return InquiryView(
        id=event.id,
        text=foreign(event.question.get("text")),
        context=foreign(context),
        source=event.source.kind,
        asker=Foreign(event.source.name or text_at(event.metadata, "tool")),
        escalated=why_me == "rejected",
        handed=why_me,
        row=str(row) if isinstance(row, str | int) and not isinstance(row, bool) else "",
        why=foreign(event.metadata.get("why")),
        reviewer=foreign(event.metadata.get("reviewer")),
        question=text_at(event.metadata, "question"),
        discards=_names(event.metadata.get("discards")),
        offered=offered(event.question),
    )


def settled(asked: stored.InquiryRequest, response: stored.InquiryResponse | None) -> InquiryView:
    """A recorded question with its fate."""
    return question(asked) if response is None else answered(question(asked), response)


def answered(asked: InquiryView, event: stored.InquiryResponse) -> InquiryView:
    """The question with its recorded fate, which says more than a message about it does."""
    about = event.metadata
    moved, restores = _names(about.get("discards")), _names(about.get("restores"))
    if moved or restores or about.get("restarts") is True:
        asked = replace(asked, moved=moved, restores=restores, restarts=about.get("restarts") is True)
    if isinstance(event, stored.InquiryRedacted):
        return replace(asked, how="redacted")
    by = event.responder
    if by is not None:
        model = Foreign(by.model)
        over = asked.escalated or by.escalated
        asked = replace(asked, by=by.kind, model=model, ms=by.ms, via=by.via, escalated=over)
        if by.usage:
            used = _count(by.usage.get("input")), _count(by.usage.get("output"))
            cost = by.usage.get("cost_usd")
            paid = float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None
            asked = replace(asked, tokens=used, dollars=paid)
        asked = replace(asked, saw=foreign(about.get("saw")))
    if isinstance(event, stored.InquiryCancelled):
        taken_over = about.get("cause") == "taken_over"  # what the user did says enough
        parts = ("",) if taken_over else (text_at(about, "error"), text_at(about, "advice"))
        failure = ". ".join(part for part in parts if part)
        tag = "too_long" if about.get("cause") == "too_long" else event.reason
        return replace(asked, how="cancelled", tag=Foreign(tag), explanation=Foreign(failure))
    words = Foreign(event.explanation or "")
    some = taken(asked.offered, event.extra.get("parts"))
    return replace(asked, how="answered", answer=event.answer, explanation=words, parts=some)


def handed(told: Json) -> Handed:
    """Why a question that a reviewer was to answer came to the human, from what stands beside its request."""
    if not isinstance(told, dict):
        return ""
    if (cause := told.get("cause")) in ("too_long", "taken_over"):
        return cause  # type: ignore[return-value]
    return "failed" if told.get("failed") is True else "rejected"


def _count(found: Json) -> int:
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def _names(found: Json) -> tuple[str, ...]:
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def foreign(value: Json) -> Foreign:
    """The text of a JSON value that should be text; nothing for anything else."""
    return Foreign(value) if isinstance(value, str) else NOTHING


def text_at(raw: JsonObject, key: str) -> str:
    """The text under a key; empty when there is none."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""

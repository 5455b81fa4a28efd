"""A question and its outcome as one value, for the conversation, the activity and the lists (R16-R25, E42).

Built from stored events, so that reloaded and live questions agree. Contains untrusted text and no text of jp-tui: that
is in `outcome_line.py` and `why.py`. Behaviour never depends on a reason (R24) and no id is split (R29).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jp_tui.conversation import events as stored
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.view.questions.partial_approval import Offered, PartTaken, offered, part_results

How = Literal["open", "deferred", "answered", "redacted", "cancelled", "withdrawn"]
"""`deferred`: open in a turn that was ended to wait for it; `withdrawn`: closed without a record here."""
Handed = Literal["", "rejected", "failed", "too_long", "taken_over"]
NOTHING = Foreign("")


@dataclass(frozen=True, slots=True, kw_only=True)
class InquiryView:
    """`asker` is the name of the tool or whatever `source` says; `by` the kind of responder, `model` which one.

    `explanation` is the responder's own text or a note (R21, R182), `tag` why there is no answer (R22, R23), `via` the
    client used, `escalated`: a reviewer said no before (R149), `handed` why a reviewer's question reached the user.
    `why` and `row` name the rule, `reviewer` the deciding model, `heard` its reason so far; `tokens` (in, out) and
    `dollars` are the answer's cost, `saw` what it was shown. `question` is the bare id within its call; `discards` the
    questions whose answers were discarded when it was asked, `moved`: it was left with Back, `restores` what its undo
    restored, `restarts`: earlier answers don't count (R177, R97b). `offered` are the parts of a change, `parts` the
    result of each (R251). `lost`: a secret that was gone when the turn resumed after a restart, and was asked again
    (R12). `to` is who is asked, empty for the owner, `needed` how many must approve it and `approved` who did;
    `answered_by` is the person who answered from elsewhere, for `stands_for` who is away (store.md D13-D17).
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
    to: Foreign = NOTHING
    needed: int = 1
    approved: tuple[str, ...] = ()
    answered_by: Foreign = NOTHING
    stands_for: Foreign = NOTHING

    @property
    def assistant(self) -> bool:
        """True if the assistant itself asks (R160)."""
        return self.source == "assistant"


def question(event: stored.InquiryRequest) -> InquiryView:
    """Return a recorded question, still open."""
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
        discards=names_in(event.metadata.get("discards")),
        offered=offered(event.question),
        to=foreign(event.metadata.get("to")),
        needed=_count(event.metadata.get("approvals")) or 1,
    )


def with_people(asked: InquiryView, event: stored.InquiryVote | stored.InquiryAssigned) -> InquiryView:
    """Add an approval before the last one, or a hand-over (store.md D15, D16)."""
    if isinstance(event, stored.InquiryAssigned):
        return replace(asked, to=Foreign(event.to))
    who = event.responder.who if event.responder is not None else ""
    return replace(asked, approved=(*asked.approved, who)) if event.vote and who not in asked.approved else asked


def recorded_inquiry(asked: stored.InquiryRequest, response: stored.InquiryResponse | None) -> InquiryView:
    """Return a recorded question with its outcome."""
    return question(asked) if response is None else with_response(question(asked), response)


def with_response(asked: InquiryView, event: stored.InquiryResponse) -> InquiryView:
    """Add the recorded outcome, which has more details than the event about it."""
    about = event.metadata
    moved, restores = names_in(about.get("discards")), names_in(about.get("restores"))
    if moved or restores or about.get("restarts") is True:
        asked = replace(asked, moved=moved, restores=restores, restarts=about.get("restarts") is True)
    if isinstance(event, stored.InquiryRedacted):
        return replace(asked, how="redacted")
    by = event.responder
    if by is not None:
        model = Foreign(by.model)
        over = asked.escalated or by.escalated
        asked = replace(asked, by=by.kind, model=model, ms=by.ms, via=by.via, escalated=over)
        if by.offer:
            asked = replace(asked, answered_by=Foreign(by.who), stands_for=Foreign(by.on_behalf))
        if by.usage:
            used = _count(by.usage.get("input")), _count(by.usage.get("output"))
            cost = by.usage.get("cost_usd")
            paid = float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None
            asked = replace(asked, tokens=used, dollars=paid)
        asked = replace(asked, saw=foreign(about.get("saw")))
    if isinstance(event, stored.InquiryCancelled):
        taken_over = about.get("cause") == "taken_over"  # the user's action says enough
        parts = ("",) if taken_over else (text_at(about, "error"), text_at(about, "advice"))
        failure = ". ".join(part for part in parts if part)
        tag = "too_long" if about.get("cause") == "too_long" else event.reason
        return replace(asked, how="cancelled", tag=Foreign(tag), explanation=Foreign(failure))
    words = Foreign(event.explanation or "")
    some = part_results(asked.offered, event.extra.get("parts"))
    if names := names_in(event.extra.get("approved_by")):
        asked = replace(asked, approved=names)
    return replace(asked, how="answered", answer=event.answer, explanation=words, parts=some)


def handed(told: Json) -> Handed:
    """Return why a reviewer's question reached the user, from the metadata of its request."""
    if not isinstance(told, dict):
        return ""
    if (cause := told.get("cause")) in ("too_long", "taken_over"):
        return cause  # type: ignore[return-value]
    return "failed" if told.get("failed") is True else "rejected"


def _count(found: Json) -> int:
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def names_in(found: Json) -> tuple[str, ...]:
    """Return the texts of a JSON value that should be a list of names."""
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def foreign(value: Json) -> Foreign:
    """Return the text of a JSON value that should be text; empty for anything else."""
    return Foreign(value) if isinstance(value, str) else NOTHING


def text_at(raw: JsonObject, key: str) -> str:
    """Return the text under a key; empty if there is none."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""

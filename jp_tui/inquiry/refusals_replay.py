"""Refused targets of a resumed turn, decoded from its log (inquiries.md R207, R237, R247), by the rules of
`refusals.py`.

A damaged record yields fewer refusals, never different ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from jp_tui.conversation import events as ev
from jp_tui.conversation.strict_json import text_of
from jp_tui.inquiry import escalations, parts, refusals
from jp_tui.inquiry.inputs import TurnResumed
from jp_tui.inquiry.state import EarlierVerdict, EscalationCause

TARGETS = "targets"
"""Metadata of a request: the targets that a yes changes."""
AFTER = "after"
"""Metadata of a request: the inquiry that it repeats for another responder; that inquiry's answer isn't final."""
BEFORE = "before"
"""Metadata of a request: the reviewer's verdict before it was asked a second time."""


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """Boolean question from the log. `key` is its intent, if a tool asked; `parts` are (id, title)."""

    targets: tuple[str, ...]
    key: str
    escalation: EscalationCause | None
    before: tuple[EarlierVerdict, ...]
    parts: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Turn:
    """State while reading one turn. `again` lists inquiries that were repeated for another responder."""

    again: frozenset[str]
    refused: Mapping[str, str] = field(default_factory=dict)
    rejections: dict[str, int] = field(default_factory=dict)

    def answered(self, asked: RecordedQuestion, event: ev.InquiryAnswered) -> None:
        if event.id in self.again or event.responder is None:
            return
        who, taken = event.responder, parts.decode_parts(event.extra.get("parts"))
        partly = taken is not None and 0 < len(taken.accepted) < len(asked.parts)
        how = refusals.refusal_text(event.answer, who.kind, who.model, partly=partly)
        overruled = refusals.refuser(asked.escalation)
        if not overruled and asked.before:  # an unfinished second review that became a person's question
            overruled = refusals.by_model(asked.before[-1].model)
        self.refused = refusals.refusals_after(self.refused, asked.targets, event.answer, who.kind, how, overruled)
        if event.answer is False and asked.key:
            self.rejections[asked.key] = self.rejections.get(asked.key, 0) + 1

    def requested(self, asked: RecordedQuestion) -> None:
        """Apply a request. A reviewer's no that is escalated stands until it is overruled."""
        if how := refusals.refuser(asked.escalation):
            self.refused = refusals.refuse(self.refused, asked.targets, how)

    def cancelled(self, asked: RecordedQuestion, event: ev.InquiryCancelled) -> None:
        """Apply a cancellation. A second review without a verdict leaves the first in force."""
        if event.reason in ("backend_error", "no_prompt_backend") and asked.before:
            how = refusals.by_model(asked.before[-1].model)
            self.refused = refusals.refuse(self.refused, asked.targets, how)


def turn_resumed(turn: Sequence[ev.Event]) -> TurnResumed:
    """Return the refusals that the events of one turn leave, in their order."""
    found = _Turn(
        frozenset(text_of(event.metadata.get(AFTER)) for event in turn if isinstance(event, ev.InquiryRequest))
    )
    waiting: dict[str, list[RecordedQuestion | None]] = {}  # ids of older logs may repeat (R29)
    for event in turn:
        match event:
            case ev.InquiryRequest(id=id_):
                asked = asked_in(event)
                waiting.setdefault(id_, []).append(asked)
                if asked is not None:
                    found.requested(asked)
            case ev.InquiryAnswered(id=id_) if waiting.get(id_):
                if (asked := waiting[id_].pop(0)) is not None:
                    found.answered(asked, event)
            case ev.InquiryCancelled(id=id_) if waiting.get(id_):
                if (asked := waiting[id_].pop(0)) is not None:
                    found.cancelled(asked, event)
            case _:
                pass
    return TurnResumed(MappingProxyType(dict(found.refused)), MappingProxyType(found.rejections))


def asked_in(event: ev.InquiryRequest) -> RecordedQuestion | None:
    """Return the question of a recorded request; None unless it is a yes/no question."""
    about, kind = event.metadata, event.question.get("answer_type")
    if not isinstance(kind, dict) or kind.get("type") != "boolean":
        return None
    listed, shown = about.get(TARGETS), event.question.get("parts")
    targets = tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()
    tool, question = text_of(about.get("tool")), text_of(about.get("question"))
    return RecordedQuestion(
        targets=targets,
        key=refusals.intent(tool, question, targets) if event.source.kind == "tool" else "",
        escalation=escalations.decode_escalation(about.get("escalation")),
        before=escalations.decode_verdicts(about.get(BEFORE)),
        parts=tuple(
            (text_of(one.get("id")), text_of(one.get("title")))
            for one in (shown if isinstance(shown, list) else [])
            if isinstance(one, dict)
        ),
    )

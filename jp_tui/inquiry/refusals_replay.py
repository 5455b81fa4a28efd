"""What was refused in a turn, read back from its record (inquiries.md R207, R237, R247), for a turn that goes on.

It judges what the machine wrote as the machine did (`refusals.py`); a damaged record refuses less, never anything else.
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
"""Metadata of a request: the inquiry that it puts to somebody again; what was said there is not the last word."""
BEFORE = "before"
"""Metadata of a request: what the reviewer said before it is asked once more."""


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A boolean question of the record; `key` is its intent, when a tool asked; `parts` are (id, title)."""

    targets: tuple[str, ...]
    key: str
    escalation: EscalationCause | None
    before: tuple[EarlierVerdict, ...]
    parts: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Turn:
    """`again` are inquiries that were put to somebody again."""

    again: frozenset[str]
    refused: Mapping[str, str] = field(default_factory=dict)
    rejections: dict[str, int] = field(default_factory=dict)

    def answered(self, asked: RecordedQuestion, event: ev.InquiryAnswered) -> None:
        if event.id in self.again or event.responder is None:
            return
        who, taken = event.responder, parts.read(event.extra.get("parts"))
        partly = taken is not None and 0 < len(taken.accepted) < len(asked.parts)
        how = refusals.how(event.answer, who.kind, who.model, partly=partly)
        overruled = refusals.refuser(asked.escalation)
        if not overruled and asked.before:  # a second look that was cut off, and became a person's
            overruled = refusals.by_model(asked.before[-1].model)
        self.refused = refusals.after(self.refused, asked.targets, event.answer, who.kind, how, overruled)
        if event.answer is False and asked.key:
            self.rejections[asked.key] = self.rejections.get(asked.key, 0) + 1

    def requested(self, asked: RecordedQuestion) -> None:
        """The no of a reviewer that is put to the human stands until it is overruled."""
        if how := refusals.refuser(asked.escalation):
            self.refused = refusals.refuse(self.refused, asked.targets, how)

    def cancelled(self, asked: RecordedQuestion, event: ev.InquiryCancelled) -> None:
        """A second look that came to nothing leaves the first."""
        if event.reason in ("backend_error", "no_prompt_backend") and asked.before:
            how = refusals.by_model(asked.before[-1].model)
            self.refused = refusals.refuse(self.refused, asked.targets, how)


def turn_resumed(turn: Sequence[ev.Event]) -> TurnResumed:
    """What the events of one turn, in their order, leave refused."""
    found = _Turn(
        frozenset(text_of(event.metadata.get(AFTER)) for event in turn if isinstance(event, ev.InquiryRequest))
    )
    waiting: dict[str, list[RecordedQuestion | None]] = {}  # ids of older logs may come twice (R29)
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
    """What a request of the record asks; None for a question that is no yes or no."""
    about, kind = event.metadata, event.question.get("answer_type")
    if not isinstance(kind, dict) or kind.get("type") != "boolean":
        return None
    listed, shown = about.get(TARGETS), event.question.get("parts")
    targets = tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()
    tool, question = text_of(about.get("tool")), text_of(about.get("question"))
    return RecordedQuestion(
        targets=targets,
        key=refusals.intent(tool, question, targets) if event.source.kind == "tool" else "",
        escalation=escalations.read(about.get("escalation")),
        before=escalations.read_verdicts(about.get(BEFORE)),
        parts=tuple(
            (text_of(one.get("id")), text_of(one.get("title")))
            for one in (shown if isinstance(shown, list) else [])
            if isinstance(one, dict)
        ),
    )

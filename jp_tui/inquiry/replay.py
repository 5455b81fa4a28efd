"""Decoder for the answers of one call in the log (inquiries.md R237).

It reads the call's requests and responses in order. Answers that Back discarded stay discarded, and those its undo
restored count again (R177), by the metadata of the events and never by a cancellation's id (R24). A damaged record
yields fewer answers, never different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from jp_tui.conversation.events import (
    InquiryAnswered,
    InquiryAssigned,
    InquiryCancelled,
    InquiryRedacted,
    InquiryRequest,
    InquiryResponse,
    InquiryVote,
)
from jp_tui.conversation.strict_json import Json, JsonObject, text_of
from jp_tui.inquiry import approvals, escalations, parts, refusals
from jp_tui.inquiry.forms import DISCARDS, RESTORES
from jp_tui.inquiry.on_human import RESTARTS
from jp_tui.inquiry.on_subagent import ASKS
from jp_tui.inquiry.refusals_replay import BEFORE, RecordedQuestion, asked_in
from jp_tui.inquiry.values import GivenAnswer, Last, Recorded


def recorded(request: InquiryRequest) -> Recorded:
    """Return a recorded request in the form CallResumed needs."""
    about = request.metadata
    return Recorded(
        request.id,
        text_of(about.get("question")),
        text_of(about.get("digest")),
        escalations.decode_escalation(about.get("escalation")),
        escalations.decode_verdicts(about.get(BEFORE)),
        text_of(about.get(ASKS)),
        approvals.decode_addressed(about),
    )


def voted(before: Recorded, event: InquiryVote | InquiryAssigned) -> Recorded:
    """Return an open request once this event of it is recorded."""
    asked, votes = approvals.after(before.asked, before.votes, before.digest, event)
    return replace(before, asked=asked, votes=votes)


@dataclass(slots=True)
class ReplayedState:
    """Decoded state of a call: `answers` in the order they were given, `discarded` in Back's order, `unasked` and
    `last` as in Work; `declined` are digests of questions whose server reads a no (mcp.md P42)."""

    answers: dict[str, GivenAnswer] = field(default_factory=dict)
    discarded: dict[str, GivenAnswer] = field(default_factory=dict)
    unasked: set[str] = field(default_factory=set)
    last: Last | None = None
    declined: set[str] = field(default_factory=set)
    _requests: dict[str, RecordedQuestion] = field(default_factory=dict)
    _latest: dict[str, GivenAnswer] = field(default_factory=dict)

    def asked(self, question: str, about: JsonObject, request: InquiryRequest | None = None) -> None:
        """Apply a request and its metadata. A question that is asked again counts as unanswered. Without the request
        itself, `rejects` is unknown."""
        self._discard(about)
        self.answers.pop(question, None)
        if self.last is not None and self.last.question == question:
            self.last = None
        found = asked_in(request) if request is not None else None
        if request is not None and found is not None:
            self._requests[request.id] = found

    def closed(self, asked: Recorded, event: InquiryResponse) -> None:
        """Apply the response to a request of this call."""
        self._discard(event.metadata)
        for question in _names(event.metadata.get(RESTORES)):
            if (given := self.discarded.pop(question, None)) is not None:
                self.answers[question] = given
        if event.metadata.get(RESTARTS) is True:
            self.answers, self.discarded, self._latest, self.last = {}, {}, {}, None
        if isinstance(event, InquiryAnswered | InquiryRedacted):
            self.discarded, self.last = {}, None
        if isinstance(event, InquiryAnswered):
            self._answer(asked, event)
        if isinstance(event, InquiryCancelled) and event.reason == "user_decline":
            self.declined.add(asked.digest)

    def in_order(self) -> tuple[tuple[str, GivenAnswer], ...]:
        """Return the answers that Back discarded, in the form CallResumed needs."""
        return tuple(self.discarded.items())

    def _answer(self, asked: Recorded, event: InquiryAnswered) -> None:
        kind = event.responder.kind if event.responder is not None else "user"
        note = event.explanation or "" if kind == "user" else ""
        taken = parts.decode_parts(event.extra.get("parts")) if kind == "user" else None
        given = GivenAnswer(event.answer, asked.digest, note, kind in ("static", "remembered"), taken)
        self.answers.pop(asked.question, None)
        self.answers[asked.question] = self._latest[asked.question] = given
        self.last = self._last(asked, event)
        if kind == "user" and asked.escalation is None:
            self.unasked.discard(asked.question)
        else:
            self.unasked.add(asked.question)

    def _last(self, asked: Recorded, event: InquiryAnswered) -> Last | None:
        found = self._requests.get(event.id)
        if found is None or event.responder is None:
            return None
        taken = parts.decode_parts(event.extra.get("parts"))
        return Last(
            asked.question,
            event.answer,
            event.explanation or "",
            event.responder,
            bool(refusals.refuser(asked.escalation)),
            rejects=event.answer is False,
            intent=found.key,
            comments=parts.part_comments(found.parts, taken),
        )

    def _discard(self, about: JsonObject) -> None:
        """Apply the list of all answers that are currently discarded."""
        if not (names := _names(about.get(DISCARDS))):
            return
        for question in names:
            self.answers.pop(question, None)
        if self.last is not None and self.last.question in names:
            self.last = None
        self.discarded = {question: self._latest[question] for question in names if question in self._latest}


def _names(found: Json) -> Sequence[str]:
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

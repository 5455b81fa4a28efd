"""Shared steps for closing an inquiry: find it, record its one response, let the call continue or end. Also what stays
open when the client left (Z9): no policy replaces the user who was there.

Facts precede effects in every list. This module doesn't choose who answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jp_tui.conversation.events import (
    CancelReason,
    InquiryAnswered,
    InquiryCancelled,
    InquiryRedacted,
    InquiryResponse,
    Responder,
    ResponderKind,
)
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages, parts, refusals, transitions
from jp_tui.inquiry import values as v
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer, Taken

Decision = tuple[v.State, list[s.Step]]

POLICY = "policy"
"""Value of `Settled.by` for a question that a policy closed."""
CLIENT_GONE: JsonObject = {"choice": "cancel", "by": "system", "reason": "client gone"}
"""Decision recorded with the response of an undecided call."""
_PROMPTS = (v.PERMISSION, v.DELIVERY, v.REVIEW)


def find(state: v.State, inquiry: str, shown: str) -> v.Waiting | s.Refuse:
    """Return the waiting item with that id. Refuse if `shown` isn't the digest of what is asked (R235)."""
    for item in state.waiting:
        if item.inquiry == inquiry:
            if item.digest == shown:
                return item
            return s.Refuse(inquiry, "the question has changed since it was shown", False)
    if any(item.inquiry == inquiry for item in state.reviewed):
        return s.Refuse(inquiry, "a reviewer is deciding it", False)
    if inquiry in state.deferred:
        return s.Refuse(inquiry, "it is deferred", False)
    return refuse_late(state, inquiry)


def refuse_late(state: v.State, inquiry: str) -> s.Refuse:
    """Refuse a late answer: the first durable response wins. The refusal names who gave it."""
    by = state.settled.get(inquiry)
    if by is None:
        return s.Refuse(inquiry, "no such open question", True)
    return s.Refuse(inquiry, "already answered" if by else "withdrawn", True, by)


def may_remember(question: Question) -> bool:
    """True for a boolean question with persistence `turn` that a stored answer could cover (R113, R247)."""
    return isinstance(question.answer_type, BooleanAnswer) and question.persistence == "turn" and not question.floor


def rememberable(opened: v.OpenQuestion) -> bool:
    """True if its answer may be remembered. False where an earlier refusal requires a person (R247)."""
    return may_remember(opened.question) and not opened.refused


def overruled(opened: v.OpenQuestion) -> bool:
    """True if a reviewer rejected it before. A review without a verdict doesn't count (R148)."""
    return bool(refusals.refuser(opened.escalation))


def answered_by(opened: v.OpenQuestion, who: Responder) -> Responder:
    """Mark the responder of an escalated question (R149)."""
    return replace(who, escalated=True) if overruled(opened) else who


def response(
    opened: v.OpenQuestion,
    value: Json,
    who: Responder,
    reason: str,
    taken: Taken | None = None,
    saw: str = "",
    about: JsonObject | None = None,
    approved_by: Sequence[str] = (),
) -> InquiryResponse:
    """Build the recorded answer. A secret's value never reaches the log (R202). `saw`: what a reviewer was shown;
    `approved_by`: the people whose approvals it took (store.md D15)."""
    if isinstance(opened.question.answer_type, SecretAnswer):
        return InquiryRedacted(id=opened.inquiry)
    extra: JsonObject = {} if taken is None else {"parts": parts.encode_parts(taken)}
    if approved_by:
        extra["approved_by"] = list(approved_by)
    about = {**(about or {}), **({"saw": saw} if saw else {})}
    if who.kind == "assistant" and not reason and value is False:  # a "no" needs no reason (R136, Z5)
        about["reason_missing"] = True
    return InquiryAnswered(
        id=opened.inquiry, answer=value, explanation=reason or None, responder=who, extra=extra, metadata=about
    )


def record_answer(
    state: v.State,
    opened: v.OpenQuestion,
    value: Json,
    who: Responder,
    reason: str = "",
    taken: Taken | None = None,
    saw: str = "",
    about: JsonObject | None = None,
    approved_by: Sequence[str] = (),
) -> Decision:
    """Record an answer and run the tool again (R108). Only a person's reason becomes a note for the tool (R182), and
    only a person accepts parts of a question (R251)."""
    who = answered_by(opened, who)
    event = response(opened, value, who, reason, taken, saw, about, approved_by)
    redacted = isinstance(event, InquiryRedacted)
    note = reason if who.kind == "user" else ""
    given = v.GivenAnswer(value, opened.digest, note, unseen=who.kind in ("remembered", "static"), taken=taken)
    last = _last(state, opened, None if redacted else value, reason, who, taken)
    state = transitions.close_inquiry(state, opened.inquiry, who.kind)
    state = refusals.apply_answer(state, opened, value, who.kind, who.model, taken)
    asked = who.kind == "user" and opened.escalation is None
    state = transitions.add_answer(state, opened.call, opened.question.id, given, last, asked=asked)
    return state, [
        s.Record(event),
        s.Settled(opened.inquiry, "redacted" if redacted else "answered", who.kind),
        s.RunAgain(opened.call, state.calls[opened.call].answers),
    ]


def _last(
    state: v.State, opened: v.OpenQuestion, value: Json, reason: str, who: Responder, taken: Taken | None
) -> v.Last:
    question = opened.question
    no = isinstance(question.answer_type, BooleanAnswer) and value is False
    key = refusals.intent(state.calls[opened.call].tool, question.id, question.targets)
    titles = [(part.id, part.title) for part in question.parts]
    return v.Last(
        question.id,
        value,
        reason,
        who,
        overruled(opened),
        rejects=no,
        intent=key if opened.source == "tool" else "",
        comments=parts.part_comments(titles, taken),
    )


def cancel(
    state: v.State,
    opened: v.OpenQuestion,
    reason: CancelReason,
    by: str,
    who: Responder | None = None,
    about: JsonObject | None = None,
) -> Decision:
    """Record a cancellation. The call itself stays undecided. `about` is stored in the record's metadata."""
    who = answered_by(opened, who) if who else closer(opened.escalation, None)
    event = InquiryCancelled(id=opened.inquiry, reason=reason, responder=who, metadata=about or {})
    return transitions.close_inquiry(state, opened.inquiry, by), [
        s.Record(event),
        s.Settled(opened.inquiry, "cancelled", by),
    ]


def complete(
    state: v.State, call: str, content: str, *, is_error: bool, decision: JsonObject | None = None
) -> Decision:
    """End the call and close what an earlier run left open (R237)."""
    state, steps = drop_recorded(state, call)
    return transitions.remove_call(state, call), [*steps, s.Complete(call, content, is_error, decision or {})]


def drop_recorded(state: v.State, call: str, by: str = "") -> Decision:
    """Close requests of an earlier run that this call doesn't ask again."""
    work = state.calls.get(call)
    return _close(state, [(item.inquiry, item.escalation) for item in work.recorded] if work else [], by)


def drop_open(state: v.State, call: str, by: str = "") -> Decision:
    """Close what this call currently asks the user or a reviewer (R118)."""
    prompts = [item.inquiry for item in state.waiting if item.call == call and not isinstance(item, v.OpenQuestion)]
    asked = [
        (item.inquiry, item.escalation)
        for item in (*state.waiting, *state.reviewed)
        if item.call == call and isinstance(item, v.OpenQuestion)
    ]
    state, steps = _close(state, asked, by)
    for inquiry in prompts:
        state = transitions.close_inquiry(state, inquiry, by)
        steps.append(_settled_step(inquiry, by))
    return state, steps


def drop_deferred(state: v.State, call: str, by: str = "") -> Decision:
    """Close this call's deferred requests."""
    left = [opened for opened in state.deferred.values() if opened.call == call]
    return _close(state, [(opened.inquiry, opened.escalation) for opened in left], by)


def _close(state: v.State, asked: list[tuple[str, v.EscalationCause | None]], by: str) -> Decision:
    """Record these as cancelled with reason `user`. `by` is empty when the asker went away, `user` when the turn was
    ended."""
    steps: list[s.Step] = [
        s.Record(InquiryCancelled(id=inquiry, responder=closer(told, "user" if by else None)))
        for inquiry, told in asked
    ]
    for inquiry, _ in asked:
        state = transitions.close_inquiry(state, inquiry, by)
        steps.append(_settled_step(inquiry, by))
    return state, steps


def closer(told: v.EscalationCause | None, kind: ResponderKind | None) -> Responder | None:
    """Return who closed an inquiry: `kind`, or jp-tui itself if `kind` is None and the question was escalated (Z7)."""
    escalated = bool(refusals.refuser(told))
    if kind is None:
        return Responder("system", escalated=True) if escalated else None
    return Responder(kind, escalated=escalated)


def _settled_step(inquiry: str, by: str) -> s.Step:
    return s.Settled(inquiry, "cancelled" if by else "withdrawn", by)


def client_gone(state: v.State) -> Decision:
    """Leave open what waits for the user, and close what cannot be resumed."""
    state = transitions.without_client(state)
    steps: list[s.Step] = []
    for item in state.waiting:
        if isinstance(item, v.OpenQuestion | v.OpenReview) and item.asks:
            continue  # a sub-agent's question: its own machine leaves it open
        state, more = leave_open(state, item)
        steps += more
    return state, steps


def leave_open(state: v.State, item: v.Waiting) -> Decision:
    """Leave this open for the next client, or close it where the call could not be resumed."""
    if isinstance(item, v.OpenQuestion):
        return transitions.defer_request(state, item), [s.Defer(item.call)]
    if isinstance(item, v.OpenPermission) and not _resumable(state, item.call):
        state = transitions.close_inquiry(state, item.inquiry, "system")
        settled = s.Settled(item.inquiry, "withdrawn", "system")
        state, steps = complete(state, item.call, messages.NO_ONE_ANSWERED, is_error=True, decision=CLIENT_GONE)
        return state, [settled, *steps]
    return transitions.dequeue_prompt(state, item.inquiry), [s.Defer(item.call)]


def _resumable(state: v.State, call: str) -> bool:
    """True if the log has an inquiry of this call, so that it can be resumed (R207)."""
    asked = any(name == call and question not in _PROMPTS for name, question in state.ledger.attempts)
    work = state.calls.get(call)
    return asked or bool(work is not None and work.recorded)

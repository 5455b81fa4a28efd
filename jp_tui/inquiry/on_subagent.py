"""Questions of sub-agents and their tools at the parent's machine (inquiries.md R220, R222, R249, Z8).

A sub-agent's own machine decides about them. The parent queues them with its own, forwards the user's input and records
the outcome as well. Only the end of the whole turn is decided here, as for every question (R180).
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.events import InquiryCancelled, InquiryRequest, Source
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import escalations, transitions
from jp_tui.inquiry import values as v
from jp_tui.inquiry.approvals import encode_addressed
from jp_tui.inquiry.closing import Decision, closer, find
from jp_tui.questions.wire import recorded

AGENT = "agent"
"""Metadata of a request: the conversation of the sub-agent that asks."""
ASKS = "asks"
"""Metadata of a request: the inquiry's id in that conversation."""
ASKED_AS = "asked_as"
"""Metadata of a request: the source that the inquiry has in that conversation."""

Human = (
    v.HumanAnswered
    | v.HumanAssigned
    | v.HumanCancelled
    | v.HumanReplied
    | v.HumanEdited
    | v.HumanPermitted
    | v.HumanDelivered
    | v.HumanWentBack
    | v.HumanRestored
    | v.HumanSubmitted
    | v.HumanUnanswered
)
"""User inputs that concern one question, all but the end of the turn."""


def source(agent: str) -> str:
    """Return the name under which a sub-agent asks (R222)."""
    return f"sub_agent:{agent}"


def ask_for_subagent(state: v.State, given: v.RelayWanted) -> Decision:
    """Record a sub-agent's question, unless the unfinished turn already recorded it (R237)."""
    work = state.calls.get(given.call)
    if work is None:
        return state, []
    asked = given.ask
    if isinstance(asked, v.OpenReview):
        state, inquiry = transitions.attempt(state, given.call, v.REVIEW)
        review = replace(asked, inquiry=inquiry, call=given.call, source="other", asks=asked.inquiry)
        return transitions.enqueue_prompt(state, review), [s.AskReview(review, given.back)]
    opened = replace(asked, call=given.call, source="other", asks=asked.inquiry, asked_as=asked.source)
    before = next((item for item in work.recorded if _again(item, opened)), None)
    asking: list[s.Step] = []
    if before is not None:
        state, opened = transitions.reopen_request(state, given.call, before), replace(opened, inquiry=before.inquiry)
    else:
        state, opened, record = _request(state, opened, given)
        asking = [record]
    return transitions.enqueue_prompt(state, opened), [
        *asking,
        s.AskHuman(opened, given.label, given.remember, given.why),
    ]


def _again(before: v.Recorded, opened: v.OpenQuestion) -> bool:
    """True if this recorded request asks the same of the same people."""
    same = (before.asks, before.digest) == (opened.asks, opened.digest)
    return same and before.asked.same(opened.asked)


def _request(state: v.State, opened: v.OpenQuestion, given: v.RelayWanted) -> tuple[v.State, v.OpenQuestion, s.Record]:
    """A new attempt under the call that started the sub-agent (R249)."""
    state, inquiry = transitions.attempt(state, opened.call, opened.question.id)
    about: JsonObject = {
        "call": opened.call,
        "question": opened.question.id,
        "tool": given.tool,
        "digest": opened.digest,
        "why": given.why,
        AGENT: given.agent,
        ASKS: opened.asks,
        ASKED_AS: opened.asked_as or "",
    }
    about |= encode_addressed(opened.asked)
    if opened.escalation is not None:
        about["escalation"] = escalations.encode_escalation(opened.escalation)
    event = InquiryRequest(
        id=inquiry, source=Source("other", source(given.agent)), question=recorded(opened.question), metadata=about
    )
    return state, replace(opened, inquiry=inquiry), s.Record(event)


def _concerns(state: v.State, inquiry: str) -> bool:
    return any(
        isinstance(item, v.OpenQuestion | v.OpenReview) and item.inquiry == inquiry and item.asks
        for item in state.waiting
    )


def hands_on(state: v.State, given: v.Input) -> Decision | None:
    """Forward the user's input to the sub-agent's machine unchanged. Return None if it doesn't concern a sub-agent's
    question."""
    if not isinstance(given, Human) or not _concerns(state, given.inquiry):
        return None
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    assert isinstance(opened, v.OpenQuestion | v.OpenReview)
    return state, [s.RelayAnswer(opened, replace(given, inquiry=opened.asks))]


def people_for_subagent(state: v.State, given: v.RelayPeople) -> Decision:
    """Record an approval or a hand-over that the sub-agent's machine recorded (store.md D15, D16)."""
    for item in state.waiting:
        if isinstance(item, v.OpenQuestion) and (item.call, item.asks) == (given.call, given.asks):
            opened = replace(item, asked=given.asked, votes=given.votes)
            facts: list[s.Step] = [] if given.event is None else [s.Record(replace(given.event, id=item.inquiry))]
            return transitions.update_question(state, opened), [*facts, s.PeopleChanged(opened, given.why)]
    return state, []


def close_for_subagent(state: v.State, given: v.RelayClosed) -> Decision:
    """Record the outcome that the sub-agent's machine reached (R222)."""
    for item in state.waiting:
        if isinstance(item, v.OpenQuestion | v.OpenReview) and (item.call, item.asks) == (given.call, given.asks):
            told = item.escalation if isinstance(item, v.OpenQuestion) else None
            return _closed(state, item.inquiry, given, told, on_record=isinstance(item, v.OpenQuestion))
    work = state.calls.get(given.call)
    for before in work.recorded if work is not None else ():
        if before.asks == given.asks:
            return _closed(state, before.inquiry, given, before.escalation, on_record=True)
    return state, []


def _closed(
    state: v.State, inquiry: str, given: v.RelayClosed, told: v.EscalationCause | None, *, on_record: bool
) -> Decision:
    facts: list[s.Step] = []
    if on_record:
        response = given.response or InquiryCancelled(id=inquiry, responder=closer(told, None))
        facts = [s.Record(replace(response, id=inquiry, metadata={}))]
    return transitions.close_inquiry(state, inquiry, given.by), [*facts, s.Settled(inquiry, given.how, given.by)]

"""Effects of a reviewing model's verdict (inquiries.md R136, R137, R247, section 9).

A verdict is validated like any other answer. A yes without a reason isn't valid, and a yes never suffices for targets
refused before. If the user will be asked, the tool doesn't run on the reviewer's no. A late verdict changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.events import Responder
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages, refusals, transitions, why
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import Decision, cancel, record_answer, refuse_late, response
from jp_tui.inquiry.on_question import escalated, escalation_words, no_responder, refused, request, to_human
from jp_tui.inquiry.parts import describe_mismatch, writable
from jp_tui.questions.types import BooleanAnswer

NO_REASON = "the answer came without a reason"
TAKEN_OVER = "the user took it over before there was a verdict"
ESCALATES = "assistant_with_escalation"


def reviewer_answered(state: v.State, given: v.ReviewerAnswered) -> Decision:
    """Accept the verdict, escalate it, or treat it as missing (R136, R148)."""
    opened = _asked(state, given.inquiry)
    if opened is None:
        return state, [refuse_late(state, given.inquiry)]
    reason = given.reason.strip()
    boolean = isinstance(opened.question.answer_type, BooleanAnswer)
    no = boolean and given.value is False
    wrong = describe_mismatch(opened.question.answer_type, given.value, given.verdicts)
    if wrong is None and not reason and not no:
        wrong = NO_REASON
    if wrong is None and not writable(reason, given.model, given.usage):
        wrong = "the reason cannot be written as JSON"
    if wrong is not None:
        failed = v.ReviewerFailed(given.inquiry, wrong, given.model, given.ms, usage=given.usage, saw=given.saw)
        return _failed(state, opened, failed)
    who, saw = Responder("assistant", model=given.model, ms=given.ms, usage=given.usage), _plain(given.saw)
    if no and opened.rule.target == ESCALATES:
        if state.retry_with_intent and opened.intent and not opened.before:
            return _once_more(state, opened, who, reason, saw)
        return _escalate(state, opened, who, reason, saw)
    if boolean and not no and (why_not := refusals.refusal_reason(state.ledger, opened.question)):
        return _not_enough(state, opened, who, reason, saw, why_not)
    return record_answer(state, opened, given.value, who, reason, saw=saw)


def reviewer_failed(state: v.State, given: v.ReviewerFailed) -> Decision:
    """Handle a missing verdict: ask the user if the settings say so, else M13 or M1 (R137, R155, R247)."""
    opened = _asked(state, given.inquiry)
    if opened is None:
        return state, [refuse_late(state, given.inquiry)]
    return _failed(state, opened, given)


def took_over(state: v.State, given: v.HumanTookOver) -> Decision:
    """Let the user decide instead: close the reviewer's attempt and queue a new one for the user (R156)."""
    opened = _asked(state, given.inquiry)
    if opened is None:
        return state, [refuse_late(state, given.inquiry)]
    if not state.client:
        return state, [s.Refuse(given.inquiry, "nobody is there to take it over", False)]
    told = v.EscalationCause(
        _plain(given.model), _plain(given.heard).strip(), True, given.ms, "taken_over", opened.before
    )
    about = _about("taken_over", TAKEN_OVER)
    state, steps = cancel(state, opened, "user", "user", Responder("user"), about)
    state, more = _to_human(state, opened, told)
    return state, [*steps, *more]


def _asked(state: v.State, inquiry: str) -> v.OpenQuestion | None:
    return next((item for item in state.reviewed if item.inquiry == inquiry), None)


def _failed(state: v.State, opened: v.OpenQuestion, given: v.ReviewerFailed) -> Decision:
    error, model, saw = _plain(given.error) or "no reason was given", _plain(given.model), _plain(given.saw)
    advice = _plain(given.advice)
    usage = given.usage if writable(given.usage) else {}
    too_long = given.kind == "too_long"  # no model was asked, so none failed
    who = Responder("assistant", model=model, ms=given.ms, usage=usage) if model and not too_long else None
    wanted = opened.rule.target == ESCALATES and state.on_failure == "ask"
    if state.client and (wanted or too_long or opened.before):  # the first no survives a failed second review
        words = f"{error}. {advice}" if advice else error
        told = v.EscalationCause(model, words, True, given.ms, "too_long" if too_long else "", opened.before, saw)
        about = _about(given.kind, error, advice)
        state, steps = cancel(state, opened, "backend_error", "assistant", who, about)
        state, more = _to_human(state, opened, told)
        return state, [*steps, *more]
    if opened.before:
        state = refusals.by_reviewer(state, opened, refusals.by_model(opened.before[-1].model))
    tool, about = state.calls[opened.call].tool, _about(given.kind, error, advice)
    if too_long:
        return refused(state, opened, "no_prompt_backend", messages.no_client(tool), about=about)
    text = messages.no_verdict(tool, first_line(opened.question.text), error)
    return refused(state, opened, "backend_error", text, "assistant", who, about)


def _about(cause: str, error: str, advice: str = "") -> JsonObject:
    """Return the cause of a missing verdict for the log (Z7): `cause` is failed, too_long or taken_over; `error`; and
    advice for the user."""
    more: JsonObject = {"advice": advice} if advice else {}
    return {"cause": cause, "error": error, **more}


def _plain(text: str) -> str:
    """Return untrusted text in a form the log can store."""
    return text.encode("utf-8", "replace").decode()


def _record_verdict(
    state: v.State, opened: v.OpenQuestion, value: bool, who: Responder, reason: str, saw: str
) -> Decision:
    """Record a verdict that isn't final (R149)."""
    steps: list[s.Step] = [
        s.Record(response(opened, value, who, reason, saw=saw)),
        s.Settled(opened.inquiry, "answered", "assistant"),
    ]
    return transitions.close_inquiry(state, opened.inquiry, "assistant"), steps


def _once_more(state: v.State, opened: v.OpenQuestion, who: Responder, reason: str, saw: str) -> Decision:
    """Repeat the review after a first no, before asking the user: the reviewer now reads what the assistant wants."""
    state, steps = _record_verdict(state, opened, False, who, reason, saw)
    words = why.second_look(who.model)
    again = replace(opened, before=(v.EarlierVerdict(who.model, reason, who.ms),))
    state, again, asking = request(state, again, _row(opened), words, opened.inquiry)
    return transitions.add_review(state, again), [*steps, asking, s.AskReviewer(again, words, intent=True)]


def _escalate(state: v.State, opened: v.OpenQuestion, who: Responder, reason: str, saw: str) -> Decision:
    """Escalate (section 9): record the first no; the tool doesn't see it while it can be overruled (R149)."""
    question = opened.question
    takes = opened.policy == "defaults" and question.has_default and question.default is True
    takes = takes and not refusals.refusal_reason(
        state.ledger, question
    )  # a default doesn't suffice for refused targets
    if not state.client and opened.policy != "defer" and not takes:
        return record_answer(state, opened, False, who, reason, saw=saw)  # R153: no one can overrule it
    told = v.EscalationCause(who.model, reason, False, who.ms, before=opened.before, saw=saw)
    state, steps = _record_verdict(state, opened, False, who, reason, saw)
    if state.client:
        state, more = _to_human(state, opened, told)
        return state, [*steps, *more]
    words = why.overruled_alone(opened.policy, opened.policy_place)
    state, opened, asking = _put(state, opened, told, words)
    if takes:
        state, more = record_answer(state, opened, True, Responder("default"))
    else:
        state, more = no_responder(state, opened, "deferred")
    return state, [*steps, asking, *more]


def _not_enough(
    state: v.State, opened: v.OpenQuestion, who: Responder, reason: str, saw: str, why_not: str
) -> Decision:
    """R247: a target was refused during the review. Record the reviewer's yes and ask a person."""
    state, steps = _record_verdict(state, opened, True, who, reason, saw)
    told = v.EscalationCause(who.model, f"it said yes, but {why_not}", True, who.ms, saw=saw)
    words = why.refused_asked(why_not)
    state, opened, asking = _put(state, opened, told, words)
    state, more = to_human(state, opened, words) if state.client else no_responder(state, opened, "no_client")
    return state, [*steps, asking, *more]


def _to_human(state: v.State, opened: v.OpenQuestion, told: v.EscalationCause) -> Decision:
    """Create a new attempt of the same question for the user (R149, R150, R154)."""
    words = escalation_words(state, escalated(opened, told))
    state, opened, asking = _put(state, opened, told, words)
    state, more = to_human(state, opened, words)
    return state, [asking, *more]


def _put(
    state: v.State, opened: v.OpenQuestion, told: v.EscalationCause, words: str
) -> tuple[v.State, v.OpenQuestion, s.Record]:
    """Build the request of an escalated question. The reviewer's no stands until it is overruled."""
    by = refusals.refuser(told)
    why_not = refusals.refusal_reason(state.ledger, opened.question, but=by)
    opened = replace(escalated(opened, told), refused=why_not, human_only=opened.human_only or bool(why_not))
    row, before = _row(opened), opened.inquiry
    state = refusals.by_reviewer(state, opened, by)
    return request(state, opened, row, words, before)


def _row(opened: v.OpenQuestion) -> str:
    """Return the row of table 6.3 that selected the reviewer."""
    return {ESCALATES: "6", "assistant": "5", "user": "11"}[opened.rule.target]

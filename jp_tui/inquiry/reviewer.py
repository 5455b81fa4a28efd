"""What a reviewing model's verdict does (inquiries.md R136, R137, section 9).

A verdict is judged like any other answer; a yes without a reason is none. It never runs a tool over a no of its own
when a person is to be asked then, and a late one changes nothing.
"""

from __future__ import annotations

from jp_tui.conversation.events import InquiryAnswered, Responder
from jp_tui.conversation.text import first_line
from jp_tui.inquiry import evolve, messages, why
from jp_tui.inquiry import steps as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.fits import misfit, writable
from jp_tui.inquiry.raised import escalated, escalation_words, nobody, refused, request, to_human
from jp_tui.inquiry.settle import Decision, cancel, gone, take
from jp_tui.questions.types import BooleanAnswer

NO_REASON = "the answer came without a reason"


def reviewer_answered(state: v.State, given: v.ReviewerAnswered) -> Decision:
    """Take the verdict, or escalate it, or treat it as none (R136, R148)."""
    opened = _asked(state, given.inquiry)
    if opened is None:
        return state, [gone(state, given.inquiry)]
    reason = given.reason.strip()
    wrong = misfit(opened.question.answer_type, given.value, given.verdicts)
    if wrong is None and not reason and given.value is not False:
        wrong = NO_REASON
    if wrong is None and not writable(reason, given.model, given.usage):
        wrong = "the reason cannot be written as JSON"
    if wrong is not None:
        return _failed(state, opened, wrong, given.model, given.ms)
    who = Responder("assistant", model=given.model, ms=given.ms, usage=given.usage)
    boolean = isinstance(opened.question.answer_type, BooleanAnswer)
    if boolean and given.value is False and opened.rule.target == "assistant_with_escalation":
        return _escalate(state, opened, v.Escalation(given.model, reason, False, given.ms), who)
    return take(state, opened, given.value, who, reason)


def reviewer_failed(state: v.State, given: v.ReviewerFailed) -> Decision:
    """No verdict: the human where one is to be asked then, else M13 (R137, R155)."""
    opened = _asked(state, given.inquiry)
    if opened is None:
        return state, [gone(state, given.inquiry)]
    return _failed(state, opened, given.error, given.model, given.ms)


def took_over(state: v.State, given: v.HumanTookOver) -> Decision:
    """The human decides instead: the reviewer's attempt is closed, a new one waits for the human (R156)."""
    opened = _asked(state, given.inquiry)
    if opened is None:
        return state, [gone(state, given.inquiry)]
    if not state.client:
        return state, [s.Refuse(given.inquiry, "nobody is there to take it over", False)]
    state, steps = cancel(state, opened, "user", "user", Responder("user"))
    state, more = _to_human(
        state,
        opened,
        v.Escalation(_plain(given.model), _plain(given.heard), True, given.ms, "taken_over", opened.before),
    )
    return state, [*steps, *more]


def _asked(state: v.State, inquiry: str) -> v.Open | None:
    return next((item for item in state.reviewed if item.inquiry == inquiry), None)


def _failed(state: v.State, opened: v.Open, error: str, model: str, ms: int | None) -> Decision:
    error, model = _plain(error) or "no reason was given", _plain(model)
    who = Responder("assistant", model=model, ms=ms) if model else None
    if opened.rule.target == "assistant_with_escalation" and state.client and state.on_failure == "ask":
        state, steps = cancel(state, opened, "backend_error", "assistant", who)
        state, more = _to_human(state, opened, v.Escalation(model, error, True, ms))
        return state, [*steps, *more]
    text = messages.no_verdict(state.calls[opened.call].tool, first_line(opened.question.text), error)
    return refused(state, opened, "backend_error", text, "assistant", who)


def _plain(text: str) -> str:
    """Foreign words as the log can hold them."""
    return text.encode("utf-8", "replace").decode()


def _escalate(state: v.State, opened: v.Open, told: v.Escalation, who: Responder) -> Decision:
    """Section 9: the first no is on record, the tool does not see it while somebody may overrule it (R149)."""
    takes = opened.policy == "defaults" and opened.question.has_default and opened.question.default is True
    if not state.client and opened.policy != "defer" and not takes:
        return take(state, opened, False, who, told.reason)  # R153: nobody may overrule it
    verdict = InquiryAnswered(id=opened.inquiry, answer=False, explanation=told.reason or None, responder=who)
    steps: list[s.Step] = [s.Record(verdict), s.Settled(opened.inquiry, "answered", "assistant")]
    state = evolve.closed(state, opened.inquiry, "assistant")
    if state.client:
        state, more = _to_human(state, opened, told)
        return state, [*steps, *more]
    state, opened, asking = request(
        state, escalated(opened, told), "6", why.overruled_alone(opened.policy, opened.policy_place)
    )
    if takes:
        state, more = take(state, opened, True, Responder("default"))
    else:
        state, more = nobody(state, opened, "deferred")
    return state, [*steps, asking, *more]


def _to_human(state: v.State, opened: v.Open, told: v.Escalation) -> Decision:
    """A new attempt of the same question, for the human (R149, R150, R154)."""
    opened = escalated(opened, told)
    words = escalation_words(state, opened)
    state, opened, asking = request(state, opened, "6", words)
    state, more = to_human(state, opened, words)
    return state, [asking, *more]

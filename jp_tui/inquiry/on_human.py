"""User input for an open question: answer, cancel, reply, edit, end the turn (inquiries.md R182, R248).

A repeated or late input, one with another digest or with an unfitting value changes nothing and is refused.
"""

from __future__ import annotations

from typing import Literal

from jp_tui.conversation.events import Responder
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.inquiry import approvals, forms, messages, parts, refusals, repeats, transitions
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import (
    POLICY,
    Decision,
    cancel,
    complete,
    drop_deferred,
    drop_open,
    drop_recorded,
    find,
    may_remember,
    record_answer,
    rememberable,
)
from jp_tui.inquiry.parts import UNWRITABLE, describe_mismatch, fits, writable
from jp_tui.inquiry.permission import cancelled as prompt_cancelled
from jp_tui.inquiry.permission import edited as prompt_edited
from jp_tui.inquiry.permission import replied as prompt_replied
from jp_tui.inquiry.route import slot
from jp_tui.questions.types import QuestionEnd

RESTARTS = "restarts"
"""Metadata of a response: the call runs again from the start; earlier answers don't apply to it."""


def answer_question(state: v.State, given: v.HumanAnswered) -> Decision:
    """Record an answer with its note (R182), accepted parts (R251) and request to remember it (R113)."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if not isinstance(opened, v.OpenQuestion):
        return state, [s.Refuse(given.inquiry, "this asks for a decision, not for an answer", False)]
    found = approvals.may_answer(opened, given.by)
    if isinstance(found, s.Refuse):
        return state, [found]
    wrong = describe_mismatch(opened.question.answer_type, given.value, given.verdicts)
    if wrong is None:
        wrong = parts.find_parts_problem(opened.question, given.value, given.taken)
    if wrong is None and not writable(given.note):
        wrong = UNWRITABLE
    if wrong is not None:
        return state, [s.Refuse(given.inquiry, wrong, False)]
    if opened.asked.needed > 1 and given.value is True:
        return approvals.approve(state, opened, given, found)
    who = approvals.answering(given.via, given.ms, given.by, found.stands_for)
    tool = state.calls[opened.call].tool
    about: JsonObject | None = {"rules": list(given.rules)} if given.rules else None
    taken = parts.tidy(opened.question, given.taken)
    state, steps = record_answer(state, opened, given.value, who, given.note, taken, about=about)
    if (
        not given.remember
        or not rememberable(opened)
        or opened.asked.needed > 1
        or parts.partial(opened.question, given.taken)
    ):
        return state, steps
    place = slot(tool, opened.question)
    held = v.RememberedAnswer(tool, opened.question.id, given.value, first_line(opened.question.text), given.at)
    state, more = _catch_up(transitions.remember_answer(state, place, held), place, given.value)
    return state, [*steps, *more, s.LedgerChanged()]


def _catch_up(state: v.State, place: str, value: Json) -> Decision:
    """Answer waiting questions that a remembered answer covers, without showing them (R252)."""
    steps: list[s.Step] = []
    for item in state.waiting:
        if not isinstance(item, v.OpenQuestion) or slot(state.calls[item.call].tool, item.question) != place:
            continue
        if item.asked.needed > 1:  # only people count (store.md D15)
            continue
        # a yes doesn't cover refused targets
        covers = value is False or not refusals.refusal_reason(state.ledger, item.question)
        if covers and may_remember(item.question) and fits(item.question.answer_type, value):
            state, more = record_answer(transitions.count_use(state, place), item, value, Responder("remembered"))
            steps = [*steps, *more]
    return state, steps


def cancel_question(state: v.State, given: v.HumanCancelled) -> Decision:
    """Cancel the question (R210)."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if isinstance(opened, v.OpenReview):
        why = "a form is submitted, replied to or ends the turn"
        return state, [s.Refuse(given.inquiry, why, False)]
    if not isinstance(opened, v.OpenQuestion):
        return prompt_cancelled(state, opened)
    if opened.source == "assistant":
        why = "a question of the assistant is answered, replied to or ends the turn"
        return state, [s.Refuse(given.inquiry, why, False)]
    who = Responder("user")
    if given.by is not None:  # who withdraws it at the conversation's own front end needn't be asked (store.md D14)
        found = approvals.may_answer(opened, given.by)
        if isinstance(found, s.Refuse):
            return state, [found]
        who = approvals.answering("", None, given.by, found.stands_for)
    state, steps = repeats.rejected(state, opened.call, by_user=True)
    reason: Literal["user", "user_decline"] = "user_decline" if given.declined and opened.question.serves else "user"
    state, more = _ended(state, opened, reason, messages.CANCELLED, who)
    return state, [*more, *steps]


def _ended(
    state: v.State,
    opened: v.OpenQuestion,
    reason: Literal["user", "user_reply", "user_decline", "timed_out"],
    text: str,
    who: Responder | None = None,
) -> Decision:
    """Close the question without an answer and end the call with a successful response; one that stays open at a
    server goes on (mcp.md P42)."""
    by, who = (POLICY, None) if reason == "timed_out" else ("user", who or Responder("user"))
    state, steps = cancel(state, opened, reason, by, who)
    if opened.question.serves and opened.call in state.calls:
        end: QuestionEnd = "decline" if reason == "user_decline" else "cancel"
        words = text if reason == "user_reply" else None
        return state, [*steps, s.RunAgain(opened.call, state.calls[opened.call].answers, ended=end, reply=words)]
    state, more = complete(state, opened.call, text, is_error=False)
    return state, [*steps, *more]


def replied(state: v.State, given: v.HumanReplied) -> Decision:
    """Close the question with a reply. It ends the assistant's form (R179) or the tool's call (R182)."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    words = (given.text or "").strip()
    if not writable(words):
        return state, [s.Refuse(given.inquiry, UNWRITABLE, False)]
    if isinstance(opened, v.OpenReview):
        return forms.replied(state, opened, words)
    if not isinstance(opened, v.OpenQuestion):
        return prompt_replied(state, opened, words)
    if opened.source != "assistant":
        return _ended(state, opened, "user_reply", messages.replied(words) if words else messages.CANCELLED)
    state, steps = cancel(state, opened, "user_reply", "user", Responder("user"))
    answers = state.calls[opened.call].answers
    return state, [*steps, s.RunAgain(opened.call, answers, replied=True, reply=words or None)]


def unanswered(state: v.State, given: v.HumanUnanswered) -> Decision:
    """Handle a client without an answer (R241, R242): the call ends, also for an assistant's question, because no
    client can be asked."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if isinstance(opened, v.OpenReview) or not writable(given.error):
        return state, [s.Refuse(given.inquiry, "this asks for something else", False)]
    relays = state.handler and isinstance(opened, v.OpenQuestion) and opened.source == "assistant"
    words = messages.question_failed if relays else messages.request_failed
    failed = words(given.error) if given.error else ""
    if not isinstance(opened, v.OpenQuestion):
        return prompt_cancelled(state, opened, failed)
    if not failed:
        return _ended(state, opened, "user", messages.CANCELLED)
    state, steps = cancel(state, opened, "backend_error", POLICY)
    state, more = complete(state, opened.call, failed, is_error=True)
    return state, [*steps, *more]


def edited(state: v.State, given: v.HumanEdited) -> Decision:
    """Edit the arguments instead (R87, R97b): earlier answers applied to other arguments."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if not writable(given.arguments):
        return state, [s.Refuse(given.inquiry, UNWRITABLE, False)]
    if isinstance(opened, v.OpenPermission | v.OpenDelivery):
        return prompt_edited(state, opened, given)
    if isinstance(opened, v.OpenReview) or opened.source != "tool":
        return state, [s.Refuse(given.inquiry, "only the arguments of a tool's own question can be edited", False)]
    who = Responder("user", via=given.via, ms=given.ms)
    state, steps = cancel(state, opened, "user_edit", "user", who, {RESTARTS: True})
    same = repeats.identity(state.calls[opened.call].tool, given.arguments)
    state = transitions.restart_call(state, opened.call, same)
    return state, [*steps, s.RunAgain(opened.call, state.calls[opened.call].answers, arguments=given.arguments)]


def end_turn(state: v.State, given: v.HumanEndedTurn) -> Decision:
    """Close everything that is open and end the turn (R180)."""
    if given.inquiry and isinstance(found := find(state, given.inquiry, given.digest), s.Refuse):
        return state, [found]
    facts: list[s.Step] = []
    rest: list[s.Step] = []
    for call in dict.fromkeys((*state.calls, *(opened.call for opened in state.deferred.values()))):
        for drop in (drop_recorded, drop_open, drop_deferred):
            state, steps = drop(state, call, "user")
            facts += [step for step in steps if isinstance(step, s.Record)]
            rest += [step for step in steps if not isinstance(step, s.Record)]
    return state, [*facts, *rest, s.StopTurn()]


def deadline(state: v.State, given: v.DeadlinePassed) -> Decision:
    """Apply the user's time limit (R243): no answer, and never a no. A late deadline is ignored."""
    for item in state.waiting:
        if item.inquiry == given.inquiry and isinstance(item, v.OpenQuestion):
            return _ended(state, item, "timed_out", messages.TIMED_OUT)
    return state, []

"""Navigation in a form (inquiries.md R176-R182b, E23): Back, its undo, and the final review. The tool chooses the next
question each time it runs; this module discards and restores answers. The discarded questions are recorded in the
metadata of the requests and responses involved (`discards`, `restores`), because an inquiry id alone doesn't identify
them (R24)."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.events import Responder
from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import messages, transitions
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import Decision, cancel, complete, drop_open, find, leave_open
from jp_tui.inquiry.route import key
from jp_tui.questions.types import FormView, SecretAnswer

DISCARDS = "discards"
"""Metadata of a request or response: the questions whose answers are discarded from here on, Back's target first."""
RESTORES = "restores"
"""Metadata of a response: the questions whose discarded answers count again, in this order."""

Asked = v.OpenQuestion | v.OpenReview

NO_QUESTION = "this prompt asks about a call, and there is no form to move in"


def _reaches(state: v.State, call: str, form: FormView | None, question: str) -> bool:
    """True if Back may go to `question`: the user answered it in this form, and it is asked again once its answer is
    discarded."""
    work = state.calls[call]
    given = work.answers.get(question)
    if form is None or given is None or question not in {place.id for place in form.places}:
        return False
    return not given.unseen and question not in work.unasked and key(work.tool, question) not in state.ledger.answers


def target(state: v.State, call: str, form: FormView | None, current: str = "") -> str:
    """The question that Back goes to from `current`; empty when there is none (R176)."""
    given = [question for question in state.calls[call].answers if question != current]
    return next((question for question in reversed(given) if _reaches(state, call, form, question)), "")


def placed(state: v.State, opened: v.OpenQuestion, form: FormView | None) -> v.OpenQuestion:
    """Place the question in its form, with the answer Back left for it (R176, R177). A secret is never pre-filled."""
    gone = state.calls[opened.call].discarded
    prefill: tuple[Json, ...] = ()
    if gone and not isinstance(opened.question.answer_type, SecretAnswer):
        question, given = gone[0]
        if (question, given.digest) == (opened.question.id, opened.digest):
            prefill = (given.value,)
    back = target(state, opened.call, form, opened.question.id)
    return replace(opened, form=form, back=back, prefill=prefill, undo=tuple(question for question, _ in gone))


def _asked(state: v.State, inquiry: str, shown: str) -> Asked | s.Refuse:
    opened = find(state, inquiry, shown)
    if isinstance(opened, v.OpenPermission | v.OpenDelivery):
        return s.Refuse(inquiry, NO_QUESTION, False)
    return opened


def went_back(state: v.State, given: v.HumanWentBack) -> Decision:
    """Go to an answered question. Its answer and all later ones are discarded until something is submitted (R177)."""
    opened = _asked(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    current = opened.question.id if isinstance(opened, v.OpenQuestion) else ""
    to = given.to or target(state, opened.call, opened.form, current)
    if not to:
        return state, [s.Refuse(given.inquiry, "there is no answered question to go back to", False)]
    if to == current or not _reaches(state, opened.call, opened.form, to):
        return state, [s.Refuse(given.inquiry, "you can only go back to a question you answered", False)]
    state = transitions.discard_answers(state, opened.call, to)
    gone = [question for question, _ in state.calls[opened.call].discarded]
    return _moved(state, opened, {DISCARDS: list(gone)})


def restored(state: v.State, given: v.HumanRestored) -> Decision:
    """Restore the answers that Back discarded, if nothing was submitted since (E23, R177)."""
    opened = _asked(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    gone = [question for question, _ in state.calls[opened.call].discarded]
    if not gone:
        return state, [s.Refuse(given.inquiry, "there is nothing to restore", False)]
    return _moved(transitions.restore_answers(state, opened.call), opened, {RESTORES: list(gone)})


def _moved(state: v.State, opened: Asked, about: JsonObject) -> Decision:
    """Close the request without an answer (R181); the tool then asks its next question."""
    state, steps = _over(state, opened, about)
    return state, [*steps, s.RunAgain(opened.call, state.calls[opened.call].answers)]


def _over(state: v.State, opened: Asked, about: JsonObject) -> Decision:
    if isinstance(opened, v.OpenQuestion):
        return cancel(state, opened, "user_back", "user", Responder("user"), about)
    return transitions.close_inquiry(state, opened.inquiry, "user"), [s.Settled(opened.inquiry, "cancelled", "user")]


def review_wanted(state: v.State, given: v.ReviewWanted) -> Decision:
    """Start the review of a complete form. Without a client the form counts at once (R182b)."""
    work = state.calls.get(given.call)
    if work is None:
        return state, []
    state, steps = drop_open(state, given.call)
    if work.streak[0] == v.REVIEW and work.streak[1] >= state.most:
        text = messages.never_accepts(work.tool, v.REVIEW, work.streak[1])
        state, more = complete(state, given.call, text, is_error=True)
        return state, [*steps, *more]
    if not state.client:
        state, more = _counts(state, given.call)
        return state, [*steps, *more]
    state, inquiry = transitions.attempt(state, given.call, v.REVIEW)
    opened = v.OpenReview(inquiry, given.call, given.digest, given.form, given.source)
    if state.gone:
        state, more = leave_open(state, opened)
        return state, [*steps, *more]
    return transitions.enqueue_prompt(state, opened), [
        *steps,
        s.AskReview(opened, target(state, given.call, given.form)),
    ]


def submitted(state: v.State, given: v.HumanSubmitted) -> Decision:
    """Submit the reviewed form."""
    opened = find(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if not isinstance(opened, v.OpenReview):
        return state, [s.Refuse(given.inquiry, "only a form that is complete can be submitted", False)]
    state = transitions.close_inquiry(state, opened.inquiry, "user")
    state, steps = _counts(state, opened.call)
    return state, [s.Settled(opened.inquiry, "answered", "user"), *steps]


def _counts(state: v.State, call: str) -> Decision:
    state = transitions.submit_form(state, call)
    return state, [s.RunAgain(call, state.calls[call].answers, reviewed=True)]


def replied(state: v.State, opened: v.OpenReview, words: str) -> Decision:
    """Close the form with a reply (R179), from the tool's own review or any of its questions (R182)."""
    state, steps = _over(state, opened, {})
    if opened.source != "assistant":
        text = messages.replied(words) if words else messages.CANCELLED
        state, more = complete(state, opened.call, text, is_error=False)
        return state, [*steps, *more]
    answers = state.calls[opened.call].answers
    return state, [*steps, s.RunAgain(opened.call, answers, replied=True, reply=words or None)]

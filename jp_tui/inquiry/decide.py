"""The coordinator's mind: `decide(state, input)` gives the next state and the steps to take, in order.

Pure, so that every order of events can be tried by a test. It performs nothing: the engine records the facts,
durable, before it takes the steps after them (HOUSE "The way of an inquiry").
"""

from __future__ import annotations

from jp_tui.conversation.events import (
    InquiryAnswered,
    InquiryCancelled,
    InquiryRedacted,
    InquiryRequest,
    InquiryResponse,
    Responder,
    Source,
)
from jp_tui.conversation.ids import inquiry_id
from jp_tui.conversation.strict_json import Json
from jp_tui.conversation.text import first_line
from jp_tui.inquiry import evolve, messages
from jp_tui.inquiry import steps as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.route import Route, human_only, key, route
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer
from jp_tui.questions.validate import problem, valid
from jp_tui.questions.wire import digest, recorded

Decision = tuple[v.State, list[s.Step]]


def decide(state: v.State, given: v.Input) -> Decision:
    """The one way in. Never raises for an input that came too late: it is refused or ignored."""
    match given:
        case v.CallStarted(call, tool):
            state, steps = _withdraw(state, call)
            return evolve.began(state, call, tool), steps
        case v.QuestionRaised():
            return _raised(state, given)
        case v.HumanAnswered():
            return _answered(state, given)
        case v.HumanCancelled(inquiry, shown):
            return _left(state, inquiry, shown)
        case v.HumanReplied(inquiry, shown, text):
            return _replied(state, inquiry, shown, text)
        case v.HumanEndedTurn(inquiry, shown):
            if inquiry and isinstance(found := _waiting(state, inquiry, shown), s.Refuse):
                return state, [found]
            return _end_turn(state)
        case v.CallGone(call):
            state, steps = _withdraw(state, call)
            return evolve.ended(state, call), steps


def _waiting(state: v.State, inquiry: str, shown: str) -> v.Open | s.Refuse:
    """The open question of that id, if what was shown is what is asked (R235)."""
    for item in state.waiting:
        if item.inquiry == inquiry:
            if item.digest == shown:
                return item
            return s.Refuse(inquiry, "the question has changed since it was shown", False)
    return s.Refuse(inquiry, "already answered or withdrawn", True)


def may_remember(question: Question) -> bool:
    """Only a boolean question with persistence `turn` that a stored answer could cover (R113, R247)."""
    return isinstance(question.answer_type, BooleanAnswer) and question.persistence == "turn" and not question.floor


def _raised(state: v.State, given: v.QuestionRaised) -> Decision:
    work = state.calls.get(given.call)
    if work is None:
        return state, []
    question, tool = given.question, work.tool
    if work.streak[0] == question.id and work.streak[1] >= state.most:
        text = messages.never_accepts(tool, question.id, work.streak[1])
        return evolve.ended(state, given.call), [s.Complete(given.call, text, True)]
    state, attempt = evolve.attempt(state, given.call, question.id)
    inquiry = inquiry_id(given.call, question.id, attempt)
    human = human_only(question, given.rule) or question.floor
    request = InquiryRequest(
        id=inquiry,
        source=Source(given.source, tool if given.source == "tool" else ""),
        question=recorded(question),
        metadata={"call": given.call},
    )
    opened = v.Open(inquiry, given.call, question, digest(question), given.source, human)
    steps: list[s.Step] = [s.Record(request)]
    found = route(tool, question, given.rule, state.ledger, client=state.client, policy=given.policy)
    match found.who:
        case "human":
            ask = s.AskHuman(opened, given.rule.prompt_label, may_remember(question), found.why)
            return evolve.waits(state, opened), [*steps, ask]
        case "remembered":
            return _unseen(state, opened, state.ledger.answers[key(tool, question.id)].value, "remembered", steps)
        case "static":
            return _unseen(state, opened, given.rule.answer, "static", steps)
        case "default":
            return _unseen(state, opened, question.default, "default", steps)
        case "reviewer":
            # No reviewer exists yet: the failure is recorded and told as such, never as a verdict (row 5, R137).
            text = messages.no_verdict(tool, first_line(question.text), "no reviewing model is available")
            return _refused(state, opened, "backend_error", text, steps)
        case "nobody":
            return _nobody(state, opened, found, steps)


def _nobody(state: v.State, opened: v.Open, found: Route, steps: list[s.Step]) -> Decision:
    tool = state.calls[opened.call].tool
    match found.refusal:
        case "deferred":
            return state, [*steps, s.Defer(opened.call)]
        case "bad_static":
            text = messages.bad_static_answer(tool, opened.question.id)
            return _refused(state, opened, "invalid_static_answer", text, steps)
        case "not_assistant":
            text = messages.not_for_the_assistant(tool)
            return _refused(state, opened, "assistant_routing_denied", text, steps)
        case "denied":
            return _refused(state, opened, "no_prompt_backend", messages.denied(tool), steps)
        case "no_default":
            return _refused(state, opened, "no_prompt_backend", messages.no_default(tool), steps)
        case "no_client" | "":
            return _refused(state, opened, "no_prompt_backend", messages.no_client(tool), steps)


def _refused(state: v.State, opened: v.Open, reason: str, text: str, steps: list[s.Step]) -> Decision:
    closing = s.Record(InquiryCancelled(id=opened.inquiry, reason=reason))
    return evolve.ended(state, opened.call), [*steps, closing, s.Complete(opened.call, text, True)]


def _response(opened: v.Open, value: Json, who: Responder, note: str = "") -> InquiryResponse:
    """The recorded answer; a secret's value never gets near the log (R202)."""
    if isinstance(opened.question.answer_type, SecretAnswer):
        return InquiryRedacted(id=opened.inquiry)
    return InquiryAnswered(id=opened.inquiry, answer=value, explanation=note or None, responder=who)


def _take(state: v.State, opened: v.Open, value: Json, who: Responder, note: str, unseen: bool) -> Decision:
    """Record an answer and run the tool again (R108)."""
    given = v.Given(value, opened.digest, note, unseen)
    state = evolve.answered(evolve.closed(state, opened.inquiry), opened.call, opened.question.id, given)
    response = _response(opened, value, who, note)
    redacted = isinstance(response, InquiryRedacted)
    return state, [
        s.Record(response),
        s.Settled(opened.inquiry, "redacted" if redacted else "answered", who.kind),
        s.RunAgain(opened.call, state.calls[opened.call].answers),
    ]


def _unseen(state: v.State, opened: v.Open, value: Json, kind: str, steps: list[s.Step]) -> Decision:
    match kind:
        case "remembered":
            who = Responder("remembered")
        case "static":
            who = Responder("static")
        case _:
            who = Responder("default")
    state, more = _take(state, opened, value, who, "", kind != "default")
    return state, [*steps, *more]


def _answered(state: v.State, given: v.HumanAnswered) -> Decision:
    opened = _waiting(state, given.inquiry, given.digest)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if (why := problem(opened.question.answer_type, given.value)) is not None:
        return state, [s.Refuse(given.inquiry, why, False)]
    who = Responder("user", via=given.via, ms=given.ms)
    tool = state.calls[opened.call].tool
    state, steps = _take(state, opened, given.value, who, given.note, False)
    if not given.remember or not may_remember(opened.question):
        return state, steps
    slot = key(tool, opened.question.id)
    return _catch_up(
        evolve.remembers(
            state, slot, v.Held(tool, opened.question.id, given.value, first_line(opened.question.text), given.at)
        ),
        slot,
        given.value,
        steps,
    )


def _catch_up(state: v.State, slot: str, value: Json, steps: list[s.Step]) -> Decision:
    """Questions that wait behind a remembered answer get it without being shown (R252)."""
    for item in state.waiting:
        same = key(state.calls[item.call].tool, item.question.id) == slot
        if same and may_remember(item.question) and valid(item.question.answer_type, value):
            state, more = _take(state, item, value, Responder("remembered"), "", True)
            steps = [*steps, *more]
    return state, steps


def _left(state: v.State, inquiry: str, shown: str) -> Decision:
    opened = _waiting(state, inquiry, shown)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    if opened.source == "assistant":
        return state, [s.Refuse(inquiry, "a question of the assistant is answered, replied to or ends the turn", False)]
    return _close(state, opened, "user", messages.CANCELLED)


def _close(state: v.State, opened: v.Open, reason: str, text: str) -> Decision:
    state = evolve.ended(evolve.closed(state, opened.inquiry), opened.call)
    return state, [
        s.Record(InquiryCancelled(id=opened.inquiry, reason=reason, responder=Responder("user"))),
        s.Settled(opened.inquiry, "cancelled", "user"),
        s.Complete(opened.call, text, False),
    ]


def _replied(state: v.State, inquiry: str, shown: str, text: str | None) -> Decision:
    opened = _waiting(state, inquiry, shown)
    if isinstance(opened, s.Refuse):
        return state, [opened]
    words = (text or "").strip()
    if opened.source != "assistant":
        # Reply at a tool's question cancels it with words (R182); without words it is a plain cancel.
        return _close(state, opened, "user_reply", messages.replied(words) if words else messages.CANCELLED)
    work = state.calls[opened.call]
    state = evolve.closed(state, inquiry)
    return state, [
        s.Record(InquiryCancelled(id=inquiry, reason="user_reply", responder=Responder("user"))),
        s.Settled(inquiry, "cancelled", "user"),
        s.RunAgain(opened.call, work.answers, replied=True, reply=words or None),
    ]


def _end_turn(state: v.State) -> Decision:
    steps: list[s.Step] = []
    for item in state.waiting:
        steps.append(s.Record(InquiryCancelled(id=item.inquiry, reason="user", responder=Responder("user"))))
        steps.append(s.Settled(item.inquiry, "cancelled", "user"))
        state = evolve.closed(state, item.inquiry)
    return state, [*steps, s.EndTurn()]


def _withdraw(state: v.State, call: str) -> Decision:
    steps: list[s.Step] = []
    for item in state.waiting:
        if item.call == call:
            steps.append(s.Record(InquiryCancelled(id=item.inquiry, reason="user")))
            steps.append(s.Settled(item.inquiry, "withdrawn", ""))
            state = evolve.closed(state, item.inquiry)
    return state, steps

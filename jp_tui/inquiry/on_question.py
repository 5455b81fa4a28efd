"""A tool's question (inquiries.md 6.2): record the request, then route it.

A question that an unfinished run recorded is asked again under its own id (R237).
"""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.events import CancelReason, InquiryRequest, Responder, Source, SourceKind
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import escalations, messages, refusals, repeats, transitions, why
from jp_tui.inquiry import values as v
from jp_tui.inquiry.approvals import encode_addressed
from jp_tui.inquiry.closing import (
    POLICY,
    Decision,
    cancel,
    complete,
    drop_open,
    drop_recorded,
    overruled,
    record_answer,
    rememberable,
)
from jp_tui.inquiry.forms import DISCARDS, placed
from jp_tui.inquiry.parts import writable
from jp_tui.inquiry.people import Addressed, addressed
from jp_tui.inquiry.refusals_replay import AFTER, BEFORE, TARGETS
from jp_tui.inquiry.route import Refusal, Route, held_slot, human_only, route
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer
from jp_tui.questions.wire import digest, recorded

ALONE = 10
"""Multiple of R98's limit for consecutive answers in one call without a person."""
SERVES = "serves"
"""Key of a request's metadata: the server that asks reads a no."""
AT_LEAST = 200
"""Lower bound for that limit: a long form whose questions are all answered isn't a loop, however low R98's limit is."""


def raised(state: v.State, given: v.QuestionRaised) -> Decision:
    """Record the question and route it."""
    work = state.calls.get(given.call)
    if work is None:
        return state, []
    state, steps = drop_open(state, given.call)  # a call asks one thing at a time; a new question replaces the old one
    if work.streak[0] == given.question.id and work.streak[1] >= state.most:
        text = messages.never_accepts(work.tool, given.question.id, work.streak[1])
        return _then(steps, complete(state, given.call, text, is_error=True))
    if work.alone >= max(ALONE * state.most, AT_LEAST):
        text = messages.never_ends(work.tool, work.alone)
        return _then(steps, complete(state, given.call, text, is_error=True))
    if given.source == "tool" and (ended := repeats.refuse(state, given.call)) is not None:
        return _then(steps, ended)
    shown = _digest(given.question)
    if shown is None:
        return _then(steps, complete(state, given.call, messages.unaskable(work.tool), is_error=True))
    refused = refusals.refusal_reason(state.ledger, given.question)
    client = state.client and (state.secrets or not isinstance(given.question.answer_type, SecretAnswer))
    asked, whom = _people(given)
    found = route(
        work.tool,
        given.question,
        given.rule,
        state.ledger,
        client=client,
        policy=given.policy,
        policy_place=given.policy_place,
        verdicts=given.verdicts,
        refused=refused,
        ruled=given.ruled,
        needed=asked.needed,
    )
    if (whom and found.who in ("human", "reviewer")) or found.refusal == "deferred":
        found = replace(found, why=f"{found.why} {whom}".rstrip())
    state = transitions.register_question(state, given.call, given.question.id)
    opened = placed(state, replace(_opened(given, shown, refused), asked=asked), given.form)
    before = next((item for item in work.recorded if _again(item, opened)), None)
    if before is not None:
        state = transitions.reopen_request(state, given.call, before)
        opened = replace(opened, inquiry=before.inquiry, before=before.before, asked=before.asked, votes=before.votes)
        if not client and found.who not in ("static", "remembered", "ruled"):
            return _then(steps, no_responder(state, opened, "deferred"))  # it waited for a person and still does (E52)
        told = before.escalation
        if told is None and before.before and found.who == "human":  # its second review became a person's question
            told = v.EscalationCause(before.before[-1].model, before.before[-1].reason, ms=before.before[-1].ms)
        if told is not None:
            return _then(steps, _escalated_before(state, opened, told, found))
    else:
        state, closing = drop_recorded(state, given.call)
        state, opened, asking = request(state, opened, found.row, found.why)
        steps = [*steps, *closing, asking]
    if given.question.refused:
        return _then(steps, _declined(state, opened))
    return _then(steps, _routed(state, opened, found, given.ruled))


def _people(given: v.QuestionRaised) -> tuple[Addressed, str]:
    """Return which people are asked, and why. Only a yes or no is approved by several (store.md D15)."""
    wanted = given.rule.people
    if not isinstance(given.question.answer_type, BooleanAnswer):
        wanted = replace(wanted, approvals=1)
    return addressed(wanted, given.people, given.asker)


def _again(before: v.Recorded, opened: v.OpenQuestion) -> bool:
    """True if this recorded request asks the same of the same people."""
    same = (before.question, before.digest) == (opened.question.id, opened.digest)
    return same and before.asked.same(opened.asked)


def _declined(state: v.State, opened: v.OpenQuestion) -> Decision:
    """Close a question that no one is asked (mcp.md P44); its call goes on."""
    state, steps = cancel(state, opened, "secret_refused", POLICY)
    return state, [*steps, s.RunAgain(opened.call, state.calls[opened.call].answers, ended="decline")]


def _opened(given: v.QuestionRaised, shown: str, refused: str) -> v.OpenQuestion:
    return v.OpenQuestion(
        inquiry="",
        call=given.call,
        question=given.question,
        digest=shown,
        source=given.source,
        human_only=human_only(given.question, given.rule) or given.question.floor or bool(refused),
        rule=given.rule,
        policy=given.policy,
        policy_place=given.policy_place,
        intent=given.intent.strip(),
        refused=refused,
    )


def _then(steps: list[s.Step], decision: Decision) -> Decision:
    return decision[0], [*steps, *decision[1]]


def _digest(question: Question) -> str | None:
    """Return the digest of what is shown, or None for a question that can't be stored in the log."""
    try:
        return digest(question) if writable(recorded(question), question.id) else None
    except (ValueError, TypeError, RecursionError):
        return None


def request(
    state: v.State, opened: v.OpenQuestion, row: str, words: str, after: str = ""
) -> tuple[v.State, v.OpenQuestion, s.Record]:
    """Record a new attempt as it was asked, before settings apply (R20, R26, R103). `after`: the inquiry that it
    repeats for another responder."""
    tool = state.calls[opened.call].tool
    state, inquiry = transitions.attempt(state, opened.call, opened.question.id)
    opened = replace(opened, inquiry=inquiry)
    about: JsonObject = {
        "call": opened.call,
        "question": opened.question.id,
        "tool": tool,
        "digest": opened.digest,
        "row": row,
        "why": words,
    }
    if (told := opened.escalation) is not None:
        about["escalation"] = escalations.encode_escalation(told)
    about |= encode_addressed(opened.asked)
    if opened.question.serves:  # it can be declined, also from another process (mcp.md P42)
        about[SERVES] = True
    if opened.question.targets:  # for a resumed turn (R247)
        about[TARGETS] = list(refusals.storable_targets(opened.question.targets))
    if opened.before:
        about[BEFORE] = escalations.encode_verdicts(opened.before)
    if after:
        about[AFTER] = after
    if opened.undo:  # Back from a review leaves no other trace in the log
        about[DISCARDS] = list(opened.undo)
    event = InquiryRequest(
        id=inquiry,
        source=Source(opened.source, _source_name(opened.source, tool)),
        question=recorded(opened.question),
        metadata=about,
    )
    return state, opened, s.Record(event)


def _source_name(source: SourceKind, tool: str) -> str:
    """Return the name beside the source (R17): of the tool, or of the program outside (N3)."""
    if source == "outside":
        program, _, name = tool.partition(".")
        return name if program == "outside" else program
    return tool if source == "tool" else ""


def to_human(state: v.State, opened: v.OpenQuestion, words: str) -> Decision:
    """Queue the question for the user (R116), or for the next client (Z9)."""
    if state.gone:
        return no_responder(state, opened, "deferred")
    ask = s.AskHuman(opened, opened.rule.prompt_label, rememberable(opened), words)
    return transitions.enqueue_prompt(state, opened), [ask]


def _routed(state: v.State, opened: v.OpenQuestion, found: Route, ruled: v.Ruled | None = None) -> Decision:
    """Carry out the matching row of the routing table."""
    match found.who:
        case "ruled" if ruled is not None:
            about: JsonObject = {"setting": ruled.setting} if ruled.setting else {"mode": ruled.mode}
            about = {"rules": list(ruled.rules)} if ruled.rules else about
            who = Responder("remembered" if ruled.rules else "static")
            return record_answer(state, opened, ruled.value, who, ruled.reason, about=about)
        case "human":
            return to_human(state, opened, found.why)
        case "remembered":
            place = held_slot(state.calls[opened.call].tool, opened.question, state.ledger)
            value = state.ledger.answers[place].value
            state, steps = record_answer(transitions.count_use(state, place), opened, value, Responder("remembered"))
            return state, [*steps, s.LedgerChanged()]
        case "static":
            return record_answer(state, opened, opened.rule.answer, Responder("static"))
        case "default":
            return record_answer(state, opened, opened.question.default, Responder("default"))
        case "reviewer":
            return transitions.add_review(state, opened), [s.AskReviewer(opened, found.why, intent=bool(opened.before))]
        case _:
            return no_responder(state, opened, found.refusal)


def no_responder(state: v.State, opened: v.OpenQuestion, refusal: Refusal) -> Decision:
    """Handle a question without a possible responder: end the call with a message for the model, or leave the request
    open (R112, R230)."""
    tool = state.calls[opened.call].tool
    match refusal:
        case "deferred":
            return transitions.defer_request(state, opened), [s.Defer(opened.call)]
        case "bad_static":
            text = messages.bad_static_answer(tool, opened.rule.slot or opened.question.id)
            return refused(state, opened, "invalid_static_answer", text)
        case "bad_approvals":
            text = messages.approvals_unfit(tool, opened.rule.people.approvals_place or "approvals")
            return refused(state, opened, "invalid_approvals", text)
        case "not_assistant":
            return refused(state, opened, "assistant_routing_denied", messages.not_for_the_assistant(tool))
        case "denied":
            return refused(state, opened, "no_prompt_backend", messages.denied(tool))
        case "no_default":
            return refused(state, opened, "no_prompt_backend", messages.no_default(tool))
        case "no_client" | "":
            return refused(state, opened, "no_prompt_backend", messages.no_client(tool))


def refused(
    state: v.State,
    opened: v.OpenQuestion,
    reason: CancelReason,
    text: str,
    by: str = POLICY,
    who: Responder | None = None,
    about: JsonObject | None = None,
) -> Decision:
    """Close the question without an answer and end the call with an error. `about` is stored in the record's
    metadata."""
    state, steps = cancel(state, opened, reason, by, who, about)
    state, more = complete(state, opened.call, text, is_error=True)
    return state, [*steps, *more]


def escalated(opened: v.OpenQuestion, told: v.EscalationCause) -> v.OpenQuestion:
    """Return the question as the user sees it after a review. The text above its context isn't part of the question
    (R150)."""
    return replace(opened, escalation=told, text=escalations.banner(told), before=())


def _escalated_before(state: v.State, opened: v.OpenQuestion, told: v.EscalationCause, found: Route) -> Decision:
    """Handle a question that was already escalated when the turn stopped: no reviewer is asked again."""
    refused = refusals.refusal_reason(state.ledger, opened.question, but=refusals.refuser(told))
    opened = replace(escalated(opened, told), refused=refused)
    if found.who in ("reviewer", "ruled") or (found.who == "human" and found.row == "0a" and not refused):
        return to_human(state, opened, escalation_words(state, opened))
    return _routed(state, opened, found)


def escalation_words(state: v.State, opened: v.OpenQuestion) -> str:
    """Explain why an escalated question is asked (E42)."""
    told = opened.escalation
    if told is None:
        return why.undecided("")
    if told.cause == "taken_over":
        return why.taken_over(told.model)
    if told.cause == "too_long":
        return why.too_long(told.model)
    if overruled(opened):
        return why.overruled(state.calls[opened.call].tool, opened.question, opened.rule, told.model)
    return why.undecided(told.model)

"""Changes of the machine's state, one small function each. No decisions here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from jp_tui.conversation.ids import inquiry_id
from jp_tui.inquiry.values import (
    REVIEW,
    CallResumed,
    GivenAnswer,
    Last,
    OpenQuestion,
    Recorded,
    RememberedAnswer,
    State,
    Waiting,
    Work,
)

K = TypeVar("K")
V = TypeVar("V")


def with_entry(mapping: Mapping[K, V], name: K, value: V) -> Mapping[K, V]:
    """Return a copy with one entry set, last in order (R41: insertion-ordered, latest wins)."""
    copy = dict(mapping)
    copy.pop(name, None)
    copy[name] = value
    return MappingProxyType(copy)


def without_entry(mapping: Mapping[K, V], name: K) -> Mapping[K, V]:
    """Return a copy without one entry."""
    copy = dict(mapping)
    copy.pop(name, None)
    return MappingProxyType(copy)


def _known(state: State, inquiry: str) -> bool:
    """True if this id was used before. Ids of different parts can collide (`a` + `b.c`, `a.b` + `c`)."""
    return (
        inquiry in state.settled
        or inquiry in state.deferred
        or inquiry in [item.inquiry for item in state.waiting]
        or inquiry in [item.inquiry for item in state.reviewed]
        or any(item.inquiry == inquiry for work in state.calls.values() if work.recorded for item in work.recorded)
    )


def attempt(state: State, call: str, question: str) -> tuple[State, str]:
    """Count another recording of this question in this turn (R27); return the state and the id with the count (R28)."""
    count = state.ledger.attempts.get((call, question), 0) + 1
    while _known(state, inquiry_id(call, question, count)):
        count += 1
    attempts = with_entry(state.ledger.attempts, (call, question), count)
    return replace(state, ledger=replace(state.ledger, attempts=attempts)), inquiry_id(call, question, count)


def _works(state: State, call: str, work: Work) -> State:
    return replace(state, calls=with_entry(state.calls, call, work))


def add_answer(state: State, call: str, question: str, given: GivenAnswer, last: Last, *, asked: bool) -> State:
    """Add an answer to the call. Count repeated answers to one question (R98) and answers without a person. Answers
    that Back discarded are gone for good (R177). `asked`: the user answered."""
    work = state.calls[call]
    work = replace(
        work,
        answers=with_entry(work.answers, question, given),
        streak=_once_more(work, question),
        alone=work.alone if last.who.kind == "user" else work.alone + 1,
        last=last,
        discarded=(),
        unasked=work.unasked - {question} if asked else work.unasked | {question},
    )
    return _works(state, call, work)


def _once_more(work: Work, question: str) -> tuple[str, int]:
    return question, work.streak[1] + 1 if work.streak[0] == question else 1


def submit_form(state: State, call: str) -> State:
    """Submit a reviewed form and count it, against tools that repeat the review (R98)."""
    work = state.calls[call]
    return _works(state, call, replace(work, streak=_once_more(work, REVIEW), discarded=()))


def register_question(state: State, call: str, question: str) -> State:
    """Register a question of the call. Another question than before resets the count of repeats (R98)."""
    work = state.calls[call]
    return state if work.streak[0] in ("", question) else _works(state, call, replace(work, streak=("", 0)))


def discard_answers(state: State, call: str, target: str) -> State:
    """Discard the answer of `target` and all later ones, for now (R177)."""
    work = state.calls[call]
    given = list(work.answers.items())
    at = list(work.answers).index(target)
    last = work.last
    if last is not None and last.question not in dict(given[:at]):
        last = None
    answers, discarded = MappingProxyType(dict(given[:at])), (*given[at:], *work.discarded)
    return _works(state, call, replace(work, answers=answers, discarded=discarded, streak=("", 0), last=last))


def restore_answers(state: State, call: str) -> State:
    """Restore the answers that Back discarded, in their places (E23)."""
    work = state.calls[call]
    answers = MappingProxyType({**work.answers, **dict(work.discarded)})
    return _works(state, call, replace(work, answers=answers, discarded=(), streak=("", 0)))


def add_call(state: State, call: str, tool: str, identity: str = "") -> State:
    """Add a running call without answers."""
    return replace(state, calls=with_entry(state.calls, call, Work(tool, identity)))


def resume_call(state: State, given: CallResumed) -> State:
    """Add a resumed call from its log: answers, attempts, open requests (R237)."""
    attempts = dict(state.ledger.attempts)
    for question, count in given.attempts.items():
        attempts[given.call, question] = max(count, attempts.get((given.call, question), 0))
    taken = {item.inquiry for item in given.recorded}
    deferred = {inquiry: opened for inquiry, opened in state.deferred.items() if inquiry not in taken}
    recorded = tuple(item for item in given.recorded if item.inquiry not in state.settled)
    undecided = {item.question for item in recorded if item.escalation is not None or item.before}  # a no isn't final
    answers = {question: answer for question, answer in given.answers.items() if question not in undecided}
    work = Work(
        given.tool,
        given.identity,
        answers=MappingProxyType(answers),
        recorded=recorded,
        discarded=given.discarded,
        unasked=given.unasked,
        last=given.last,
    )
    return replace(
        state,
        ledger=replace(state.ledger, attempts=MappingProxyType(attempts)),
        calls=with_entry(state.calls, given.call, work),
        deferred=MappingProxyType(deferred),
    )


def reopen_request(state: State, call: str, found: Recorded) -> State:
    """Ask a request of an earlier run again under its own id."""
    work = state.calls[call]
    rest = tuple(item for item in work.recorded if item.inquiry != found.inquiry)
    return replace(state, calls=with_entry(state.calls, call, replace(work, recorded=rest)))


def restart_call(state: State, call: str, identity: str) -> State:
    """Restart the call with other arguments; earlier answers don't apply (R97b)."""
    work = replace(state.calls[call], answers=MappingProxyType({}), streak=("", 0), alone=0, last=None, discarded=())
    return _works(state, call, replace(work, identity=identity))


def start_edited(state: State, call: str, identity: str) -> State:
    """Start the call with edited arguments (R87)."""
    return _works(state, call, replace(state.calls[call], identity=identity))


def remove_call(state: State, call: str) -> State:
    """Remove a call."""
    return replace(state, calls=without_entry(state.calls, call))


def enqueue_prompt(state: State, opened: Waiting) -> State:
    """Add a prompt at the end of the user's queue (R116). A shown prompt also reveals the call's identity."""
    work = state.calls.get(opened.call)
    if work is not None and work.alone:
        state = _works(state, opened.call, replace(work, alone=0))
    return replace(state, waiting=(*state.waiting, opened))


def update_question(state: State, opened: OpenQuestion) -> State:
    """Replace a question that waits, in its place."""
    return replace(state, waiting=tuple([opened if item.inquiry == opened.inquiry else item for item in state.waiting]))


def add_review(state: State, opened: OpenQuestion) -> State:
    """Add a question at a reviewer."""
    return replace(state, reviewed=(*state.reviewed, opened))


def defer_request(state: State, opened: OpenQuestion) -> State:
    """Leave a request open (R230)."""
    return replace(dequeue_prompt(state, opened.inquiry), deferred=with_entry(state.deferred, opened.inquiry, opened))


def dequeue_prompt(state: State, inquiry: str) -> State:
    """Remove a prompt from the queue without closing it."""
    return replace(state, waiting=tuple([item for item in state.waiting if item.inquiry != inquiry]))


def without_client(state: State) -> State:
    """Mark the client as gone (Z9)."""
    return replace(state, gone=True)


def close_inquiry(state: State, inquiry: str, by: str) -> State:
    """Close an inquiry or a prompt for good; `by` as in Settled."""
    calls = state.calls
    for call, work in state.calls.items():
        if work.recorded and any(item.inquiry == inquiry for item in work.recorded):
            rest = tuple(item for item in work.recorded if item.inquiry != inquiry)
            calls = with_entry(calls, call, replace(work, recorded=rest))
    return replace(
        state,
        calls=calls,
        waiting=tuple([item for item in state.waiting if item.inquiry != inquiry]),
        reviewed=tuple([item for item in state.reviewed if item.inquiry != inquiry]),
        settled=with_entry(state.settled, inquiry, by),
        deferred=without_entry(state.deferred, inquiry) if inquiry in state.deferred else state.deferred,
    )


def remember_answer(state: State, slot: str, held: RememberedAnswer) -> State:
    """Remember an answer for the rest of the turn (R113)."""
    return replace(state, ledger=replace(state.ledger, answers=with_entry(state.ledger.answers, slot, held)))


def accepts_edits(state: State, tools: Sequence[str], since: str) -> State:
    """Remember a yes to the changes of these tools: the user accepted the plan with them (K42)."""
    for tool in tools:
        held = RememberedAnswer(tool, "apply_changes", True, "Accepted with the plan", since)
        state = remember_answer(state, f"{tool}.apply_changes", held)
    return state


def remember_permission(state: State, slot: str, held: RememberedAnswer) -> State:
    """Remember a decision on a tool for the rest of the turn (R89)."""
    return replace(state, ledger=replace(state.ledger, permissions=with_entry(state.ledger.permissions, slot, held)))


def forget_entry(state: State, slot: str) -> State:
    """Remove the entry under this key."""
    ledger = state.ledger
    answers, permissions = without_entry(ledger.answers, slot), without_entry(ledger.permissions, slot)
    return replace(state, ledger=replace(ledger, answers=answers, permissions=permissions))


def count_use(state: State, slot: str, *, permission: bool = False) -> State:
    """Count one more use of the entry under this key."""
    ledger = state.ledger
    if permission:
        held = ledger.permissions[slot]
        counted = MappingProxyType({**ledger.permissions, slot: replace(held, uses=held.uses + 1)})
        return replace(state, ledger=replace(ledger, permissions=counted))
    held = ledger.answers[slot]
    counted = MappingProxyType({**ledger.answers, slot: replace(held, uses=held.uses + 1)})
    return replace(state, ledger=replace(ledger, answers=counted))

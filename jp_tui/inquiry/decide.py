"""Entry point of the machine: `decide(state, input)` returns the next state and the steps to take, in order. The
function is pure, so tests can try every order of events. The engine makes the facts durable before it carries out the
steps after them. A late or unfitting input never raises: it is refused and the state stays unchanged."""

from __future__ import annotations

from typing import assert_never

from jp_tui.inquiry import (
    approvals,
    forms,
    on_human,
    on_subagent,
    permission,
    refusals,
    repeats,
    reviewer,
    transitions,
)
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.closing import Decision, client_gone, drop_deferred, drop_open, drop_recorded
from jp_tui.inquiry.on_question import raised


def decide(state: v.State, given: v.Input) -> Decision:
    """Apply one input. This is the machine's only entry point."""
    if (handed := on_subagent.hands_on(state, given)) is not None:
        return handed
    match given:
        case v.CallStarted() | v.CallResumed() | v.CallGone() | v.Revoked():
            state, steps = _of_a_call(state, given)
        case v.TurnResumed():
            state, steps = refusals.resumed(state, given), []
        case v.RelayWanted():
            state, steps = on_subagent.ask_for_subagent(state, given)
        case v.RelayClosed():
            state, steps = on_subagent.close_for_subagent(state, given)
        case v.RelayPeople():
            state, steps = on_subagent.people_for_subagent(state, given)
        case v.QuestionRaised():
            state, steps = raised(state, given)
        case v.PermissionWanted():
            state, steps = permission.permission_wanted(state, given)
        case v.DeliveryWanted():
            state, steps = permission.delivery_wanted(state, given)
        case v.HumanAnswered():
            state, steps = on_human.answer_question(state, given)
        case v.HumanAssigned():
            state, steps = approvals.assign(state, given)
        case v.EditsAccepted(tools, since):
            state, steps = transitions.accepts_edits(state, tools, since), [s.LedgerChanged()]
        case v.HumanCancelled():
            state, steps = on_human.cancel_question(state, given)
        case v.HumanReplied():
            state, steps = on_human.replied(state, given)
        case v.HumanEndedTurn():
            state, steps = on_human.end_turn(state, given)
        case v.HumanEdited():
            state, steps = on_human.edited(state, given)
        case v.HumanPermitted():
            state, steps = permission.permitted(state, given)
        case v.RuleDecided():
            state, steps = permission.rule_decided(state, given)
        case v.HumanDelivered():
            state, steps = permission.delivered(state, given)
        case v.ReviewWanted():
            state, steps = forms.review_wanted(state, given)
        case v.HumanWentBack():
            state, steps = forms.went_back(state, given)
        case v.HumanRestored():
            state, steps = forms.restored(state, given)
        case v.HumanSubmitted():
            state, steps = forms.submitted(state, given)
        case v.HumanUnanswered():
            state, steps = on_human.unanswered(state, given)
        case v.HumanTookOver():
            state, steps = reviewer.took_over(state, given)
        case v.CallFailed():
            state, steps = repeats.failed(state, given)
        case v.HumanSpoke():
            state, steps = repeats.reset_counts(state)
        case v.ClientLeft():
            state, steps = client_gone(state)
        case v.DeadlinePassed():
            state, steps = on_human.deadline(state, given)
        case v.ReviewerAnswered():
            state, steps = reviewer.reviewer_answered(state, given)
        case v.ReviewerFailed():
            state, steps = reviewer.reviewer_failed(state, given)
        case _:
            assert_never(given)
    return state, _ordered(steps, getattr(given, "inquiry", ""))


def _ordered(steps: list[s.Step], inquiry: str) -> list[s.Step]:
    """Sort the steps: facts become durable before effects (R205). Order within each group is kept. Other questions that
    close together with `inquiry` come first, so a front end never shows a question that is already answered (R252)."""
    facts: list[s.Step] = [step for step in steps if isinstance(step, s.Record)]
    effects = [step for step in steps if not isinstance(step, s.Record)]
    others = [step for step in effects if isinstance(step, s.Settled) and inquiry and step.inquiry != inquiry]
    return [*facts, *others, *(step for step in effects if step not in others)]


def _of_a_call(state: v.State, given: v.CallStarted | v.CallResumed | v.CallGone | v.Revoked) -> Decision:
    match given:
        case v.CallStarted(call, tool, identity):
            state, steps = _all_of(state, call)
            return transitions.add_call(state, call, tool, identity), steps
        case v.CallResumed(call):
            state, steps = drop_open(state, call)
            return transitions.resume_call(state, given), steps
        case v.CallGone(call):
            state, steps = drop_open(state, call)
            state, more = drop_recorded(state, call)
            return transitions.remove_call(state, call), [*steps, *more]
        case v.Revoked(key):
            if key not in state.ledger.answers and key not in state.ledger.permissions:
                return state, []
            return transitions.forget_entry(state, key), [s.LedgerChanged()]


def _all_of(state: v.State, call: str) -> Decision:
    """Close everything that a call with this id left open, because it starts again."""
    steps: list[s.Step] = []
    for drop in (drop_recorded, drop_open, drop_deferred):
        state, more = drop(state, call)
        steps += more
    return state, steps

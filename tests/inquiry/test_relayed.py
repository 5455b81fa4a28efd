"""Questions of sub-agents at their parent's machine (R218, R220, R222, R249), in any order, without an engine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled, InquiryRequest, Responder
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.replay import recorded
from jp_tui.questions.types import FormView, Place, Question, TextAnswer
from jp_tui.questions.wire import digest

QUESTION = Question("why", "Why?", TextAnswer(), exclusive=True, persistence="none")
SHOWN = digest(QUESTION)
FORM = FormView((Place("why", "Why?", "answered", "x"),))


def asked(asks: str = "a1.why.1", call: str = "s1") -> v.RelayWanted:
    opened = v.OpenQuestion(asks, asks.split(".")[0], QUESTION, SHOWN, "assistant", True)
    return v.RelayWanted(call, f"child-{call}", opened, "ask_user", "Assistant", "row 7")


def reviewed(asks: str = "a1.__review__.1", call: str = "s1") -> v.RelayWanted:
    return v.RelayWanted(call, "child", v.OpenReview(asks, "a1", "d", FORM), "ask_user", back="why")


def closed(asks: str = "a1.why.1", call: str = "s1", **more: Any) -> v.RelayClosed:
    response = InquiryAnswered(id=asks, answer="so", responder=Responder("user"))
    return v.RelayClosed(call, asks, "answered", "user", **{"response": response, **more})


def machine(*calls: str) -> v.State:
    state = v.State(client=True)
    for call in calls or ("s1",):
        state, _ = decide(state, v.CallStarted(call, "spawn_agent"))
    return state


def facts(steps: list[s.Step]) -> list[Any]:
    return [step.event for step in steps if isinstance(step, s.Record)]


def test_r222_it_is_recorded_as_asked_by_the_sub_agent_and_put_to_the_human() -> None:
    state, steps = decide(machine(), asked())
    (request,) = facts(steps)
    assert request.id == "s1.why.1"
    assert (request.source.kind, request.source.name) == ("other", "sub_agent:child-s1")
    assert request.question["text"] == "Why?" and request.question["exclusive"] is True
    assert request.metadata["call"] == "s1" and request.metadata["asks"] == "a1.why.1"
    ask = steps[-1]
    assert isinstance(ask, s.AskHuman) and not ask.remember and ask.label == "Assistant"
    assert (ask.open.inquiry, ask.open.call, ask.open.asks, ask.open.digest) == ("s1.why.1", "s1", "a1.why.1", SHOWN)
    assert [item.inquiry for item in state.waiting] == ["s1.why.1"]


HUMAN: list[v.Input] = [
    v.HumanAnswered("s1.why.1", SHOWN, 7),
    v.HumanCancelled("s1.why.1", SHOWN),
    v.HumanReplied("s1.why.1", SHOWN, "no"),
    v.HumanEdited("s1.why.1", SHOWN, {}),
    v.HumanPermitted("s1.why.1", SHOWN, True),
    v.HumanDelivered("s1.why.1", SHOWN, True),
    v.HumanWentBack("s1.why.1", SHOWN, "x"),
    v.HumanRestored("s1.why.1", SHOWN),
    v.HumanSubmitted("s1.why.1", SHOWN),
    v.HumanUnanswered("s1.why.1", SHOWN, "gone"),
]


@pytest.mark.parametrize("said", HUMAN, ids=lambda said: type(said).__name__)
def test_r220_whatever_the_human_does_is_the_sub_agents_to_decide(said: Any) -> None:
    """Nothing is judged here, and nothing changes before it has decided."""
    state, _ = decide(machine(), asked())
    after, steps = decide(state, said)
    assert after == state
    assert steps == [s.RelayAnswer(state.waiting[0], replace(said, inquiry="a1.why.1"))]  # type: ignore[arg-type]
    stale, steps = decide(state, replace(said, digest="other"))
    assert stale == state and isinstance(steps[0], s.Refuse) and not steps[0].gone


def test_r222_what_the_sub_agent_recorded_is_recorded_here() -> None:
    state, _ = decide(machine(), asked())
    response = InquiryAnswered(id="a1.why.1", answer="so", explanation="note", responder=Responder("user", ms=5))
    state, steps = decide(state, closed(response=response))
    (fact,) = facts(steps)
    assert fact == replace(response, id="s1.why.1")
    assert steps[-1] == s.Settled("s1.why.1", "answered", "user") and state.waiting == ()
    again, steps = decide(state, closed())
    assert (again, steps) == (state, []), "once"
    late, steps = decide(state, v.HumanAnswered("s1.why.1", SHOWN, "x"))
    assert late == state and isinstance(steps[0], s.Refuse) and steps[0].gone and steps[0].by == "user"


def test_r182b_a_review_is_handed_on_and_never_recorded() -> None:
    state, steps = decide(machine(), reviewed())
    assert facts(steps) == [] and isinstance(steps[0], s.AskReview) and steps[0].back == "why"
    state, steps = decide(state, v.HumanSubmitted("s1.__review__.1", "d"))
    assert steps == [s.RelayAnswer(state.waiting[0], v.HumanSubmitted("a1.__review__.1", "d"))]  # type: ignore[arg-type]
    state, steps = decide(state, closed("a1.__review__.1", response=None))
    assert steps == [s.Settled("s1.__review__.1", "answered", "user")] and state.waiting == ()


def test_r249_attempts_count_under_the_call_that_runs_it_and_several_may_wait_at_once() -> None:
    state = machine("s1", "s2")
    order = [("a1.why.1", "s1"), ("a2.why.1", "s1"), ("a1.why.1", "s2"), ("a1.why.2", "s1")]
    for asks, call in order:
        state, _ = decide(state, asked(asks, call))
    assert [item.inquiry for item in state.waiting] == ["s1.why.1", "s1.why.2", "s2.why.1", "s1.why.3"]
    state, steps = decide(state, closed("a1.why.1", "s2"))
    assert facts(steps)[0].id == "s2.why.1", "the same id at another sub-agent is another question"
    assert [item.inquiry for item in state.waiting] == ["s1.why.1", "s1.why.2", "s1.why.3"]


@pytest.mark.parametrize("end", [v.CallGone("s1"), v.HumanEndedTurn("s1.why.1", SHOWN), v.HumanEndedTurn()])
def test_r221_what_it_asked_ends_with_its_call_and_with_the_turn(end: v.Input) -> None:
    state, _ = decide(machine(), asked())
    state, _ = decide(state, reviewed())
    state, steps = decide(state, end)
    (fact,) = facts(steps)
    assert isinstance(fact, InquiryCancelled) and (fact.id, fact.reason) == ("s1.why.1", "user")
    assert state.waiting == () and isinstance(steps[-1], s.StopTurn) is isinstance(end, v.HumanEndedTurn)
    assert decide(state, closed()) == (state, []), "the sub-agent's own end comes later, and changes nothing"


def test_r237_after_a_cut_the_open_request_is_taken_up() -> None:
    _, steps = decide(machine(), asked())
    (request,) = facts(steps)
    assert isinstance(request, InquiryRequest)
    state = v.State(client=True)
    state, _ = decide(state, v.CallResumed("s1", "spawn_agent", {}, {"why": 1}, (recorded(request),)))
    state, steps = decide(state, asked())
    assert facts(steps) == [] and isinstance(steps[0], s.AskHuman) and steps[0].open.inquiry == "s1.why.1"
    state, steps = decide(state, asked("a1.why.2"))
    assert facts(steps)[0].id == "s1.why.2"


@pytest.mark.parametrize("how", ["settled meanwhile", "asked no more"])
def test_r237_after_a_cut_an_open_request_that_is_not_asked_again_is_closed(how: str) -> None:
    _, steps = decide(machine(), asked())
    state = v.State(client=True)
    state, _ = decide(state, v.CallResumed("s1", "spawn_agent", {}, {"why": 1}, (recorded(facts(steps)[0]),)))
    state, steps = decide(state, closed() if how == "settled meanwhile" else v.CallGone("s1"))
    (fact,) = facts(steps)
    assert fact.id == "s1.why.1" and isinstance(fact, InquiryAnswered) is (how == "settled meanwhile")
    assert decide(state, v.CallGone("s1"))[1] == []


def test_what_nobody_runs_any_more_is_not_asked() -> None:
    state = v.State(client=True)
    assert decide(state, asked()) == (state, [])


INPUTS = st.lists(
    st.one_of(
        st.builds(asked, st.sampled_from(["a.why.1", "b.why.1", "a.why.2"]), st.sampled_from(["s1", "s2"])),
        st.builds(reviewed, st.sampled_from(["a.__review__.1"]), st.sampled_from(["s1", "s2"])),
        st.builds(closed, st.sampled_from(["a.why.1", "b.why.1", "a.why.2"]), st.sampled_from(["s1", "s2"])),
        st.builds(v.CallGone, st.sampled_from(["s1", "s2"])),
        st.builds(v.CallStarted, st.sampled_from(["s1", "s2"]), st.just("spawn_agent")),
        st.builds(v.HumanAnswered, st.sampled_from(["s1.why.1", "s2.why.1"]), st.just(SHOWN), st.just("x")),
        st.just(v.HumanEndedTurn()),
    ),
    max_size=30,
)


@given(INPUTS)
@settings(max_examples=200, deadline=None)
def test_in_any_order_each_request_has_at_most_one_response_and_in_the_end_exactly_one(inputs: list[v.Input]) -> None:
    """R200, R203."""
    state, requests, responses = machine("s1", "s2"), list[str](), list[str]()
    for one in (*inputs, v.CallGone("s1"), v.CallGone("s2")):
        state, steps = decide(state, one)
        for fact in facts(steps):
            (requests if isinstance(fact, InquiryRequest) else responses).append(fact.id)
        assert len(set(responses)) == len(responses) and set(responses) <= set(requests)
        assert len({item.inquiry for item in state.waiting}) == len(state.waiting)
    assert sorted(requests) == sorted(responses) and len(set(requests)) == len(requests)
    assert state.waiting == ()

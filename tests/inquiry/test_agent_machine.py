"""Two sub-agents and the turn they work for, machines of all three, under random orders: asked, answered, withdrawn,
called off, ended, cut off and taken up (issue 7 "Reliability"; R200, R203, R218, R220, R222, R237, R249).

What a face makes of the same, snooze and switching among it, is `tests/view/test_waiting_orders.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from jp_tui.conversation import events as ev
from jp_tui.engine.recovery.close_turn import resumable
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.replay import recorded
from jp_tui.questions.types import Question
from tests.inquiry.play import ASK, BARE
from tests.inquiry.world import Call, World, variant

AGENTS = 2
QUESTIONS = (ASK, ASK, variant(ASK, 1), BARE, replace(ASK, id="other"))
Response = ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted
picks = st.integers(min_value=0, max_value=10**6)


@dataclass(slots=True)
class Child(World):
    """A sub-agent's conversation; `asks` hears what is put to the human, `over` what is settled and what stands on
    record of it."""

    asks: Callable[[s.AskHuman], None] = field(kw_only=True)
    over: Callable[[s.Settled, Response | None], None] = field(kw_only=True)
    begun: int = 0

    def fresh(self) -> v.State:
        return replace(World.fresh(self), handler=True)

    def perform(self, step: s.Step) -> None:
        if isinstance(step, s.Settled):
            said = [one for one in self.log if isinstance(one, Response) and one.id == step.inquiry]
            self.over(step, said[-1] if said else None)
        World.perform(self, step)
        if isinstance(step, s.AskHuman):
            self.asks(step)


class Orders(RuleBasedStateMachine):
    """The parent's machine by hand, the children's in their worlds, and a book of what was asked and typed."""

    steps = answers = again = 0

    def __init__(self) -> None:
        super().__init__()
        self.state = v.State(client=True)
        self.log: list[ev.Event] = []
        self.children: dict[str, Child] = {}
        self.book: list[tuple[str, str]] = []
        self.typed: dict[str, str] = {}
        self.number = 0

    # --- the shell of the parent ----------------------------------------------------------------------------

    def feed(self, given: v.Input) -> list[s.Step]:
        self.state, steps = decide(self.state, given)
        self.log += [step.event for step in steps if isinstance(step, s.Record)]
        for step in steps:
            if isinstance(step, s.RelayAnswer):
                assert not isinstance(step.given, v.HumanAnswered) or step.given.digest == step.open.digest
                self.children[step.open.call].feed(step.given)
        return steps

    def child(self, agent: str) -> Child:
        def asks(ask: s.AskHuman) -> None:
            before = {item.inquiry for item in self.state.waiting}
            work = self.state.calls.get(agent)
            known = [one.inquiry for one in work.recorded if one.asks == ask.open.inquiry] if work is not None else []
            self.feed(v.RelayWanted(agent, f"of {agent}", ask.open, "ask_user", ask.label, ask.why))
            new = [item.inquiry for item in self.state.waiting if item.inquiry not in before]
            assert len(new) == 1 and (new == known or not known), "asked before the cut, and recorded once more"
            type(self).again += bool(known)
            self.book.append((agent, ask.open.inquiry))

        def over(settled: s.Settled, response: Response | None) -> None:
            waited = [item for item in self.relayed() if (item.call, item.asks) == (agent, settled.inquiry)]
            self.feed(v.RelayClosed(agent, settled.inquiry, settled.how, settled.by, response))
            self.book = [one for one in self.book if one != (agent, settled.inquiry)]
            for item in waited:
                self.same(item, response)

        return Child(asks=asks, over=over)

    def same(self, item: v.OpenQuestion, response: Response | None) -> None:
        """What the child recorded is what stands here, and what was typed for this question and no other (R222)."""
        here = [one for one in self.log if isinstance(one, Response) and one.id == item.inquiry]
        assert len(here) == 1
        if isinstance(response, ev.InquiryAnswered):
            assert isinstance(here[0], ev.InquiryAnswered) and here[0].answer == response.answer
            assert response.answer in (self.typed.get(item.inquiry), True)
            type(self).answers += 1
        else:
            assert isinstance(here[0], ev.InquiryCancelled)

    def relayed(self) -> list[v.OpenQuestion]:
        return [item for item in self.state.waiting if isinstance(item, v.OpenQuestion)]

    def shown(self, pick: int) -> v.OpenQuestion:
        return self.relayed()[pick % len(self.relayed())]

    def calls(self) -> list[tuple[Child, Call]]:
        return [(child, call) for child in self.children.values() for call in child.calls.values()]

    # --- what agents do -------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.children) < AGENTS)
    @rule()
    def spawn(self) -> None:
        self.number += 1
        agent = f"s{self.number}"
        self.feed(v.CallStarted(agent, "spawn_agent"))
        self.children[agent] = self.child(agent)

    @precondition(lambda self: self.children)
    @rule(pick=picks, question=st.sampled_from(QUESTIONS))
    def ask(self, pick: int, question: Question) -> None:
        """A call of a sub-agent asks: a new one, or one that was cut off and asks again."""
        child = list(self.children.values())[pick % len(self.children)]
        idle = [call for call in child.calls.values() if call.phase == "running"]
        if not idle:
            child.begun += 1  # the same ids as those of the other one
            child.start(f"a{child.begun}", "ask_user")
            idle = [child.calls[f"a{child.begun}"]]
        again = idle[0].question
        child.ask(idle[0], again if again is not None and pick % 2 else question, v.Rule(), "unset")

    @precondition(lambda self: self.calls())
    @rule(pick=picks)
    def withdraw(self, pick: int) -> None:
        """A call of a sub-agent is over: what it asks is asked no more, here as well (R212)."""
        found = self.calls()
        child, call = found[pick % len(found)]
        if call.phase != "deferred":
            child.finish(call)

    # --- what people do -------------------------------------------------------------------------------------

    @precondition(lambda self: self.relayed())
    @rule(some=st.lists(picks, min_size=1, max_size=3))
    def answer(self, some: list[int]) -> None:
        for pick in some:
            if self.relayed():
                self.answered(self.shown(pick))

    def answered(self, opened: v.OpenQuestion) -> None:
        self.number += 1
        value = f"answer {self.number}" if opened.question.id != BARE.id else True
        if isinstance(value, str):
            self.typed[opened.inquiry] = value
        self.feed(v.HumanAnswered(opened.inquiry, opened.digest, value))
        assert opened.inquiry not in {item.inquiry for item in self.state.waiting}
        late = self.feed(v.HumanAnswered(opened.inquiry, opened.digest, "late"))
        assert len(late) == 1 and isinstance(late[0], s.Refuse) and late[0].gone, "the first answer wins"

    @precondition(lambda self: self.relayed())
    @rule(pick=picks)
    def leave(self, pick: int) -> None:
        """Cancelled, or where that is not offered answered with other words."""
        opened = self.shown(pick)
        if opened.question.exclusive:
            self.feed(v.HumanReplied(opened.inquiry, opened.digest, "rather not"))
        else:
            self.feed(v.HumanCancelled(opened.inquiry, opened.digest))
        assert opened.inquiry not in {item.inquiry for item in self.state.waiting}

    @precondition(lambda self: self.relayed())
    @rule(pick=picks)
    def mistake(self, pick: int) -> None:
        """An answer that was typed for another question, or for nothing, reaches nobody (R235)."""
        opened, before = self.shown(pick), (self.state, list(self.book), len(self.log))
        for inquiry, digest in ((opened.inquiry, "other"), (opened.asks, opened.digest), ("s0.answer.1", "d")):
            if inquiry in {item.inquiry for item in self.state.waiting} and digest == opened.digest:
                continue
            steps = self.feed(v.HumanAnswered(inquiry, digest, "mistaken"))
            assert steps and all(isinstance(step, s.Refuse) for step in steps)
        assert (self.state, self.book, len(self.log)) == before

    # --- ends -----------------------------------------------------------------------------------------------

    @precondition(lambda self: self.children)
    @rule(pick=picks, first=st.booleans())
    def call_off(self, pick: int, first: bool) -> None:
        """The call that runs a sub-agent is over, before or after the sub-agent itself is (R221)."""
        agent = list(self.children)[pick % len(self.children)]
        child = self.children[agent]
        if first:
            self.feed(v.CallGone(agent))
        child.feed(v.HumanEndedTurn())
        if not first:
            self.feed(v.CallGone(agent))
        del self.children[agent]
        self.book = [one for one in self.book if one[0] != agent]
        assert all(item.call != agent for item in self.state.waiting)

    @precondition(lambda self: all(not child.calls or resumable(child.log, ()) for child in self.children.values()))
    @rule()
    def crash(self) -> None:
        """The process dies; both sides are taken up from what they have on record (R237)."""
        done = {one.id for one in self.log if isinstance(one, Response)}
        requests = [one for one in self.log if isinstance(one, ev.InquiryRequest)]
        self.state, self.book = v.State(client=True), []
        for agent, child in self.children.items():
            own = [one for one in requests if one.metadata["call"] == agent]
            counts: dict[str, int] = {}
            for one in own:
                counts[str(one.metadata["question"])] = counts.get(str(one.metadata["question"]), 0) + 1
            still = tuple(recorded(one) for one in own if one.id not in done)
            self.feed(v.CallResumed(agent, "spawn_agent", {}, counts, still))
            child.crash(client=True)

    # --- what always holds ----------------------------------------------------------------------------------

    @invariant()
    def the_records_agree(self) -> None:
        type(self).steps += 1
        requests = [one.id for one in self.log if isinstance(one, ev.InquiryRequest)]
        responses = [one.id for one in self.log if isinstance(one, Response)]
        assert len(set(requests)) == len(requests) and len(set(responses)) == len(responses)
        assert set(responses) <= set(requests)
        assert [(item.call, item.asks) for item in self.relayed()] == self.book, "lost, doubled, or out of order"
        for agent, child in self.children.items():
            there = sorted(item.inquiry for item in child.state.waiting)
            assert sorted(asks for call, asks in self.book if call == agent) == there, "the two sides disagree"
        taken_up = [one.inquiry for work in self.state.calls.values() for one in work.recorded]
        open_ = sorted([*(item.inquiry for item in self.relayed()), *taken_up])
        assert open_ == sorted(set(requests) - set(responses)), "an open request that nobody knows"

    def teardown(self) -> None:
        self.feed(v.HumanEndedTurn())
        for agent, child in list(self.children.items()):
            child.feed(v.HumanEndedTurn())
            self.feed(v.CallGone(agent))
        self.children, self.book = {}, []
        assert not self.state.waiting
        self.the_records_agree()


def test_three_machines_agree_whatever_comes() -> None:
    Orders.steps = Orders.answers = Orders.again = 0
    run_state_machine_as_test(
        Orders,
        settings=settings(
            max_examples=150,
            stateful_step_count=60,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
        ),
    )
    assert Orders.steps > 4_000 and Orders.answers > 10 and Orders.again > 0

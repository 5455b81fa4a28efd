"""Approvals under any order of votes, hand-overs, absences, revoked roles and restarts (store.md D15-D17).

A naive count beside the machine says what a yes is made of: so many different people, none of them owner or asker, no
one in two names and no name by two, each allowed at the moment of the vote.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run

from jp_tui.conversation.events import InquiryAnswered, InquiryAssigned, InquiryFact, InquiryRequest, InquiryVote
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.inquiry.people import Answerer, People, Person, WantedPeople, standing
from jp_tui.inquiry.replay import recorded, voted
from jp_tui.questions.types import BooleanAnswer, Question
from tests.sampling import whole

NAMES = ("owner", "asker", "ann", "ben", "cid", "dot", "eve")
TO = ("", "ann", "role:ops", "role:all", "owner")
YES = Question("go", "Go?", BooleanAnswer())

names = st.sampled_from(NAMES)


class Votes(RuleBasedStateMachine):
    """One question, several people."""

    def __init__(self) -> None:
        super().__init__()
        self.persons = {one: Person(one, frozenset({"all"} if one != "eve" else set())) for one in NAMES}
        for one in ("ann", "ben", "cid", "owner"):
            self.persons[one] = replace(self.persons[one], groups=frozenset({"ops", "all"}))
        self.log: list[InquiryFact] = []
        self.state = v.State(client=True)
        self.approved: list[tuple[str, str]] = []  # person, in whose name
        self.ended = False
        self.offers = 0

    @property
    def people(self) -> People:
        return People(MappingProxyType(dict(self.persons)), "owner")

    @property
    def opened(self) -> v.OpenQuestion:
        (found,) = self.state.waiting
        assert isinstance(found, v.OpenQuestion)
        return found

    def put(self, given: v.Input) -> list[s.Step]:
        self.state, steps = decide(self.state, given)
        self.log += [step.event for step in steps if isinstance(step, s.Record)]
        self.ended = self.ended or any(isinstance(step, s.Settled) for step in steps)
        return steps

    @initialize(to=st.sampled_from(TO), needed=st.integers(min_value=2, max_value=4))
    def ask(self, to: str, needed: int) -> None:
        self.rule_ = v.Rule(people=WantedPeople(to, "to", needed, "approvals"))
        self.put(v.CallStarted("c", "tool"))
        self.raise_()

    def raise_(self) -> None:
        self.put(v.QuestionRaised("c", YES, "tool", self.rule_, people=self.people, asker="asker"))

    def by(self, name: str) -> Answerer:
        self.offers += 1
        return Answerer(name, self.people, "m", self.offers)

    @precondition(lambda self: not self.ended)
    @rule(name=names, value=st.booleans() | st.just(True), right=st.integers(min_value=0, max_value=5))
    def vote(self, name: str, value: bool, right: int) -> None:
        opened, may = self.opened, standing(self.opened.asked, self.people, name, self.opened.votes)
        shown = opened.digest if right else "another"
        before = len(self.log)
        steps = self.put(v.HumanAnswered(opened.inquiry, shown, value, by=self.by(name)))
        refused = any(isinstance(step, s.Refuse) for step in steps)
        assert refused == (not may.may or shown == "another")
        if refused:
            assert len(self.log) == before
        elif value:
            named = may.stands_for or name
            if all(name != who and named != whose for who, whose in self.approved):
                self.approved.append((name, named))
                assert len(self.log) == before + 1
            else:
                assert len(self.log) == before, "counted twice"
        else:
            assert self.ended, "the first no settles it"

    @precondition(lambda self: not self.ended)
    @rule(value=st.booleans())
    def owner_at_the_screen(self, value: bool) -> None:
        opened = self.opened
        assert isinstance(self.put(v.HumanAnswered(opened.inquiry, opened.digest, value))[0], s.Refuse)

    @precondition(lambda self: not self.ended)
    @rule(name=names, to=st.sampled_from((*TO, "nobody", *NAMES)))
    def hand_over(self, name: str, to: str) -> None:
        opened = self.opened
        may = name == "owner" or standing(opened.asked, self.people, name).may
        steps = self.put(v.HumanAssigned(opened.inquiry, opened.digest, to, self.by(name)))
        refused = any(isinstance(step, s.Refuse) for step in steps)
        if not may or to in ("owner", "asker", "nobody", ""):
            assert refused
        if not refused:
            assert self.opened.asked.to == to and self.opened.votes == opened.votes
            assert self.opened.asked.needed == opened.asked.needed and self.opened.asked.asker == "asker"

    @rule(name=names, deputy=names | st.just(""))
    def away(self, name: str, deputy: str) -> None:
        if name in self.persons:
            self.persons[name] = replace(self.persons[name], away="later", deputy=deputy)

    @rule(name=names)
    def back(self, name: str) -> None:
        if name in self.persons:
            self.persons[name] = replace(self.persons[name], away="", deputy="")

    @rule(name=st.sampled_from(("ann", "dot", "eve")))
    def revoke(self, name: str) -> None:
        self.persons.pop(name, None)

    @precondition(lambda self: not self.ended)
    @rule()
    def restart(self) -> None:
        """Another process resumes the turn from the log."""
        request = next(one for one in self.log if isinstance(one, InquiryRequest))
        found = recorded(request)
        for one in self.log:
            if isinstance(one, InquiryVote | InquiryAssigned):
                found = voted(found, one)
        known, self.state = self.opened, v.State(client=True)
        before = len(self.log)
        self.put(v.CallResumed("c", "tool", {}, {YES.id: 1}, (found,)))
        self.raise_()
        if len(self.log) == before:
            assert (self.opened.votes, self.opened.asked) == (known.votes, known.asked)
        else:  # who is asked changed with the store: nothing counts any more
            self.ended = True

    @invariant()
    def a_yes_is_made_of_so_many_different_people(self) -> None:
        for one in self.log:
            if isinstance(one, InquiryAnswered) and one.answer is True:
                needed = self.rule_.people.approvals
                people, whose = zip(*self.approved, strict=True)
                assert len(set(people)) == len(set(whose)) == needed
                assert {"owner", "asker"}.isdisjoint({*people, *whose})
                assert one.extra["approved_by"] == list(people)
        closed = [one for one in self.log if not isinstance(one, InquiryRequest | InquiryVote | InquiryAssigned)]
        assert len(closed) <= 1


def test_approvals_in_any_order() -> None:
    """D15."""
    run(
        Votes,
        settings=settings(
            max_examples=400 if whole() else 60,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate, Phase.shrink],
        ),
    )


@pytest.mark.parametrize("needed", [2, 3])
def test_the_machine_reaches_a_yes(needed: int) -> None:
    """The rules above lead to one at all."""
    machine = Votes()
    machine.ask("role:ops", needed)
    for name in ("ann", "ben", "cid")[:needed]:
        machine.vote(name, True, 1)
    assert machine.ended == (needed <= 3)
    machine.a_yes_is_made_of_so_many_different_people()

"""Every order of two inquiries with five kinds of event each: all 3,628,800, by walking what they have in common.

Two orders that lead to the same state, record and rest are one from there on, so each such place is entered once; what
holds is looked at on every step, and the number of orders through the walk is counted to prove that none is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from jp_tui.conversation.events import InquiryRequest
from jp_tui.conversation.strict_json import dump
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.questions.types import FormView, Place
from jp_tui.questions.wire import digest
from tests.inquiry.form import text
from tests.inquiry.play import APPLY, ESCALATES, HUSH, PASS, pairs
from tests.sampling import sampled

Record = tuple[tuple[str, str], ...]
"""What stands in the log so far: (id, `?`) for a request, (id, how) for its response."""
Kinds = dict[str, Callable[[str], v.Input]]

SHOWN = digest(APPLY)
FILE = replace(APPLY, targets=("src/a.py",))
A, B = text("a").question, text("b").question
FORM = FormView((Place("a", "", "answered"), Place("b", "", "current")))


def human(call: str) -> Kinds:
    """Asked, answered to be remembered, answered again, left, and gone."""
    inquiry = f"{call}.apply_changes.1"
    return {
        "raise": lambda call: v.QuestionRaised(call, APPLY, "tool"),
        "yes": lambda call: v.HumanAnswered(inquiry, SHOWN, True, remember=True),
        "no": lambda call: v.HumanAnswered(inquiry, SHOWN, False, via="process"),
        "leave": lambda call: v.HumanCancelled(inquiry, SHOWN),
        "gone": v.CallGone,
    }


def impatient(call: str) -> Kinds:
    """Asked twice under one id, edited, out of time, the turn ended."""
    inquiry = f"{call}.apply_changes.1"
    return {
        "raise": lambda call: v.QuestionRaised(call, APPLY, "tool"),
        "again": lambda call: v.QuestionRaised(call, APPLY, "tool"),
        "edit": lambda call: v.HumanEdited(inquiry, SHOWN, {"path": "b"}),
        "deadline": lambda call: v.DeadlinePassed(inquiry),
        "end": lambda call: v.HumanEndedTurn(),
    }


def reviewed(call: str) -> Kinds:
    """Asked of a reviewer that says no, changes its mind too late; the human decides; out of time."""
    first, second = f"{call}.apply_changes.1", f"{call}.apply_changes.2"
    return {
        "raise": lambda call: v.QuestionRaised(call, APPLY, "tool", ESCALATES),
        "no": lambda call: v.ReviewerAnswered(first, False, "too broad", "acme/small"),
        "late": lambda call: v.ReviewerAnswered(first, True, "after all", "acme/small"),
        "human": lambda call: v.HumanAnswered(second, SHOWN, True),
        "deadline": lambda call: v.DeadlinePassed(second),
    }


def taken_over(call: str) -> Kinds:
    """Asked of a reviewer about a file, taken over, approved too late or too early; the human says no; gone."""
    first, second = f"{call}.apply_changes.1", f"{call}.apply_changes.2"
    return {
        "raise": lambda call: v.QuestionRaised(call, FILE, "tool", ESCALATES),
        "over": lambda call: v.HumanTookOver(first, "acme/small", "It looks", 40),
        "yes": lambda call: v.ReviewerAnswered(first, True, "fine", "acme/small"),
        "human": lambda call: v.HumanAnswered(second, SHOWN, False),
        "gone": v.CallGone,
    }


def twice(call: str) -> Kinds:
    """Asked of a reviewer about the same file, once more with what the assistant wants; too long to be shown then."""
    first, second, third = (f"{call}.apply_changes.{number}" for number in (1, 2, 3))
    return {
        "raise": lambda call: v.QuestionRaised(call, FILE, "tool", ESCALATES, intent="to be tidy"),
        "no": lambda call: v.ReviewerAnswered(first, False, "too broad", "acme/small"),
        "yes": lambda call: v.ReviewerAnswered(second, True, "I see", "acme/small"),
        "too long": lambda call: v.ReviewerFailed(second, "900,000 tokens", kind="too_long"),
        "human": lambda call: v.HumanAnswered(third, SHOWN, True),
    }


def leave(call: str) -> Kinds:
    """Leave to run is wanted, given for the turn, refused, given with other arguments; the call begins anew."""
    inquiry = f"{call}.__permission__.1"
    return {
        "want": lambda call: v.PermissionWanted(call, "tool", "ask", "args"),
        "run": lambda call: v.HumanPermitted(inquiry, "args", True, remember=True),
        "skip": lambda call: v.HumanPermitted(inquiry, "args", False),
        "edit": lambda call: v.HumanEdited(inquiry, "args", {"path": "b"}),
        "restart": lambda call: v.CallStarted(call, "tool"),
    }


def secret(call: str) -> Kinds:
    """A secret: asked, given, given to what was not shown, replied to, and its call gone."""
    inquiry, shown = f"{call}.pass.1", digest(PASS)
    return {
        "raise": lambda call: v.QuestionRaised(call, PASS, "tool"),
        "give": lambda call: v.HumanAnswered(inquiry, shown, HUSH, note=HUSH),
        "stale": lambda call: v.HumanAnswered(inquiry, SHOWN, HUSH),
        "reply": lambda call: v.HumanReplied(inquiry, shown, "rather not"),
        "gone": v.CallGone,
    }


def resumed(call: str) -> Kinds:
    """Taken up from a turn that was cut off, asked again or otherwise, answered, ended."""
    inquiry = f"{call}.apply_changes.1"
    found = (v.Recorded(inquiry, "apply_changes", SHOWN),)
    return {
        "resume": lambda call: v.CallResumed(call, "tool", {}, {"apply_changes": 1}, found),
        "raise": lambda call: v.QuestionRaised(call, APPLY, "tool"),
        "other": lambda call: v.QuestionRaised(call, PASS, "tool"),
        "yes": lambda call: v.HumanAnswered(inquiry, SHOWN, True),
        "gone": v.CallGone,
    }


def form(call: str) -> Kinds:
    """A form with its first answer: the second question is asked, Back, the first again, the undo of it, a review."""
    return {
        "raise": lambda call: v.QuestionRaised(call, B, "assistant", form=FORM),
        "back": lambda call: v.HumanWentBack(f"{call}.b.1", digest(B)),
        "again": lambda call: v.QuestionRaised(call, A, "assistant", form=FORM),
        "undo": lambda call: v.HumanRestored(f"{call}.a.2", digest(A)),
        "review": lambda call: v.ReviewWanted(call, "d", FORM),
    }


def moves(given: v.Input) -> bool:
    """Whether a tool runs again on it without an answer to what it asked."""
    return isinstance(given, v.HumanWentBack | v.HumanRestored | v.HumanSubmitted)


@dataclass(slots=True)
class Walk:
    """All orders of `events` from `start`; `orders` by place: how many orders go on from there."""

    events: tuple[tuple[str, v.Input], ...]
    ended: int = 0
    orders: dict[tuple[str, Record, frozenset[int]], int] = field(default_factory=dict)

    def go(self, state: v.State, record: Record, rest: frozenset[int]) -> int:
        place = (repr(state), record, rest)
        if place not in self.orders:
            self.orders[place] = self.fan(state, record, rest) if rest else self.end(state, record)
        return self.orders[place]

    def fan(self, state: v.State, record: Record, rest: frozenset[int]) -> int:
        count = 0
        for one in rest:
            after, written = self.step(state, record, self.events[one][1])
            count += self.go(after, written, rest - {one})
        return count

    def step(self, state: v.State, record: Record, given: v.Input) -> tuple[v.State, Record]:
        after, steps = decide(state, given)
        if any(isinstance(step, s.Refuse) for step in steps):
            assert after == state and len(steps) == 1
        written = list(record)
        for step in steps:
            if isinstance(step, s.Record):
                assert HUSH not in dump(step.event.wire())
                if isinstance(step.event, InquiryRequest):
                    written.append((step.event.id, "?"))
                else:
                    written += pairs([step.event])
            if isinstance(step, s.RunAgain) and step.arguments is None and not step.replied and not moves(given):
                name, answer = list(step.answers.items())[-1]
                assert answer.digest == {"apply_changes": SHOWN, "pass": digest(PASS), "b": digest(B)}[name]
                if answer.value is True and state.ledger.refused:
                    assert isinstance(given, v.HumanAnswered), "no model lets through what was refused (R247)"
        self.holds(after, tuple(written))
        return after, tuple(written)

    def holds(self, state: v.State, record: Record) -> None:
        requests = [inquiry for inquiry, how in record if how == "?"]
        responses = [inquiry for inquiry, how in record if how != "?"]
        assert len(set(requests)) == len(requests) and len(set(responses)) == len(responses), record
        assert all(record.index((inquiry, "?")) < at for at, (inquiry, how) in enumerate(record) if how != "?"), record
        known = [item.inquiry for item in (*state.waiting, *state.reviewed) if isinstance(item, v.OpenQuestion)]
        known += [item.inquiry for work in state.calls.values() for item in work.recorded]
        assert sorted(known) == sorted(set(requests) - set(responses)), record

    def end(self, state: v.State, record: Record) -> int:
        """The turn ends: every request has exactly one response."""
        self.ended += 1
        state, record = self.step(state, record, v.HumanEndedTurn())
        requests = {inquiry for inquiry, how in record if how == "?"}
        assert requests == {inquiry for inquiry, how in record if how != "?"}
        assert state.waiting == state.reviewed == ()
        return 1


PAIRS = [
    (human, human),
    (human, impatient),
    (reviewed, human),
    (leave, leave),
    (secret, leave),
    (resumed, human),
    (form, human),
    (taken_over, twice),
]


@pytest.mark.parametrize(("left", "right"), sampled(PAIRS, 4), ids=lambda kinds: kinds.__name__)
def test_every_order(left: Callable[[str], Kinds], right: Callable[[str], Kinds]) -> None:
    """R102, R200, R203, R252: of two inquiries of one tool, which may answer one another when remembered."""
    events: list[tuple[str, v.Input]] = []
    state = v.State(client=True, retry_with_intent=True)
    record: Record = ()
    for call, kinds in (("c1", left), ("c2", right)):
        events += [(f"{call} {name}", make(call)) for name, make in kinds(call).items()]
        if kinds is resumed:
            # An open request of before the crash: it is on record, and the machine hears of it first.
            record = (*record, (f"{call}.apply_changes.1", "?"))
            state, steps = decide(state, events[-5][1])
            assert steps == []
        elif kinds is form:
            state, _ = decide(state, v.CallResumed(call, "tool", {"a": v.GivenAnswer("x", digest(A))}, {"a": 1}, ()))
        else:
            state, _ = decide(state, v.CallStarted(call, "tool"))
    walk = Walk(tuple(events))
    assert walk.go(state, record, frozenset(range(10))) == math.factorial(10)
    assert walk.ended > 1

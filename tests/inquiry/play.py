"""What every test of the machine shares: questions, and a play that feeds it and keeps a naive record beside it.

The record knows only the rules of the log (inquiries.md R102, R200, R203, R205) and refuses whatever breaks one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TypeVar

from jp_tui.conversation.events import (
    InquiryAnswered,
    InquiryAssigned,
    InquiryCancelled,
    InquiryFact,
    InquiryRequest,
    InquiryVote,
)
from jp_tui.conversation.strict_json import Json, dump
from jp_tui.inquiry import effects as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.questions.types import BooleanAnswer, Option, Question, SecretAnswer, SelectAnswer, TextAnswer
from jp_tui.questions.wire import digest

T = TypeVar("T")

HUSH = "hunter2"
"""The secret of every test: it must stand in no recorded event."""

APPLY = Question("apply_changes", "Apply?", BooleanAnswer(), context="+a", default=True, has_default=True)
BARE = replace(APPLY, default=None, has_default=False)
EXCLUSIVE = replace(APPLY, exclusive=True)
FLOOR = replace(APPLY, floor=True)
ASK = Question("answer", "Name?", TextAnswer(), exclusive=True, persistence="none")
PASS = Question("pass", "Passphrase?", SecretAnswer())
CHOICE = Question("env", "Where?", SelectAnswer((Option("a"), Option("b"))))

MODEL = v.Rule(target="assistant", place="/u/config.toml:3")
ESCALATES = v.Rule(target="assistant_with_escalation", place="/u/config.toml:4")


def pinned(value: Json, **more: object) -> v.Rule:
    return v.Rule(has_answer=True, answer=value, place="/u/config.toml:7", **more)  # type: ignore[arg-type]


def begun(*calls: str, client: bool = True, most: int = 20, tool: str = "tool") -> v.State:
    state = v.State(client=client, most=most)
    for call in calls:
        state, steps = decide(state, v.CallStarted(call, tool))
        assert steps == []
    return state


def raised(call: str = "c1", question: Question = APPLY, **more: object) -> v.QuestionRaised:
    return v.QuestionRaised(call, question, more.pop("source", "tool"), **more)  # type: ignore[arg-type]


def facts(steps: list[s.Step]) -> list[InquiryFact]:
    return [step.event for step in steps if isinstance(step, s.Record)]


def of(kind: type[T], steps: list[s.Step]) -> list[T]:
    return [step for step in steps if isinstance(step, kind)]


def only(kind: type[T], steps: list[s.Step]) -> T:
    (found,) = of(kind, steps)
    return found


def pairs(records: list[InquiryFact]) -> list[tuple[str, str]]:
    """Each response as (id, what): the answer's JSON with its responder, the cancellation's tag, or `redacted`."""
    found: list[tuple[str, str]] = []
    for event in records:
        match event:
            case InquiryRequest() | InquiryVote() | InquiryAssigned():
                continue
            case InquiryAnswered(answer=value, responder=who):
                assert who is not None
                found.append((event.id, f"{dump(value)} {who.kind}{' escalated' if who.escalated else ''}"))
            case InquiryCancelled(reason=tag):
                found.append((event.id, tag))
            case _:
                found.append((event.id, "redacted"))
    return found


class Play:
    """Feeds the machine and holds it to the rules of the log. `open` is what each call asks the human now."""

    def __init__(self, state: v.State | None = None, *, client: bool = True) -> None:
        self.state = state or v.State(client=client)
        self.steps: list[s.Step] = []
        self.records: list[InquiryFact] = []
        self.requests: Counter[str] = Counter()
        self.responses: Counter[str] = Counter()
        self.open: dict[str, v.Waiting] = {}
        self.why: dict[str, str] = {}

    def __call__(self, given: v.Input) -> list[s.Step]:
        before = self.state
        self.state, steps = decide(before, given)
        if any(isinstance(step, s.Refuse) for step in steps):
            assert len(steps) == 1 and self.state == before, "what is refused changes nothing"
        effects = False
        for step in steps:
            if isinstance(step, s.Record):
                assert not effects, "a fact after an effect (R205)"
                self._record(step.event)
            else:
                effects = True
                self._effect(step)
        self.steps += steps
        return steps

    def _record(self, event: InquiryFact) -> None:
        if isinstance(event, InquiryVote | InquiryAssigned):
            assert self.requests[event.id] > self.responses[event.id], "a vote on what is closed"
            self.records.append(event)
            return
        bag = self.requests if isinstance(event, InquiryRequest) else self.responses
        bag[event.id] += 1
        assert bag[event.id] == 1, f"{event.id} twice"
        assert self.responses[event.id] <= self.requests[event.id], "a response without a request"
        assert HUSH not in dump(event.wire()), "a secret in the log"
        if isinstance(event, InquiryAnswered):
            assert event.responder is not None
        self.records.append(event)

    def _effect(self, step: s.Step) -> None:
        match step:
            case s.AskHuman(opened) | s.AskReviewer(opened):
                assert self.requests[opened.inquiry] == 1 and not self.responses[opened.inquiry]
                assert step.why
                self.why[opened.inquiry] = step.why
                if isinstance(step, s.AskHuman):
                    self.open[opened.call] = opened
            case s.AskPermission(prompt) | s.AskDelivery(prompt):
                assert step.why and not self.requests[prompt.inquiry]
                self.open[prompt.call] = prompt
            case s.AskReview(review):
                assert not self.requests[review.inquiry]
                self.open[review.call] = review
            case _:
                pass

    # --- shorthands ---------------------------------------------------------------------------------------

    def ask(self, call: str, question: Question = APPLY, *, tool: str = "tool", **more: object) -> list[s.Step]:
        if call not in self.state.calls:
            self(v.CallStarted(call, tool))
        return self(raised(call, question, **more))

    def answer(self, call: str, value: Json = True, **more: object) -> list[s.Step]:
        opened = self.open[call]
        return self(v.HumanAnswered(opened.inquiry, opened.digest, value, **more))  # type: ignore[arg-type]

    def verdict(self, inquiry: str, value: Json, reason: str = "because", **more: object) -> list[s.Step]:
        return self(v.ReviewerAnswered(inquiry, value, reason, "acme/small", **more))  # type: ignore[arg-type]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return pairs(self.records)

    @property
    def unanswered(self) -> list[str]:
        return [
            event.id for event in self.records if isinstance(event, InquiryRequest) and not self.responses[event.id]
        ]


def shown(question: Question) -> str:
    return digest(question)

"""Recorded hostile orders of events against the machine: each request one response, none invented, none misled."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from jp_tui.conversation.events import InquiryAnswered, InquiryCancelled
from jp_tui.inquiry import steps as s
from jp_tui.inquiry import values as v
from jp_tui.inquiry.decide import decide
from jp_tui.questions.types import BooleanAnswer, Question, TextAnswer

APPLY = Question("apply", "Apply?", BooleanAnswer())
NAME = Question("answer", "Name?", TextAnswer(), exclusive=True, persistence="none")


class Play:
    """Feeds the machine and keeps what came out."""

    def __init__(self, *, client: bool = True) -> None:
        self.state = v.State(client=client)
        self.steps: list[s.Step] = []
        self.open: dict[str, v.Open] = {}

    def __call__(self, given: v.Input) -> list[s.Step]:
        self.state, steps = decide(self.state, given)
        self.steps += steps
        self.open |= {step.open.call: step.open for step in steps if isinstance(step, s.AskHuman)}
        return steps

    def ask(self, call: str, question: Question = APPLY, tool: str = "edit", rule: v.Rule | None = None) -> None:
        self(v.CallStarted(call, tool))
        self(v.QuestionRaised(call, question, "tool", rule or v.Rule()))

    def answer(self, call: str, value: object = True, *, remember: bool = False) -> list[s.Step]:
        opened = self.open[call]
        return self(v.HumanAnswered(opened.inquiry, opened.digest, value, remember))  # type: ignore[arg-type]

    @property
    def records(self) -> list[object]:
        return [step.event for step in self.steps if isinstance(step, s.Record)]

    @property
    def answered(self) -> list[tuple[str, object]]:
        return [(event.id, event.answer) for event in self.records if isinstance(event, InquiryAnswered)]


def two_answers() -> None:
    """INQ-002, INQ-028: the first wins, the other is told so, and nothing is applied to a later question."""
    play = Play()
    play.ask("c1")
    play.answer("c1", True)
    late = play.answer("c1", False)
    assert isinstance(late[0], s.Refuse) and late[0].gone and "already answered" in late[0].reason
    play.ask("c2")
    again = play.answer("c1", False)
    assert isinstance(again[0], s.Refuse) and play.state.waiting[0].call == "c2"
    assert play.answered == [("c1.apply.1", True)]


def wrong_static() -> None:
    """INQ-008: never coerced; the error names the key and forbids to try again."""
    play = Play()
    play.ask("c1", rule=v.Rule(has_answer=True, answer="yes"))
    (done,) = [step for step in play.steps if isinstance(step, s.Complete)]
    assert done.is_error and "conversation.tools.edit.questions.apply.answer" in done.content
    assert "do not retry" in done.content and not play.answered
    assert isinstance(closing := play.records[-1], InquiryCancelled) and closing.reason == "invalid_static_answer"


def nobody_there() -> None:
    """INQ-010: no model answers its own question, and nothing waits."""
    play = Play(client=False)
    play.ask("c1", NAME, "ask_user")
    (done,) = [step for step in play.steps if isinstance(step, s.Complete)]
    assert done.is_error and "Do not retry" in done.content and not play.state.waiting
    assert isinstance(closing := play.records[-1], InquiryCancelled) and closing.reason == "no_prompt_backend"


def not_remembered() -> None:
    """INQ-012."""
    play = Play()
    never = replace(APPLY, persistence="none")
    play.ask("c1", never)
    play.answer("c1", True, remember=True)
    play.ask("c2", never)
    assert [item.call for item in play.state.waiting] == ["c2"]


def another_tool() -> None:
    """INQ-014: the same question id of two tools is two questions."""
    play = Play()
    play.ask("c1", tool="x")
    play.answer("c1", True, remember=True)
    play.ask("c2", tool="y")
    assert [item.call for item in play.state.waiting] == ["c2"]


def reused_call() -> None:
    """INQ-015: told apart by the attempt; the first answer does not answer the second question."""
    play = Play()
    play.ask("c1")
    first = play.open["c1"]
    play.answer("c1", True)
    play(v.CallGone("c1"))
    play.ask("c1")
    second = play.open["c1"]
    assert (first.inquiry, second.inquiry) == ("c1.apply.1", "c1.apply.2")
    stale = play(v.HumanAnswered(first.inquiry, first.digest, False))
    assert isinstance(stale[0], s.Refuse) and play.state.waiting == (second,)


def unknown_id() -> None:
    """INQ-029: never "the current question"."""
    play = Play()
    play.ask("c1")
    before = play.state
    (refused,) = play(v.HumanAnswered("zzz", play.open["c1"].digest, True))
    assert isinstance(refused, s.Refuse) and refused.gone and play.state == before


NOW: dict[str, Callable[[], None]] = {
    "INQ-002": two_answers,
    "INQ-008": wrong_static,
    "INQ-010": nobody_there,
    "INQ-012": not_remembered,
    "INQ-014": another_tool,
    "INQ-015": reused_call,
    "INQ-028": two_answers,
    "INQ-029": unknown_id,
}
ELSEWHERE = {
    "INQ-001": "deadlines are not built yet",
    "INQ-006": "reviewing models are not built yet",
    "INQ-018": "tests/engine/test_many.py",
    "INQ-020": "MCP is not built yet",
    "INQ-024": "forms of several questions are not built yet; the flat shape in tests/engine/test_questions.py",
    "INQ-036": "answers from other programs are not built yet",
}


@pytest.mark.parametrize("case", NOW)
def test_the_outcome_is_the_safe_one(case: str) -> None:
    NOW[case]()


def test_every_recorded_case_is_known(fixtures_dir: Path) -> None:
    cases = json.loads((fixtures_dir / "hostile" / "inquiry.json").read_text())["cases"]
    assert {case["id"] for case in cases} == set(NOW) | set(ELSEWHERE)


def test_the_record_is_the_question_as_it_was_asked() -> None:
    """R20: what the configuration makes of it decides who answers, and stands in no record."""
    play = Play()
    play.ask("c1", NAME, rule=v.Rule(exclusive=False))
    play.ask("c2", APPLY, rule=v.Rule(exclusive=True))
    first, second = (event.question for event in play.records)  # type: ignore[attr-defined]
    assert first["exclusive"] is True and "exclusive" not in second

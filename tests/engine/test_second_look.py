"""`retry_with_intent` through the engine: after its first no a reviewer hears what the assistant wants (issue 6.7)."""

from __future__ import annotations

import pytest

from jp_tui.engine.base.dependencies import ReviewListener, ReviewQuestion
from jp_tui.engine.turn.intent import MOST
from jp_tui.inquiry.values import EarlierVerdict, ReviewerAnswered, ReviewerFailed, Rule
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, Reviews, asks

WANTS = "I only mend the typing error in the title."
ESCALATES = Rule(target="assistant_with_escalation")


class Looks(Reviews):
    """A reviewer that says no at its first look, and `second` at the one with the intent."""

    def __init__(self, second: bool) -> None:
        super().__init__(sure=(False, "too wide"))
        self._second = second
        self.asked_for: list[ReviewQuestion] = []

    async def inquire(self, asked: ReviewQuestion, hears: ReviewListener) -> ReviewerAnswered | ReviewerFailed:
        self.asked_for.append(asked)
        if asked.intent:
            self.verdicts["sure"] = (self._second, "now I see")
        return await super().inquire(asked, hears)


def begun(bench: Bench, reviewer: Looks, said: list[Item], *, on: bool = True, rule: Rule = ESCALATES) -> None:
    bench.reviewer, bench.retry_with_intent = reviewer, on
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules={"sure": rule})
    bench.script = Script([*said, *call("ask", {}, index=len(said) and 1), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")


def test_a_reviewer_that_says_no_is_told_what_the_assistant_said_beside_the_call(bench: Bench) -> None:
    """It looks again, once, with those words and its own first verdict; its yes counts and nobody else is asked."""
    reviewer = Looks(True)
    begun(bench, reviewer, text(WANTS))
    started = [bench.until(e.ReviewStarted) for _ in range(2)]
    assert bench.turn().outcome == "done"
    first, second = reviewer.asked_for
    assert (first.intent, first.before) == ("", ())
    assert second.intent == WANTS and [(one.model, one.reason) for one in second.before] == [("judge", "too wide")]
    assert all(isinstance(one, EarlierVerdict) for one in second.before)
    assert [(one.inquiry, one.again) for one in started] == [("c1.sure.1", False), ("c1.sure.2", True)]
    assert not [event for event in bench.events if isinstance(event, e.QuestionAsked)]
    answers = [event["answer"] for event in bench.log() if event["type"] == "inquiry_response"]
    assert answers == [False, True]


def test_a_second_no_is_for_the_human(bench: Bench) -> None:
    reviewer = Looks(False)
    begun(bench, reviewer, text(WANTS))
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    assert [one.intent for one in reviewer.asked_for] == ["", WANTS]


@pytest.mark.parametrize(
    ("said", "on", "rule", "asked"),
    [
        (text(WANTS), False, ESCALATES, 1),
        ([], True, ESCALATES, 1),
        (text(WANTS), True, Rule(target="assistant"), 0),
        (text(WANTS), True, ESCALATES, 1),
    ],
    ids=["not set", "nothing said", "a reviewer whose no is final", "all of it"],
)
def test_otherwise_it_looks_once(bench: Bench, said: list[Item], on: bool, rule: Rule, asked: int) -> None:
    """Without the setting, without words, and where its no is the last word; the last case can fail the others."""
    reviewer = Looks(False)
    begun(bench, reviewer, said, on=on, rule=rule)
    for _ in range(asked):
        bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    whole = on and bool(said) and rule == ESCALATES
    assert len(reviewer.asked_for) == (2 if whole else 1)
    assert [one.intent for one in reviewer.asked_for] == ["", *([WANTS] if whole else [])]


def test_long_words_are_told_from_their_end(bench: Bench) -> None:
    """What is said last is said about the call."""
    reviewer = Looks(True)
    begun(bench, reviewer, text("x" * MOST + WANTS))
    bench.turn()
    assert len(reviewer.asked_for[1].intent) == MOST and reviewer.asked_for[1].intent.endswith(WANTS)

"""What faces hear of a reviewer while it decides, taking a question over from it, and how reviewers fared."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.engine.reviewer.statistics import _median
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PolicyChange, ReviewerFigures
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, Reviews, asks

OK: list[Item] = [*text("Ok."), *end()]
ESCALATES = Rule(target="assistant_with_escalation")


def begin(bench: Bench, reviews: Reviews, rule: Rule = ESCALATES) -> None:
    bench.reviewer = reviews
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules={"sure": rule})
    bench.script = Script(*([[*call("ask", {}), *end("tools")], OK] * 40))
    bench.start()


def figures(bench: Bench) -> tuple[ReviewerFigures, ...]:
    bench.send(c.ReadReviewers())
    return bench.until(e.ReviewersRead).reviewers


def responses(bench: Bench) -> list[dict[str, Any]]:
    return [event for event in bench.log() if event["type"] == "inquiry_response"]


def test_faces_hear_who_decides_and_why_while_it_is_written(bench: Bench) -> None:
    """R139, E40: the model when it is asked, its reason as it comes, and the end."""
    begin(bench, Reviews(sure=(True, "small and safe")))
    bench.say("go")
    started = bench.until(e.ReviewStarted)
    assert (started.tool, started.model, started.inquiry, started.again) == ("ask", "judge/one", "c1.sure.1", False)
    delta = bench.until(e.ReviewDelta)
    assert (delta.inquiry, delta.kind, delta.text.raw) == ("c1.sure.1", "reason", "small and safe")
    assert bench.until(e.QuestionSettled).by == "assistant"
    bench.turn()


def test_a_question_is_taken_over(bench: Bench) -> None:
    """R156: the call to the model is called off and on record, the human is asked in a new attempt and told by whom."""
    reviews = Reviews(sure=(True, "fine"))
    reviews.gate.clear()
    begin(bench, reviews)
    bench.say("go")
    started = bench.until(e.ReviewStarted)
    bench.send(c.TakeOver(conversation=bench.conversation, inquiry=started.inquiry))
    prompt = bench.prompt()
    assert prompt.escalation is not None and prompt.escalation.cause == "taken_over" and prompt.escalation.failed
    assert prompt.escalation.model == "judge/one" and prompt.inquiry == "c1.sure.2"
    bench.answer(prompt, Answered(value=False))
    bench.turn()
    first, second = responses(bench)
    assert (first["outcome"], first["reason"]) == ("cancelled", "user")
    assert (second["outcome"], second["answer"], second["responder"]["kind"]) == ("answered", False, "user")
    assert reviews.cancelled == 1
    (row,) = figures(bench)
    assert (row.model, row.asked, row.taken_over, row.outcomes) == ("judge/one", 1, 1, "t")


def test_there_is_nothing_to_take_over(bench: Bench) -> None:
    begin(bench, Reviews(sure=(True, "fine")))
    bench.send(c.TakeOver(conversation=bench.conversation, inquiry="c1.sure.1"))
    assert bench.until(e.AnswerRefused).gone
    bench.say("go")
    bench.turn()
    bench.send(c.TakeOver(conversation=bench.conversation, inquiry="c1.sure.1"))
    assert bench.until(e.AnswerRefused).gone


def test_how_reviewers_fared(bench: Bench) -> None:
    """Counted from the record: what was overturned, upheld, approved, failed; most of it overturned is told."""
    reviews = Reviews(sure=(False, "too wide"))
    begin(bench, reviews)
    for value in (True, True, True, True, False):
        bench.say("go")
        bench.answer(bench.prompt(), Answered(value=value))
        bench.turn()
    reviews.verdicts["sure"] = (True, "fine")
    bench.say("go")
    bench.turn()
    reviews.verdicts["sure"] = "it broke"
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    (row,) = figures(bench)
    assert (row.tool, row.question, row.model, row.asked, row.outcomes) == ("ask", "sure", "judge", 7, "ooooraf")
    assert (row.approved, row.rejected, row.overturned, row.upheld, row.failed) == (1, 5, 4, 1, 1)
    assert row.p50_ms is not None and row.p95_ms is not None and row.p50_ms <= row.p95_ms
    assert row.suggests == PolicyChange(
        key="conversation.tools.ask.questions.sure.target",
        value="user",
        words="You overturned 4 of 5 rejections. Decide these yourself?",
    )
    assert row.first <= row.last and row.cost_usd is None


def test_a_reviewer_that_is_never_overturned(bench: Bench) -> None:
    """Ten rejections that the human confirmed: nobody needs to be asked any more. What is set already is not told."""
    begin(bench, Reviews(sure=(False, "too wide")))
    for _ in range(10):
        bench.say("go")
        bench.answer(bench.prompt(), Answered(value=False))
        bench.turn()
    (row,) = figures(bench)
    assert row.suggests is not None and row.suggests.value == "assistant" and row.upheld == 10
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules={"sure": Rule(target="assistant")})
    (row,) = figures(bench)
    assert row.suggests is None


def test_outcomes_are_told_by_time_over_all_conversations(bench: Bench) -> None:
    """Also of a conversation that was taken up again: the first is the latest here, and its older no a yes."""
    reviews = Reviews(sure=(False, "too wide"))
    begin(bench, reviews)
    first = bench.conversation
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    bench.send(c.OpenConversation(which="new"))
    bench.conversation = bench.until(e.ConversationOpened).conversation
    reviews.verdicts["sure"] = (True, "fine")
    bench.say("go")
    bench.turn()
    bench.send(c.OpenConversation(which="id", conversation=first))
    bench.conversation = bench.until(e.ConversationOpened).conversation
    reviews.verdicts["sure"] = "it broke"
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    (row,) = figures(bench)
    assert row.outcomes == "oaf"


@pytest.mark.parametrize(("times", "median"), [((), None), ((4,), 4), ((2, 3), 3), ((1, 4), 3), ((1, 2, 9), 2)])
def test_the_median(times: tuple[int, ...], median: int | None) -> None:
    """Half way between the two in the middle, where there are two."""
    assert _median(list(times)) == median

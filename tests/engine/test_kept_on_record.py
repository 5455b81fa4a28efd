"""What stays on record of a review and of an escalated question (Z5, Z6, Z7), through the engine."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Replied, Response
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, Reviews, asks

OK = [*text("Ok."), *end()]
ESCALATES = Rule("assistant_with_escalation")


def asked(bench: Bench, tool: Made, rule: Rule = ESCALATES, **verdict: Any) -> Reviews:
    bench.reviewer = reviews = Reviews(**verdict)
    bench.tools["ask"] = tool_setup("ask", tool, rules={"sure": rule})
    bench.script = Script([*call("ask", {}, "c1"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    return reviews


def responses(bench: Bench) -> list[dict[str, Any]]:
    return [event for event in bench.log() if event["type"] == "inquiry_response"]


def result(bench: Bench) -> dict[str, Any]:
    (found,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    return found


@pytest.mark.parametrize(
    ("response", "outcome", "reason"),
    [
        (Answered(value=True), "answered", None),
        (Answered(value=False), "answered", None),
        (Cancelled(), "cancelled", "user"),
        (Replied(text="rather not"), "cancelled", "user_reply"),
        (EndTurn(), "cancelled", "user"),
    ],
)
def test_every_ending_of_an_escalated_question_says_so(
    bench: Bench, response: Response, outcome: str, reason: str | None
) -> None:
    """Z7, R149."""
    asked(bench, Made(asks), sure=(False, "too wide"))
    bench.answer(bench.prompt(), response)
    bench.turn()
    first, second = responses(bench)
    assert first["answer"] is False and "escalated" not in first["responder"]
    assert (second["outcome"], second.get("reason")) == (outcome, reason)
    assert second["responder"]["kind"] == "user" and second["responder"]["escalated"] is True


@pytest.mark.parametrize("how", ["withdrawn", "timed out"])
def test_an_escalated_question_that_nobody_answers_says_so(bench: Bench, how: str) -> None:
    """Z7: no responder is named that did nothing."""
    rule = Rule("assistant_with_escalation", deadline_secs=1 if how == "timed out" else None)
    asked(bench, Made(asks), rule, sure=(False, "too wide"))
    bench.prompt()
    if how == "withdrawn":
        bench.interrupt("stop")
    bench.turn()
    _, second = responses(bench)
    assert second["outcome"] == "cancelled" and second["responder"] == {"kind": "system", "escalated": True}


@pytest.mark.parametrize("client", [True, False])
def test_a_failed_review_keeps_its_cause(bench: Bench, client: bool) -> None:
    """Z7: also where the human is asked instead."""
    bench.client = client
    asked(bench, Made(asks), sure="the server is gone")
    if client:
        bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    first = responses(bench)[0]
    assert first["reason"] == "backend_error"
    assert (first["metadata"]["cause"], first["metadata"]["error"]) == ("failed", "the server is gone")


def test_a_review_that_was_taken_over_keeps_its_cause(bench: Bench) -> None:
    """Z7, R156."""
    reviews = asked(bench, Made(asks), sure=(True, "fine"))
    reviews.gate.clear()
    started = bench.until(e.ReviewStarted)
    bench.send(c.TakeOver(conversation=bench.conversation, inquiry=started.inquiry))
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    first = responses(bench)[0]
    assert (first["outcome"], first["reason"], first["metadata"]["cause"]) == ("cancelled", "user", "taken_over")
    assert first["metadata"]["error"]


def test_a_no_without_a_reason_is_marked_and_counted(bench: Bench) -> None:
    """Z5: it stands; the record and the figures say that the reason was missing."""
    asked(bench, Made(asks), Rule("assistant"), sure=(False, ""))
    bench.turn()
    (first,) = responses(bench)
    assert first["answer"] is False and first["metadata"]["reason_missing"] is True
    bench.send(c.ReadReviewers())
    (figures,) = bench.until(e.ReviewersRead).reviewers
    assert (figures.rejected, figures.reasons_missing) == (1, 1)


def test_a_no_with_a_reason_is_not(bench: Bench) -> None:
    asked(bench, Made(asks), Rule("assistant"), sure=(False, "too wide"))
    bench.turn()
    assert "reason_missing" not in responses(bench)[0].get("metadata", {})


def after_the_answer(outcome: Outcome | Exception) -> Made:
    async def run(call: ToolCall) -> Outcome:
        if "sure" not in call.answers:
            return NeedsInput(Question("sure", "Sure?", BooleanAnswer()))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return Made(run)


M8 = "The tool call ask was reviewed by a secondary assistant (judge) and rejected."


def test_a_crash_after_a_no_is_still_seen(bench: Bench) -> None:
    """Z6."""
    asked(bench, after_the_answer(RuntimeError("boom")), Rule("assistant"), sure=(False, "too wide"))
    bench.turn()
    content = result(bench)["content"]
    assert content.startswith(M8) and "RuntimeError: boom" in content
    assert "\n\nThe tool said: ask failed unexpectedly" in content


def test_an_error_of_the_tools_own_after_a_no_is_added(bench: Bench) -> None:
    """Z6: M8 first, word for word, then a blank line and the error."""
    asked(bench, after_the_answer(Failure("the disk is full")), Rule("assistant"), sure=(False, "too wide"))
    bench.turn()
    content = result(bench)["content"]
    assert content.startswith(M8) and content.endswith("\n\nThe tool said: the disk is full")
    assert result(bench)["metadata"]["tool_error"] == "the disk is full"


def test_a_plain_rejection_is_not_said_twice(bench: Bench) -> None:
    """Z6."""
    plain = Failure("rejected", declined=True)
    asked(bench, after_the_answer(plain), Rule("assistant"), sure=(False, "too wide"))
    bench.turn()
    assert "The tool said" not in result(bench)["content"] and result(bench)["content"].startswith(M8)


def test_a_crash_without_a_no_is_told_as_it_is(bench: Bench) -> None:
    """C54."""
    asked(bench, after_the_answer(RuntimeError("boom")), Rule("assistant"), sure=(True, "fine"))
    bench.turn()
    assert result(bench)["content"] == "ask failed unexpectedly (RuntimeError: boom)."


def test_success_after_a_no_stays_as_it_is(bench: Bench) -> None:
    """R143."""
    asked(bench, after_the_answer(Success("left as it was")), Rule("assistant"), sure=(False, "too wide"))
    bench.turn()
    assert result(bench)["content"] == "left as it was"

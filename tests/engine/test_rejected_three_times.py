"""A call that was rejected three times in a turn is refused without asking (Z17, M50)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, Permitted
from jp_tui.questions.types import BooleanAnswer, Question
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, Reviews, at_once

OK = [*text("Ok."), *end()]
BY_USER = "Refused without asking: the user rejected this same call three times. Say what you need and end the turn."
BY_OTHERS = "Refused without asking: this same call was rejected three times. Say what you need and end the turn."


async def strict(call: ToolCall) -> Outcome:
    """Asks one question; a "no" makes it fail."""
    given = call.answers.get("sure")
    if given is None:
        return NeedsInput(Question("sure", "Sure?", BooleanAnswer()))
    return Success("did it") if given.value else Failure("not done")


def calls(bench: Bench, tool: Made, *arguments: dict[str, Any], **setup: Any) -> None:
    """A turn in which the model calls `guarded` once a response with these arguments; the same again in the next."""
    bench.tools["guarded"] = tool_setup("guarded", tool, **setup)
    made = [[*call("guarded", one, f"c{at}"), *end("tools")] for at, one in enumerate(arguments, 1)]
    bench.script = Script(*made, OK, *made, OK)
    bench.start()
    bench.say("go")


def contents(bench: Bench) -> list[str]:
    return [event["content"] for event in bench.log() if event["type"] == "tool_call_response"]


SAME = [{"a": 1, "b": [2]}, {"b": [2], "a": 1}, {"a": 1, "b": [2]}, {"a": 1, "b": [2]}]


@pytest.mark.parametrize("how", ["skip", "reason", "cancel"])
def test_a_call_that_was_not_allowed_three_times(bench: Bench, how: str) -> None:
    """Z17: whatever its id and the order of its arguments; the response says that the engine refused it."""
    tool = Made(at_once)
    calls(bench, tool, *SAME, run="ask")
    response = {"skip": Permitted(run=False), "reason": Permitted(run=False, reason="no"), "cancel": Cancelled()}[how]
    for _ in range(3):
        bench.answer(bench.prompt(), response)
    assert bench.turn().outcome == "done"
    assert contents(bench)[3] == BY_USER and not tool.calls
    assert sum(isinstance(event, e.QuestionAsked) for event in bench.events) == 3
    last = [event for event in bench.log() if event["type"] == "tool_call_response"][-1]
    assert last["is_error"] and last["metadata"]["permission"] == {"choice": "skip", "by": "engine"}


def test_other_arguments_are_asked_about(bench: Bench) -> None:
    """Z17: only the same call is refused."""
    calls(bench, Made(at_once), *[{"n": 1}] * 3, {"n": 2}, {"n": 1}, run="ask")
    for _ in range(3):
        bench.answer(bench.prompt(), Permitted(run=False))
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert contents(bench)[3:] == ["done 2", BY_USER]


@pytest.mark.parametrize("response", [Answered(value=False), Cancelled()], ids=["no", "cancel"])
def test_a_question_of_the_tool_that_was_declined_three_times(bench: Bench, response: Answered | Cancelled) -> None:
    """Z17: the tool does not even run again."""
    tool = Made(strict)
    calls(bench, tool, *SAME)
    for _ in range(3):
        bench.answer(bench.prompt(), response)
    bench.turn()
    assert contents(bench)[3] == BY_USER
    assert len(tool.calls) == (6 if isinstance(response, Answered) else 3)


def test_a_no_that_the_tool_took_well_is_no_rejection(bench: Bench) -> None:
    """A question of a tool may have "no" for an ordinary answer."""

    async def mild(call: ToolCall) -> Outcome:
        given = call.answers.get("sure")
        return NeedsInput(Question("sure", "Sure?", BooleanAnswer())) if given is None else Success(str(given.value))

    calls(bench, Made(mild), *SAME)
    for _ in range(4):
        bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    assert contents(bench) == ["False"] * 4


def test_a_reviewers_rejections_count_and_are_not_blamed_on_the_user(bench: Bench) -> None:
    """Z17: without asking anybody, a reviewer neither."""
    bench.client = False
    bench.reviewer = reviewer = Reviews(sure=(False, "too wide"))
    calls(bench, Made(strict), *SAME, rules={"sure": Rule("assistant")})
    bench.turn()
    assert contents(bench)[3] == BY_OTHERS and len(reviewer.seen) == 3


def test_identical_calls_that_wait_end_with_the_third_rejection(bench: Bench) -> None:
    """Z17: calls of one cycle, all of them waiting."""
    bench.tools["guarded"] = tool_setup("guarded", Made(strict))
    cycle = [item for at in range(5) for item in call("guarded", {"n": 1}, f"c{at}", at)]
    bench.script = Script([*cycle, *end("tools")], OK)
    bench.start()
    bench.say("go")
    for _ in range(3):
        bench.answer(bench.prompt(), Cancelled())
    bench.turn()
    assert contents(bench) == ["Tool input cancelled by user."] * 3 + [BY_USER] * 2
    kinds = bench.kinds()
    assert kinds.count("inquiry_request") == kinds.count("inquiry_response")


def test_the_next_message_lifts_it(bench: Bench) -> None:
    """Z17."""
    calls(bench, Made(at_once), *SAME, run="ask")
    for _ in range(3):
        bench.answer(bench.prompt(), Permitted(run=False))
    bench.turn()
    bench.say("try again")
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.answer(bench.prompt(), Permitted(run=False))
    bench.answer(bench.prompt(), Permitted(run=False))
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert contents(bench)[4].startswith("done")


def test_words_that_stop_the_calls_lift_it(bench: Bench) -> None:
    """Z17, R212: a message in the middle of a turn is one."""
    calls(bench, Made(at_once), *[{"n": 1}] * 5, run="ask")
    for _ in range(2):
        bench.answer(bench.prompt(), Permitted(run=False))
    bench.prompt()
    bench.interrupt("respond", "wait, explain")
    fourth = bench.prompt()
    bench.answer(fourth, Permitted(run=False))
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert contents(bench)[-1] == "done 1"


def test_rejections_survive_a_restart(bench: Bench) -> None:
    """Z17, R237: they are read back from the record of an unfinished turn."""

    async def both(call: ToolCall) -> Outcome:
        if call.arguments.get("waits"):
            return NeedsInput(Question("sure", "Sure?", BooleanAnswer())) if not call.answers else Success("yes")
        return await strict(call)

    tool = Made(both)
    bench.tools["guarded"] = tool_setup("guarded", tool)
    rejected = [[*call("guarded", {"n": 1}, f"c{at}"), *end("tools")] for at in range(3)]
    waits = [*call("guarded", {"waits": True}, "w1"), *end("tools")]
    bench.script = Script(*rejected, waits)
    bench.start()
    bench.say("go")
    for _ in range(3):
        bench.answer(bench.prompt(), Answered(value=False))
    bench.prompt()
    bench.stop()
    bench.script = Script([*call("guarded", {"n": 1}, "c9"), *end("tools")], OK)
    bench.start("id", bench.conversation)
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    assert contents(bench)[-1] == BY_USER

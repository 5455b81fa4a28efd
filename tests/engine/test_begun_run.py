"""A run of a call with its answers is on the disk before it begins, and nobody repeats it without asking (store.md
D21)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.record.unlogged_results import BEGUN, begun_runs
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.questions.types import BooleanAnswer, Question, SelectAnswer
from jp_tui.tools.port import NeedsInput, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, forever
from tests.limits import LIMIT

DOUBT = "careful may have run when its worker went away."


async def hangs(given: ToolCall) -> Any:
    """Asks, then never ends."""
    return await (forever(given) if given.answers else asks(given))


def begun(bench: Bench, **more: Any) -> Made:
    """A call that runs with its answer when the program is killed."""
    tool = Made(hangs)
    bench.tools["careful"] = replace(tool_setup("careful", tool), **more)
    bench.script = Script([*call("careful", {"n": 1}), *end("tools")], [*text("Done."), *end()])
    bench.start()
    bench.say("go")
    tool.began.wait()
    prompt = bench.prompt()
    tool.began.clear()
    bench.answer(prompt, Answered(value=True))
    assert tool.began.wait(LIMIT)
    bench.kill()
    return again(bench, **more)


def again(bench: Bench, run: Any = asks, **more: Any) -> Made:
    """The same tool at the next start."""
    tool = Made(run)
    bench.tools["careful"] = replace(tool_setup("careful", tool), **more)
    bench.script = Script([*text("Done."), *end()])
    return tool


def marks(bench: Bench) -> list[str]:
    reader = open_reader(bench.home / "conversations.db")
    try:
        return [part.part for part in reader.partials(bench.conversation) if part.kind == BEGUN]
    finally:
        reader.close()


def doubt(bench: Bench) -> PromptRequest:
    prompt = bench.prompt()
    assert prompt.question.text == DOUBT and isinstance(prompt.question.answer_type, SelectAnswer)
    assert [one.value for one in prompt.question.answer_type.options] == ["run_again", "failed", "stop"]
    assert prompt.question.exclusive and not prompt.question.has_default
    return prompt


def test_d21_a_run_without_a_result_is_not_repeated_before_a_person_says_so(bench: Bench) -> None:
    tool = begun(bench)
    assert marks(bench), "durable before it began"
    bench.start("latest")
    prompt = doubt(bench)
    assert not tool.calls
    bench.answer(prompt, Answered(value="run_again"))
    assert bench.turn().outcome == "done"
    (ran,) = tool.calls
    assert {name: given.value for name, given in ran.answers.items()} == {"sure": True}, (
        "the tool hears its own answers"
    )
    assert not marks(bench), "the response says it now"


@pytest.mark.parametrize(
    ("value", "outcome", "said"), [("failed", "done", "may have run"), ("stop", "interrupted", "")]
)
def test_d21_it_counts_as_failed_or_the_turn_ends(bench: Bench, value: str, outcome: str, said: str) -> None:
    tool = begun(bench)
    bench.start("latest")
    bench.answer(doubt(bench), Answered(value=value))
    assert bench.turn().outcome == outcome and not tool.calls
    (response,) = [one for one in bench.log() if one["type"] == "tool_call_response"]
    assert said in response["content"]
    assert not marks(bench)


def test_d21_each_run_is_asked_about_again(bench: Bench) -> None:
    """The decision about one run is none about the next."""
    begun(bench)
    tool = again(bench, hangs)
    bench.start("latest")
    bench.answer(doubt(bench), Answered(value="run_again"))
    assert tool.began.wait(LIMIT)
    bench.kill("twice")
    last = again(bench)
    bench.start("latest")
    prompt = doubt(bench)
    assert not last.calls
    bench.answer(prompt, Answered(value="run_again"))
    assert bench.turn().outcome == "done" and len(last.calls) == 1


def test_d21_a_tool_that_may_run_twice_is_repeated(bench: Bench) -> None:
    tool = begun(bench, idempotent=True)
    assert not marks(bench)
    bench.start("latest")
    assert bench.turn().outcome == "done" and len(tool.calls) == 1


async def _asks_twice(given: ToolCall) -> Any:
    for name in ("one", "two"):
        if name not in given.answers:
            return NeedsInput(Question(name, f"{name}?", BooleanAnswer()))
    return Success("both")


def test_d21_a_run_that_ended_with_a_question_leaves_no_doubt(bench: Bench) -> None:
    bench.tools["careful"] = tool_setup("careful", Made(_asks_twice))
    bench.script = Script([*call("careful", {}), *end("tools")], [*text("Done."), *end()])
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    assert bench.prompt().question.text == "two?"
    assert marks(bench), "the first answer's run began"
    bench.kill()
    tool = again(bench, _asks_twice)
    bench.start("latest")
    prompt = bench.prompt()
    assert prompt.question.text == "two?"
    bench.answer(prompt, Answered(value=True))
    assert bench.turn().outcome == "done" and len(tool.calls) == 2


def test_d21_without_a_client_the_question_waits_whatever_the_policies_say(bench: Bench) -> None:
    """Answered from elsewhere, the call then goes on without asking again."""
    tool = begun(bench)

    bench.client = False
    bench.start("latest")
    assert bench.turn().outcome == "deferred" and not tool.calls
    bench.send(c.ListInquiries(pending=True))
    (waits,) = bench.until(e.InquiriesListed).inquiries
    assert waits.question["text"] == DOUBT
    bench.send(c.OfferAnswer(conversation=bench.conversation, inquiry=waits.id, value="run_again"))
    assert bench.until(e.OfferSettled).status == "accepted"
    bench.send(c.CarryOn(conversation=bench.conversation))
    assert bench.turn().outcome == "done" and len(tool.calls) == 1


def test_what_cannot_be_marked_does_not_run(bench: Bench) -> None:
    """D21: the mark is durable first, so without it nothing begins."""
    from tests.fakes.journals import Refused

    tool = Made(hangs)
    bench.tools["careful"] = tool_setup("careful", tool)
    bench.script = Script([*call("careful", {}), *end("tools")])
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    bench.journal.partial = lambda *_, **__: Refused()  # type: ignore[attr-defined]
    bench.answer(prompt, Answered(value=True))
    assert bench.turn().outcome == "failed" and len(tool.calls) == 1


def test_a_mark_that_cannot_be_read_is_left_out() -> None:
    from jp_tui.journal.port import Partial

    good = '{"call": "a", "turn": 1, "asked": 1, "doubts": 0}\n'
    assert begun_runs([Partial("begun.a", BEGUN, good + '{"call": "a", "tu')])["a"].asked == 1
    assert not begun_runs([Partial("begun.a", BEGUN, "[]\n"), Partial("x", "message", good)])

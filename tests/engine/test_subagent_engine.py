"""The reviewing model in a whole engine (inquiries.md R120, R139, R140; acceptance row 8): what it is told is the log
as it is when the question comes, and what is left of it are the two events of the inquiry."""

from __future__ import annotations

from typing import Any

from jp_tui.conversation.model import ModelError, Result
from jp_tui.engine.base.dependencies import ModelSetup, Prices
from jp_tui.engine.reviewer.reviewer import ReviewerModel
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench, tool_setup
from tests.engine.subagents import QUICK, native, prompt_of, verdict
from tests.engine.wires import accepted
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks

OK: list[Item] = [*text("Ok."), *end()]
RULE = Rule(target="assistant")


def begin(bench: Bench, *replies: list[Item], asking: int = 1) -> Script:
    script = Script(*replies)

    async def opens(overrides: Any, main: ModelSetup, tool: str, question: str) -> ModelSetup:
        return ModelSetup("judge/one", "one", script, retry=QUICK, prices=Prices(1.0, 5.0, 0.1))

    bench.reviewer = ReviewerModel(opens)
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules={"sure": RULE})
    both = [one for at in range(asking) for one in call("ask", {"number": at}, f"c{at + 1}", at)]
    bench.script = Script([*both, *end("tools")], OK)
    bench.start()
    bench.say("go")
    return script


def test_row8_the_exchange_leaves_two_events_and_the_stream_as_it_was(bench: Bench) -> None:
    script = begin(bench, native("Prose."), verdict({"reason": "Small and safe.", "answer": True}))
    assert bench.turn().outcome == "done"
    first, second = script.requests
    for request in (first, second):
        accepted(request)
    (paused,) = [part for part in first.messages[-1].parts if isinstance(part, Result)]
    assert paused.content == "Tool paused: Sure?" and prompt_of(first).endswith("why you chose your answer.")
    told = bench.script.requests[1].messages
    assert "Tool paused" not in str(told) and "requires additional input" not in str(told) and "Prose." not in str(told)
    kinds = [event["type"] for event in bench.log()]
    assert kinds.count("inquiry_request") == kinds.count("inquiry_response") == 1 and len(kinds) == 8, kinds
    (response,) = [event for event in bench.log() if event["type"] == "inquiry_response"]
    who = response["responder"]
    assert (response["answer"], who["model"], who["kind"]) == (True, "judge/one", "assistant")
    assert who["usage"] == {"input": 20, "output": 10, "cached": 0, "reasoning": 0, "cost_usd": 0.00007}
    assert "Small and safe." in str(response) and isinstance(who["ms"], int)
    said = [event for event in bench.events if isinstance(event, e.ReviewDelta)]
    assert "".join(event.text.raw for event in said) == "Small and safe."


def test_row8_r99_two_calls_are_reviewed_side_by_side_and_each_stands_as_it_is(bench: Bench) -> None:
    """Each is told that the other still runs."""
    script = begin(bench, native('{"reason":"a","answer":true}'), native('{"reason":"b","answer":true}'), asking=2)
    assert bench.turn().outcome == "done"
    stands = [
        {part.id: part.content for part in request.messages[-1].parts if isinstance(part, Result)}
        for request in script.requests
    ]
    assert stands == [
        {"c1": "Tool paused: Sure?", "c2": "Tool is still running."},
        {"c1": "Tool is still running.", "c2": "Tool paused: Sure?"},
    ]
    assert script.requests[0].output == script.requests[1].output, "R126"


def test_a_reviewers_wait_is_reported_with_its_model(bench: Bench) -> None:
    """(Z21)"""
    busy = ModelError("rate_limited", "Busy (429).", transient=True)
    begin(bench, [busy], native('{"reason":"a","answer":true}'))
    assert bench.turn().outcome == "done"
    began, over = [one for one in bench.events if isinstance(one, e.Retrying)]
    (asked,) = {one.inquiry for one in bench.events if isinstance(one, e.ReviewStarted)}
    assert (began.who, began.id, began.name.raw, began.detail) == ("reviewer", asked, "judge/one", "Busy (429).")
    assert began.conversation == bench.conversation and began.retry_in is not None
    assert over.id == asked and over.retry_in is None

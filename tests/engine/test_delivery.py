"""Leave to deliver a result (R93, R94) through the engine: acceptance row 13, with a client and without one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.base.dependencies import Policies, RunMode
from jp_tui.inquiry.values import Policy
from jp_tui.journal.reader import open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, Delivered, Edited, EndTurn, Response
from jp_tui.tools.port import Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.engine.wires import accepted
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, at_once

OK = [*text("Ok."), *end()]


async def fails(call: ToolCall) -> Outcome:
    return Failure("it broke", ("here",))


def go(bench: Bench, result: RunMode, *, broken: bool = False, policy: Policy = "unset") -> Made:
    tool = Made(fails if broken else at_once)
    bench.tools["tool"] = tool_setup("tool", tool, result=result, policies=Policies(deliver=policy))
    bench.script = Script([*call("tool", {"n": 1}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    return tool


def result_of(bench: Bench) -> dict[str, object]:
    assert bench.turn().outcome == "done"
    (found,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    return found


CHOICES: list[tuple[RunMode, Response, str, str]] = [
    ("ask", Delivered(deliver=True), "done 1", "deliver"),
    ("ask", Delivered(deliver=True, text="done 2"), "done 2", "edit"),
    ("ask", Delivered(deliver=True, text="  "), "done 1", "deliver"),
    ("ask", Delivered(deliver=False), "Result delivery skipped by user.", "skip"),
    ("ask", Cancelled(), "Result delivery cancelled.", "cancel"),
    ("edit", Cancelled(), "Result edit cancelled.", "cancel"),
    ("edit", Delivered(deliver=True, text="better"), "better", "edit"),
]


@pytest.mark.parametrize(("mode", "response", "content", "choice"), CHOICES)
def test_each_choice(bench: Bench, mode: RunMode, response: Response, content: str, choice: str) -> None:
    """R93, M18, M20; an emptied edit delivers the original. All are successful responses."""
    tool = go(bench, mode)
    prompt = bench.prompt()
    assert prompt.why == f"conversation.tools.tool.result is `{mode}`."
    assert (prompt.kind, prompt.result.raw, prompt.edit_first) == ("delivery", "done 1", mode == "edit")
    assert any(isinstance(x, e.CallChanged) and x.state == "awaiting_result_edit" for x in bench.events)
    bench.answer(prompt, response)
    found = result_of(bench)
    assert (found["content"], found["is_error"], len(tool.calls)) == (content, False, 1)
    assert found["metadata"]["delivery"]["choice"] == choice  # type: ignore[index]


@pytest.mark.parametrize("deliver", [True, False])
def test_an_error_is_asked_about_like_any_result_and_stays_one(bench: Bench, deliver: bool) -> None:
    go(bench, "ask", broken=True)
    prompt = bench.prompt()
    assert prompt.is_error and prompt.result.raw == "it broke\n\nTrace:\nhere"
    bench.answer(prompt, Delivered(deliver=deliver))
    assert result_of(bench)["is_error"] is deliver


@pytest.mark.parametrize("client", [True, False])
def test_what_configuration_skips_is_not_delivered(bench: Bench, client: bool) -> None:
    """M19."""
    bench.client = client
    tool = go(bench, "skip")
    found = result_of(bench)
    assert (found["content"], found["is_error"]) == ("Result delivery skipped by configuration.", False)
    assert len(tool.calls) == 1


@pytest.mark.parametrize("policy", ["auto", "deny", "defaults", "unset"])
def test_without_a_client_policy_deliver_decides(bench: Bench, policy: Policy) -> None:
    """R94, R145, M11."""
    bench.client = False
    go(bench, "ask", policy=policy)
    found = result_of(bench)
    if policy == "auto":
        assert (found["content"], found["is_error"]) == ("done 1", False)
    else:
        said = "deny" if policy == "unset" else policy
        assert found["is_error"] and f"(detached policy: {said})" in str(found["content"])


# --- a result that waits is not lost ------------------------------------------------------------------------


def events(bench: Bench) -> list[dict[str, Any]]:
    bench.send(c.ReadEvents(conversation=bench.conversation, around=0, count=10_000))
    return [stored.event for stored in bench.until(e.EventsRead).events]


@pytest.mark.parametrize("how", ["leave", "kill"])
@pytest.mark.parametrize("broken", [True, False])
def test_a_result_that_waits_is_asked_about_again(bench: Bench, how: str, broken: bool) -> None:
    """R93, E52: the same result, its tool not run again, its leave to run not asked again; then the model goes on."""
    tool = Made(fails if broken else at_once)
    bench.tools["tool"] = tool_setup("tool", tool, run="ask", result="ask")
    bench.script = Script([*call("tool", {"n": 1}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Edited(arguments={"n": 2}))
    first = bench.prompt()
    bench.stop() if how == "leave" else bench.kill()
    bench.start("latest")
    assert bench.until(e.TurnStarted).resumed
    again = bench.prompt()
    assert (again.kind, again.result, again.is_error, again.digest) == (
        "delivery",
        first.result,
        broken,
        first.digest,
    )
    assert json.loads(again.arguments.raw) == {"n": 2}
    bench.answer(again, Delivered(deliver=True))
    assert bench.turn().outcome == "done"
    assert len(tool.calls) == 1
    (found,) = [event for event in events(bench) if event["type"] == "tool_call_response"]
    assert found["content"] == first.result.raw and found["is_error"] is broken
    about = found["metadata"]
    assert about["permission"]["choice"] == "edit" and about["delivery"]["choice"] == "deliver"
    assert about["edited_arguments"] == {"n": 2} and "ms" in about
    accepted(bench.script.requests[1])
    bench.stop()
    assert not open_reader(bench.home / "conversations.db").partials(bench.conversation), "nothing is left beside it"


def test_what_was_decided_is_not_asked_again(bench: Bench) -> None:
    """R95, R205: decided, and waiting for an earlier call's place in the order, when the program died."""
    bench.tools["slow"] = tool_setup("slow", Made(asks))
    bench.tools["tool"] = tool_setup("tool", tool := Made(at_once), result="ask")
    bench.script = Script([*call("slow", {}), *call("tool", {"n": 1}, "c2", 1), *end("tools")], OK)
    bench.start()
    bench.say("go")
    shown = {prompt.call: prompt for prompt in (bench.prompt(), bench.prompt())}
    bench.answer(shown["c2"], Delivered(deliver=False))
    bench.until(e.CallChanged, lambda event: event.call == "c2" and event.state == "completed")
    bench.kill()
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    contents = {event["id"]: event["content"] for event in events(bench) if event["type"] == "tool_call_response"}
    assert contents == {"c1": "heard True", "c2": "Result delivery skipped by user."} and len(tool.calls) == 1
    accepted(bench.script.requests[1])


def test_a_call_that_begins_anew_has_a_new_result(bench: Bench) -> None:
    """R213: what was kept of the first run is forgotten, and the second one survives a kill."""
    runs: list[str] = []

    async def counts(call: ToolCall) -> Outcome:
        runs.append("x" * 5000 * (len(runs) + 1))
        return Success(runs[-1])

    bench.tools["tool"] = tool_setup("tool", Made(counts), result="ask")
    bench.script = Script([*call("tool", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.prompt()
    bench.interrupt("restart")
    second = bench.prompt()
    assert len(second.result.raw) == 10_000
    bench.kill()
    bench.start("latest")
    again = bench.prompt()
    assert again.result == second.result
    bench.interrupt("restart")
    third = bench.prompt()
    assert len(third.result.raw) == 15_000
    bench.answer(third, Cancelled())
    assert bench.turn().outcome == "done"


@pytest.mark.parametrize("policy", ["auto", "deny", "unset"])
def test_nobody_takes_it_away_who_could_not_look_at_it(bench: Bench, policy: Policy) -> None:
    """R145, E52: without a client only policy `auto` delivers; anything else leaves it for a person."""
    go(bench, "ask", policy=policy)
    bench.prompt()
    bench.kill()
    bench.client = False
    bench.start("latest")
    if policy == "auto":
        assert bench.turn().outcome == "done"
        assert [x["content"] for x in events(bench) if x["type"] == "tool_call_response"] == ["done 1"]
        return
    bench.say("and now?")
    assert "waits for your approval" in bench.until(e.Refused).message
    bench.stop()
    bench.client = True
    bench.start("latest")
    bench.answer(bench.prompt(), Delivered(deliver=True, text="as I say"))
    assert bench.turn().outcome == "done"


def test_end_turn_gives_it_up(bench: Bench) -> None:
    """R180: M32 stands for it, and nothing waits afterwards."""
    go(bench, "ask")
    bench.prompt()
    bench.kill()
    bench.start("latest")
    bench.answer(bench.prompt(), EndTurn())
    assert bench.turn().outcome == "interrupted"
    bench.stop()
    opened = bench.start("latest")
    assert opened.page[-1].event["type"] == "turn_outcome"
    bench.say("next")
    assert bench.turn().outcome == "done"

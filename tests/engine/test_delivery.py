"""Leave to deliver a result (R93, R94) through the engine: acceptance row 13, with a client and without one."""

from __future__ import annotations

import pytest

from jp_tui.conversation.outcomes import Failure
from jp_tui.engine.setup import Policies, RunMode
from jp_tui.inquiry.values import Policy
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Cancelled, Delivered, Response
from jp_tui.tools.port import Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, at_once

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


def test_leaving_at_a_result_prompt_leaves_a_whole_log(bench: Bench) -> None:
    """No inquiry of it is on record: it is not taken up again (R207), and nothing is left open."""
    go(bench, "ask")
    bench.prompt()
    bench.stop()
    opened = bench.start("latest")
    assert opened.page[-1].event["type"] == "turn_outcome"

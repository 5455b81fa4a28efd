"""Leave to run a call (R85-R92, R253) through the engine: acceptance row 12, with a client and without one."""

from __future__ import annotations

import time

import pytest

from jp_tui.engine.base.dependencies import Policies, RunMode
from jp_tui.inquiry.values import Policy
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Edited, EndTurn, Permitted, Response
from jp_tui.rules.facts import Covers
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, Shown, asks, at_once, forever

OK = [*text("Ok."), *end()]


def results(bench: Bench) -> list[dict[str, object]]:
    return [event for event in bench.log() if event["type"] == "tool_call_response"]


def guarded(bench: Bench, run: RunMode = "ask", *names: str, **more: object) -> dict[str, Made]:
    made = {name: Made(at_once) for name in names or ("guarded",)}
    for name, tool in made.items():
        bench.tools[name] = tool_setup(name, tool, run=run, **more)
    return made


def one_call(bench: Bench, *calls: tuple[str, str]) -> None:
    items = [
        item for at, (name, id_) in enumerate(calls or [("guarded", "c1")]) for item in call(name, {"n": at}, id_, at)
    ]
    bench.script = Script([*items, *end("tools")], OK, OK)
    bench.start()
    bench.say("go")


CHOICES: list[tuple[Response, str, bool, dict[str, object]]] = [
    (Permitted(run=True), "done 0", True, {"choice": "run", "by": "user"}),
    (Permitted(run=False), "Tool skipped by user.", False, {"choice": "skip", "by": "user"}),
    (
        Permitted(run=False, reason="not now"),
        "Tool skipped by user: not now",
        False,
        {"choice": "skip", "by": "user", "reason": "not now"},
    ),
]


@pytest.mark.parametrize(("response", "content", "ran", "decision"), CHOICES, ids=["run", "skip", "reason"])
def test_each_choice(bench: Bench, response: Response, content: str, ran: bool, decision: dict[str, object]) -> None:
    """R86, R88: a skip is a successful response, and what is skipped really does not execute."""
    tool = guarded(bench)["guarded"]
    one_call(bench)
    prompt = bench.prompt()
    assert prompt.kind == "permission" and prompt.arguments.raw == '{\n  "n": 0\n}' and not prompt.edit_first
    assert any(isinstance(x, e.CallChanged) and x.state == "awaiting_permission" for x in bench.events)
    assert not tool.calls
    bench.answer(prompt, response)
    assert bench.turn().outcome == "done"
    (result,) = results(bench)
    assert (result["content"], result["is_error"]) == (content, False)
    kept = result["metadata"]["permission"]  # type: ignore[index]
    assert {name: kept[name] for name in decision} == decision and isinstance(kept["ms"], int)
    assert bool(tool.calls) is ran
    assert "inquiry_request" not in bench.kinds(), "a decision about a call is no inquiry"


def test_edited_arguments_run_and_the_model_learns_it(bench: Bench) -> None:
    """R87, R97b: the request in the log stays as the model sent it."""
    tool = guarded(bench, "edit")["guarded"]
    one_call(bench)
    prompt = bench.prompt()
    assert prompt.edit_first
    bench.answer(prompt, Edited(arguments={"n": 7}))
    bench.turn()
    (result,) = results(bench)
    assert result["content"] == 'done 7\n\nThe user edited the arguments; it ran with: {"n":7}'
    assert result["metadata"]["edited_arguments"] == {"n": 7}  # type: ignore[index]
    (request,) = [event for event in bench.log() if event["type"] == "tool_call_request"]
    assert request["arguments"] == {"n": 0} and [one.arguments for one in tool.calls] == [{"n": 7}]


def test_all_decisions_of_a_cycle_come_before_anything_runs(bench: Bench) -> None:
    """R253: one at a time, in the order of the requests; a call that needs no leave waits as well."""
    made = guarded(bench, "ask", "one", "two")
    made |= guarded(bench, "unattended", "free")
    one_call(bench, ("one", "c1"), ("free", "c2"), ("two", "c3"))
    first = bench.prompt()
    assert first.tool == "one" and not any(tool.calls for tool in made.values())
    bench.answer(first, Permitted(run=True))
    second = bench.prompt()
    assert second.tool == "two" and not any(tool.calls for tool in made.values())
    bench.answer(second, Permitted(run=False))
    bench.turn()
    assert [event["id"] for event in results(bench)] == ["c1", "c2", "c3"]
    assert [len(tool.calls) for tool in made.values()] == [1, 0, 1]


@pytest.mark.parametrize("run", [True, False])
def test_a_remembered_decision_covers_the_same_call_for_the_turn(bench: Bench, run: bool) -> None:
    """R89, M16; the next turn asks again (R40)."""
    tool = guarded(bench)["guarded"]
    items = [*call("guarded", {"n": 1}, "c1", 0), *call("guarded", {"n": 1}, "c2", 1), *end("tools")]
    bench.script = Script(items, [*call("guarded", {"n": 1}, "c3"), *end("tools")], OK, items, OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Permitted(run=run, remember=True))
    bench.turn()
    assert sum(isinstance(event, e.QuestionAsked) for event in bench.events) == 1
    contents = [event["content"] for event in results(bench)]
    skipped = ["Tool skipped by user.", *["Tool skipped by user (remembered)."] * 2]
    assert contents == (["done 1"] * 3 if run else skipped)
    assert len(tool.calls) == (3 if run else 0)
    by = [event["metadata"]["permission"]["by"] for event in results(bench)]  # type: ignore[index]
    assert by == ["user", "remembered", "remembered"]
    bench.say("again")
    bench.answer(bench.prompt(), EndTurn())
    assert bench.turn().outcome == "interrupted"


def test_z16_a_remembered_yes_covers_no_call_with_other_arguments(bench: Bench) -> None:
    guarded(bench)
    calls = [*call("guarded", {"n": 1}, "c1", 0), *call("guarded", {"n": 2}, "c2", 1), *end("tools")]
    bench.script = Script(calls, OK)
    bench.start()
    bench.say("go")
    first = bench.prompt()
    assert "exactly this call of guarded" in first.remember_covers
    bench.answer(first, Permitted(run=True, remember=True))
    second = bench.prompt()
    assert second.call == "c2"
    bench.answer(second, Permitted(run=True))
    bench.turn()
    assert [event["metadata"]["permission"]["by"] for event in results(bench)] == ["user", "user"]  # type: ignore[index]


def test_z16_for_a_tool_of_files_it_covers_the_same_files(bench: Bench) -> None:
    guarded(bench, covers=Covers(path=("path",)))
    (bench.workspace / "link").symlink_to("a")
    paths = [{"path": "a", "n": 1}, {"path": "./link", "n": 2}, {"path": "b"}]
    calls = [item for at, one in enumerate(paths) for item in call("guarded", one, f"c{at}", at)]
    bench.script = Script([*calls, *end("tools")], OK)
    bench.start()
    bench.say("go")
    first = bench.prompt()
    assert "for the same files" in first.remember_covers
    bench.answer(first, Permitted(run=True, remember=True))
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    by = [event["metadata"]["permission"]["by"] for event in results(bench)]  # type: ignore[index]
    assert by == ["user", "remembered", "user"]


@pytest.mark.parametrize("mode", ["ask", "edit"])
@pytest.mark.parametrize("policy", ["auto", "deny", "defaults", "unset"])
def test_without_a_client_policy_run_decides(bench: Bench, mode: RunMode, policy: Policy) -> None:
    """R91, R145, M10."""
    bench.client = False
    tool = guarded(bench, mode, policies=Policies(run=policy))["guarded"]
    one_call(bench)
    bench.turn()
    (result,) = results(bench)
    assert bool(tool.calls) is (policy == "auto") and result["is_error"] is (policy != "auto")
    if policy != "auto":
        mode_said = "deny" if policy == "unset" else policy
        assert f"(detached policy: {mode_said})" in str(result["content"])
    assert result["metadata"]["permission"]["by"] == "policy"  # type: ignore[index]


@pytest.mark.parametrize("client", [True, False])
def test_what_is_skipped_by_configuration_never_runs(bench: Bench, client: bool) -> None:
    """R85, M17."""
    bench.client = client
    tool = guarded(bench, "skip")["guarded"]
    one_call(bench)
    bench.turn()
    (result,) = results(bench)
    assert (result["content"], result["is_error"]) == ("Tool skipped by configuration.", False) and not tool.calls


@pytest.mark.parametrize("when", ["unattended", "ask"])
def test_the_formatter_runs_before_leave_only_where_that_is_allowed(bench: Bench, when: str) -> None:
    """R90; edited arguments invalidate what was shown."""
    tool = Shown(at_once)
    bench.tools["guarded"] = tool_setup("guarded", tool, run="ask", format=when)
    one_call(bench)
    prompt = bench.prompt()
    assert (prompt.rendered.raw, len(tool.rendered)) == (("$ 0", 1) if when == "unattended" else ("", 0))
    bench.answer(prompt, Edited(arguments={"n": 5}))
    bench.turn()
    assert tool.rendered[-1] == {"n": 5}
    assert results(bench)[0]["metadata"]["rendered"] == "$ 5"  # type: ignore[index]


@pytest.mark.parametrize("when", ["unattended", "ask"])
def test_a_formatter_that_fails_is_a_tool_that_fails(bench: Bench, when: str) -> None:
    """M30, and nothing runs."""
    tool = Shown(at_once, fails="no such command")
    bench.tools["guarded"] = tool_setup("guarded", tool, run="ask" if when == "ask" else "unattended", format=when)
    one_call(bench)
    if when == "ask":
        bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    (result,) = results(bench)
    expected = "Tool 'guarded' was not executed because the argument formatter failed: no such command"
    assert (result["content"], result["is_error"]) == (expected, True) and not tool.calls


@pytest.mark.parametrize("action", ["stop", "respond", "restart"])
def test_an_interrupt_withdraws_what_is_asked_at_once(bench: Bench, action: c.Interrupt) -> None:
    """R213, R216: with fifty calls the first reaction comes within 100 ms, and prompts never stack."""
    guarded(bench)
    one_call(bench, *[("guarded", f"c{number}") for number in range(50)])
    prompt = bench.prompt()
    began = time.process_time()
    bench.interrupt(action, "words" if action == "respond" else "")
    bench.until(e.TurnPhase, lambda phase: phase.detail != "")
    bench.until(e.QuestionSettled, lambda settled: settled.inquiry == prompt.inquiry and settled.how == "withdrawn")
    assert time.process_time() - began < 0.5, "work of engine and face together, on a machine that is shared"
    if action == "restart":
        again = bench.prompt()
        assert again.call == "c0" and again.inquiry != prompt.inquiry
        bench.interrupt("stop")
        bench.until(e.QuestionSettled, lambda settled: settled.inquiry == again.inquiry)
    done = bench.turn()
    assert done.outcome == ("done" if action == "respond" else "interrupted")
    assert [event["id"] for event in results(bench)] == [f"c{number}" for number in range(50)]
    asked = [event.prompt.inquiry for event in bench.events if isinstance(event, e.QuestionAsked)]
    assert len(asked) == (2 if action == "restart" else 1)


def test_leave_once_given_is_asked_again_after_a_restart_of_the_calls(bench: Bench) -> None:
    """R213: unless remembered."""
    bench.tools["guarded"] = tool_setup("guarded", Made(forever), run="ask")
    one_call(bench)
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.until(e.CallChanged, lambda event: event.state == "running")
    bench.interrupt("restart")
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    bench.until(e.CallChanged, lambda event: event.state == "running")
    bench.interrupt("restart")
    bench.until(e.CallChanged, lambda event: event.state == "running")
    bench.interrupt("stop")
    bench.turn()
    assert sum(isinstance(event, e.QuestionAsked) for event in bench.events) == 2


def test_arguments_edited_at_a_question_run_from_the_start(bench: Bench) -> None:
    """R97b: the pair is closed as user_edit, answers are cleared."""
    tool = Made(asks)
    bench.tools["ask"] = tool_setup("ask", tool)
    bench.script = Script([*call("ask", {"text": "First?"}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    assert "edit" in prompt.controls
    bench.answer(prompt, Edited(arguments={"text": "Second?"}))
    again = bench.prompt()
    assert again.question.text == "Second?" and again.inquiry == "c1.sure.2"
    bench.answer(again, Answered(value=True))
    bench.turn()
    (first, second) = [event for event in bench.log() if event["type"] == "inquiry_response"]
    assert (first["outcome"], first["reason"], second["outcome"]) == ("cancelled", "user_edit", "answered")
    (result,) = results(bench)
    assert result["metadata"]["edited_arguments"] == {"text": "Second?"}  # type: ignore[index]
    assert 'it ran with: {"text":"Second?"}' in str(result["content"])


@pytest.mark.parametrize("run", ["ask", "edit", "unattended", "skip"])
def test_a_call_that_was_forbidden_does_not_run(bench: Bench, run: RunMode) -> None:
    """R78: `--no-tool-use` asks the model for none; one that calls all the same is told, and nobody is asked."""
    bench.tool_choice = "none"
    made = guarded(bench, run, "guarded", "other")
    one_call(bench, ("guarded", "c1"), ("other", "c2"), ("gone", "c3"))
    assert bench.turn().outcome == "done"
    assert bench.script.requests[0].tool_choice == "none"
    assert not any(tool.calls for tool in made.values())
    assert not any(isinstance(event, e.QuestionAsked) for event in bench.events)
    assert [event["is_error"] for event in results(bench)] == [True] * 3
    assert all("tools are turned off" in str(event["content"]) for event in results(bench))


def test_what_was_called_before_tools_were_forbidden_goes_on(bench: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    one_call(bench, ("ask", "c1"))
    bench.prompt()
    bench.stop()
    bench.tool_choice = "none"
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value=True))
    assert bench.turn().outcome == "done"
    assert [event["content"] for event in results(bench)] == ["heard True"]

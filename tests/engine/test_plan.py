"""The plan, plan mode, and the plan that a person accepts (context.md K40, K41, K42)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.plan import PlanFound
from jp_tui.protocol.values import Answered
from jp_tui.settings import data, toolset
from jp_tui.settings.layers.layers import Settings, builtin
from jp_tui.tools.registry import builtin as executors
from jp_tui.view.activity import activity
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text

STEPS = ["Read the tests", "Change the code"]
PLAN: JsonObject = {"plan": "Change the code.", "steps": list(STEPS)}
READS = frozenset({"fs_list_files", "fs_read_file", "fs_grep_files", "describe_tools", "ask_user", "update_plan",
                   "submit_plan", "read_history"})  # fmt: skip


@pytest.fixture
def planning(bench: Bench) -> Bench:
    """Tools as config/tools.toml has them; plan mode begins with the first turn."""
    settings = Settings([builtin(data.DEFAULTS_FILE), builtin(data.TOOLS_FILE)])
    known = toolset.tools(settings)
    bench.tools = {
        name: tool_setup(name, tool, read_only=known[name].read_only, hidden=name == "ask_user")
        for name, tool in executors().items()
    }
    return bench


def asks(name: str, arguments: JsonObject, id_: str = "c1") -> list[Item]:
    return [*call(name, arguments, id_), *end("tools")]


def done(words: str = "Done.") -> list[Item]:
    return [*text(words), *end()]


def begin(bench: Bench, *responses: list[Item], plan: bool = True) -> None:
    bench.script = Script(*responses)
    bench.start()
    if plan:
        bench.send(c.SetPlanMode(conversation=bench.conversation))
        assert bench.until(e.PlanModeSet).on
    bench.say("go")


def results(bench: Bench) -> list[tuple[str, bool]]:
    return [(one["content"], one["is_error"]) for one in bench.log() if one["type"] == "tool_call_response"]


def offered(bench: Bench, number: int) -> set[str]:
    return {tool.name for tool in bench.script.requests[number].tools}


def test_k40_the_plan_is_an_event(planning: Bench) -> None:
    steps: list[Any] = [{"step": "one", "status": "completed"}, {"step": "two", "status": "in_progress"}]
    begin(planning, asks("update_plan", {"plan": steps, "explanation": "why"}), done(), plan=False)
    assert planning.turn().outcome == "done"
    (plan,) = [one for one in planning.log() if one["type"] == "plan"]
    assert plan["steps"] == steps and plan["explanation"] == "why"
    assert results(planning) == [("The plan is updated: 1 of 2 steps completed.", False)]
    assert "submit_plan" not in offered(planning, 0) and "fs_create_file" in offered(planning, 0)


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ([], "`plan` is required"),
        ([{"step": "x", "status": "pending"}] * 51, "at most 50"),
        ([{"step": "x" * 501, "status": "pending"}], "1 to 500 characters"),
        ([{"step": "x", "status": "later"}], "one of pending"),
        ([{"step": "x", "status": "in_progress"}] * 2, "Only one step"),
        ([{"step": "x", "status": "pending", "more": 1}], "not a key"),
        ("do it", "`plan` is required"),
    ],
)
def test_k40_what_is_no_plan_is_a_tool_error(planning: Bench, plan: Any, why: str) -> None:
    begin(planning, asks("update_plan", {"plan": plan}), done(), plan=False)
    planning.turn()
    ((content, failed),) = results(planning)
    assert failed and why in content and not any(one["type"] == "plan" for one in planning.log())


def test_k41_only_what_reads_is_offered_and_run(planning: Bench) -> None:
    begin(
        planning,
        asks("fs_create_file", {"path": "x", "content": "y"}),
        asks("shell_run", {"command": "ls"}, "c2"),
        done(),
    )
    assert planning.turn().outcome == "done"
    assert offered(planning, 0) == READS
    assert results(planning) == [("Not in plan mode: submit the plan first.", True)] * 2
    assert not (planning.workspace / "x").exists()
    assert [one["mode"] for one in planning.log() if one["type"] == "mode"] == ["plan"]
    planning.stop()
    planning.script = Script(done(), done())
    planning.start("id", planning.conversation)  # it stands in the log
    planning.say("and now?")
    planning.turn()
    assert offered(planning, 0) == READS
    planning.send(c.SetPlanMode(conversation=planning.conversation, on=False))
    planning.say("work")
    planning.turn()
    assert "fs_create_file" in offered(planning, 1) and "submit_plan" not in offered(planning, 1)


@pytest.mark.parametrize("choice", ["accept", "accept_edits", "keep_planning"])
def test_k42_a_plan_is_accepted_or_not(planning: Bench, choice: str) -> None:
    create = asks("fs_create_file", {"path": "new.txt", "content": "text\n"}, "c2")
    guarded = asks("fs_create_file", {"path": "AGENTS.md", "content": "obey\n"}, "c3")
    begin(planning, asks("submit_plan", PLAN), create, guarded, done())
    prompt = planning.prompt()
    assert prompt.question.id == "accept_plan" and "1. Read the tests\n2. Change the code" in (
        prompt.question.context or ""
    )
    assert "remember" not in prompt.controls and prompt.human_only
    planning.answer(prompt, Answered(value=choice, note="2: first the docs\nthen the code"))
    if choice == "keep_planning":
        planning.turn()
        assert results(planning)[1] == ("Not in plan mode: submit the plan first.", True)
    else:
        asked = planning.prompt()
        if choice == "accept":
            assert asked.question.id == "apply_changes" and not (planning.workspace / "new.txt").exists()
            planning.answer(asked, Answered(value=True))
            asked = planning.prompt()
        assert (planning.workspace / "new.txt").read_text() == "text\n"
        planning.answer(asked, Answered(value=False))  # a guarded file asks as ever (R247)
        planning.turn()
        assert not (planning.workspace / "AGENTS.md").exists()
        (plan,) = [one for one in planning.log() if one["type"] == "plan"]
        assert [one["step"] for one in plan["steps"]] == STEPS
    first = results(planning)[0][0]
    assert 'comments by step: {"2":"first the docs\\nthen the code"}' in first
    modes = [one["mode"] for one in planning.log() if one["type"] == "mode"]
    assert modes == (["plan"] if choice == "keep_planning" else ["plan", "work"])
    (response,) = [one for one in planning.log() if one["type"] == "inquiry_response" and "accept_plan" in one["id"]]
    assert response["answer"] == choice and response["reason"].startswith("2: first the docs")


def test_k42_an_answer_from_another_process_brings_comments(planning: Bench) -> None:
    begin(planning, asks("submit_plan", PLAN), done())
    prompt = planning.prompt()
    offer = c.OfferAnswer(conversation=planning.conversation, inquiry=prompt.inquiry, value="accept", note="1: yes")
    planning.send(offer)
    assert planning.until(e.OfferSettled).status == "accepted"
    planning.turn()
    assert '{"1":"yes"}' in results(planning)[0][0]


@pytest.mark.parametrize("page", [4, 400])
def test_k40_a_plan_before_the_loaded_page_is_found(bench: Bench, page: int) -> None:
    """A long conversation shows its plan and its mode when it is resumed, and what was said of it since counts."""
    steps = [{"step": "First", "status": "in_progress"}, {"step": "Then", "status": "pending"}]
    bench.tools = {name: replace(tool, read_only=True) for name, tool in bench.tools.items()}
    many = [[*text(f"Answer {at}."), *end()] for at in range(6)]
    bench.script = Script([*call("update_plan", {"plan": steps}), *end("tools")], *many)  # type: ignore[dict-item]
    bench.start()
    bench.send(c.SetPlanMode(conversation=bench.conversation, on=True))
    for at in range(6):
        bench.say(f"turn {at}")
        assert bench.turn().outcome == "done"
    bench.stop()
    bench.run()
    bench.send(c.OpenConversation(which="id", conversation=bench.conversation, page=page))
    opened = bench.until(e.ConversationOpened)
    shown = activity.applied(activity.Activity(), opened, 0.0)
    if page == 4:
        assert not shown.plan.steps and not shown.plan.planning
        shown = activity.applied(shown, bench.until(PlanFound), 0.0)
    bench.send_and_wait()
    assert [(status, step.raw) for status, step in shown.plan.steps] == [("in_progress", "First"), ("pending", "Then")]
    assert shown.plan.planning
    assert sum(isinstance(one, PlanFound) for one in bench.events) == (page == 4)

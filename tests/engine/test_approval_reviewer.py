"""A reviewer before what approval rules leave open: its yes counts once, its no comes to the user (rules.md AR31)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.inquiry.values import Rule
from jp_tui.protocol.values import Answered, Permitted
from jp_tui.rules.facts import Covers
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_approval_rules import Given, rule
from tests.engine.test_exact_leave import OK, OPEN, asked, results
from tests.fakes.models import Script, call, end
from tests.fakes.tools import Reviews

COVERS = Covers(command="command", argv="argv", cwd="cwd")


def turn(bench: Bench, verdict: tuple[bool, str], *lines: str, rules: Given | None = None, **more: Any) -> Reviews:
    judge = Reviews(__approval__=verdict)
    bench.reviewer, bench.approval = judge, Rule(target="assistant_with_escalation")
    bench.approval_rules = rules or Given()
    options = {**OPEN, "confirm": "never"}
    bench.tools["shell_run"] = tool_setup(
        "shell_run", builtin()["shell_run"], run="ask", options=options, covers=COVERS, **more
    )
    calls = [[*call("shell_run", {"command": line}, f"c{at}"), *end("tools")] for at, line in enumerate(lines, 1)]
    bench.script = Script(*calls, OK)
    bench.start()
    bench.say("go")
    return judge


def permissions(bench: Bench) -> list[dict[str, Any]]:
    return [one["metadata"]["permission"] for one in results(bench)]


def test_ar31_a_reviewers_yes_runs_this_call_only(bench: Bench) -> None:
    turn(bench, (True, "harmless"), "echo one", "echo one")
    bench.turn()
    assert permissions(bench) == [{"choice": "run", "by": "reviewer"}] * 2 and not asked(bench)
    said = [one for one in bench.log() if one["type"] == "inquiry_response"]
    assert len(said) == 2 and said[0]["responder"]["kind"] == "assistant"  # asked again, nothing is remembered


@pytest.mark.parametrize("yes", [True, False])
def test_ar31_a_reviewers_no_comes_to_the_user(bench: Bench, yes: bool) -> None:
    turn(bench, (False, "why?"), "echo one")
    prompt = bench.prompt()
    assert prompt.escalation is not None and prompt.escalation.reason.raw == "why?" and not prompt.scopes
    assert "remember" not in prompt.controls and not prompt.preselect
    bench.answer(prompt, Answered(value=yes, note="so be it"))
    bench.turn()
    (said,) = permissions(bench)
    assert (said["choice"], said["by"]) == ("run" if yes else "skip", "user")
    assert ("one" in results(bench)[0]["content"]) == yes
    assert yes or "so be it" in results(bench)[0]["content"]


@pytest.mark.parametrize("line", ["rm -rf a", "echo $(id)"])
def test_ar31_danger_and_what_is_not_understood_come_to_the_user(bench: Bench, line: str) -> None:
    turn(bench, (True, "fine"), line)
    prompt = bench.prompt()
    assert prompt.kind == "permission" and prompt.escalation is None
    bench.answer(prompt, Permitted(run=False))
    bench.turn()


def test_ar31_rules_decide_first_and_an_asking_rule_means_the_user(bench: Bench) -> None:
    rules = Given(rule("allow", "echo"), rule("ask", "id"), rule("deny", "who"))
    turn(bench, (True, "fine"), "echo one", "id", "who", rules=rules)
    prompt = bench.prompt()
    assert prompt.kind == "permission" and prompt.call == "c2"
    bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert [one["by"] for one in permissions(bench)] == ["rule", "user", "rule"]


def test_ar31_a_rejected_call_is_refused_the_fourth_time(bench: Bench) -> None:
    """AR23: also where the user says no to a reviewer's question."""
    turn(bench, (False, "no"), *["echo one"] * 4)
    for _ in range(3):
        bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    assert permissions(bench)[3] == {"choice": "skip", "by": "engine"} and asked(bench) == 3

"""Approval rules decide about calls before anybody is asked (rules.md AR5-AR10, AR17, AR22)."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.base.dependencies import Policies
from jp_tui.protocol.values import Permitted
from jp_tui.rules.danger import Danger, read_dangers
from jp_tui.rules.decide import RuleLayer, RuleLayers
from jp_tui.rules.facts import Covers
from jp_tui.rules.matching import RuleIndex
from jp_tui.rules.values import ApprovalRule, Mode
from jp_tui.settings.data import DANGER_FILE
from jp_tui.tools.files.rule_places import RulePlacesOnDisk
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_exact_leave import OK, OPEN, asked, results
from tests.fakes.models import Script, call, end

DANGERS = read_dangers(tomllib.loads(Path(DANGER_FILE).read_text(encoding="utf-8"))["danger"])


class Given:
    """Rules of a test; `user` and `policy` may change while a turn runs."""

    def __init__(self, *user: ApprovalRule, policy: Sequence[ApprovalRule] = (), broken: str = "") -> None:
        self.user, self.policy, self.broken = list(user), list(policy), broken
        self.max_mode: Mode = "unattended"

    def layers(self) -> RuleLayers:
        user = RuleLayer(RuleIndex(self.user), broken=self.broken)
        return RuleLayers(RuleLayer(RuleIndex(self.policy)), user, max_mode=self.max_mode)

    def dangers(self) -> tuple[Danger, ...]:
        return DANGERS

    def places(self, root: str, secrets: Sequence[str] | None) -> RulePlacesOnDisk:
        return RulePlacesOnDisk(root, os.environ, secrets)


def rule(effect: Any, *words: str, tool: str = "shell_run", **more: Any) -> ApprovalRule:
    name = f"{effect}-{'-'.join(words) or tool}"
    return ApprovalRule(name, effect, tool, tuple((word,) for word in words) or None, **more)


def turn(bench: Bench, rules: Given, *lines: str, run: str = "ask", **more: Any) -> None:
    """A turn in which the model sends these lines, one response each."""
    covers = Covers(command="command", argv="argv", cwd="cwd")
    tool = builtin()["shell_run"]
    bench.tools["shell_run"] = tool_setup("shell_run", tool, run=run, options=OPEN, covers=covers, **more)
    bench.approval_rules = rules
    calls = [[*call("shell_run", {"command": line}, f"c{at}"), *end("tools")] for at, line in enumerate(lines, 1)]
    bench.script = Script(*calls, OK)
    bench.start()
    bench.say("go")


def decisions(bench: Bench) -> list[dict[str, Any]]:
    return [one["metadata"].get("permission", {}) for one in results(bench)]


def test_ar11_a_rule_runs_its_command_unasked_and_no_other(bench: Bench) -> None:
    turn(bench, Given(rule("allow", "echo")), "echo one; echo two", "echo three; id")
    prompt = bench.prompt()
    assert prompt.call == "c2"
    bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert decisions(bench)[0] == {"choice": "run", "by": "rule", "rules": ["allow-echo"]}
    assert "two" in results(bench)[0]["content"] and "three" not in results(bench)[1]["content"]


def test_ar22_a_denied_call_says_which_rule_and_why(bench: Bench) -> None:
    turn(bench, Given(rule("deny", "echo", reason="not here.")), "echo one", "sh -c 'echo two'", run="unattended")
    bench.turn()
    for one in results(bench):
        assert one["is_error"] and one["content"] == (
            "Refused by a rule (deny-echo): not here. Do not retry it in another form; continue without it or ask the "
            "user."
        )
    assert decisions(bench) == [{"choice": "skip", "by": "rule", "rules": ["deny-echo"]}] * 2
    assert asked(bench) == 0


def test_ar9_danger_asks_although_it_is_allowed_and_no_yes_to_it_is_kept(bench: Bench) -> None:
    (bench.workspace / "a").mkdir()
    line = "rm -rf a"
    turn(bench, Given(rule("allow", "rm")), line, line, run="ask")
    first = bench.prompt()
    assert first.call == "c1" and "deletes folders" in first.why
    bench.answer(first, Permitted(run=True, remember=True))
    second = bench.prompt()
    assert second.call == "c2"
    bench.answer(second, Permitted(run=True))
    bench.turn()
    assert "remember" not in decisions(bench)[0]


def test_ar9_without_anybody_danger_does_not_run(bench: Bench) -> None:
    (bench.workspace / "a").mkdir()
    bench.client = False
    turn(bench, Given(rule("allow", "rm")), "rm -rf a", run="ask", policies=Policies(run="auto"))
    bench.turn()
    assert results(bench)[0]["is_error"] and (bench.workspace / "a").exists()


def test_ar5_what_runs_unattended_asks_where_there_is_no_sandbox(bench: Bench) -> None:
    turn(bench, Given(), "echo one", run="unattended")
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert decisions(bench)[0]["by"] == "user" and "one" in results(bench)[0]["content"]


def test_ar7_a_rule_added_between_the_question_and_the_run_counts(bench: Bench) -> None:
    rules = Given()
    turn(bench, rules, "echo one")
    prompt = bench.prompt()
    rules.policy.append(rule("deny", tool="*"))
    bench.answer(prompt, Permitted(run=True))
    bench.turn()
    assert results(bench)[0]["content"].startswith("Refused by a rule (deny-*)")


def test_ar7_a_remembered_yes_does_not_go_over_a_policy(bench: Bench) -> None:
    rules = Given(policy=[rule("ask", "echo")])
    turn(bench, rules, "echo one", "echo one")
    for _ in range(2):
        prompt = bench.prompt()
        assert "approval rule" in prompt.why
        bench.answer(prompt, Permitted(run=True, remember=True))
    bench.turn()
    assert [one["by"] for one in decisions(bench)] == ["user", "user"]


@pytest.mark.parametrize("effect", ["ask", "deny"])
def test_ar3_a_path_rule_is_about_real_paths(bench: Bench, effect: str) -> None:
    (bench.workspace / "secrets").mkdir()
    (bench.workspace / "secrets" / "a").write_text("x")
    (bench.workspace / "link").symlink_to("secrets")
    bench.tools["fs_read_file"] = tool_setup(
        "fs_read_file", builtin()["fs_read_file"], covers=Covers(path=("path",)), run="unattended"
    )
    bench.approval_rules = Given(rule(effect, tool="fs_*", path="secrets/**"))
    bench.script = Script([*call("fs_read_file", {"path": "link/a"}, "c1"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    if effect == "ask":
        bench.answer(bench.prompt(), Permitted(run=False))
    bench.turn()
    assert decisions(bench)[0]["by"] == ("user" if effect == "ask" else "rule")


def test_ar10_with_a_broken_rules_file_every_call_asks(bench: Bench) -> None:
    (bench.workspace / "a").write_text("x")
    bench.approval_rules = Given(broken="rules.toml:1: no TOML")
    bench.script = Script([*call("fs_read_file", {"path": "a"}, "c1"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert results(bench)[0]["content"].strip().endswith("x")

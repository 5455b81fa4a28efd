"""Approval modes: what runs without asking, and what asks in each of them (rules.md AR7, AR9, AR30)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.asking.session_rules import SessionRules
from jp_tui.engine.base.dependencies import ModeSetting
from jp_tui.engine.record.log import Log
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.mode import ApprovalMode
from jp_tui.protocol.values import Answered, Permitted
from jp_tui.rules.facts import Covers
from jp_tui.system.sandbox.probe import probed
from jp_tui.tools.port import ToolCall
from jp_tui.tools.registry import builtin
from jp_tui.tools.shell_run import ShellRun
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_approval_rules import Given, rule
from tests.engine.test_exact_leave import OK, asked, results
from tests.fakes.models import Script, call, end

COMMANDS = Covers(command="command", argv="argv", cwd="cwd")
FILES = Covers(path=("path", "patterns.*.paths"))


class Walled(ShellRun):
    """`shell_run` that says it has a sandbox; a test never lets it run a command."""

    def __init__(self, sandboxed: bool, network: bool) -> None:
        super().__init__()
        self.said = sandboxed, network

    async def walls(self, call: object) -> tuple[bool, bool]:
        return self.said


def change(id: str, path: str = "a.txt", old: str = "one", new: str = "two") -> list[Any]:
    made = {"path": path, "patterns": [{"old": old, "new": new}]}
    return [*call("fs_modify_file", made, id), *end("tools")]


def turn(bench: Bench, mode: ApprovalMode, *calls: list[Any], rules: Given | None = None, folder: bool = False) -> None:
    bench.mode, bench.copies = ModeSetting(mode, folder), True
    bench.approval_rules = rules or Given()
    tool = builtin()["fs_modify_file"]
    bench.tools["fs_modify_file"] = tool_setup("fs_modify_file", tool, covers=FILES)
    bench.script = Script(*calls, OK)
    (bench.workspace / "a.txt").write_text("one\n")
    bench.start()
    bench.say("go")


def read(bench: Bench, name: str = "a.txt") -> str:
    return (bench.workspace / name).read_text()


def test_ar30_edits_applies_changes_unasked_and_says_why(bench: Bench) -> None:
    turn(bench, "edits", change("c1"))
    bench.turn()
    assert read(bench) == "two\n" and not asked(bench)
    answer = next(one for one in bench.log() if one["type"] == "inquiry_response")
    assert answer["metadata"] == {"mode": "edits"} and answer["responder"]["kind"] == "static"
    request = next(one for one in bench.log() if one["type"] == "inquiry_request")
    assert "The mode `edits`" in request["metadata"]["why"]


@pytest.mark.parametrize("missing", ["ask", "copies", "policy", "folder", "guarded", "pinned", "exclusive", "broken"])
def test_ar30_what_still_asks(bench: Bench, missing: str) -> None:
    """Ask by default; without copies nothing is taken back; policy, folder, guard list and settings hold."""
    rules, name = Given(), "Makefile" if missing == "guarded" else "a.txt"
    if missing == "policy":
        rules.max_mode = "ask"
    rules.broken = "not TOML" if missing == "broken" else ""
    (bench.workspace / "Makefile").write_text("one\n")
    mode: ApprovalMode = "ask" if missing == "ask" else "edits"
    bench.mode, bench.copies, bench.approval_rules = ModeSetting(mode, missing == "folder"), missing != "copies", rules
    own = {"pinned": Rule(has_answer=True, answer=False), "exclusive": Rule(exclusive=True)}
    more: dict[str, Any] = {"rules": {"apply_changes": own[missing]}} if missing in own else {}
    tool = builtin()["fs_modify_file"]
    bench.tools["fs_modify_file"] = tool_setup("fs_modify_file", tool, covers=FILES, **more)
    bench.script = Script(change("c1", name), OK)
    (bench.workspace / "a.txt").write_text("one\n")
    bench.start()
    bench.say("go")
    if missing != "pinned":
        bench.answer(bench.prompt(), Permitted(run=False) if missing == "broken" else Answered(value=False))
    bench.turn()
    assert read(bench, name) == "one\n"


def test_ar30_the_mode_changes_while_the_turn_runs_and_ends_with_the_run(bench: Bench) -> None:
    """The next call follows the new mode; a resumed conversation begins in the mode of the settings."""
    turn(bench, "ask", change("c1"), change("c2", old="two", new="three"), change("c3", old="three", new="four"))
    prompt = bench.prompt()
    bench.send(c.SetApprovalMode(conversation=bench.conversation, mode="edits"))
    told = bench.until(e.ApprovalModeSet)
    assert (told.mode, told.chosen, told.why) == ("edits", "edits", "")
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    assert read(bench) == "four\n" and asked(bench) == 1
    bench.stop()
    bench.events.clear()
    bench.start("id", bench.conversation)
    assert not [one for one in bench.events if isinstance(one, e.ApprovalModeSet)]


@pytest.mark.parametrize(
    ("walls", "told", "runs"),
    [((True, False), "unattended", True), ((False, False), "edits", False), ((True, True), "edits", False)],
    ids=["sandbox", "none", "network"],
)
def test_ar30_unattended_holds_in_the_sandbox_only(
    bench: Bench, walls: tuple[bool, bool], told: str, runs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = Walled(*walls)
    bench.tools["shell_run"] = tool_setup("shell_run", tool, run="ask", covers=COMMANDS)
    lines = [{"command": "make test"}, {"command": "x=$(date)"}, {"command": "rm -rf a"}]
    calls = [[*call("shell_run", one, f"c{at}"), *end("tools")] for at, one in enumerate(lines)]
    ran: list[str] = []

    async def run(self: Walled, given: Any) -> Any:
        from jp_tui.conversation.outcomes import Success

        ran.append(given.arguments["command"])
        assert not given.leave  # where the sandbox is gone by now, it asks (AR5)
        return Success("ran")

    monkeypatch.setattr(Walled, "run", run)
    turn(bench, "unattended", *calls)
    assert bench.until(e.ApprovalModeSet).mode == told
    for _ in range(2 if runs else 3):  # what is not understood, and danger, ask in every mode
        bench.answer(bench.prompt(), Permitted(run=False))
    bench.turn()
    assert ran == (["make test"] if runs else [])
    by = [one["metadata"]["permission"] for one in results(bench)]
    assert by[0] == ({"choice": "run", "by": "mode", "mode": "unattended"} if runs else by[0])
    assert [one["by"] for one in by[1:]] == ["user", "user"]


def test_ar7_a_rule_that_asks_or_denies_holds_over_a_mode(bench: Bench) -> None:
    rules = Given(rule("ask", tool="fs_modify_file", path="a.txt"), policy=[rule("deny", tool="fs_*", path="b.txt")])
    (bench.workspace / "b.txt").write_text("one\n")
    turn(bench, "edits", change("c1"), change("c2", "b.txt"), rules=rules)
    bench.answer(bench.prompt(), Permitted(run=False))
    bench.turn()
    assert read(bench) == "one\n" and read(bench, "b.txt") == "one\n"
    assert results(bench)[1]["content"].startswith("Refused by a rule")


def test_ar30_without_a_client_the_mode_counts_too(bench: Bench) -> None:
    """`query --mode edits --non-interactive`."""
    bench.client = False
    turn(bench, "edits", change("c1"))
    bench.turn()
    assert read(bench) == "two\n"


def test_ar30_a_sub_agents_mode_is_its_parents(bench: Bench) -> None:
    """Also when it becomes stricter while the sub-agent works; R249: its own rules stay its own."""
    bench.approval_rules = Given()
    bench.start()
    log = Log(bench.setup, lambda _: None, "parent", "m")
    rules = SessionRules.of(log)
    assert rules is not None
    child = SessionRules.of(Log(replace(bench.setup, approval_rules=rules), lambda _: None, "child", "m"))
    assert child is not None and child is not rules
    rules.mode = "edits"
    assert child.layers().mode == "edits"
    rules.mode = "ask"
    assert child.layers().mode == "ask" and rules.made() is not child.made()


async def test_ar30_the_tool_as_it_is_registered_says_whether_it_has_a_sandbox(tmp_path: Path) -> None:
    """Its module is loaded late, and what stands for it until then must have this as well (AR5, AR17)."""
    tool: Any = builtin()["shell_run"]
    found = await tool.walls(ToolCall(arguments={}, root=tmp_path, options={"sandbox": {"mode": "off"}}))
    assert found == (False, False)
    probe = await probed(tmp_path)
    assert await tool.walls(ToolCall(arguments={}, root=tmp_path, options={})) == (probe.bubblewrap is not None, False)


@pytest.mark.parametrize("run", ["ask", "unattended"])
def test_ar30_a_command_runs_unasked_in_a_real_sandbox(bench: Bench, run: str) -> None:
    """By the mode, and by `run = "unattended"` (AR5); what is not understood runs by the latter only (AR17)."""
    if asyncio.run(probed()).bubblewrap is None:
        pytest.skip("no sandbox here")
    bench.tools["shell_run"] = tool_setup(
        "shell_run", builtin()["shell_run"], run=run, format="unattended", covers=COMMANDS
    )
    lines = [{"command": "echo one"}, {"command": "echo $(echo two)"}]
    calls = [[*call("shell_run", one, f"c{at}"), *end("tools")] for at, one in enumerate(lines)]
    turn(bench, "unattended" if run == "ask" else "ask", *calls)
    if run == "ask":
        prompt = bench.prompt()
        assert prompt.call == "c1" and not prompt.scopes
        bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert "one" in results(bench)[0]["content"] and ("two" in results(bench)[1]["content"]) == (run != "ask")

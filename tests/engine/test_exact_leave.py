"""A remembered decision about a command covers that command, folder and sandbox, for the turn (Z16; R86, R89, R236)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text

OK = [*text("Ok."), *end()]
OPEN: dict[str, Any] = {"sandbox": {"mode": "off"}}


def commands(bench: Bench, *arguments: dict[str, Any], run: str = "ask", **options: Any) -> None:
    """One turn in which the model sends these calls of `shell_run`, one response each."""
    given = {**OPEN, **options}
    bench.tools["shell_run"] = tool_setup(
        "shell_run", builtin()["shell_run"], run=run, format="unattended", options=given
    )
    calls = [[*call("shell_run", one, f"c{at}"), *end("tools")] for at, one in enumerate(arguments, 1)]
    bench.script = Script(*calls, OK, *calls, OK)
    bench.start()
    bench.say("go")


def results(bench: Bench) -> list[dict[str, Any]]:
    return [event for event in bench.log() if event["type"] == "tool_call_response"]


def asked(bench: Bench) -> int:
    return sum(isinstance(event, e.QuestionAsked) for event in bench.events)


LS: dict[str, Any] = {"command": "echo one"}
OTHERS: list[dict[str, Any]] = [
    {"command": "echo two"},
    {"command": "echo one "},
    {"argv": ["echo", "one"]},
    {"command": "echo one", "cwd": "sub"},
]


@pytest.mark.parametrize("other", OTHERS, ids=["command", "blank", "argv", "folder"])
def test_a_yes_to_one_command_runs_no_other(bench: Bench, other: dict[str, Any]) -> None:
    """Z16: the same command runs unasked, any other is asked about."""
    (bench.workspace / "sub").mkdir()
    commands(bench, LS, LS, other)
    first = bench.prompt()
    assert "exactly this command" in first.remember_covers and "remember" in first.controls
    bench.answer(first, Permitted(run=True, remember=True))
    second = bench.prompt()
    assert second.call == "c3" and asked(bench) == 2
    bench.answer(second, Permitted(run=False))
    bench.turn()
    by = [one["metadata"]["permission"]["by"] for one in results(bench)]
    assert by == ["user", "remembered", "user"]
    assert [("one" in one["content"]) for one in results(bench)] == [True, True, False]


def test_a_no_to_one_command_skips_no_other(bench: Bench) -> None:
    """Z16: it covers a remembered skip as well."""
    commands(bench, LS, LS, OTHERS[0])
    bench.answer(bench.prompt(), Permitted(run=False, remember=True))
    bench.answer(bench.prompt(), Permitted(run=True))
    bench.turn()
    assert [one["content"] for one in results(bench)][:2] == [
        "Tool skipped by user.",
        "Tool skipped by user (remembered).",
    ]
    assert "two" in results(bench)[2]["content"]


def test_the_next_turn_asks_again(bench: Bench) -> None:
    """Z16, R40."""
    commands(bench, LS)
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    bench.turn()
    bench.say("again")
    bench.answer(bench.prompt(), Permitted(run=True))
    assert bench.turn().outcome == "done"


def test_another_sandbox_is_asked_about(bench: Bench) -> None:
    """Z16: a yes to a command in a sandbox is none to the same command without one."""
    commands(bench, LS, LS)
    first = bench.prompt()
    bench.tools["shell_run"].options["sandbox"] = {"mode": "auto", "network": True}
    bench.answer(first, Permitted(run=True, remember=True))
    second = bench.prompt()
    assert second.call == "c2" and second.rendered.raw != first.rendered.raw
    bench.answer(second, Permitted(run=False))
    bench.turn()


def test_calls_that_wait_get_only_what_covers_them(bench: Bench) -> None:
    """Z16, R252: of calls that wait in one cycle only identical ones are decided by the answer to the first."""
    bench.tools["shell_run"] = tool_setup(
        "shell_run", builtin()["shell_run"], run="ask", format="unattended", options=OPEN
    )
    cycle = [item for at, one in enumerate([LS, LS, OTHERS[0]]) for item in call("shell_run", one, f"c{at}", at)]
    bench.script = Script([*cycle, *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    last = bench.prompt()
    assert last.call == "c2"
    bench.answer(last, Permitted(run=False))
    bench.turn()
    assert [one["metadata"]["permission"]["by"] for one in results(bench)] == ["user", "remembered", "user"]


def test_a_remembered_answer_to_the_tools_own_question_is_as_narrow(bench: Bench) -> None:
    """Z16: `confirm` of a tool that runs unattended (S40)."""
    commands(bench, LS, LS, OTHERS[0], run="unattended", confirm="always")
    first = bench.prompt()
    assert first.question.id == "confirm" and "exactly what is shown" in first.remember_covers
    bench.answer(first, Answered(value=True, remember=True))
    second = bench.prompt()
    assert second.call == "c3"
    bench.answer(second, Answered(value=False))
    bench.turn()
    assert [one["is_error"] for one in results(bench)] == [False, False, True]


def test_the_list_of_what_is_remembered_names_the_command(bench: Bench) -> None:
    """E43: each command is an entry of its own and can be taken back."""
    commands(bench, LS, OTHERS[0], LS)
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    second = bench.prompt()
    bench.send(c.ReadLedger(conversation=bench.conversation))
    (held,) = [one for one in bench.until(e.LedgerRead).entries if one.scope == "turn"]
    assert (held.kind, held.tool, held.text.raw) == ("permission", "shell_run", "echo one")
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=held.key))
    bench.until(e.LedgerRead, lambda read: not [one for one in read.entries if one.scope == "turn"])
    bench.answer(second, Permitted(run=False))
    third = bench.prompt()
    assert third.call == "c3", "revoked, so it is asked about again"
    bench.answer(third, Permitted(run=False))
    bench.turn()

"""A no and what follows it, with the real file tools: words for the model, refused targets, three in a row."""

from __future__ import annotations

import pytest

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted
from jp_tui.tools.registry import builtin
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, Reviews, at_once

OK: list[Item] = [*text("Ok."), *end()]
ASSISTANT, ESCALATES = Rule(target="assistant"), Rule(target="assistant_with_escalation")
M39 = "The proposed file changes were reviewed and rejected. Changes were not applied."


def change(new: str, id_: str = "c1", path: str = "a.txt") -> list[Item]:
    arguments: JsonObject = {"path": path, "patterns": [{"old": "one", "new": new}]}
    return [*call("fs_modify_file", arguments, id_), *end("tools")]


def reviewed(bench: Bench, rule: Rule, *verdict: object, **named: object) -> None:
    """The writing tools, their changes put to a reviewer; one text file."""
    (bench.workspace / "a.txt").write_text("one\n")
    bench.reviewer = Reviews(apply_changes=verdict, **named)  # type: ignore[arg-type]
    for name in ("fs_modify_file", "fs_create_file", "fs_delete_file", "fs_move_file"):
        bench.tools[name] = tool_setup(name, builtin()[name], rules={"apply_changes": rule})


def results(bench: Bench) -> list[dict[str, object]]:
    return [event for event in bench.log() if event["type"] == "tool_call_response"]


def test_a_reviewers_no_is_told_with_its_reason(bench: Bench) -> None:
    """R141, M8, row 10: the tool ran with false; its own words stay beside the response."""
    reviewed(bench, ASSISTANT, False, 'too "wide"\nfor this')
    bench.script = Script(change("two"), OK)
    bench.start()
    bench.say("go")
    bench.turn()
    (result,) = results(bench)
    assert result["content"] == (
        "The proposed changes to 'a.txt' were reviewed by a secondary assistant (judge) and rejected.\n\n"
        'Reason: "too "wide"\nfor this"\n\n'
        "The changes were not applied. You may retry with different changes or ask the user to review."
    )
    assert result["is_error"] and str(result["metadata"]["tool_error"]).startswith(M39)  # type: ignore[index]
    assert result["metadata"]["end"] == "declined", "Z15: an outcome, no failure"  # type: ignore[index]
    assert (bench.workspace / "a.txt").read_text() == "one\n"


def test_a_humans_no_over_a_reviewers_is_told_once_with_its_note(bench: Bench) -> None:
    """R151, R182, M9: the note is quoted and not added again."""
    reviewed(bench, ESCALATES, False, "too wide")
    bench.script = Script(change("two"), OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=False, note="rename it instead"))
    bench.turn()
    (result,) = results(bench)
    assert result["content"] == (
        "The proposed changes to 'a.txt' were reviewed by the user and rejected.\n\n"
        'Reason: "rename it instead"\n\n'
        "The changes were not applied. Do not repeat the same change; ask the user what should be different."
    )


def test_a_humans_yes_over_a_reviewers_no_writes_once(bench: Bench) -> None:
    """R149: the tool runs with the final answer, and what was overruled is refused no longer."""
    reviewed(bench, ESCALATES, False, "too wide")
    bench.script = Script(change("two"), [*call("fs_read_file", {"path": "a.txt"}, "c2"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    assert (bench.workspace / "a.txt").read_text() == "two\n"


@pytest.mark.parametrize(
    "again",
    [
        ("fs_modify_file", {"path": "a.txt", "patterns": [{"old": "one", "new": "2"}]}),
        ("fs_delete_file", {"path": "a.txt"}),
        ("fs_move_file", {"source": "a.txt", "target": "b.txt"}),
        ("fs_move_file", {"source": "b.txt", "target": "a.txt"}),
    ],
)
def test_what_was_refused_is_decided_by_a_person_whatever_tool_asks(
    bench: Bench, again: tuple[str, JsonObject]
) -> None:
    """R247, issue 6.8: an always-yes reviewer, a pinned yes and a move without a question of its own do not get by."""
    reviewed(bench, ESCALATES, False, "no")
    (bench.workspace / "b.txt").write_text("b\n")
    pinned = {name: Rule(has_answer=True, answer=True) for name in ("confirm", "overwrite_file", "apply_changes")}
    bench.script = Script(change("two"), [*call(again[0], again[1], "c2"), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=False))
    bench.until(e.EventAppended, lambda event: event.stored.event["type"] == "tool_call_response")
    bench.reviewer.verdicts["apply_changes"] = (True, "fine")  # type: ignore[union-attr]
    bench.tools[again[0]] = tool_setup(again[0], builtin()[again[0]], rules=pinned)
    prompt = bench.prompt()
    assert prompt.human_only and "a.txt" in prompt.why and "remember" not in prompt.controls
    bench.answer(prompt, Answered(value=False))
    bench.turn()
    assert (bench.workspace / "a.txt").read_text() == "one\n" and (bench.workspace / "b.txt").read_text() == "b\n"


def test_a_command_that_names_what_was_refused_asks_for_leave(bench: Bench) -> None:
    """R247: a tool whose doings nobody can look into, though it runs unattended."""
    reviewed(bench, ASSISTANT, False, "no")
    shell = bench.tools["shell"] = tool_setup("shell", Made(at_once), kind="local")
    runs = [*call("shell", {"n": "sed -i s/one/two/ a.txt"}, "c2"), *end("tools")]
    other = [*call("shell", {"n": "ls src"}, "c3"), *end("tools")]
    bench.script = Script(change("two"), runs, other, OK)
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    assert (prompt.kind, prompt.call) == ("permission", "c2") and "a.txt" in prompt.why
    bench.answer(prompt, Permitted(run=False))
    bench.turn()
    assert [one["content"] for one in results(bench)][1:] == ["Tool skipped by user.", "done ls src"]
    assert shell.run == "unattended"


def test_without_a_client_nothing_that_was_refused_is_done(bench: Bench) -> None:
    """R247: M1 for a question, M10 for a command."""
    bench.client = False
    reviewed(bench, ASSISTANT, False, "no")
    bench.tools["shell"] = tool_setup("shell", Made(at_once), kind="local")
    runs = [*call("shell", {"n": "rm a.txt"}, "c2", 0), *call("fs_delete_file", {"path": "a.txt"}, "c3", 1)]
    bench.script = Script(change("two"), [*runs, *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.turn()
    _, shell, delete = [str(one["content"]) for one in results(bench)]
    assert shell.startswith("Tool 'shell' was not run: ") and delete.startswith("fs_delete_file cannot run because no")


def test_three_rejections_of_one_intent(bench: Bench) -> None:
    """Issue 6.11: the third tells the assistant to stop and ask, and the record says so."""
    reviewed(bench, ESCALATES, False, "no")
    bench.script = Script(change("2", "c1"), change("3", "c2"), change("4", "c3"), OK)
    bench.start()
    bench.say("go")
    for _ in range(3):
        bench.answer(bench.prompt(), Answered(value=False))
    bench.turn()
    told = results(bench)
    assert [one.get("metadata", {}).get("stop") for one in told] == [None, None, {"rejections": 3}]  # type: ignore[attr-defined]
    assert "ask how to go on" in str(told[2]["content"]) and "ask how" not in str(told[1]["content"])


def test_a_turn_that_goes_on_still_knows_what_was_refused(bench: Bench) -> None:
    """R207, R247: killed at the next question, the refusal is read back from the record."""
    reviewed(bench, ASSISTANT, False, "no")
    bench.tools["shell"] = tool_setup("shell", Made(at_once), kind="local", run="ask")
    bench.script = Script(change("two"), [*call("fs_delete_file", {"path": "a.txt"}, "c2"), *end("tools")])
    bench.start()
    bench.say("go")
    assert "a.txt" in bench.prompt().why
    bench.kill()
    bench.script = Script([*call("shell", {"n": "rm a.txt"}, "c3"), *end("tools")], OK)
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value=False))
    prompt = bench.prompt()
    assert (prompt.call, prompt.kind) == ("c3", "permission") and "a.txt" in prompt.why
    bench.answer(prompt, Permitted(run=False))
    bench.turn()

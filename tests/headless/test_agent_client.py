"""Files and terminals that an agent asks for go through our own tools (intake.md N43)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.headless.running import LIMIT, jp, latest, lines, log, on_terminal
from tests.headless.test_agent import _left, agent, calls, outcomes, sent


def replies(record: Path) -> list[Any]:
    """What its requests got: a result, or the message of an error."""
    came = [json.loads(line[2:]) for line in record.read_text().splitlines() if line.startswith("> ")]
    return [
        one.get("result", one.get("error", {}).get("message")) for one in came if str(one.get("id")).startswith("q")
    ]


def plays(record: Path, *prompts: list[Any]) -> None:
    """What it plays from its next start on; its log begins anew."""
    record.with_name("fake.json").write_text(json.dumps({"prompts": prompts}))
    record.write_text("")


def work(home: Path) -> Path:
    """A workspace with a file of each sort."""
    folder = home / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\r\ntwo\nthree\n")
    (folder / ".env").write_text("KEY=secret\n")
    (folder / ".ignore").write_text("hidden\n")
    (folder / "hidden").write_text("x\n")
    return folder


def change(folder: Path, content: str = "new\n", name: str = "a.txt") -> dict[str, str]:
    return {"path": str(folder / name), "content": content}


def edit(folder: Path, content: str = "new\n") -> dict[str, Any]:
    shown = {"type": "diff", "path": str(folder / "a.txt"), "oldText": "one\r\ntwo\nthree\n", "newText": content}
    return {"toolCallId": "t1", "kind": "edit", "title": "Edit", "rawInput": {"path": "a.txt"}, "content": [shown]}


def test_n43_an_agent_reads_files_of_the_workspace_only(tmp_path: Path) -> None:
    """Recorded as calls; secrets and paths outside are refused; a part of a file keeps its line ends."""
    folder = work(tmp_path)
    paths = [folder / "a.txt", folder / ".env", Path("/etc/passwd"), Path(f"{folder}/../x"), folder / "gone"]
    steps = [["request", "fs/read_text_file", {"path": str(one)}] for one in paths]
    steps += [["request", "fs/read_text_file", {"path": str(folder / "a.txt"), "line": 1, "limit": 2}]]
    steps += [["request", "fs/read_text_file", {"path": 7}], ["say", "Read."]]
    record = agent(tmp_path, steps)
    ran = jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "--workspace", str(folder), "go")
    assert ran.returncode == 0, ran.stderr
    found = replies(record)
    assert found[0] == {"content": "one\r\ntwo\nthree\n"} and found[5] == {"content": "one\r\ntwo\n"}
    assert "usually holds secrets" in found[1] and "secret" not in json.dumps(found[1]).replace("secrets", "")
    assert "outside the workspace" in found[2] and "outside the workspace" in found[3]
    assert "gone" in found[4] and found[6] == "`path` is required."
    done = calls(log(tmp_path, latest(tmp_path)))
    assert [one[0] for one in done] == ["fake.read_text_file"] * 6
    assert [one[2] for one in done] == [False, True, True, True, True, False]


def test_n43_a_write_is_asked_about_with_its_diff(tmp_path: Path) -> None:
    """Yes writes it, no doesn't, and the agent learns which; nothing is written without a user; an undo is kept."""
    folder = work(tmp_path)
    write = ["request", "fs/write_text_file", change(folder)]
    no = ["request", "fs/write_text_file", change(folder, "other\n")]
    made = ["request", "fs/write_text_file", change(folder, "x", "sub/made.txt")]
    record = agent(tmp_path, [write, ["say", "x"]])
    ran = jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "--workspace", str(folder), "go")
    assert ran.returncode == 0, ran.stderr
    assert "error" not in ran.stderr and (folder / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert len(replies(record)) == 1 and isinstance(replies(record)[0], str)
    plays(record, [write, made, no, ["say", "x"]])
    with on_terminal(tmp_path, "query", "--agent", "fake", "--workspace", str(folder), "go") as shown:
        for answer in ("y", "y", "n"):
            said = shown.until("? commands\r\n> ")
            assert "Run fake.write" not in said and ("+new" in said or "made.txt" in said or "+other" in said)
            shown.type(f"{answer}\n")
        shown.rest()
        assert shown.wait() == 0
    assert [one if isinstance(one, dict) else "no" for one in replies(record)] == [{}, {}, "no"]
    assert (folder / "a.txt").read_text() == "new\n" and (folder / "sub" / "made.txt").read_text() == "x"


def test_n43_what_an_approved_request_showed_is_not_asked_again(tmp_path: Path) -> None:
    """Byte for byte; it is done in that call. Anything else is asked about."""
    folder = work(tmp_path)
    asked = ["ask", edit(folder), None, [["request", "fs/write_text_file", change(folder)]]]
    other = ["ask", edit(folder), None, [["request", "fs/write_text_file", change(folder, "other\n")]]]
    record = agent(tmp_path, [asked, ["say", "x"]])
    jp(tmp_path, "rules", "add", "allow", "--tool", "fake.edit", "--whole-tool", "--workspace", str(folder))
    run = ("query", "--agent", "fake", "--non-interactive", "--workspace", str(folder), "go")
    assert jp(tmp_path, *run).returncode == 0
    assert replies(record) == [{}] and (folder / "a.txt").read_text() == "new\n"
    done = calls(log(tmp_path, latest(tmp_path)))
    assert [one[0] for one in done] == ["fake.edit"], "one call, not three"
    plays(record, [other, ["say", "x"]])
    assert jp(tmp_path, *run).returncode == 0
    assert isinstance(replies(record)[0], str) and (folder / "a.txt").read_text() == "new\n"
    assert [one["optionId"] for one in outcomes(record)] == ["o"]


COMMAND = {"command": "echo ran >>ran"}
RUNS = ["request", "terminal/create", COMMAND]
CALL: dict[str, Any] = {"toolCallId": "t1", "title": "Do", "rawInput": COMMAND}
ENDS = ["request", "terminal/wait_for_exit", {"terminalId": "$TERM"}]


def other(folder: Path) -> dict[str, Any]:
    return {"toolCallId": "t1", "content": edit(folder, "other\n")["content"]}


@pytest.mark.parametrize(
    ("asks", "then"),
    [
        (lambda at: edit(at), lambda at: [["raw", "tool_call_update", other(at)], _writes(at, "other\n")]),
        (lambda at: {**edit(at), "kind": "read"}, lambda at: [_writes(at, "new\n")]),
        (lambda at: _claims(at, "other\nnew\n", "x\n"), lambda at: [_writes(at, "other\nnew\n")]),
        (lambda at: _claims(at, "new\n", None), lambda at: [_writes(at, "new\n")]),
        (lambda at: {**CALL, "kind": "read"}, lambda at: [RUNS]),
        (lambda at: {**CALL, "kind": "execute", "content": edit(at)["content"]}, lambda at: [RUNS]),
        (
            lambda at: {**CALL, "kind": "execute", "rawInput": {"command": "true"}},
            lambda at: [["raw", "tool_call_update", {"toolCallId": "t1", "rawInput": COMMAND}], RUNS],
        ),
    ],
    ids=["changed after", "read writes", "old text", "new file", "read runs", "diff hides a command", "command after"],
)
def test_n43_what_an_approved_request_did_not_show_is_asked(
    tmp_path: Path, asks: Callable[[Path], Any], then: Callable[[Path], Any]
) -> None:
    """What the agent says of the call later, what is of another kind, a file that isn't what the agent says of it, and
    a command that a diff was shown in place of."""
    folder = work(tmp_path)
    record = agent(tmp_path, [["ask", asks(folder), None, then(folder)], ["say", "x"]])
    for kind in ("edit", "read", "execute"):
        jp(tmp_path, "rules", "add", "allow", "--tool", f"fake.{kind}", "--whole-tool", "--workspace", str(folder))
    ran = jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "--workspace", str(folder), "go")
    assert ran.returncode == 0, ran.stderr
    assert [one["optionId"] for one in outcomes(record)] == ["o"]
    assert [isinstance(one, str) for one in replies(record)] == [True], "refused, since nobody can be asked"
    assert (folder / "a.txt").read_text() == "one\ntwo\nthree\n" and not (folder / "ran").exists()


def test_n43_what_an_approved_request_showed_runs_once(tmp_path: Path) -> None:
    folder = work(tmp_path)
    asks = ["ask", {**CALL, "kind": "execute"}, None, [RUNS, ENDS, RUNS]]
    record = agent(tmp_path, [asks, ["say", "x"]])
    jp(tmp_path, "rules", "add", "allow", "--tool", "fake.execute", "--whole-tool", "--workspace", str(folder))
    jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "--workspace", str(folder), "go")
    assert (folder / "ran").read_text() == "ran\n"
    assert [isinstance(one, str) for one in replies(record)] == [False, False, True]


def test_n42_a_request_that_changes_while_it_waits_is_rejected(tmp_path: Path) -> None:
    """A yes is for what was shown."""
    folder = work(tmp_path)
    steps = [
        ["request", "session/request_permission", {"toolCall": edit(folder), "options": OPTIONS}, False],
        ["wait", str(folder / "shown")],
        ["raw", "tool_call_update", other(folder)],
        ["request", "no/such/method", {}],
        ["run", ["touch", str(folder / "changed")], {"PATH": os.environ["PATH"]}],
        ["request", "fs/read_text_file", {"path": str(folder / "a.txt")}],
    ]
    record = agent(tmp_path, steps)
    with on_terminal(tmp_path, "query", "--agent", "fake", "--workspace", str(folder), "go") as shown:
        assert "+new" in shown.until("? commands\r\n> ")
        (folder / "shown").touch()
        end = time.monotonic() + LIMIT
        while not (folder / "changed").exists() and time.monotonic() < end:
            time.sleep(0.02)
        shown.type("y\n")
        shown.rest()
        assert shown.wait() == 0
    assert [one["outcome"]["optionId"] for one in replies(record) if "outcome" in one] == ["r"]
    assert "changed its request while it waited" in calls(log(tmp_path, latest(tmp_path)))[0][1]


OPTIONS = [
    {"optionId": "o", "name": "Allow", "kind": "allow_once"},
    {"optionId": "r", "name": "Reject", "kind": "reject_once"},
]


def _writes(folder: Path, content: str) -> list[Any]:
    return ["request", "fs/write_text_file", change(folder, content)]


def _claims(folder: Path, new: str, old: str | None) -> dict[str, Any]:
    """An edit of a file that is said to have been this."""
    shown = {"type": "diff", "path": str(folder / "a.txt"), "oldText": old, "newText": new}
    return {**edit(folder), "content": [shown]}


def test_n43_a_terminal_runs_in_our_runner(tmp_path: Path) -> None:
    """Asked about with its whole command; its output and end reach the agent, and are in the log."""
    folder = work(tmp_path)
    steps = [
        ["request", "terminal/create", {"command": "echo", "args": ["hi there"], "outputByteLimit": 3}],
        ["request", "terminal/wait_for_exit", {"terminalId": "$TERM"}],
        ["request", "terminal/output", {"terminalId": "$TERM"}],
        ["request", "terminal/release", {"terminalId": "$TERM"}],
        ["request", "terminal/output", {"terminalId": "$TERM"}],
        ["request", "terminal/create", {"command": "exit 3", "env": [{"name": "A", "value": "b c"}]}],
        ["request", "terminal/wait_for_exit", {"terminalId": "$TERM"}],
        ["request", "terminal/create", {"command": "true", "cwd": "/"}],
        ["say", "Ran."],
    ]
    record = agent(tmp_path, steps)
    with on_terminal(tmp_path, "query", "--agent", "fake", "--workspace", str(folder), "go") as shown:
        for command in ("echo 'hi there'", "export 'A=b c'; exit 3"):
            assert command in shown.until("? commands\r\n> ")
            shown.type("y\n")
        shown.rest()
        assert shown.wait() == 0
    found = replies(record)
    assert found[1] == {"exitCode": 0, "signal": None}
    assert found[2] == {"output": "re\n", "truncated": True, "exitStatus": found[1]}
    assert found[3:5] == [{}, "There is no such terminal."] and found[6]["exitCode"] == 3
    assert "outside the workspace" in found[7]
    done = calls(log(tmp_path, latest(tmp_path)))
    assert [one[0] for one in done] == ["fake.terminal"] * 3 and "hi there" in done[0][1]


def test_n43_a_terminal_ends_with_its_turn_and_its_agent(tmp_path: Path) -> None:
    """Nothing of it is left, whether the agent ends its turn, asks something else meanwhile, or dies."""
    folder, seconds = work(tmp_path), 200_000 + os.getpid()
    start = ["request", "terminal/create", {"command": f"touch up; exec sleep {seconds}"}]
    up = ["wait", str(folder / "up")]
    read = ["request", "fs/read_text_file", {"path": str(folder / "a.txt")}]
    record = agent(tmp_path, [start, up, read, ["say", "Begun."]])
    jp(tmp_path, "rules", "add", "allow", "--tool", "fake.terminal", "--whole-tool", "--workspace", str(folder))
    run = ("query", "--agent", "fake", "--non-interactive", "--workspace", str(folder), "go")
    ran = jp(tmp_path, *run)
    assert ran.returncode == 0 and "Begun." in ran.stdout
    done = calls(log(tmp_path, latest(tmp_path)))
    assert [one[0] for one in done] == ["fake.terminal", "fake.read_text_file", "fake.terminal"]
    assert "Still running" in done[0][1] and "cancelled" in done[2][1]
    (folder / "up").unlink()
    plays(record, [start, up, ["die"]])
    died = jp(tmp_path, *run)
    assert died.returncode == 1 and "fake ended with status 7." in died.stderr
    end = time.monotonic() + LIMIT
    while (left := _left(str(seconds))) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left
    assert lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout) == []


FORM = {
    "mode": "form",
    "message": "Which port?",
    "requestedSchema": {"type": "object", "properties": {"port": {"type": "integer"}}, "required": ["port"]},
}


def test_n42_a_form_of_an_agent_is_a_question_of_ours(tmp_path: Path) -> None:
    """Answered from another process, declined on the terminal; a form for a password is declined unasked; without a
    user it is cancelled."""
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    page = {"mode": "url", "message": "Sign in", "elicitationId": "e", "url": "https://example.com/in?a=b"}
    steps = [["request", "elicitation/create", FORM]] * 2
    steps += [["request", "elicitation/create", {**FORM, "requestedSchema": secret}]]
    steps += [["request", "elicitation/create", page], ["request", "elicitation/create", {"mode": "x"}], ["say", "x"]]
    record = agent(tmp_path, steps)
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >{opened}\n')
    browser.chmod(0o755)
    with on_terminal(tmp_path, "query", "--agent", "fake", "go", BROWSER=str(browser)) as shown:
        assert "Which port?" in shown.until("commands\r\n> ")
        (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
        assert jp(tmp_path, "answer", waits["id"], '{"port": 80}').returncode == 0
        shown.until("commands\r\n> ")
        (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
        assert jp(tmp_path, "answer", waits["id"], "--decline").returncode == 0
        assert page["url"] in shown.until("commands\r\n> ")
        shown.type("y\n")
        shown.rest()
        assert shown.wait() == 0
    accepted = {"action": "accept", "content": {"port": 80}}
    assert replies(record) == [
        accepted,
        *[{"action": "decline"}] * 2,
        {"action": "accept"},
        "`mode` must be form or url.",
    ]
    end = time.monotonic() + LIMIT
    while not opened.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert opened.read_text().strip() == page["url"]
    plays(record, [["request", "elicitation/create", FORM], ["say", "x"]])
    assert jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "go").returncode == 0
    assert replies(record) == [{"action": "cancel"}]


def test_n42_the_reason_of_a_no_is_the_next_message(tmp_path: Path) -> None:
    """An agent gets no reason with a no: so it is queued, shown, and sent after the turn."""
    folder = work(tmp_path)
    record = agent(tmp_path, [["ask", edit(folder)], ["say", "Well."]], [["say", "Understood."]])
    with on_terminal(tmp_path, "--plain", "--workspace", str(folder), "--agent", "fake", "go") as shown:
        shown.until("? commands\r\n> ")
        (waits,) = lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)
        assert jp(tmp_path, "answer", waits["id"], "no", "--reason", "use tabs").returncode == 0
        shown.until("Understood.")
        shown.hang_up()
    assert [one["prompt"][0]["text"] for one in sent(record, "session/prompt")] == ["go", "use tabs"]


def test_n44_commands_models_and_modes_of_an_agent(tmp_path: Path) -> None:
    """`/NAME:command` once it runs; `agent/NAME/MODEL` and `agent/NAME/mode=MODE` where a model is named, and again
    when the conversation goes on."""
    record = agent(
        tmp_path,
        [["say", "One."]],
        [["say", "Two."]],
        commands=[{"name": "compact"}],
        offers={},
        able={"loadSession": True},
    )
    with on_terminal(tmp_path, "--plain", "--model", "agent/fake/big/x", "go") as shown:
        shown.until("One.")
        shown.until("> ")
        shown.type("/fake:compact now\n")
        shown.until("Two.")
        shown.hang_up()
    assert [one["prompt"][0]["text"] for one in sent(record, "session/prompt")] == ["go", "/compact now"]
    assert [one["value"] for one in sent(record, "session/set_config_option")] == ["big/x"]
    assert jp(tmp_path, "query", "-c", "--model", "agent/fake/mode=plan", "more").returncode == 0
    assert jp(tmp_path, "query", "-c", "more").returncode == 0
    assert [one["modeId"] for one in sent(record, "session/set_mode")] == ["plan"] * 2
    unknown = jp(tmp_path, "query", "--model", "agent/other/big", "go")
    assert unknown.returncode == 2 and "no agent other/big" in unknown.stderr


def test_n40_several_agents_at_once_ask_in_one_inbox(tmp_path: Path) -> None:
    """Each has its own conversation; each answer reaches its own agent."""
    folder = work(tmp_path)
    records = [agent(tmp_path, [["ask", edit(folder)], ["say", "x"]], name=name) for name in ("one", "two", "three")]
    with ExitStack() as stack:
        shown = [
            stack.enter_context(on_terminal(tmp_path, "query", "--agent", name, "--workspace", str(folder), "go"))
            for name in ("one", "two", "three")
        ]
        for one in shown:
            one.until("? commands\r\n> ")
        waiting = {one["tool"]: one for one in lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout)}
        assert sorted(waiting) == ["one.edit", "three.edit", "two.edit"]
        assert len({one["conversation"] for one in waiting.values()}) == 3
        for tool, answer in (("two.edit", "no"), ("one.edit", "yes"), ("three.edit", "no")):
            assert jp(tmp_path, "answer", waiting[tool]["id"], answer).returncode == 0
        for one in shown:
            one.rest()
            assert one.wait() == 0
    assert [outcomes(record)[0]["optionId"] for record in records] == ["o", "r", "r"]

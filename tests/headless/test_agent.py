"""Agents of other makers hold a conversation: `query --agent` (intake.md N40-N44)."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.headless.running import LIMIT, ROOT, environment, jp, latest, lines, log, on_terminal

PROGRAM = ROOT / "tests" / "fakes" / "agent.py"
EDIT: dict[str, Any] = {
    "toolCallId": "t1",
    "kind": "edit",
    "title": "Edit a.txt",
    "rawInput": {"path": "a.txt"},
    "content": [{"type": "diff", "path": "/x/a.txt", "oldText": "one\n", "newText": "two\n"}],
}


def agent(home: Path, *prompts: list[Any], name: str = "fake", settings: str = "", **script: Any) -> Path:
    """Set up an agent that plays these prompts; the log of its messages."""
    (home / "config").mkdir(exist_ok=True)
    played = home / f"{name}.json"
    played.write_text(json.dumps({"prompts": prompts, **script}))
    command = json.dumps([sys.executable, str(PROGRAM), str(played)])
    with open(home / "config" / "config.toml", "a") as file:
        file.write(f"[agents.{name}]\ncommand = {command}\n{settings}\n")
    return Path(f"{played}.log")


def sent(record: Path, method: str) -> list[dict[str, Any]]:
    """The params of what the agent got of a method."""
    came = [json.loads(line[2:]) for line in record.read_text().splitlines() if line.startswith("> ")]
    return [one["params"] for one in came if one.get("method") == method]


def outcomes(record: Path) -> list[dict[str, Any]]:
    """The replies to its permission requests."""
    came = [json.loads(line[2:]) for line in record.read_text().splitlines() if line.startswith("> ")]
    return [one["result"]["outcome"] for one in came if "result" in one]


def calls(events: list[dict[str, Any]]) -> list[tuple[str, str, bool]]:
    names = {event["id"]: event["name"] for event in events if event["type"] == "tool_call_request"}
    done = [event for event in events if event["type"] == "tool_call_response"]
    return [(names[one["id"]], one["content"], one["is_error"]) for one in done]


def test_n41_what_an_agent_does_is_recorded_as_ours(tmp_path: Path) -> None:
    """Messages, thoughts, plan and calls without a question; N44: its session is resumed with the conversation."""
    steps = [
        ["think", "Hm."],
        ["say", "I "],
        ["say", "look."],
        ["plan", ["look", "in_progress"], ["write", "pending"]],
        ["raw", "tool_call", {"toolCallId": "r", "kind": "read", "title": "Read", "status": "in_progress"}],
        ["raw", "tool_call_update", {"toolCallId": "nobody", "status": "completed"}],
        [
            "raw",
            "tool_call_update",
            {
                "toolCallId": "r",
                "status": "completed",
                "content": [{"type": "content", "content": {"type": "text", "text": "the text"}}],
            },
        ],
        ["say", "Seen."],
    ]
    record = agent(tmp_path, steps, able={"loadSession": True})
    ran = jp(tmp_path, "query", "--agent", "fake", "go")
    assert (ran.returncode, ran.stderr) == (0, "") and "Seen." in ran.stdout
    stored = log(tmp_path, latest(tmp_path))
    assert [one[0] for one in calls(stored)] == ["update_plan", "fake.read"]
    assert calls(stored)[1] == ("fake.read", "the text", False)
    replies = [event for event in stored if event["type"] == "chat_response"]
    assert [one.get("reasoning") or one.get("message") for one in replies] == ["Hm.", "I look.", "Seen."]
    assert [event["steps"][0]["step"] for event in stored if event["type"] == "plan"] == ["look"]
    assert not [event for event in stored if event["type"] == "inquiry_request"]
    again = jp(tmp_path, "query", "-c", "more")
    assert again.returncode == 0 and "old word" not in again.stdout
    assert [one["sessionId"] for one in sent(record, "session/load")] == ["s-1"]
    assert [one["prompt"][0]["text"] for one in sent(record, "session/prompt")] == ["go", "more"]


def test_n5_what_an_agent_starts_does_not_answer_for_it(tmp_path: Path) -> None:
    """It has a session with us, which ends with its process."""
    words = [sys.executable, "-m", "jp_tui", "rules", "add", "allow", "--tool", "fake.edit", "--whole-tool"]
    agent(tmp_path, [["run", words, {**environment(tmp_path), "PYTHONPATH": str(ROOT)}]])
    ran = jp(tmp_path, "query", "--agent", "fake", "go")
    assert "status 1" in ran.stdout and "has a session with jp-tui and also started this command" in ran.stdout
    assert not (tmp_path / "config" / "rules.toml").exists()
    assert jp(tmp_path, *words[3:]).returncode == 0


def test_n5_a_terminal_of_an_agent_does_not_answer_for_it(tmp_path: Path) -> None:
    """It is a child of ours and not of the agent; outside a sandbox it could write to our store."""
    folder = tmp_path / "work"
    folder.mkdir()
    adds = f"'{sys.executable}' -m jp_tui rules add allow --tool x --whole-tool >said 2>&1; echo status $? >>said"
    (folder / "go.sh").write_text(f"#!/bin/sh\nexport PYTHONPATH='{ROOT}' JP_TUI_HOME='{tmp_path}'\n{adds}\n")
    (folder / "go.sh").chmod(0o755)
    runs = {"command": "./go.sh"}
    agent(
        tmp_path, [["request", "terminal/create", runs], ["request", "terminal/wait_for_exit", {"terminalId": "$TERM"}]]
    )
    with open(tmp_path / "config" / "config.toml", "a") as file:
        file.write('[conversation.tools.shell_run.options]\nsandbox = { mode = "off" }\n')
    with on_terminal(tmp_path, "query", "--agent", "fake", "--workspace", str(folder), "go") as shown:
        assert "./go.sh" in shown.until("? commands\r\n> ")
        shown.type("y\n")
        shown.rest()
        assert shown.wait() == 0
    said = (folder / "said").read_text()
    assert "fake (pid " in said and "an agent does not answer for itself." in said and said.endswith("status 1\n")
    assert list((tmp_path / "state" / "agents").glob("*.json")) == []
    assert jp(tmp_path, "rules", "add", "allow", "--tool", "x", "--whole-tool").returncode == 0


def test_n42_permission_on_a_terminal_yes_and_no(tmp_path: Path) -> None:
    """`y` selects `allow_once` once it is recorded, `n` `reject_once`; `allow_always` is never chosen."""
    record = agent(tmp_path, [["ask", EDIT], ["ask", {**EDIT, "toolCallId": "t2"}], ["say", "Done."]])
    with on_terminal(tmp_path, "query", "--agent", "fake", "go") as shown:
        for answer in ("y", "n"):
            shown.until("fake runs this itself, outside the sandbox")
            assert "edit arg" not in shown.until("? commands\r\n> ").lower()  # it runs its own arguments
            shown.type(f"{answer}\n")
        shown.rest()
        assert shown.wait() == 0
    assert [one.get("optionId") for one in outcomes(record)] == ["o", "r"]


def test_n44_without_a_client_nothing_is_allowed(tmp_path: Path) -> None:
    """Rules decide, all else is rejected; what a rule allows runs."""
    record = agent(tmp_path, [["ask", EDIT], ["say", "Well."]], [["ask", EDIT], ["say", "Well."]])
    assert jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "go").returncode == 0
    assert [one.get("optionId") for one in outcomes(record)] == ["r"]
    added = jp(tmp_path, "rules", "add", "allow", "--tool", "fake.edit", "--whole-tool")
    assert added.returncode == 0, added.stderr
    record.write_text("")
    assert jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "go").returncode == 0
    assert [one.get("optionId") for one in outcomes(record)] == ["o"]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([["say", "I"], ["die"]], "fake ended with status 7."),
        ([["ask", EDIT, []], ["say", "x"]], ""),
        ([["ask", EDIT, [{"optionId": "o", "name": "A", "kind": "allow_once"}] * 2], ["say", "x"]], ""),
        (
            [
                ["write", "no message"],
                ["send", {"id": 99, "result": {}}],
                ["send", {"id": 2, "result": {}}],
                ["say", "x"],
            ],
            "",
        ),
        ([["send", {"id": 9, "method": "fs/read_text_file", "params": {"path": "/etc/passwd"}}], ["say", "x"]], ""),
        ([["child"], ["say", "x"]], ""),
    ],
    ids=["dies", "no options", "two alike", "answers twice", "reads a file", "forks"],
)
def test_what_an_agent_does_wrong_is_contained(tmp_path: Path, steps: list[Any], said: str) -> None:
    """Bad input: told in one line, nothing allowed, the rest goes on."""
    record = agent(tmp_path, steps, do=str(tmp_path / "done"))
    ran = jp(tmp_path, "query", "--agent", "fake", "--non-interactive", "go")
    assert ran.returncode == (1 if said else 0) and said in ran.stderr
    assert not (tmp_path / "done").exists()
    assert all("optionId" not in one for one in outcomes(record))


def test_n40_an_agent_that_does_not_start_or_is_unknown(tmp_path: Path) -> None:
    """Exit 1, naming it, with the end of its standard error; an unknown name: exit 2. A folder's agents count only once
    they are trusted."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        '[agents.none]\ncommand = ["/no/such/program"]\n[agents.loud]\ncommand = ["sh", "-c", "echo why >&2; exit 3"]\n'
    )
    absent = jp(tmp_path, "query", "--agent", "none", "go")
    assert absent.returncode == 1 and "none didn't start" in absent.stderr
    loud = jp(tmp_path, "query", "--agent", "loud", "go")
    assert loud.returncode == 1 and "loud ended with status 3." in loud.stderr and "why" in loud.stderr
    unknown = jp(tmp_path, "query", "--agent", "lod", "go")
    assert unknown.returncode == 2 and "no agent lod" in unknown.stderr
    folder = tmp_path / "work"
    (folder / ".jp-tui").mkdir(parents=True)
    (folder / ".jp-tui" / "config.toml").write_text('[agents.theirs]\ncommand = ["touch", "ran"]\n')
    theirs = jp(tmp_path, "query", "--workspace", str(folder), "--agent", "theirs", "go")
    assert theirs.returncode == 2 and not (folder / "ran").exists()


def test_n40_doctor_says_which_agents_start(tmp_path: Path) -> None:
    """What is set up is started as far as its first reply; what is only installed is offered."""
    agent(tmp_path, about={"title": "Fake", "version": "1.2"})
    with open(tmp_path / "config" / "config.toml", "a") as file:
        file.write('[agents.none]\ncommand = ["/no/such/program"]\n[agents.loud]\ncommand = ["sh", "-c", "exit 3"]\n')
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "opencode").write_text("#!/bin/sh\n")
    (programs / "opencode").chmod(0o755)
    ran = jp(tmp_path, "doctor", "--json", PATH=f"{programs}:{os.environ['PATH']}")
    found = {one["check"]: one for one in lines(ran.stdout)}
    assert (found["agent fake"]["state"], found["agent fake"]["detail"]) == ("ok", "Fake 1.2")
    assert found["agent none"]["state"] == "bad" and "isn't found" in found["agent none"]["detail"]
    assert found["agent loud"]["state"] == "bad" and "status 3" in found["agent loud"]["detail"]
    assert '[agents.opencode] command = ["opencode", "acp"]' in found["agent opencode"]["detail"]


def test_n42_without_an_allow_once_its_options_are_a_select(tmp_path: Path) -> None:
    """Answered from another process, since without a client nothing is chosen."""
    options = [{"optionId": "pick-1", "name": "Blue", "kind": ""}, {"optionId": "pick-2", "name": "Red", "kind": ""}]
    record = agent(tmp_path, [["ask", EDIT, options], ["say", "x"]])
    jp(tmp_path, "rules", "add", "allow", "--tool", "fake.edit", "--whole-tool")
    with on_terminal(tmp_path, "query", "--agent", "fake", "go") as shown:
        shown.until("What shall the agent do?")
        shown.until("? commands\r\n> ")
        shown.type("2\n")
        shown.rest()
        assert shown.wait() == 0
    assert [one.get("optionId") for one in outcomes(record)] == ["pick-2"]
    assert lines(jp(tmp_path, "inquiries", "--pending", "--json").stdout) == []


def _left(*marks: str) -> list[str]:
    """Commands of running processes that name one of these."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            said = (one / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            if said.startswith("sleep") or "agent.py" in said:
                found += [said for mark in marks if mark in said]
    return found


@pytest.mark.parametrize(
    "steps", [[["say", "I"], ["until_cancel"]], [["say", "I"], ["ask", EDIT]], [["say", "I"], ["ignore"]]]
)
def test_n44_an_interrupt_cancels_and_nothing_outlives_us(tmp_path: Path, steps: list[Any]) -> None:
    """`session/cancel`; what was asked is answered `cancelled`; an agent that goes on is ended with its children."""
    seconds = 100_000 + os.getpid()
    record = agent(tmp_path, [["child", seconds], *steps], late=0.5)
    with on_terminal(tmp_path, "query", "--agent", "fake", "--plain", "go") as shown:
        shown.until("? commands\r\n> " if steps[-1][0] == "ask" else "I")
        shown.type("\x03")
        shown.rest()
        assert shown.wait() == 130
    assert sent(record, "session/cancel") or steps[-1][0] == "ignore"
    assert all("optionId" not in one for one in outcomes(record))
    end = time.monotonic() + LIMIT  # their keeper sees our end, and ends them
    while (left := _left(str(tmp_path), str(seconds))) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left


def test_n40_an_agent_only_holds_conversations(tmp_path: Path) -> None:
    """It gets no request but the user's messages: no summary, and no review."""
    record = agent(tmp_path, [["say", "x"]])
    assert jp(tmp_path, "query", "--agent", "fake", "go").returncode == 0
    refused = jp(tmp_path, "conversations", "compact", latest(tmp_path))
    assert refused.returncode != 0 or "holds conversations" in refused.stdout + refused.stderr
    assert [one["prompt"][0]["text"] for one in sent(record, "session/prompt")] == ["go"]

"""Killed at a question, asked from another process, told a secret: nothing asked or answered is lost, nothing secret
is kept (inquiries.md R202, R205, R207, R237; asking.md E24, E27, E52, E53; surface.md S3, S6, S12).

The real program in a real terminal, with a scripted model and real tools.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jp_tui.journal.reader import open_reader
from tests.faults.conftest import REAL, Start, Target
from tests.faults.terminal import descendants
from tests.limits import LIMIT

pytestmark = pytest.mark.pty

ASK = {"question": "Which name shall the file have?"}
CHANGE = {"path": "notes.txt", "patterns": [{"old": "tea", "new": "coffee"}]}
SECRET = "hunter2-very-secret"
ASKS_FOR_SECRET = """\
import json, sys
answers = json.loads(sys.argv[1])
if "pass" not in answers:
    question = {"id": "pass", "text": "Passphrase?", "answer_type": {"type": "secret"}}
    print(json.dumps({"type": "needs_input", "question": question}))
else:
    print("unlocked with " + answers["pass"])
"""


def scripted(folder: Path, *turns: dict[str, Any], options: tuple[str, ...] = ()) -> Target:
    """jp-tui with a model that makes these calls, one after the other, then says that it is done."""
    import tomlkit

    spoken = [{"text": "Working.", "calls": [turn]} for turn in turns]
    (folder / "script.toml").write_text(
        tomlkit.dumps({"fallback": "Nothing more.", "turns": [*spoken, {"text": "All done."}]})
    )
    command = [*REAL.command(folder), *options, "--model", f"demo/{folder}/script.toml"]
    return Target("jp-tui", lambda _: command, REAL.environment, REAL.ready)


def stored(folder: Path) -> list[dict[str, Any]]:
    """Every event of the only conversation."""
    reader = open_reader(folder / "jp" / "data" / "conversations.db")
    try:
        (conversation,) = reader.conversations()
        return [json.loads(one.entry.payload) for one in reader.read(conversation.id, 0, 10_000)]
    finally:
        reader.close()


def each_answered_once(folder: Path) -> None:
    """Every request has exactly one response, every call too."""
    events = stored(folder)
    kinds = Counter((event["type"], event.get("id")) for event in events)
    for (kind, id_), count in kinds.items():
        if kind in ("inquiry_request", "tool_call_request"):
            assert count == 1 and kinds[kind.replace("request", "response"), id_] == 1, events


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the program, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "jp_tui", *words],
        env=REAL.environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def kill(terminal: Any) -> None:
    """The app and its guardian at once, as when the machine fails."""
    for pid in descendants(terminal.process.pid):
        os.kill(pid, signal.SIGKILL)


def test_r207_r237_e24_e52_a_question_survives_a_kill_with_its_draft(start: Start, tmp_path: Path) -> None:
    target = scripted(tmp_path, {"name": "ask_user", "arguments": ASK})
    first = start(target, "begin")
    first.wait_text(ASK["question"])
    first.wait_text("submit")  # it listens
    first.type("half a na")
    first.wait_text("half a na")
    first.wait(lambda: "half a na" in drafts(tmp_path), "the draft on the disk")
    kill(first)
    (asked,) = [event for event in stored(tmp_path) if event["type"] == "inquiry_request"]
    again = start(target, "-c", ready=False)
    again.wait_text("half a na")
    again.wait_text("submit")
    again.type("me\r")
    again.wait_text("All done.")
    events = stored(tmp_path)
    assert [event["id"] for event in events if event["type"] == "inquiry_request"] == [asked["id"]]
    (answer,) = [event for event in events if event["type"] == "inquiry_response"]
    assert answer["answer"] == "half a name"
    each_answered_once(tmp_path)


def drafts(folder: Path) -> str:
    """What is kept of unsent words."""
    reader = open_reader(folder / "jp" / "data" / "conversations.db")
    try:
        return " ".join(text for one in reader.conversations() for text in reader.drafts(one.id).values())
    finally:
        reader.close()


def test_e53_s12_a_live_workspace_notices_an_answer_from_another_process(start: Start, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("tea at four\n")
    terminal = start(scripted(tmp_path, {"name": "fs_modify_file", "arguments": CHANGE}), "begin")
    terminal.wait_text("Apply")
    (line,) = run(tmp_path, "inquiries", "--pending", "--json").stdout.splitlines()
    waiting = json.loads(line)
    assert {"conversation", "id", "source", "tool", "question", "digest", "asked_at"} <= waiting.keys()
    done = run(tmp_path, "answer", waiting["id"], "yes")
    assert done.returncode == 0, done.stderr
    terminal.wait_text("All done.")
    assert (tmp_path / "notes.txt").read_text() == "coffee at four\n"
    late = run(tmp_path, "answer", waiting["id"], "no")
    assert late.returncode == 1 and "already answered" in (late.stdout + late.stderr).lower()
    each_answered_once(tmp_path)


def test_s6_r207_an_answer_given_while_nobody_runs_is_carried_on_at_the_next_start(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("tea at four\n")
    target = scripted(tmp_path, {"name": "fs_modify_file", "arguments": CHANGE})
    first = start(target, "begin")
    first.wait_text("Apply")
    kill(first)
    waiting = json.loads(run(tmp_path, "inquiries", "--pending", "--json").stdout)
    assert run(tmp_path, "answer", waiting["id"], "true").returncode == 0
    assert (tmp_path / "notes.txt").read_text() == "tea at four\n", "answering runs no tool"
    start(target, "-c", ready=False).wait_text("All done.")
    assert (tmp_path / "notes.txt").read_text() == "coffee at four\n"
    each_answered_once(tmp_path)


def test_r230_s1_s3_a_deferred_question_ends_query_with_3_and_is_answered_later(tmp_path: Path) -> None:
    target = scripted(tmp_path, {"name": "ask_user", "arguments": ASK})
    defer = ("--cfg", "conversation.tools.'*'.detached=defer")
    done = run(tmp_path, "query", *target.command(tmp_path)[3:], *defer, "--json", "--non-interactive", "begin")
    assert done.returncode == 3, done.stderr
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["type"] == "turn_end" and end["outcome"] == "deferred"
    waiting = json.loads(run(tmp_path, "inquiries", "--pending", "--json").stdout)
    again = run(tmp_path, "query", "-c", *target.command(tmp_path)[3:], *defer, "--non-interactive", "and now?")
    assert again.returncode == 3 and waiting["id"] in again.stderr, again.stderr
    assert run(tmp_path, "answer", f"{waiting['conversation']}/{waiting['id']}", "notes").returncode == 0
    last = run(tmp_path, "query", "-c", *target.command(tmp_path)[3:], *defer, "--non-interactive", "and now?")
    assert last.returncode == 0, last.stderr
    each_answered_once(tmp_path)


def test_r202_e27_a_secret_is_nowhere_on_the_disk(start: Start, tmp_path: Path) -> None:
    """Not in the log, a draft, a report or a state file, nor on the screen, also when the tool says it."""
    (tmp_path / "unlock.py").write_text(ASKS_FOR_SECRET)
    tool = "conversation.tools.unlock"
    options = (
        *("--cfg", f'{tool}.source="local"', "--cfg", f"{tool}.run=unattended"),
        *("--cfg", f'{tool}.command={{program="{sys.executable}", args=["unlock.py", "{{{{ tool.answers }}}}"]}}'),
    )
    terminal = start(scripted(tmp_path, {"name": "unlock", "arguments": {}}, options=options), "begin")
    terminal.wait_text("Passphrase?")
    terminal.wait_text("submit")
    terminal.type(SECRET)
    terminal.wait_quiet()
    terminal.type("\r")
    terminal.wait_text("All done.")
    assert SECRET.encode() not in terminal.seen
    os.kill(min(descendants(terminal.process.pid)), signal.SIGTERM)
    terminal.wait_clean()
    files = [file for file in (tmp_path / "jp").rglob("*") if file.is_file()]
    assert files and not [file for file in files if SECRET.encode() in file.read_bytes()]
    (response,) = [event for event in stored(tmp_path) if event["type"] == "inquiry_response"]
    assert response["outcome"] == "redacted"


def test_r86_r89_leave_to_run_is_asked_and_remembered_for_the_turn(start: Start, tmp_path: Path) -> None:
    options = ("--cfg", "conversation.tools.fs_list_files.run=ask")
    call = {"name": "fs_list_files", "arguments": {}}
    terminal = start(scripted(tmp_path, call, call, options=options), "begin")
    terminal.wait_text("Run built-in fs_list_files tool?")
    terminal.wait_text("+ - l scope")
    terminal.wait_quiet()
    terminal.type("Y")
    terminal.wait_text("All done.")
    decisions = [event["metadata"]["permission"] for event in stored(tmp_path) if event["type"] == "tool_call_response"]
    assert [(one["choice"], one["by"]) for one in decisions] == [("run", "user"), ("run", "rule")]


def test_e24_r237_a_half_typed_form_survives_a_kill(start: Start, tmp_path: Path) -> None:
    """The first answer stands, the second question comes back with every character, and the form ends in its review."""
    questions = [
        {"id": "sure", "text": "Shall it begin?", "answer_type": "boolean"},
        {"id": "name", "text": "Which name?", "answer_type": "text", "when": {"question_id": "sure", "equals": True}},
        {"id": "never", "text": "Why not?", "answer_type": "text", "when": {"question_id": "sure", "equals": False}},
    ]
    target = scripted(tmp_path, {"name": "ask_user", "arguments": {"questions": questions}})
    first = start(target, "begin")
    first.wait_text("Shall it begin?")
    first.wait_text("end turn")  # it listens
    first.wait_quiet()
    first.type("y")
    first.wait_text("[2/3]")
    first.wait_text("submit")
    first.wait_quiet()
    first.type("half a na")
    first.wait(lambda: "half a na" in drafts(tmp_path), "the draft on the disk")
    kill(first)
    again = start(target, "-c", ready=False)
    again.wait_text("half a na")
    again.wait_text("submit")
    again.wait_quiet()
    again.type("me")
    again.wait_text("half a name")
    again.type("\r")
    again.wait_text("asked only if")
    again.wait_text("the model gets these answers")
    again.wait_quiet()
    again.type("\r")
    again.wait_text("All done.")
    result = next(event for event in stored(tmp_path) if event["type"] == "tool_call_response")
    assert json.loads(result["content"]) == {"sure": True, "name": "half a name", "never": None}
    each_answered_once(tmp_path)

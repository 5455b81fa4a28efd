"""The exit status of commands whose store fails after the start, and before it (Z20, S1)."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.journal.store import SqliteJournal, open_journal
from jp_tui.system.paths import Paths
from tests.bench import store
from tests.headless.running import ROOT, command, environment
from tests.limits import LIMIT
from tests.sampling import partly

SCRIPT = 'fallback = "zqreply"\n[[walks]]\nname = "x"\n[[walks.turns]]\ntext = "y"\n'


@pytest.fixture
def held(tmp_path: Path) -> Iterator[SqliteJournal]:
    """A store that is open, so that its log is long: what comes behind that needs room."""
    (tmp_path / "reply.toml").write_text(SCRIPT)
    paths = Paths.of({"JP_TUI_HOME": str(tmp_path)})
    paths.prepare()
    journal = open_journal(paths.database)
    journal.create("c1", workspace=str(ROOT), model=f"demo/{tmp_path}/reply.toml", at="2026-01-01 00:00:00.0").result(
        LIMIT
    )
    for number in range(1, 40):
        journal.append("c1", store.turn(number, last=False)).result(LIMIT)
    assert os.path.getsize(f"{paths.database}-wal") > 200_000
    yield journal
    journal.close()


def limit() -> None:
    """The disk is full: no file grows beyond what SQLite needs to open one."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def full(home: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command for which the disk is full."""
    return subprocess.run(
        command(*words), input=stdin, capture_output=True, text=True, cwd=ROOT, env=environment(home),
        preexec_fn=limit, timeout=LIMIT,
    )  # fmt: skip


@partly(3)
@pytest.mark.parametrize(
    "words",
    [
        ("query", "hello"),
        ("query", "--json", "hello"),
        ("query", "--resume", "c1", "hello"),
        ("conversations", "rename", "c1", "Another"),
        ("conversations", "archive", "c1"),
        ("conversations", "rm", "c1"),
        ("conversations", "fork", "c1", "--at", "5"),
    ],
    ids=" ".join,
)
def test_a_full_disk_after_the_start_is_1(held: SqliteJournal, tmp_path: Path, words: tuple[str, ...]) -> None:
    """(Z20) Told in words, and nothing is said as done."""
    model = ("--model", f"demo/{tmp_path}/reply.toml") if words[0] == "query" and "--resume" not in words else ()
    ran = full(tmp_path, *words[:1], *model, *words[1:])
    assert ran.returncode == 1, ran.stderr
    assert "conversations.db" in ran.stderr and "Traceback" not in ran.stderr
    if "--json" in words:
        assert [json.loads(line)["outcome"] for line in ran.stdout.splitlines()] in ([], ["failed"])
    else:
        assert ran.stdout == ""
    row = held.conversation("c1")
    assert row is not None and (row.title, row.archived, row.last_seq) == ("", False, 195)


def test_plain_is_1_when_the_last_message_was_not_saved(held: SqliteJournal, tmp_path: Path) -> None:
    """(Z20)"""
    words = ("--plain", "--model", f"demo/{tmp_path}/reply.toml")
    ran = full(tmp_path, *words, stdin="hello\n")
    assert ran.returncode == 1 and "conversations.db" in ran.stdout + ran.stderr
    assert "zqreply" not in ran.stdout and "Resume this conversation" not in ran.stdout + ran.stderr


def test_rpc_is_1_when_the_last_prompt_was_not_saved(held: SqliteJournal, tmp_path: Path) -> None:
    """(Z20, S30)"""
    lines = [
        {"id": 1, "method": "initialize", "params": {}},
        {"id": 2, "method": "session/new", "params": {"model": f"demo/{tmp_path}/reply.toml"}},
    ]
    said = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in lines)
    child = subprocess.Popen(
        command("rpc"), cwd=ROOT, env=environment(tmp_path), text=True, preexec_fn=limit,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None
    child.stdin.write(said)
    child.stdin.flush()
    told = (json.loads(line) for line in child.stdout)
    assert next(told)["id"] == 1
    session = next(told)["result"]["session_id"]
    prompt = {"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"session_id": session, "prompt": "hi"}}
    child.stdin.write(json.dumps(prompt) + "\n")
    child.stdin.flush()
    answer = next(one for one in told if one.get("id") == 3)
    _, err = child.communicate(timeout=LIMIT)
    assert "conversations.db" in json.dumps(answer) + err
    assert child.returncode == 1, err


def test_a_folder_that_cannot_be_used_is_2(tmp_path: Path) -> None:
    """(S1) Before the start."""
    (tmp_path / "data").write_text("a file")
    for words in (("query", "hi"), ("conversations", "list"), ("--plain",)):
        ran = subprocess.run(command(*words), input="", capture_output=True, text=True, env=environment(tmp_path))
        assert ran.returncode == 2 and str(tmp_path / "data") in ran.stderr, words


def test_what_is_asked_wrongly_stays_2(held: SqliteJournal, tmp_path: Path) -> None:
    """(S1) The control: nothing failed but the command."""
    for words in (("conversations", "rename", "nobody", "x"), ("query", "--resume", "nobody", "hi")):
        ran = subprocess.run(command(*words), capture_output=True, text=True, cwd=ROOT, env=environment(tmp_path))
        assert ran.returncode == 2 and "nobody" in ran.stderr, words

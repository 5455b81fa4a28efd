"""A worker is killed at each commit of an answered turn, before and after it (store.md D21, D22): the next one goes on,
the tool never runs twice by itself, and the record is whole."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.headless.asking_tools import configure, question
from tests.headless.running import LIMIT, ROOT, environment, jp, lines, log
from tests.sampling import whole

MOST = 30
"""Commits of such a run, at most."""
SAMPLE = ((1, "after"), (2, "after"))
_COUNTS = """
import pathlib
def runs():
    with open(pathlib.Path({folder!r}) / "runs", "a") as file:
        file.write("x")
"""


def prepared(home: Path) -> str:
    """A conversation whose question was answered, and whose tool counts the runs with that answer."""
    model = configure(home, {"later": {"ask": question(), "detached": "defer"}})
    tool = home / "ask.py"
    tool.write_text(_COUNTS.format(folder=str(home)) + tool.read_text().replace("else:", "else:\n    runs()", 1))
    conversation = lines(jp(home, "query", "--json", "--model", model, "go").stdout)[-1]["conversation"]
    answer(home, "yes")
    return str(conversation)


def answer(home: Path, value: str) -> str:
    (waits,) = lines(jp(home, "inquiries", "--pending", "--json").stdout)
    assert jp(home, "answer", f"{waits['conversation']}/{waits['id']}", value).returncode == 0
    return str(waits["question"]["text"])


def served(home: Path, commit: int = 0, when: str = "before") -> tuple[list[dict[str, Any]], int]:
    """What a worker says until its turn has ended, or it was killed; and its status."""
    command = [sys.executable, "-m", "tests.faults.serve_player", str(commit), when]
    env = environment(home, JP_TUI_STORE__POLL_SECS="0.2")
    said: list[dict[str, Any]] = []
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        late = threading.Timer(LIMIT, worker.kill)
        late.start()
        for line in worker.stdout:
            said.append(json.loads(line))
            if said[-1]["type"] == "turn_end":
                worker.send_signal(signal.SIGTERM)
        late.cancel()
        return said, worker.wait(LIMIT)


def judged(home: Path, conversation: str, killed: str) -> bool:
    """What the next worker makes of it; whether it had to ask."""
    ran = (home / "runs").read_text() if (home / "runs").exists() else ""
    assert ran in ("", "x"), killed
    events = log(home, conversation)
    asks = False
    before = kinds = [one["type"] for one in events]
    unfinished = "turn_outcome" not in kinds
    if unfinished and "tool_call_response" not in kinds:
        said, status = served(home)
        (end,) = [one for one in said if one["type"] == "turn_end"]
        assert status == 0, killed
        asks = end["outcome"] == "deferred"
        if asks:
            assert ((home / "runs").read_text() if (home / "runs").exists() else "") == ran, (killed, "it ran again")
            assert answer(home, "failed") == "later may have run when its worker went away.", killed
            assert served(home)[1] == 0
        else:
            assert (home / "runs").read_text() == "x", (killed, "not repeated, and not lost")
    events = log(home, conversation)
    kinds = [one["type"] for one in events]
    assert kinds.count("tool_call_response") == 1, killed
    # Killed while the model replied: such a turn is not resumable (R207), and closed when it is opened.
    assert kinds.count("turn_outcome") == (1 if asks or not unfinished or "tool_call_response" not in before else 0)
    assert [one["seq"] for one in events] == [*range(1, len(events) + 1)], killed
    requests, responses = kinds.count("inquiry_request"), kinds.count("inquiry_response")
    assert requests == responses == (2 if asks else 1), killed
    return asks


@pytest.mark.slow
def test_d21_a_worker_is_killed_at_each_commit(tmp_path: Path) -> None:
    home, before = tmp_path / "home", tmp_path / "before"
    home.mkdir()
    conversation = prepared(home)
    shutil.copytree(home, before)
    moments = [(commit, when) for commit in range(1, MOST) for when in ("before", "after")] if whole() else SAMPLE
    died, asked = 0, 0
    for commit, when in moments:
        shutil.rmtree(home)
        shutil.copytree(before, home)
        _, status = served(home, commit, when)
        died += status == -signal.SIGKILL
        asked += judged(home, conversation, f"killed {when} commit {commit}")
        if status == 0:
            break  # there is no such commit any more
    assert died >= len(SAMPLE)
    assert asked, "a kill came between the mark and the result"

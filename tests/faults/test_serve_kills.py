"""A worker is killed at each commit of an answered turn, before and after it (store.md D21, D22): the next one goes on,
the tool never runs twice by itself, and the record is whole."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import postgres
from tests.headless.asking_tools import configure, question
from tests.headless.running import LIMIT, ROOT, environment, jp, lines
from tests.sampling import whole

MOST = 30
"""Commits of such a run, at most."""
SAMPLE = ((1, "after"), (2, "after"))
SHARED_SAMPLE = ((3, "after"),)
_COUNTS = """
import pathlib
def runs():
    with open(pathlib.Path({folder!r}) / "runs", "a") as file:
        file.write("x")
"""


class Place:
    """A home in a folder, with a conversation whose question was answered, and whose tool counts its runs with that
    answer. It is set back before each kill."""

    def __init__(self, folder: Path) -> None:
        self.home, self._before = folder / "home", folder / "before"
        self.more: dict[str, str] = {}

    def prepare(self) -> str:
        """Return the conversation."""
        self.home.mkdir()
        model = configure(self.home, {"later": {"ask": question(), "detached": "defer"}})
        tool = self.home / "ask.py"
        counts = _COUNTS.format(folder=str(self.home))
        tool.write_text(counts + tool.read_text().replace("else:", "else:\n    runs()", 1))
        conversation = lines(self.run("query", "--json", "--model", model, "go").stdout)[-1]["conversation"]
        self.answer("yes")
        self.keep()
        return str(conversation)

    def keep(self) -> None:
        shutil.copytree(self.home, self._before)

    def back(self) -> None:
        shutil.rmtree(self.home)
        shutil.copytree(self._before, self.home)

    def free(self) -> None:
        """What a killed worker held is free: a lock file is, at once."""

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return jp(self.home, *words, **self.more)

    def log(self, conversation: str) -> list[dict[str, Any]]:
        return lines(self.run("conversations", "show", conversation, "--json").stdout)

    def runs(self) -> str:
        """An x for each run."""
        return (self.home / "runs").read_text() if (self.home / "runs").exists() else ""

    def answer(self, value: str) -> str:
        """Answer the one question that waits; its text."""
        (waits,) = lines(self.run("inquiries", "--pending", "--json").stdout)
        assert self.run("answer", f"{waits['conversation']}/{waits['id']}", value).returncode == 0
        return str(waits["question"]["text"])

    def served(self, commit: int = 0, when: str = "before") -> tuple[list[dict[str, Any]], int]:
        """What a worker says until its turn has ended, or it was killed; and its status."""
        command = [sys.executable, "-m", "tests.faults.serve_player", str(commit), when]
        env = environment(self.home, JP_TUI_STORE__POLL_SECS="0.2", **self.more)
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


class SharedPlace(Place):
    """The same on a store on a server."""

    def __init__(self, folder: Path, server: postgres.Server) -> None:
        super().__init__(folder)
        self._server = server
        self.more = {"JP_TUI_STORE": postgres.emptied(server, "serve_kills")}

    def keep(self) -> None:
        super().keep()
        self._remake("serve_kills_before", "serve_kills")

    def back(self) -> None:
        super().back()
        self._remake("serve_kills", "serve_kills_before")

    def _remake(self, name: str, like: str) -> None:
        self._server.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self._server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{like}'")
        self._server.sql(f"CREATE DATABASE {name} TEMPLATE {like}")

    def free(self) -> None:
        """Its lease expires."""
        self._server.sql("UPDATE jp_tui.leases SET expires = '-infinity'", "serve_kills")


def judged(place: Place, conversation: str, killed: str) -> bool:
    """What the next worker makes of it; whether it had to ask."""
    place.free()
    ran = place.runs()
    assert ran in ("", "x"), killed
    events = place.log(conversation)
    asks = False
    before = kinds = [one["type"] for one in events]
    unfinished = "turn_outcome" not in kinds
    if unfinished and "tool_call_response" not in kinds:
        said, status = place.served()
        (end,) = [one for one in said if one["type"] == "turn_end"]
        assert status == 0, killed
        asks = end["outcome"] == "deferred"
        if asks:
            assert place.runs() == ran, (killed, "it ran again")
            assert place.answer("failed") == "later may have run when its worker went away.", killed
            assert place.served()[1] == 0
        else:
            assert place.runs() == "x", (killed, "not repeated, and not lost")
    events = place.log(conversation)
    kinds = [one["type"] for one in events]
    assert kinds.count("tool_call_response") == 1, killed
    # Killed while the model replied: such a turn is not resumable (R207), and closed when it is opened.
    assert kinds.count("turn_outcome") == (1 if asks or not unfinished or "tool_call_response" not in before else 0)
    assert [one["seq"] for one in events] == [*range(1, len(events) + 1)], killed
    requests, responses = kinds.count("inquiry_request"), kinds.count("inquiry_response")
    assert requests == responses == (2 if asks else 1), killed
    return asks


def killed_at_each_commit(place: Place, sample: Sequence[tuple[int, str]]) -> None:
    conversation = place.prepare()
    moments = [(commit, when) for commit in range(1, MOST) for when in ("before", "after")] if whole() else sample
    died, asked = 0, 0
    for commit, when in moments:
        place.back()
        _, status = place.served(commit, when)
        died += status == -signal.SIGKILL
        asked += judged(place, conversation, f"killed {when} commit {commit}")
        if status == 0:
            break  # there is no such commit any more
    assert died >= len(sample)
    assert asked, "a kill came between the mark and the result"


@pytest.mark.slow
def test_d21_a_worker_is_killed_at_each_commit(tmp_path: Path) -> None:
    killed_at_each_commit(Place(tmp_path), SAMPLE)


@pytest.mark.slow
def test_d21_a_worker_on_a_server_is_killed_at_each_commit(tmp_path: Path, postgres_server: postgres.Server) -> None:
    """Its leases are commits, too; what it held is another's once its lease has expired."""
    killed_at_each_commit(SharedPlace(tmp_path, postgres_server), SHARED_SAMPLE)

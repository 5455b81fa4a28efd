"""Sessions of other programs, as files (intake.md N5, N24)."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from jp_tui.startup.asking import refuse_agent
from jp_tui.system import processes
from jp_tui.system.agents.presence import MOST_TEXT, AgentSession, folder_of, leave, note, sessions
from jp_tui.system.paths import Paths


def here(**more: object) -> AgentSession:
    me = processes.process(os.getpid())
    assert me is not None
    one = AgentSession(
        program="claude", pid=me.pid, started=me.started, host=processes.host(), boot=processes.boot(), session="a"
    )
    return replace(one, **more)  # type: ignore[arg-type]


def test_n24_what_a_session_does_replaces_what_it_did(tmp_path: Path) -> None:
    folder = tmp_path / "agents"
    note(folder, here(doing="works"))
    note(folder, here(doing="waits"))
    note(folder, here(session="b"))
    assert [(one.session, one.doing) for one in sessions(folder)] == [("a", "waits"), ("b", "idle")]
    leave(folder, here())
    assert [one.session for one in sessions(folder)] == ["b"]
    assert folder.stat().st_mode & 0o077 == 0 and all(one.stat().st_mode & 0o077 == 0 for one in folder.iterdir())


def test_n24_who_ended_is_gone(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = processes.process(child.pid)
    assert found is not None
    note(tmp_path, here(pid=child.pid, started=found.started))
    assert len(sessions(tmp_path)) == 1
    child.communicate()
    assert sessions(tmp_path) == [] and list(tmp_path.iterdir()) == []


def test_n24_a_long_name_is_cut(tmp_path: Path) -> None:
    note(tmp_path, here(session="s" * 10_000, title="t" * 10_000))
    (one,) = sessions(tmp_path)
    assert len(one.session) == len(one.title) == MOST_TEXT


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"program":1}', "[" * 5_000, "\0"])
def test_n24_a_file_that_says_nothing_is_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "1-x.json").write_text(text)
    note(tmp_path, here())
    assert [one.program for one in sessions(tmp_path)] == ["claude"]


def test_n5_who_has_a_session_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's own parent stands for an agent: it has a session, then none."""
    paths = Paths(tmp_path / "c", tmp_path / "d", tmp_path / "s", tmp_path / "x")
    parent = processes.process(os.getppid())
    assert parent is not None
    one = here(pid=parent.pid, started=parent.started, way="mcp")
    assert not refuse_agent(paths)
    note(folder_of(paths), one)
    assert refuse_agent(paths)
    note(folder_of(paths), replace(one, started="2001-01-01T00:00:00Z", session="other"))
    leave(folder_of(paths), one)
    assert not refuse_agent(paths), "a process that ended had the same number"

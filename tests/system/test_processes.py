"""Who started us, as the system shows it (intake.md N4, N5, N6)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jp_tui.system import processes
from jp_tui.system.processes import ProcessInfo


def shell(*words: str, terminal: str = "/dev/pts/1") -> ProcessInfo:
    return ProcessInfo(7, 1, "2026-01-01T00:00:00Z", "sh", "/bin/dash", ("sh", *words), 1000, "/", terminal)


@pytest.mark.parametrize(
    ("words", "passes"),
    [(["-c", "make"], True), (["-ec", "make"], True), ([], False), (["--login"], False), (["a.sh", "-c"], False)],
)
def test_n4_a_shell_with_a_command_is_passed_over(words: list[str], passes: bool) -> None:
    assert shell(*words).only_passes_on is passes


def test_n4_a_script_names_its_program_and_nothing_else_of_the_command_line_is_kept(tmp_path: Path) -> None:
    script = tmp_path / "tidy up;rm.py"
    script.write_text("")
    found = ProcessInfo(7, 1, "", "python3", "/usr/bin/python3.11", ("python3", "-u", str(script), "--token", "x"))
    assert (found.script, found.program) == (str(script), "tidy_up_rm.py")
    module = ProcessInfo(7, 1, "", "python3", "/usr/bin/python3.11", ("python3", "-m", "build"))
    assert (module.script, module.program) == ("", "python3.11")


def test_n4_a_program_that_was_replaced_keeps_its_name() -> None:
    assert ProcessInfo(7, 1, "", "make", "/usr/bin/make (deleted)").program == "make"
    assert ProcessInfo(7, 1, "", "claude", "/opt/claude-code/bin/claude.exe").program == "claude", "as npm installs it"


def test_n6_a_process_has_ended_when_its_id_is_another_ones() -> None:
    me = processes.process(os.getpid())
    assert me is not None and me.parent == os.getppid()
    here = (processes.host(), processes.boot())
    assert not processes.has_ended(me.pid, me.started, *here)
    assert processes.has_ended(me.pid, "2001-01-01T00:00:00Z", *here)
    assert not processes.has_ended(me.pid, "2001-01-01T00:00:00Z", "elsewhere", here[1])


@pytest.mark.skipif(not processes.boot(), reason="this system doesn't tell its starts apart")
def test_n6_nothing_outlives_a_start_of_the_machine() -> None:
    me = processes.process(os.getpid())
    assert me is not None
    assert processes.has_ended(me.pid, me.started, processes.host(), "another-boot pid:[1]")
    other = f"{processes.boot().split()[0]} pid:[1]"
    assert not processes.has_ended(me.pid, "2001-01-01T00:00:00Z", processes.host(), other), "in another container"


def test_n6_one_that_ended_and_was_not_waited_for_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = processes.process(child.pid)
    assert found is not None and child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert processes.process(child.pid) is None
    child.wait()

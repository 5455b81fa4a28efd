"""The front door and the guardian without a terminal: what is loaded, how words are sorted, which codes come out.

What needs a real terminal is in `tests/faults`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jp_tui import __version__, guardian
from jp_tui.guardian import child
from jp_tui.main import COMMANDS, wants_screen
from tests.limits import LIMIT

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {
    "argparse",
    "asyncio",
    "importlib.metadata",
    "json",
    "re",
    "socket",
    "subprocess",
    "textual",
    "typing",
    "enum",
}


def python(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter without `site`, so that it holds only what the program asked for."""
    return subprocess.run(
        [sys.executable, "-S", "-E", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        **more,  # type: ignore[call-overload]
    )


def guarded(body: str) -> subprocess.CompletedProcess[str]:
    """Run a child function with this body under the guardian; its values stand in `guardian` and `sys`."""
    lines = "\n    ".join(["def child():", *body.splitlines()])
    return python("-c", f"import sys\nfrom jp_tui import guardian\n{lines}\nsys.exit(guardian.run_guarded(child))")


def test_version_is_a_constant_and_loads_nothing() -> None:
    """T29: no argparse, no importlib.metadata; A.2: nothing heavy before the fork."""
    said = python(
        "-c",
        "import sys; sys.argv[1:] = ['--version']\nfrom jp_tui.main import main\ncode = main()\n"
        "print(code, *sorted(sys.modules))",
    )
    version, rest = said.stdout.splitlines()
    assert version == f"jp-tui {__version__}"
    code, *modules = rest.split()
    assert code == "0"
    assert not HEAVY & set(modules)
    assert {name for name in modules if name.startswith("jp_tui")} == {"jp_tui", "jp_tui.main"}


def test_the_guardian_is_light() -> None:
    """designs.md A.2: what stands before the fork and draws the first frame is only what an interpreter has anyway."""
    said = python(
        "-c",
        "import sys; before = set(sys.modules)\nfrom jp_tui.main import first_frame\nimport jp_tui.guardian\n"
        "assert first_frame([])\nprint(*sorted(set(sys.modules) - before))",
    )
    modules = set(said.stdout.split())
    assert {name for name in modules if not name.startswith("jp_tui")} <= {
        "__future__", "_signal", "posix", "select", "termios", "time",
    }, said.stderr  # fmt: skip
    assert {name for name in modules if name.count(".") == 1} == {
        "jp_tui.main",
        "jp_tui.guardian",
        "jp_tui.first_frame",
    }


def test_the_module_is_the_same_door() -> None:
    assert python("-m", "jp_tui", "--version").stdout == f"jp-tui {__version__}\n"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "-c",
        "-r query",
        "--resume rpc",
        "--workspace config hello",
        "--model=demo/tour",
        "-t query",  # S7: a bare -t takes the next word as its name
        "-t -T models",
        "-- query",
        "--cfg a=1 --theme doctor",
        "hello query",
    ],
)
def test_these_words_ask_for_the_screen(line: str) -> None:
    assert wants_screen(line.split())


@pytest.mark.parametrize(
    "line",
    [
        *sorted(COMMANDS),
        "query hello",
        "--help",
        "-h",
        "--plain",
        "hello --plain",
        "--model x/y query",
        "--model=x/y models",
        "-t fs query hello",
        "-t --plain",
        "--tool-use fs conversations",
        "-c doctor",
    ],
)
def test_these_words_do_not(line: str) -> None:
    assert not wants_screen(line.split())


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return 0", 0),
        ("return 3", 3),
        ("sys.exit(2)", 2),
        ("sys.exit()", 0),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", 143),
        ("import os, signal\nos.kill(os.getppid(), signal.SIGUSR1)\nsignal.pause()", 128 + 10),
        ("import threading\nthreading.Thread(target=threading.Event().wait).start()\nreturn 4", 4),
    ],
)
def test_the_code_is_the_childs_or_128_and_the_signal(body: str, code: int) -> None:
    assert guarded(body).returncode == code


def test_an_exception_and_a_message_reach_stderr() -> None:
    failed = guarded("raise ValueError('broken')")
    assert failed.returncode == 1
    assert failed.stderr.endswith("ValueError: broken\n")
    assert failed.stderr.count("Traceback") == 1, "the child went on into the parent's code"
    said = guarded("sys.exit('no such file')")
    assert (said.returncode, said.stderr) == (1, "no such file\n")


def test_a_signal_that_nobody_asked_for_is_named() -> None:
    ended = guarded("import os\nos.abort()")
    assert ended.returncode == 134
    assert ended.stderr == "jp-tui was ended by signal 6 (Aborted)\n"


def test_the_last_word_is_plain_and_only_the_last() -> None:
    said = guarded("guardian.last_word('first')\nguardian.last_word('done\\x1b[2J\\u202e')\nreturn 0")
    assert said.stdout == "done?[2J?\n"
    long = guarded("guardian.last_word('x' * 100_000, error=True)\nreturn 0")
    assert long.stderr == f"{'x' * 368}... (99632 more characters)\n" and long.stdout == ""
    lines = guarded("guardian.last_word('\\n'.join(map(str, range(30))))\nreturn 0")
    assert lines.stdout.splitlines() == [*map(str, range(8)), "... 22 more lines"]


def test_a_guardian_that_is_ignored_by_nohup_stays_ignored() -> None:
    body = "import os, signal\nos.kill(os.getppid(), signal.SIGHUP)\nreturn 5"
    lines = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\nimport sys\nfrom jp_tui import guardian\n"
    inner = "\n    ".join(["def child():", *body.splitlines()])
    assert python("-c", f"{lines}{inner}\nsys.exit(guardian.run_guarded(child))").returncode == 5


def test_the_child_sees_the_guardians_death(tmp_path: Path) -> None:
    """By an end of file on its pipe; and it is alone then."""
    mark = tmp_path / "seen"
    ended = guarded(
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
        f"data = os.read(guardian.parent_pipe_fd(), 1)\nopen({str(mark)!r}, 'wb').write(b'end' + data)\nreturn 0"
    )
    assert ended.returncode == -9
    assert mark.read_bytes() == b"end"


def test_without_a_guardian_the_word_waits(capsys: pytest.CaptureFixture[str]) -> None:
    guardian.last_word("done\x07")
    assert capsys.readouterr() == ("", "")
    guardian.print_exit_text()
    guardian.print_exit_text()
    assert capsys.readouterr().out == "done?\n"
    assert guardian.parent_pipe_fd() is None


def test_what_is_lent_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESCDELAY", "90")
    monkeypatch.delenv("TEXTUAL_FPS", raising=False)
    guardian.lend_environment({"ESCDELAY": "40", "TEXTUAL_FPS": "1000"})
    assert (os.environ["ESCDELAY"], os.environ["TEXTUAL_FPS"]) == ("90", "1000")
    guardian.return_environment()
    assert os.environ["ESCDELAY"] == "90"
    assert "TEXTUAL_FPS" not in os.environ


def test_a_terminal_that_takes_nothing_is_given_up() -> None:
    out, into = os.pipe()
    os.set_blocking(into, False)
    try:
        while True:
            os.write(into, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(into, True)
    assert guardian.put(into, "reset", 0.01) is False
    os.read(out, 65536)
    assert guardian.put(into, "reset", 60) is True
    os.close(out)
    assert guardian.put(into, "reset", 60) is False
    os.close(into)


def test_a_ctrl_c_too_many_does_not_change_the_status() -> None:
    """Python lets signals kill the process again while it ends: here one comes at the very last moment."""
    last = (
        "import os, sys\nfrom jp_tui import guardian\n"
        "class Last:\n    def __del__(self, kill=os.kill, pid=os.getpid()): kill(pid, 2)\n"
        "sys.last = Last()\nsys.exit(guardian.run_guarded(lambda: 3))"
    )
    assert python("-c", last).returncode == 3


def test_an_orphan_is_in_nobodys_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the guardian's death nobody continues what stops itself, whoever has the terminal."""
    monkeypatch.setattr("jp_tui.guardian.child.in_foreground", lambda fd: False)
    for parent, background in ((0, True), (os.getppid(), True), (2**22 + 1, False)):
        monkeypatch.setattr("jp_tui.guardian.child.Self.guardian", parent)
        assert child.in_background(0) is background
    monkeypatch.setattr("jp_tui.guardian.child.in_foreground", lambda fd: True)
    monkeypatch.setattr("jp_tui.guardian.child.Self.guardian", os.getppid())
    assert not child.in_background(0)

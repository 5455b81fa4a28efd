"""What `jp-tui doctor` says of a terminal and a machine (issue 8 "First minutes"): each finding with its mend."""

from __future__ import annotations

import os
import pty
import termios
import threading
from pathlib import Path

import pytest

from jp_tui.system import checkup
from jp_tui.system.checkup import CheckupFinding
from jp_tui.system.terminal_query import TerminalReplies, ask, read
from tests.limits import LIMIT

UTF8 = {"LANG": "en_GB.UTF-8"}
GOOD = {**UTF8, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
ALL = TerminalReplies(any=True, keys=True, focus=True, sync=True)


def states(found: list[CheckupFinding]) -> dict[str, str]:
    return {one.check: one.state for one in found}


@pytest.mark.parametrize(
    ("environment", "size", "said", "wrong"),
    [
        (GOOD, (120, 36), ALL, {}),
        (GOOD, (70, 20), ALL, {"size": "warn"}),
        (GOOD, (40, 10), ALL, {"size": "bad"}),
        ({**GOOD, "TERM": "dumb"}, (120, 36), None, {"terminal": "bad"}),
        ({**GOOD, "TERM": ""}, (120, 36), None, {"terminal": "bad"}),
        (GOOD, None, None, {"terminal": "warn"}),
        ({**UTF8, "TERM": "vt100"}, (80, 24), ALL, {"colours": "warn"}),
        ({**UTF8, "TERM": "screen-256color"}, (80, 24), ALL, {}),
        ({**UTF8, "TERM": "vt100", "NO_COLOR": "1"}, (80, 24), ALL, {}),
        ({**GOOD, "LC_ALL": "C"}, (80, 24), ALL, {"unicode": "warn"}),
        ({**GOOD, "LANG": "POSIX"}, (80, 24), ALL, {"unicode": "warn"}),
        ({**GOOD, "LC_CTYPE": "de_AT.utf8", "LANG": "C"}, (80, 24), ALL, {}),
        (GOOD, (80, 24), TerminalReplies(), {"key protocol": "warn"}),
        (GOOD, (80, 24), TerminalReplies(any=True, keys=False, focus=False),
         {"key protocol": "warn", "focus reports": "warn", "whole frames": "warn"}),
    ],
)  # fmt: skip
def test_a_terminal(
    environment: dict[str, str], size: tuple[int, int] | None, said: TerminalReplies | None, wrong: dict[str, str]
) -> None:
    found = list(checkup.terminal(environment, size, said))
    assert {check: state for check, state in states(found).items() if state != "ok"} == wrong
    assert all(one.detail and one.check for one in found)
    assert all(one.mend for one in found if one.state != "ok"), "what is wrong has a mend"


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (b"", TerminalReplies()),
        (b"\x1b[?62;22c", TerminalReplies(any=True, keys=False)),
        (b"\x1b[?0u\x1b[?1004;2$y\x1b[?2026;2$y\x1b[?62c", ALL),
        (b"\x1b[?1u\x1b[?1004;0$y\x1b[?2026;4$y\x1b[?1;2c", TerminalReplies(True, True, False, False)),
        (b"typed\x1b[?0u", TerminalReplies(any=True, keys=True)),
        (b"\x1b[?62", TerminalReplies()),
        (b"\xff\x00garbage", TerminalReplies()),
    ],
)
def test_what_a_terminal_answers(heard: bytes, said: TerminalReplies) -> None:
    assert read(heard) == said


def test_a_real_terminal_is_asked_once_and_left_as_it_was() -> None:
    """T27: nothing of the answer stays to be read as keys."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    heard = bytearray()

    def answers() -> None:
        while b"\x1b[c" not in heard:
            heard.extend(os.read(master, 1024))
        os.write(master, b"\x1b[?0u\x1b[?1004;1$y\x1b[?2026;1$y\x1b[?62c")

    terminal = threading.Thread(target=answers, daemon=True)
    terminal.start()
    try:
        assert ask(slave, seconds=20) == ALL, "it does not wait for the time when all is said"
        terminal.join(LIMIT)
        assert heard.count(b"\x1b[?u") == 1 and termios.tcgetattr(slave) == before
    finally:
        os.close(master)
        os.close(slave)


def test_a_terminal_that_says_nothing_and_what_is_none(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    try:
        assert ask(slave, seconds=0.02) == TerminalReplies()
    finally:
        os.close(master)
        os.close(slave)
    with (tmp_path / "file").open("w") as file, pytest.raises(OSError):
        ask(file.fileno())


@pytest.mark.parametrize(
    ("environment", "helper", "state", "words"),
    [
        ({}, ("/usr/bin/wl-copy",), "ok", "wl-copy, and OSC 52"),
        ({"SSH_TTY": "/dev/pts/1"}, (), "ok", "through the connection"),
        ({"DISPLAY": ":0"}, (), "warn", "OSC 52 only"),
        ({}, (), "warn", "OSC 52 only"),
    ],
)
def test_the_clipboard(environment: dict[str, str], helper: tuple[str, ...], state: str, words: str) -> None:
    found = checkup.clipboard(environment, helper)
    assert found.state == state and words in found.detail


async def test_nothing_is_said_of_a_multiplexer_where_there_is_none() -> None:
    assert await checkup.multiplexer({"TERM": "xterm-256color"}) == ()
    (screen,) = await checkup.multiplexer({"STY": "1.pts", "TERM": "screen"})
    assert screen.state == "warn" and "tmux" in screen.mend


async def test_tmux_that_does_not_answer_is_a_warning() -> None:
    found = await checkup.multiplexer({"TMUX": "/nonexistent,1,0"})
    assert {one.state for one in found} == {"warn"} and all("tmux.conf" in one.mend for one in found)


async def test_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    editor = tmp_path / "my-editor"
    editor.write_text("#!/bin/sh\n")
    editor.chmod(0o755)
    found = {one.check: one for one in await checkup.programs({"EDITOR": "my-editor -w", "PATH": str(tmp_path)})}
    assert found["editor"] == CheckupFinding("editor", "ok", "my-editor -w")
    assert found["python"].detail.count(".") == 2 and found["textual"].state == "ok"
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {one.check: one for one in await checkup.programs({"EDITOR": "gone", "PATH": str(tmp_path)})}
    assert (found["git"].state, found["editor"].state) == ("warn", "warn")


def test_folders(tmp_path: Path) -> None:
    own = tmp_path / "own"
    assert checkup.folder("data", own).detail.endswith(", not created yet")
    own.mkdir(mode=0o700)
    assert checkup.folder("data", own) == CheckupFinding("data folder", "ok", str(own))
    own.chmod(0o755)
    found = checkup.folder("data", own)
    assert (found.state, found.mend) == ("warn", f"chmod 700 {own}")
    file = tmp_path / "file"
    file.write_text("")
    assert checkup.folder("data", file).state == "bad"
    assert checkup.folder("data", file / "below").state == "bad"

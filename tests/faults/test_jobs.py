"""Ctrl+Z, `fg`, `bg` and a SIGSTOP from outside: the shell gets a clean terminal, the app its screen back (T26)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.faults.conftest import SAMPLE, Start, Target
from tests.faults.terminal import Terminal, descendants, running

pytestmark = pytest.mark.pty


def _screen_is_up(terminal: Terminal) -> bool:
    return bool(terminal.modes.on.get(1049)) and "termios" in terminal.wrong()


def _back_and_usable(terminal: Terminal, target: Target, typed: str) -> None:
    terminal.wait(lambda: _screen_is_up(terminal), "the screen taken again")
    terminal.wait_text(target.ready)
    terminal.type(typed)
    terminal.wait_text(typed)


def test_suspended_and_continued_twice(target: Target, start: Start) -> None:
    terminal = start(target)
    for turn in ("first", "second"):
        terminal.screen.reset()  # what is seen below was painted after the stop
        terminal.type("\x1a")
        assert terminal.wait_event("stopped") == signal.SIGSTOP
        terminal.wait_clean(stopped=True)
        terminal.order(b"f")
        _back_and_usable(terminal, target, turn)
    terminal.wait_text("firstsecond")
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()


def test_stopped_from_outside_and_continued(target: Target, start: Start) -> None:
    """The app cannot restore anything: the guardian does, and the app notices when it goes on."""
    terminal = start(target)
    (app, *_) = descendants(terminal.wait_event("pid"))
    terminal.screen.reset()
    os.kill(app, signal.SIGSTOP)
    terminal.wait_event("stopped")
    terminal.wait_clean(stopped=True)
    terminal.order(b"f")
    _back_and_usable(terminal, target, "hello")
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()


@pytest.mark.parametrize("way", ["key", "outside"])
def test_in_the_background_it_sleeps_again_and_writes_nothing(target: Target, start: Start, way: str) -> None:
    terminal = start(target)
    (app, *_) = descendants(terminal.wait_event("pid"))
    if way == "key":
        terminal.type("\x1a")
    else:
        terminal.wait_quiet()  # a frame that was on its way when it was stopped may still come
        os.kill(app, signal.SIGSTOP)
    terminal.wait_event("stopped")
    terminal.wait_clean(stopped=True)
    terminal.pump(0)
    seen = len(terminal.seen)
    terminal.order(b"b")
    terminal.wait_event("stopped")
    assert terminal.seen[seen:] == b""
    terminal.wait_clean(stopped=True)
    terminal.order(b"f")
    _back_and_usable(terminal, target, "hello")


def test_a_signal_that_continues_nothing_changes_nothing(target: Target, start: Start) -> None:
    terminal = start(target)
    (app, *_) = descendants(terminal.wait_event("pid"))
    alternate = terminal.seen.count(b"\x1b[?1049h")
    os.kill(app, signal.SIGCONT)
    terminal.type("hello")
    terminal.wait_text("hello")
    assert terminal.seen.count(b"\x1b[?1049h") == alternate


def test_without_a_shell_ctrl_z_does_nothing(start: Start) -> None:
    """Nobody could continue it (as under `xterm -e`)."""
    terminal = start(SAMPLE, holder=False)
    terminal.type("\x1ahello")
    terminal.wait_text("hello")
    assert _screen_is_up(terminal)


def test_under_a_real_bash(start: Start, target: Target, tmp_path: Path) -> None:
    """A job of an interactive shell: `^Z`, `jobs`, `fg` twice, and its status at the end."""
    command = " ".join(target.command(tmp_path))
    environment = {"PS1": "PROMPT$ ", "HISTFILE": "/dev/null", "BASH_SILENCE_DEPRECATION_WARNING": "1"}
    shell = Target("bash", lambda folder: ["bash", "--norc", "--noprofile", "-i"], target.environment, "PROMPT$")
    terminal = start(shell, holder=False, env=environment)
    terminal.type(f"{command}\r")
    terminal.wait_text(target.ready)
    for turn in ("one", "two"):
        terminal.type("\x1a")
        terminal.wait(lambda: not terminal.modes.on.get(1049), "the main screen")
        terminal.wait_text("Stopped")
        terminal.type("\rjobs -l; echo shell-$((40 + 2))\r")
        terminal.wait_text("shell-42")
        # readline has a mode and settings of its own for the line it edits, but none of the app's
        assert set(terminal.modes.left_on()) <= {"?2004", "titles"}
        terminal.type("clear; fg\r")
        _back_and_usable(terminal, target, turn)
    terminal.type("\x11")
    terminal.wait(lambda: not terminal.modes.on.get(1049), "the main screen")
    terminal.type("\recho status-$?\r")
    terminal.wait_text("status-0")


def test_started_in_the_background_it_waits(start: Start, target: Target, tmp_path: Path) -> None:
    """`jp-tui &` stops before it writes a byte, and `fg` opens it."""
    command = " ".join(target.command(tmp_path))
    shell = Target("bash", lambda folder: ["bash", "--norc", "--noprofile", "-i"], target.environment, "PROMPT$")
    terminal = start(shell, holder=False, env={"PS1": "PROMPT$ ", "HISTFILE": "/dev/null"})
    terminal.type(f"{command} &\r")

    def stopped() -> bool:
        terminal.type("\r")  # the shell tells at its next prompt
        terminal.pump(0.2)
        return "Stopped" in terminal.text()

    terminal.wait(stopped, "the stopped job")
    assert b"\x1b[?1049h" not in terminal.seen
    terminal.type("fg\r")
    _back_and_usable(terminal, target, "hello")
    terminal.type("\x11")
    terminal.wait(lambda: not terminal.modes.on.get(1049), "the main screen")
    terminal.type("\recho status-$?\r")
    terminal.wait_text("status-0")


def test_the_guardian_alone_is_stopped(target: Target, start: Start) -> None:
    """Nobody can restore anything then; but the app must not be stuck when it is continued."""
    terminal = start(target)
    guardian = terminal.wait_event("pid")
    (app, *_) = descendants(guardian)
    os.kill(guardian, signal.SIGSTOP)
    terminal.wait_event("stopped")
    terminal.type("for the shell")
    terminal.wait(lambda: not running(app), "the app stopped at its first read")
    os.read(terminal.slave, 100)
    terminal.order(b"f")
    terminal.type("hello")
    terminal.wait_text("hello")
    assert "for the shell" not in terminal.text()
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()

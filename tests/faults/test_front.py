"""While the skeleton shows: keys are echoed, any signal brings the terminal back, a stop and a resize are survived
(designs.md A.3, A.7, A.9)."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.faults.conftest import REAL, SAMPLE, Start, Target
from tests.faults.terminal import Terminal, descendants

pytestmark = pytest.mark.pty

WAITING = Target(
    "waiting",
    lambda folder: [sys.executable, str(Path(__file__).with_name("waiting_app.py"))],
    lambda folder: SAMPLE.environment(folder) | {"COLORTERM": "truecolor", "JP_TUI_HOME": str(folder)},
    "Ask anything",
)
"""Without a look in its home: the default one."""


def composed(terminal: Terminal) -> str:
    """The composer's line."""
    return terminal.screen.display[terminal.screen.lines - 3].strip("│ ")


def after(terminal: Terminal) -> str:
    """What was written after the screen was left."""
    return terminal.seen.rpartition(b"\x1b[?1049l")[2].decode()


def test_what_is_typed_is_echoed(start: Start) -> None:
    terminal = start(WAITING)
    terminal.type("hé日本lo")
    terminal.wait(lambda: "hé日" in composed(terminal), "the text")
    terminal.type("\x7f\x7f\x1b[D\x1b[D-\x1b[200~ and more\x1b[201~")
    terminal.wait(lambda: "- and more日" in composed(terminal), "the edits")
    terminal.type("\x05 hidden")
    terminal.type("\x03\x03")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()
    assert "hidden" not in terminal.text() + after(terminal), "after a key that it does not know it shows nothing"


ENDINGS = [(name, "child") for name in ("KILL", "SEGV", "ABRT", "TERM", "HUP", "INT", "QUIT")]
ENDINGS += [(name, "guardian") for name in ("TERM", "HUP", "INT", "QUIT")]  # of the others: the test after this


@pytest.mark.parametrize(("name", "whom"), ENDINGS)
def test_any_signal_brings_the_terminal_back(start: Start, tmp_path: Path, name: str, whom: str) -> None:
    number = getattr(signal, f"SIG{name}")
    terminal = start(WAITING)
    guardian = terminal.wait_event("pid")
    terminal.type("typed")
    terminal.wait_text("typed")
    terminal.wait((tmp_path / "said").exists, "what is said before")
    (child,) = descendants(guardian)
    os.kill(child if whom == "child" else guardian, number)
    assert terminal.wait_event("code") == 128 + number
    terminal.wait_clean()
    terminal.wait(lambda: "words from before" in after(terminal), "what was said before")


def test_a_guardian_that_is_killed_while_the_skeleton_shows(start: Start) -> None:
    """The app notices when it takes the screen, and brings the terminal back itself."""
    terminal = start(REAL, ready=False, env={"COLORTERM": "truecolor"})
    guardian = terminal.wait_event("pid")
    terminal.wait(lambda: b"\x1b[?2004h" in terminal.seen, "the skeleton")
    os.kill(guardian, signal.SIGKILL)
    assert terminal.wait_event("signal") == signal.SIGKILL
    terminal.wait_clean()


def test_what_was_said_before_is_read_after_a_short_life(start: Start) -> None:
    terminal = start(WAITING, "plain", ready=False)
    assert terminal.wait_event("code") == 2
    terminal.wait_clean()
    terminal.wait(lambda: "words from before" in after(terminal), "what was said before")


def test_stopped_and_continued(start: Start) -> None:
    terminal = start(WAITING)
    (child,) = descendants(terminal.wait_event("pid"))
    terminal.type("kept")
    terminal.wait_text("kept")
    for turn in ("1", "12"):
        os.kill(child, signal.SIGTSTP)
        assert terminal.wait_event("stopped") == signal.SIGSTOP
        terminal.wait_clean(stopped=True)
        terminal.screen.reset()
        terminal.order(b"f")
        terminal.wait_text(f"kept{turn[:-1]}")
        terminal.type(turn[-1])
        terminal.wait_text(f"kept{turn}")
    os.kill(child, signal.SIGTERM)
    assert terminal.wait_event("code") == 128 + signal.SIGTERM
    terminal.wait_clean()


def test_resized(start: Start) -> None:
    terminal = start(WAITING)
    terminal.type("typed")
    terminal.wait_text("typed")
    for columns, rows in ((120, 36), (40, 10), (70, 20)):
        terminal.screen.reset()
        terminal.resize(columns, rows)
        for pid in descendants(terminal.process.pid):
            os.kill(pid, signal.SIGWINCH)
        if columns > 60:
            terminal.wait(lambda: "typed" in composed(terminal), f"the composer at {columns}x{rows}")
    terminal.type("\x03\x03")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()


@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "linux"}, {"COLORTERM": ""}, {"LC_ALL": "C"}], ids=str
)
def test_where_it_is_not_sure_nothing_is_drawn_and_keys_are_kept(start: Start, env: dict[str, str]) -> None:
    terminal = start(WAITING, ready=False, env=env)
    terminal.wait(lambda: "termios" in terminal.wrong(), "the keys taken")
    terminal.type("not shown")
    terminal.type("\x03")
    terminal.type("\x03")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()
    assert b"\x1b[?1049h" not in terminal.seen and "shown" not in terminal.text()

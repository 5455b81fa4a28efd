"""Z13, issue 18: a form answered at 50 ms a key in a real terminal, without a lost or misplaced key.

The rate is what is tested: each next question of the form appears while keys go on.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.faults.terminal import LIMIT, Terminal, descendants
from tests.faults.test_handover import TRUECOLOR
from tests.limits import starved

pytestmark = pytest.mark.pty

PACE = 0.05
KEYS = ("y", "3", *"it will not fit", "\r", " ", "\r")
"""Yes; the third kind; words; the first of those who are told. Another Enter so soon would be a key repeat (E11)."""


REVIEW = ("Review your answers", "major", "it will not fit", "the mailing list")
ATTEMPTS = 5


def waited(terminal: Terminal) -> float:
    """Seconds that a process of the program was ready to run and got no CPU."""
    return sum(starved(pid) for pid in (terminal.process.pid, *descendants(terminal.process.pid)))


def typed(terminal: Terminal) -> float:
    """Type the keys at their pace. Return by how many seconds, at most, a gap between two was shorter for the
    program: it got no CPU, or the typist was late."""
    next_key, late = time.monotonic(), 0.0
    for key in KEYS:
        before, late = waited(terminal), max(late, time.monotonic() - next_key)
        terminal.type(key)
        next_key += PACE
        while (rest := next_key - time.monotonic()) > 0:
            terminal.pump(rest)
        late = max(late, waited(terminal) - before)
    return late


def test_z13_a_form_at_50_ms_a_key(tmp_path: Path) -> None:
    """Where the machine has no time for it, keys arrive together, which is a paste (E11): it is tried again."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY") and name != "NO_COLOR"}
    env = kept | TRUECOLOR | {"HOME": str(tmp_path)}
    command = [sys.executable, "-m", "jp_tui", "--model", "demo/tour"]
    for attempt in range(ATTEMPTS):
        home = {"JP_TUI_HOME": str(tmp_path / f"home{attempt}")}
        terminal = Terminal(command, env=env | home, cwd=tmp_path, size=(100, 50))
        try:
            terminal.wait_text("two sub-agents ask")
            terminal.type("9\r")
            terminal.wait_text("Shall there be a release")
            terminal.wait_text("r reply")  # it accepts keys
            late = typed(terminal)
            until = time.monotonic() + 10
            while late > PACE / 2 and not all(one in terminal.text() for one in REVIEW) and time.monotonic() < until:
                terminal.pump(0.1)
            if late <= PACE / 2 or time.monotonic() < until:
                reviewed(terminal)
                return
        finally:
            terminal.close()
    pytest.skip("this machine never had time for a typist and a program at once")


def reviewed(terminal: Terminal) -> None:
    """Each key arrived, in its place; the form is submitted and the program ends."""
    terminal.wait(lambda: all(one in terminal.text() for one in REVIEW), f"the review: {REVIEW}")
    until = time.monotonic() + LIMIT
    while "A major release, so I asked" not in terminal.text():
        terminal.type("\r")  # not a repeat of the Enter before, once that is long enough ago
        terminal.pump(0.5)
        assert time.monotonic() < until, terminal.text()
    terminal.wait_text("Ask anything")  # the composer is empty
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0

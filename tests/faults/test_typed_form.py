"""Z13, issue 18: a form answered at 50 ms a key in a real terminal, without a lost or misplaced key.

The rate is what is tested: each next question of the form appears while keys go on.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.faults.terminal import LIMIT, Terminal
from tests.faults.test_handover import TRUECOLOR

pytestmark = pytest.mark.pty

PACE = 0.05
KEYS = ("y", "3", *"it will not fit", "\r", " ", "\r")
"""Yes; the third kind; words; the first of those who are told. Another Enter so soon would be a key repeat (E11)."""


def test_z13_a_form_at_50_ms_a_key(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY") and name != "NO_COLOR"}
    env = kept | TRUECOLOR | {"JP_TUI_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "jp_tui", "--model", "demo/tour"]
    terminal = Terminal(command, env=env, cwd=tmp_path, size=(100, 50))
    try:
        terminal.wait_text("two sub-agents ask")
        terminal.type("9\r")
        terminal.wait_text("Shall there be a release")
        terminal.wait_text("r reply")  # it accepts keys
        next_key = time.monotonic()
        for key in KEYS:
            terminal.type(key)
            next_key += PACE
            while (rest := next_key - time.monotonic()) > 0:
                terminal.pump(rest)
        review = ("Review your answers", "major", "it will not fit", "the mailing list")
        terminal.wait(lambda: all(one in terminal.text() for one in review), f"the review: {review}")
        while "A major release, so I asked" not in terminal.text():
            terminal.type("\r")  # not a repeat of the Enter before, once that is long enough ago
            terminal.pump(0.5)
            assert time.monotonic() < next_key + LIMIT, terminal.text()
        terminal.wait_text("Ask anything")  # the composer is empty
        terminal.type("\x11")
        assert terminal.wait_event("code") == 0
    finally:
        terminal.close()

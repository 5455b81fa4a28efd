"""No key is lost, doubled or out of order while the program starts, and none answers anything (designs.md A, E11).

Few runs here; `python -m tests.faults --whole --only handover` makes fifty of each way to type.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.faults import handover
from tests.faults.conftest import REAL, Held, Start
from tests.faults.handover import UP
from tests.faults.terminal import Terminal
from tests.faults.test_questions import ASK, scripted, stored

pytestmark = pytest.mark.pty

TRUECOLOR = {"COLORTERM": "truecolor", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def skeleton(terminal: Terminal) -> None:
    """Wait for the guardian's frame; the app is held."""
    terminal.wait(lambda: b"\x1b[?2004h" in terminal.seen, "the skeleton")
    assert UP not in terminal.seen


@pytest.mark.parametrize("mode", ["40 keys/s", "a paste, cut", "keys that the guardian does not know"])
def test_what_is_typed_while_it_starts_arrives_exactly(mode: str) -> None:
    assert handover.run(mode, 1) == ""


def test_enter_sends_once_and_what_follows_is_kept(start: Start, tmp_path: Path, held: Held) -> None:
    """Enter is the app's, at whatever moment; what is typed behind it is the next message's."""
    terminal = start(scripted(tmp_path), ready=False, env=TRUECOLOR | held.env)
    skeleton(terminal)
    terminal.type("say this\rand not that")
    held.release()
    terminal.wait_text("All done.")
    terminal.wait(lambda: "and not that" in terminal.text(), "the rest in the composer")
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()
    said = [one for one in stored(tmp_path) if "say this" in json.dumps(one)]
    assert len(said) == 1
    assert not [one for one in stored(tmp_path) if "and not that" in json.dumps(one)]


def test_what_is_typed_answers_no_question_that_waits(start: Start, tmp_path: Path, held: Held) -> None:
    """E11: a question is open again as soon as the conversation is, and yet what was typed is in the composer."""
    target = scripted(tmp_path, {"name": "ask_user", "arguments": ASK})
    first = start(target, env=TRUECOLOR)
    first.type("go\r")
    first.wait_text("Which name shall")
    os.kill(first.wait_event("pid"), signal.SIGKILL)
    first.wait_event("signal")
    first.wait_clean()
    terminal = start(target, "-c", ready=False, env=TRUECOLOR | held.env)
    skeleton(terminal)
    terminal.type("y1 name")
    held.release()
    terminal.wait_text("Which name shall")
    terminal.type("\x0f")  # folds it
    terminal.wait(lambda: "│ y1 name " in terminal.text(), "the text in the composer")
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()
    assert [one for one in stored(tmp_path) if one["type"] == "inquiry_request"]
    assert not [one for one in stored(tmp_path) if one["type"] == "inquiry_response"]


def test_a_look_is_kept_for_the_next_start(start: Start, tmp_path: Path, held: Held) -> None:
    """The folder is in the status line from the first moment on; `--theme` has a look of its own."""
    kept = tmp_path / "jp" / "state"
    terminal = start(REAL, "--theme", "jp-day", env=TRUECOLOR)
    terminal.wait((kept / "first-frame.jp-day").exists, "the look")
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    assert not (kept / "first-frame").exists()
    again = start(REAL, "--theme", "jp-day", ready=False, env=TRUECOLOR | held.env)
    skeleton(again)
    again.wait(lambda: "F1 keys" in again.text() and "jp  ~" in again.screen.display[0], "the keys and the folder")
    assert UP not in again.seen and again.screen.buffer[3][3].bg == "fbfcfe", "jp-day's ground"

"""Killed while a reply streams, the terminal is as before and the log is whole (issue: done when).

Whole: the file is sound, the events are all there without a gap, what was asked is stored, and of what was shown at
most the last second is missing.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
from pathlib import Path

import pytest

from jp_tui.journal.reader import open_reader
from tests.faults.conftest import REAL, Start, Target
from tests.faults.terminal import descendants, running

pytestmark = pytest.mark.pty

RATE = 1200
"""Characters a second; each word has six."""
WORDS = [f"w{number:04d}" for number in range(2000)]


def streaming(folder: Path) -> Target:
    """jp-tui with a model that says numbered words at that rate, and the prompt already sent."""
    script = folder / "words.toml"
    script.write_text(f'rate = {RATE}\n[[turns]]\ntext = "{" ".join(WORDS)}"\n')
    command = [*REAL.command(folder), "--model", f"demo/{script}", "count for me"]
    return Target("jp-tui", lambda _: command, REAL.environment, "w0300")


def look_at_the_log(folder: Path, shown: int) -> None:
    """Assert that the log is whole; `shown` is the last word that was on the screen."""
    database = folder / "jp" / "data" / "conversations.db"
    with sqlite3.connect(database) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    reader = open_reader(database)
    try:
        (conversation,) = reader.conversations()
        stored = reader.read(conversation.id)
        partials = reader.partials(conversation.id)
    finally:
        reader.close()
    assert [one.seq for one in stored] == list(range(1, conversation.last_seq + 1))
    events = [json.loads(one.entry.payload) for one in stored]
    assert "count for me" in [event.get("content") for event in events if event["type"] == "chat_request"]
    said = "".join(event.get("message", "") for event in events if event["type"] == "chat_response")
    said += "".join(partial.text for partial in partials)
    words = said.split()
    *complete, cut = words
    assert complete == WORDS[: len(complete)], "a gap in what was stored"
    assert WORDS[len(complete)].startswith(cut)
    assert len(words) * 6 >= shown * 6 - RATE


@pytest.mark.parametrize(
    ("victim", "number"),
    [
        ("app", signal.SIGTERM),
        ("app", signal.SIGHUP),
        ("app", signal.SIGQUIT),
        ("app", signal.SIGSEGV),
        ("app", signal.SIGKILL),
        ("guardian", signal.SIGTERM),
        ("guardian", signal.SIGKILL),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_killed_while_a_reply_streams(start: Start, tmp_path: Path, victim: str, number: signal.Signals) -> None:
    terminal = start(streaming(tmp_path))
    guardian = terminal.wait_event("pid")
    (app, *_) = descendants(guardian)
    os.kill(app if victim == "app" else guardian, number)
    if victim == "guardian" and number == signal.SIGKILL:
        assert terminal.wait_event("signal") == number
        terminal.wait(lambda: not running(app), "the end of the app")
    else:
        assert terminal.wait_event("code") == 128 + number
    terminal.wait_clean()
    shown = max(int(word) for word in re.findall(r"\bw(\d{4})\b", terminal.text()))
    look_at_the_log(tmp_path, shown)

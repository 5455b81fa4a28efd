"""How the program leaves: plain words after the restore, status 1 and a redacted report after a crash (T7)."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.faults.conftest import SAMPLE, Start
from tests.faults.terminal import Terminal

pytestmark = pytest.mark.pty


def after_leaving(terminal: Terminal) -> list[str]:
    """The lines that were written after the alternate screen was left for the last time."""
    terminal.wait_quiet()  # the terminal may deliver the last bytes after the program has ended
    rest = terminal.seen.rpartition(b"\x1b[?1049l")[2].decode()
    for sequence in ("\x1b[?25h", "\x1b[?1004l", "\x1b[0 q", "\x1b[0m"):
        rest = rest.replace(sequence, "")
    return [line for line in rest.split("\r\n") if line]


def end(terminal: Terminal, key: str = "") -> int:
    """Press `key`, wait for the end; its code."""
    if key:
        terminal.type(key)
    code = terminal.wait_event("code")
    terminal.wait_clean()
    return code


def test_leaving_prints_one_plain_line(start: Start) -> None:
    terminal = start(SAMPLE)
    assert end(terminal, "\x11") == 0
    assert after_leaving(terminal) == ["conversation abc?[31m is saved"]


def test_a_crash_ends_with_status_1_and_a_short_message(start: Start, tmp_path: Path) -> None:
    terminal = start(SAMPLE, env={"MY_API_KEY": "hunter2-hunter2", "TERM_PROGRAM": "hunter2-hunter2"})
    assert end(terminal, "\x18") == 1
    lines = after_leaving(terminal)
    assert len(lines) == 3
    assert lines[0].startswith("jp-tui stopped: ValueError")
    assert "~/crashes/crash-" in lines[1]
    assert "jp-tui -c" in lines[2]
    assert b"0123456789" not in terminal.seen
    (report,) = (tmp_path / "crashes").iterdir()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    text = report.read_text()
    assert "in action_crash" in text
    assert "ValueError" in text
    assert "sk-live" not in text
    assert "hunter2" not in text
    assert str(tmp_path) not in text


def test_a_usage_error_is_seen_and_no_screen_is_taken(start: Start) -> None:
    terminal = start(SAMPLE, "usage", ready=False)
    assert end(terminal) == 2
    assert terminal.seen == b"sample: unknown option\r\n"


def test_stderr_does_not_reach_the_screen(start: Start) -> None:
    """What a library writes while the screen is up is kept back, and not worth a word after a good end."""
    terminal = start(SAMPLE)
    terminal.type("\x05")
    terminal.wait_text("noise was made")
    assert b"noise from" not in terminal.seen
    assert end(terminal, "\x11") == 0
    assert b"noise from" not in terminal.seen


def test_stderr_is_shown_when_a_signal_ended_the_app(start: Start) -> None:
    import os
    import signal

    from tests.faults.terminal import descendants

    terminal = start(SAMPLE)
    (app, *_) = descendants(terminal.wait_event("pid"))
    terminal.type("\x05")
    terminal.wait_text("noise was made")
    os.kill(app, signal.SIGSEGV)
    assert end(terminal) == 128 + signal.SIGSEGV
    assert after_leaving(terminal) == [
        "jp-tui was ended by signal 11 (Segmentation fault)",
        "noise from a library",
    ]

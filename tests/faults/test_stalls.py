"""A terminal that stops reading costs frames, never the loop, and never holds the end up (T8); idle is idle (T24)."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.faults import stalls
from tests.faults.conftest import SAMPLE, Start
from tests.faults.terminal import LIMIT, Terminal, descendants

pytestmark = pytest.mark.pty


def beat(folder: Path) -> int:
    """How often the sample has painted."""
    try:
        return int((folder / "beat").read_text() or 0)
    except FileNotFoundError:
        return 0


def until(fact: object, what: str) -> None:
    """Wait without reading from the terminal."""
    end = time.monotonic() + LIMIT
    while not fact():  # type: ignore[operator]
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.01)


def stalled(start: Start, folder: Path) -> tuple[Terminal, int]:
    """The sample painting into a terminal that nobody reads, until it cannot take any more; and its process."""
    terminal = start(SAMPLE)
    (app, *_) = descendants(terminal.wait_event("pid"))
    terminal.type("\x0c")
    terminal.wait_text("frame")
    now = beat(folder)
    until(lambda: beat(folder) > now + 100, "100 frames while nobody reads: the loop is held by the terminal")
    return terminal, app


def test_the_loop_goes_on_and_the_screen_is_whole_afterwards(start: Start, tmp_path: Path) -> None:
    terminal, _ = stalled(start, tmp_path)
    now = beat(tmp_path)
    seen = len(terminal.seen)
    terminal.wait(lambda: f"frame {now + 1}" in terminal.text() or _frame(terminal) > now, "a frame of after the stall")
    terminal.wait_text("no key yet")
    assert terminal.seen[seen:].count(b"\x1b[?2026h") < now / 2, "every stale frame was kept"
    terminal.type("\x11")
    assert terminal.wait_event("code") == 0
    terminal.wait_clean()


def _frame(terminal: Terminal) -> int:
    words = terminal.text().split()
    return int(words[words.index("frame") + 1]) if "frame" in words else 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_the_end_does_not_wait_for_the_terminal(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    """And what it reads when it wakes up begins with the reset, not with stale frames."""
    terminal, app = stalled(start, tmp_path)
    os.kill(app, number)
    end = time.monotonic() + LIMIT
    while not any("code" in event for event in terminal.events):
        assert time.monotonic() < end
        terminal.listen(0.05)
    assert terminal.wait_event("code") == 128 + number
    terminal.wait_clean()


def test_suspending_does_not_wait_for_the_terminal(start: Start, tmp_path: Path) -> None:
    terminal, app = stalled(start, tmp_path)
    os.kill(app, signal.SIGTSTP)
    end = time.monotonic() + LIMIT
    while not any("stopped" in event for event in terminal.events):
        assert time.monotonic() < end
        terminal.listen(0.05)
    terminal.wait_clean(stopped=True)
    terminal.order(b"f")
    terminal.wait(lambda: terminal.modes.on.get(1049), "the screen again")
    now = beat(tmp_path)
    terminal.wait(lambda: _frame(terminal) > now, "a new frame")


def wakeups(pid: int) -> dict[str, int]:
    """How often each thread of a process went to sleep of its own will."""
    counts = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (task / "status").read_text().splitlines()
        counts[task.name] = next(int(line.split()[1]) for line in lines if line.startswith("voluntary"))
    return counts


def test_at_rest_no_thread_wakes_and_no_byte_is_written(start: Start) -> None:
    """Over half a second in which Textual's own driver wakes five times; the safety timer of gc has passed."""
    terminal = start(SAMPLE)
    guardian = terminal.wait_event("pid")
    (app, *_) = descendants(guardian)

    def quiet() -> bool:
        before, seen = (wakeups(app), wakeups(guardian)), len(terminal.seen)
        terminal.pump(0.5)
        return (wakeups(app), wakeups(guardian)) == before and len(terminal.seen) == seen

    terminal.wait(quiet, "half a second in which nothing happens")


def test_a_lone_escape_is_a_key_and_a_sequence_is_not(start: Start) -> None:
    terminal = start(SAMPLE)
    terminal.type("\x1b")
    terminal.wait_text("key escape")
    terminal.type("\x1b[A")
    terminal.wait_text("key up")
    os.write(terminal.master, b"\xff\xc3")  # no UTF-8: neither a crash nor the end of input
    os.write(terminal.master, b"\xa4x")
    terminal.wait_text("\N{LATIN SMALL LETTER A WITH DIAERESIS}x")


def test_a_reply_goes_on_while_nobody_reads_and_is_seen_at_once_after(tmp_path: Path) -> None:
    """The real program; a minute of it is tried by `python -m tests.faults --whole --only stalls`."""
    took, words = stalls.stalled(tmp_path, stalls.SECONDS, LIMIT)
    assert took < LIMIT and words > 50

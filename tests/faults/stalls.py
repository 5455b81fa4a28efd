"""A terminal that stops reading in mid-turn: the reply goes on into the log without a gap, and is seen at once after.

The real program in a real terminal that is left unread, as by Ctrl+S, a frozen ssh or tmux's copy mode (T8).
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import tempfile
import time
from pathlib import Path

from tests.faults.conftest import REAL
from tests.faults.endings import RATE, WORDS, last_word, whole
from tests.faults.report import Found
from tests.faults.terminal import LIMIT, Terminal, descendants, running

SECONDS, WHOLE = 2.5, 60.0
REPAINT = 1.0
"""Seconds after which the screen shows what is now, where the whole is tried; else only that it does at all."""


def tried(whole: bool, seed: int) -> list[Found]:
    """Once for a few seconds, or three times for a minute."""
    failed, slowest, written = [], 0.0, 0
    runs = 3 if whole else 1
    seconds = WHOLE if whole else SECONDS
    for number in range(runs):
        folder = Path(tempfile.mkdtemp(prefix="stall-"))
        try:
            took, words = stalled(folder, seconds, REPAINT if whole else LIMIT)
            slowest, written = max(slowest, took), written + words
            shutil.rmtree(folder, ignore_errors=True)
        except AssertionError as wrong:
            failed.append(f"run {number} in {folder.name}: {str(wrong)[:1500]}")
    figures = {"words stored meanwhile": f"{written:,}", "repaint after": f"{slowest * 1000:.0f} ms"}
    return [Found(f"a terminal that does not read for {seconds:g} s in mid-turn", runs, failed, figures)]


def stalled(folder: Path, seconds: float, limit: float) -> tuple[float, int]:
    """Seconds until the screen was up to date after the stall, and the words that were stored during it.

    AssertionError for what is wrong.
    """
    script = folder / "words.toml"
    count = int((seconds + 20) * RATE / 6)
    words = WORDS if count <= len(WORDS) else [f"w{number:05d}" for number in range(count)]
    text = "\\n\\n".join(" ".join(words[at : at + 40]) for at in range(0, len(words), 40))
    script.write_text(f'rate = {RATE}\n[[turns]]\ntext = "{text}"\n')
    command = [*REAL.command(folder), "--model", f"demo/{script}", "count for me"]
    terminal = Terminal(command, env=REAL.environment(folder), cwd=folder)
    try:
        guardian = terminal.wait_event("pid")
        terminal.wait(lambda: last_word(terminal) > RATE // 6, "a reply that streams")
        (app, *_) = descendants(guardian)
        before, read = stored(folder), len(terminal.seen)
        until = time.monotonic() + seconds
        steps = [before]
        while time.monotonic() < until:
            time.sleep(min(1.5, max(0.0, until - time.monotonic())))
            steps.append(stored(folder))
            assert running(app), "it ended while nobody read"
        least = (seconds - 1.5) * RATE / 6 / 4 if limit < LIMIT else 0
        assert steps[-1] - before > least, f"the reply stood still: {steps}"
        now, began = stored(folder), time.monotonic()
        while last_word(terminal) < now and time.monotonic() < began + LIMIT:
            terminal.pump(0.01)
        took = time.monotonic() - began
        assert took <= limit, f"the screen was up to date only after {took:.1f} s\n{terminal.text()}"
        terminal.wait(lambda: b"\x1b]0;" in terminal.seen[read:], "the window's title, which may have changed unread")
        shown = last_word(terminal)
        os.kill(app, signal.SIGTERM)
        assert terminal.wait_event("code") == 128 + signal.SIGTERM
        terminal.wait_clean()
        whole(folder, shown, words)
        return took, now - before
    finally:
        terminal.close()


def stored(folder: Path) -> int:
    """How many words of the reply are on the disk now."""
    db = sqlite3.connect(f"file:{folder}/jp/data/conversations.db?mode=ro", uri=True, timeout=10)
    try:
        pieces = db.execute("SELECT text FROM partials WHERE kind = 'message' ORDER BY number").fetchall()
    finally:
        db.close()
    return len("".join(piece for (piece,) in pieces).split())

"""Eleven ways to end, and two more: the terminal is as before, the status says how it ended, no process is left after
five seconds, and the log is whole, in the middle of a reply that streams while a command of the user's runs.

The real program in a real terminal. Each way is a function that makes it happen; what must be true afterwards is the
same for all.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jp_tui.journal.reader import open_reader
from tests.faults.conftest import REAL
from tests.faults.report import Found
from tests.faults.terminal import Terminal, descendants, running
from tests.limits import LIMIT

RATE = 1200
"""Characters a second; each word has six."""
WORDS = [f"w{number:04d}" for number in range(6000)]
_TEXT = "\\n\\n".join(" ".join(WORDS[at : at + 40]) for at in range(0, len(WORDS), 40))
CHILD = "(setsid sh -c 'echo $$ >>pids; sleep 600; sleep 600' &); sleep 600 & echo $$ $! >>pids; sleep 600"
ENOUGH = RATE // 6 + 50
"""Words on the screen of which some must be on the disk: more than the last second's."""
LEFT = 5.0
"""Seconds after which no child may be left."""


@dataclass(frozen=True, slots=True)
class Ending:
    """`how` brings it about: it gets the terminal, the guardian's number and the app's. `code` is the status."""

    how: Callable[[Terminal, int, int], None]
    code: int
    alone: bool = False
    """No shell above it: the guardian leads the session, and the terminal goes away with it."""
    killed: bool = False
    """The guardian itself dies by a signal, which is then the status."""
    restored: bool = True


def _typed(keys: str) -> Callable[[Terminal, int, int], None]:
    return lambda terminal, guardian, app: terminal.type(keys)


def _sent(number: signal.Signals, to_guardian: bool = False) -> Callable[[Terminal, int, int], None]:
    return lambda terminal, guardian, app: os.kill(guardian if to_guardian else app, number)


def _ctrl_c_twice(terminal: Terminal, guardian: int, app: int) -> None:
    """Pressed again until it is heard: the first one may only have closed what was open."""
    end = time.monotonic() + 30
    while running(app) and time.monotonic() < end:
        terminal.type("\x03")
        terminal.pump(0.1)


def _engine_fails(terminal: Terminal, guardian: int, app: int) -> None:
    os.kill(app, signal.SIGUSR2)
    terminal.type("x")  # a draft, which the engine is told of


def _both_killed(terminal: Terminal, guardian: int, app: int) -> None:
    for pid in (guardian, app):
        os.kill(pid, signal.SIGKILL)


def _closed(terminal: Terminal, guardian: int, app: int) -> None:
    os.close(terminal.slave)
    os.close(terminal.master)


ENDINGS: dict[str, Ending] = {
    "quit": Ending(_typed("\x11"), 0),
    "Ctrl+C twice": Ending(_ctrl_c_twice, 0),
    "TERM": Ending(_sent(signal.SIGTERM), 128 + signal.SIGTERM),
    "HUP": Ending(_sent(signal.SIGHUP), 128 + signal.SIGHUP),
    "QUIT": Ending(_sent(signal.SIGQUIT), 128 + signal.SIGQUIT),
    "SEGV": Ending(_sent(signal.SIGSEGV), 128 + signal.SIGSEGV),
    "KILL": Ending(_sent(signal.SIGKILL), 128 + signal.SIGKILL),
    "closed terminal": Ending(_closed, 128 + signal.SIGHUP, alone=True),
    "crash in a widget": Ending(_sent(signal.SIGUSR1), 1),
    "crash in the engine": Ending(_engine_fails, 1),
    "guardian told to stop": Ending(_sent(signal.SIGTERM, to_guardian=True), 128 + signal.SIGTERM),
    # two more, that a shell cannot be told of: nobody but the kernel ends a guardian so
    "guardian killed": Ending(_sent(signal.SIGKILL, to_guardian=True), signal.SIGKILL, killed=True),
    "guardian and workspace killed at once": Ending(_both_killed, signal.SIGKILL, killed=True, restored=False),
}


def tried(whole: bool, seed: int, names: tuple[str, ...] = tuple(ENDINGS)) -> list[Found]:
    """Each ending, 50 times or once."""
    found = []
    for name in names:
        failed, slowest = [], 0.0
        runs = 50 if whole else 1
        for number in range(runs):
            folder = Path(tempfile.mkdtemp(prefix="ending-"))
            try:
                slowest = max(slowest, ended(ENDINGS[name], folder))
                shutil.rmtree(folder, ignore_errors=True)
            except AssertionError as wrong:
                failed.append(f"run {number} in {folder.name}: {str(wrong)[:1500]}")
        found.append(Found(f"ending: {name}", runs, failed, {"last child gone after": f"{slowest:.1f} s"}))
    return found


def ended(ending: Ending, folder: Path) -> float:
    """Start it, end it and look; the seconds until the last process was gone. AssertionError for what is wrong."""
    script = folder / "words.toml"
    script.write_text(f'rate = {RATE}\n[[turns]]\ntext = "{_TEXT}"\n')
    app_file = str(Path(__file__).with_name("endings_app.py"))
    command = [sys.executable, app_file, "--model", f"demo/{script}", "count for me"]
    terminal = Terminal(command, env=REAL.environment(folder), cwd=folder, holder=not ending.alone)
    try:
        guardian = terminal.process.pid if ending.alone else terminal.wait_event("pid")
        terminal.wait(lambda: last_word(terminal) > 10, "a reply that streams")
        terminal.type(f"!{CHILD}")
        terminal.wait(lambda: CHILD[-20:] in terminal.text(), "the command in the composer")
        terminal.type("\r")
        terminal.wait(lambda: len(_numbers(folder)) == 3, "a command that runs")
        (app, *others) = descendants(guardian)
        of_command = _numbers(folder)
        before = last_word(terminal)
        terminal.wait(lambda: last_word(terminal) > max(before, ENOUGH), "more of the reply")
        before = last_word(terminal)
        family = [pid for pid in (app, *others, *of_command) if running(pid)]
        assert {app, *of_command} <= set(family), "what is to be ended did not run: the test would prove nothing"
        ending.how(terminal, guardian, app)
        code = _status(terminal, ending)
        over = time.monotonic()
        assert code == ending.code, (
            f"the status is {code}, not {ending.code}\n{terminal.text() if not ending.alone else ''}"
        )
        if ending.restored and not ending.alone:
            terminal.wait_clean()
        while (left := [pid for pid in family if running(pid)]) and time.monotonic() < over + LEFT:
            time.sleep(0.01)
        gone = time.monotonic() - over
        assert not left, f"still there after {LEFT} s: {[_words(pid) for pid in left]}"
        whole(folder, before)
        return gone
    finally:
        terminal.close()


def _numbers(folder: Path) -> list[int]:
    """Of the command's processes, as far as they have said so."""
    try:
        said = (folder / "pids").read_text()
    except FileNotFoundError:
        return []
    return [int(pid) for line in said.splitlines(keepends=True) if line.endswith("\n") for pid in line.split()]


def _status(terminal: Terminal, ending: Ending) -> int:
    if not ending.alone:
        return terminal.wait_event("signal" if ending.killed else "code")
    return terminal.process.wait(LIMIT)


def last_word(terminal: Terminal) -> int:
    """The last of the numbered words that is on the screen."""
    return max((int(word) for word in re.findall(r"\bw(\d{4,5})\b", terminal.text())), default=-1)


def _words(pid: int) -> str:
    try:
        return f"{pid} {Path(f'/proc/{pid}/cmdline').read_bytes()[:200]!r}"
    except OSError:
        return str(pid)


def whole(folder: Path, shown: int, of: list[str] = WORDS) -> None:
    """Assert that the log is whole; `shown` is the last word that was on the screen before it ended; `of` are all.

    The file is sound, the events are all there without a gap, what was asked is stored, and of what was shown at most
    the last second is missing.
    """
    database = folder / "jp" / "data" / "conversations.db"
    raw = sqlite3.connect(database)
    try:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        raw.close()
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
    said += "".join(partial.text for partial in partials if partial.kind == "message")
    words = said.split()
    assert words, "nothing of the reply was kept"
    *complete, cut = words
    assert complete == of[: len(complete)], "a gap in what was stored"
    assert of[len(complete)].startswith(cut)
    assert len(words) * 6 >= shown * 6 - RATE, f"{len(words)} words are kept, {shown} were shown"

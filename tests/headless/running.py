"""The program from outside: run to its end, or watched while it runs, with pipes or with a terminal of its own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jp_tui.main import wants_screen
from tests.headless.forked import Forked
from tests.limits import LIMIT as LIMIT

ROOT = Path(__file__).parents[2]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Without keys and settings of the user's, without a local model server, and without a look at this repository."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY") and name[:6] != "JP_TUI"}
    return {
        **kept,
        "JP_TUI_HOME": str(home),
        "OLLAMA_HOST": "127.0.0.1:9",
        "JP_TUI_CONTEXT__ENVIRONMENT": "false",
        **more,
    }


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "jp_tui", *words]


def jp(home: Path, *words: str, stdin: str | bytes | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run to the end; where Python itself is told something (its encoding), by a start of its own."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    entry = subprocess.DEVNULL if given is None else subprocess.PIPE
    env = environment(home, **more)
    start: subprocess.Popen[bytes] | Forked
    if any(name.startswith(("LC_", "LANG", "PYTHON")) for name in more):
        start = subprocess.Popen(
            command(*words), stdin=entry, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=ROOT
        )
    else:
        start = Forked(list(words), env=env, stdin=entry)
    with start as child:
        out, err = child.communicate(given or b"", timeout=LIMIT)
    return subprocess.CompletedProcess(words, child.wait(), out.decode(), err.decode())


def lines(text: str) -> list[dict[str, Any]]:
    """One JSON object a line, and nothing else (S2)."""
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def log(home: Path, conversation: str) -> list[dict[str, Any]]:
    """Every stored event."""
    return lines(jp(home, "conversations", "show", conversation, "--json").stdout)


def latest(home: Path) -> str:
    """The id of the conversation that was written last."""
    return str(lines(jp(home, "conversations", "list", "--json").stdout)[0]["id"])


class OnTerminal:
    """A command with a controlling terminal: its input, and its output unless `out` is given."""

    def __init__(self, words: list[str], home: Path, out: int | None = None, **more: str) -> None:
        self.master, slave = pty.openpty()
        self.shown = ""

        def own() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        taken, env = slave if out is None else out, environment(home, **more)
        self.process: subprocess.Popen[bytes] | Forked
        if wants_screen(words):
            self.process = subprocess.Popen(
                command(*words), stdin=slave, stdout=taken, stderr=slave, env=env, cwd=ROOT, start_new_session=True,
                preexec_fn=own,
            )  # fmt: skip
        else:
            self.process = Forked(words, env=env, stdin=slave, stdout=taken, stderr=slave, terminal=True)
        os.close(slave)

    def until(self, text: str) -> str:
        """What was shown, up to and with this; what came is forgotten."""
        end = time.monotonic() + LIMIT
        while text not in self.shown:
            assert time.monotonic() < end and self._read(), f"no {text!r} in {self.shown!r}"
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def read(self) -> str:
        """What was shown since, at least something unless the command ended."""
        if not self.shown:
            self._read()
        shown, self.shown = self.shown, ""
        return shown

    def rest(self) -> str:
        """Everything to the end of the command."""
        while self._read():
            pass
        return self.shown

    def _read(self) -> bool:
        if not select.select([self.master], [], [], LIMIT)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the last one has let go of the terminal
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait(self) -> int:
        return self.process.wait(LIMIT)

    def hang_up(self) -> None:
        """The terminal's window is closed."""
        os.close(self.master)
        self.master = -1


@contextlib.contextmanager
def on_terminal(home: Path, *words: str, out: int | None = None, **more: str) -> Iterator[OnTerminal]:
    """A command on a terminal, ended by force when the test is over."""
    running = OnTerminal(list(words), home, out, **more)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.send_signal(signal.SIGKILL)
            running.process.wait()
        if running.master >= 0:
            os.close(running.master)

"""A terminal of 10,000 columns and rows takes a bounded part of the machine, and is told what is used of it (Z27).

A real pty whose other side keeps no screen: what is written is only counted.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jp_tui.guardian import MOST
from tests.headless.running import LIMIT, ROOT, environment

HUGE = 10_000
MEGABYTES = 300
USED = b"This terminal has %b columns and %b rows. jp-tui uses 1,000 and 400."


class Huge:
    """The program on a pty of this size; `peak` is the most memory that any of its processes has held, in MB."""

    def __init__(self, home: Path, columns: int, rows: int) -> None:
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        env = environment(home, TERM="xterm-256color", COLORTERM="truecolor")
        for name in ("COLUMNS", "LINES"):  # a test runner's, which Textual would believe more than the terminal
            env.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jp_tui", "--model", "demo/tour"], stdin=slave, stdout=slave, stderr=slave, env=env,
            cwd=ROOT, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.peak = 0
        self._seen = b""

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, text: bytes) -> None:
        """Read on until this was written; what came before it is forgotten."""
        end = time.monotonic() + LIMIT
        while text not in self._seen:
            assert time.monotonic() < end, f"no {text!r} in {self._seen[-300:]!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                self._seen = self._seen[-max(len(text), 16) :] + os.read(self.master, 1 << 20)
                assert moved_to(MOST[1] + 1) not in self._seen, "a row beyond those that are used"
            self.peak = max([self.peak, *map(_held, _tree(self.process.pid))])
            assert self.peak < MEGABYTES
        self._seen = self._seen.partition(text)[2]

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)


def _tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _tree(int(child))


def _held(pid: int) -> int:
    """The most memory that a process has held, in MB."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(found[0].split()[1]) // 1024 if found else 0


@contextmanager
def running(home: Path, columns: int, rows: int) -> Iterator[Huge]:
    """Ended by force when the test is over."""
    huge = Huge(home, columns, rows)
    try:
        yield huge
    finally:
        if huge.process.poll() is None:
            os.killpg(huge.process.pid, signal.SIGKILL)
        huge.process.wait()
        os.close(huge.master)


def moved_to(row: int) -> bytes:
    return b"\x1b[%d;1H" % row


def test_a_huge_terminal_is_bounded_and_told(tmp_path: Path) -> None:
    """From the start, with a turn, and after it became small again (Z27)."""
    with running(tmp_path, HUGE, HUGE) as huge:
        huge.until(USED % (b"10,000", b"10,000"))
        huge.type(b"text\r")
        huge.until(b"assistant")
        huge.resize(120, 36)
        huge.until(moved_to(36))
        assert huge.peak < MEGABYTES


@pytest.mark.parametrize("how", ["signal", "in-band"])
def test_a_terminal_that_becomes_huge(tmp_path: Path, how: str) -> None:
    """By a signal, or by a report of the terminal itself, of which sizes beyond any terminal are dropped (Z27)."""
    with running(tmp_path, 120, 36) as huge:
        huge.until(b"two sub-agents ask")
        if how == "signal":
            huge.resize(HUGE, HUGE)
            huge.until(USED % (b"10,000", b"10,000"))
        else:
            huge.type(b"\x1b[48;1900;1800;1900;1800t")
            huge.until(USED % (b"1,800", b"1,900"))
        huge.until(moved_to(MOST[1]))
        assert huge.peak < MEGABYTES

"""One program in a real pty, with a stopwatch: first frame, first echoed key, keys, escape, idle.

A key counts as painted when its letter comes back in the program's output; every key of a row is another letter, so
no emulator is needed between the read and the clock. Answers no queries, like a plain terminal. Linux only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

LETTERS = "бгджзийлпфцчшщъыьэюяБГДЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯ"
"""Letters that no screen of ours shows by itself."""
_SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
LIMIT = 60.0
"""Seconds after which a thing that never comes is an error."""


class Never(Exception):
    """What was waited for did not come; the message shows the end of what was written instead."""


class NotHere(Exception):
    """Why something can't be measured on this machine."""


class Program:
    """Started at once; `start` is the time just before."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.seen = b""
        self.total = 0
        self._letters = self._rows()
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    # -- reading

    def read(self, until: float) -> float | None:
        """Take one piece of output, waiting until that time at most; when it came."""
        if not select.select([self.master], [], [], max(0.0, until - time.monotonic()))[0]:
            return None
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        now = time.monotonic()
        if not data:
            raise Never(f"the program ended: {self.tail()}")
        self.seen += data
        self.total += len(data)
        return now

    def wait(self, text: str, *, again: float = 0.0, keys: Sequence[str] = ()) -> float:
        """When `text` (or, with `keys`, the first of those typed one by one every `again` seconds) was read."""
        end, now = time.monotonic() + LIMIT, None
        pending = list(keys)
        wanted = [text.encode()] if text else []
        while not any(one in self.seen for one in wanted):
            if time.monotonic() > end:
                raise Never(f"{text or keys!r} never came: {self.tail()}")
            if pending and self._raw():
                wanted.append(pending[0].encode())
                os.write(self.master, pending.pop(0).encode())
            now = self.read(time.monotonic() + (again or 1.0))
        return now or time.monotonic()

    def settle(self, quiet: float, most: float = 10.0) -> None:
        """Until nothing was written for `quiet` seconds."""
        end = time.monotonic() + most
        while time.monotonic() < end and self.read(time.monotonic() + quiet) is not None:
            pass

    def pass_time(self, seconds: float) -> None:
        """Read for so long, whatever comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(end)

    def _raw(self) -> bool:
        """Whether the program has the keys: before that the kernel itself would echo them."""
        return not termios.tcgetattr(self.master)[3] & termios.ECHO

    def tail(self) -> str:
        return _SEQUENCE.sub(b" ", self.seen)[-400:].decode("utf-8", "replace")

    # -- measuring: all in seconds

    def first_frame(self) -> float:
        """From the start to the first visible character."""
        while not _SEQUENCE.sub(b"", self.seen).strip():
            now = self.read(self.start + LIMIT)
            if now is None:
                raise Never("nothing was shown")
        return now - self.start  # type: ignore[possibly-undefined]

    def whole(self) -> float:
        """From the start to the first visible character that the app itself wrote: it is the one that wants the mouse,
        and what shows before that (a guardian's skeleton) does not count."""
        now = self.start
        while True:
            _, wants, rest = self.seen.rpartition(b"\x1b[?1003h")
            if wants and _SEQUENCE.sub(b"", rest).strip():
                return now - self.start
            now = self.read(self.start + LIMIT) or 0.0
            if not now:
                raise Never("no screen of the app's own was shown")

    def first_key(self) -> float:
        """From the start to the first typed letter that is shown; a letter is typed every 10 ms."""
        return self.wait("", again=0.01, keys=LETTERS * 20) - self.start

    def keys(self, count: int = 0, *, until: float = 0.0, idle: bool = True) -> list[float]:
        """From the write of each key to the read of its letter; so many keys, or as many as fit until that time."""
        times: list[float] = []
        while (count and len(times) < count) or time.monotonic() < until:
            letter = next(self._letters)
            if letter == "\x7f":
                os.write(self.master, b"\x7f" * (len(LETTERS) + 4))
                self.pass_time(0.3)
                continue
            if idle:
                self.settle(random.uniform(0.03, 0.06), 1.0)
            else:
                self.pass_time(random.uniform(0.03, 0.09))
            self.seen = b""
            at = time.monotonic()
            os.write(self.master, letter.encode())
            times.append(self.wait(letter) - at)
        return times

    @staticmethod
    def _rows() -> Iterator[str]:
        while True:
            yield "\x7f"  # empty the line: a row begins
            yield from LETTERS

    def escapes(self, count: int) -> list[float]:
        """From the write of ESC to the frame that counts it (the bare app's)."""
        times = []
        for number in range(1, count + 1):
            self.settle(0.1)
            at = time.monotonic()
            os.write(self.master, b"\x1b")
            times.append(self.wait(f"esc{number}esc") - at)
        return times

    def idle(self, seconds: float) -> tuple[int, float]:
        """Bytes written and CPU seconds used while nothing is typed."""
        self.settle(0.5)
        self.pass_time(2.5)  # what a program defers until after its start
        total, cpu = self.total, self.cpu()
        self.pass_time(seconds)
        return self.total - total, self.cpu() - cpu

    def cpu(self) -> float:
        """CPU seconds so far of the program and its children that run, to the microsecond."""
        used = 0
        for pid in family(self.process.pid):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    used += int((task / "schedstat").read_text().split()[0])
        return used / 1e9

    def close(self) -> None:
        """Hang up, and end what is left."""
        left = family(self.process.pid)
        os.close(self.master)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return found

"""A terminal for tests: a real pty, a screen in memory, the modes that a program has set, and a job to watch.

Answers the queries that Textual asks, as a modern terminal does, so that the programs turn everything on. Waits for
facts with generous limits and never for a fixed time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum, auto
from pathlib import Path

import pyte

from tests.limits import LIMIT as LIMIT

CELL = (8, 16)
"""Width and height of a cell in pixels."""
_CSI = re.compile(rb"\x1b\[([<>=?]?)([0-9;:]*)([ -/]*)([@-~])")
_BEGINS, _ENDS = b"\x1b[?2026h", b"\x1b[?2026l"
"""What a program writes around a frame: a terminal shows all of it at once."""
_AT_START = {7: True, 25: True}  # wrapping and a visible cursor; every other mode is off
SIZES = 2048
"""The mode in which a terminal reports each of its sizes, the first at once. Programs then ignore SIGWINCH."""


class Reports(StrEnum):
    """What a terminal does about `SIZES`: it doesn't know the mode, keeps to it, or only says that it knows it, as
    where a session is attached to another terminal than it began in."""

    NONE = auto()
    KEPT = auto()
    PROMISED = auto()


class Modes:
    """Which modes a program has left on, from the bytes that it wrote."""

    def __init__(self, unknown: frozenset[int] = frozenset()) -> None:
        self.unknown = unknown
        self.on: dict[int, bool] = {}
        self.kitty = {False: 0, True: 0}  # pushed flags, on the main and on the alternate screen
        self.titles = 0  # saved ones that were not put back
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take what was written; the answers to queries in it."""
        data = self._rest + data
        start = max(data.rfind(b"\x1b"), 0)
        cut = start if len(data) - start < 40 and not _CSI.match(data, start) else len(data)
        data, self._rest = data[:cut], data[cut:]
        answers = []
        for kind, arguments, between, final in _CSI.findall(data):
            numbers = [int(one) for one in arguments.split(b";") if one.isdigit()]
            if kind == b"?" and final in b"hl":
                self.on.update(dict.fromkeys(numbers, final == b"h"))
            elif kind == b"?" and final == b"p" and between == b"$":
                answers += [b"\x1b[?%d;%d$y" % (one, self._state(one)) for one in numbers]
            elif kind == b">" and final == b"u":
                self.kitty[self.on.get(1049, False)] += 1
            elif kind == b"" and final == b"t" and numbers and numbers[0] in (22, 23):
                self.titles = max(0, self.titles + (1 if numbers[0] == 22 else -1))
            elif kind == b"<" and final == b"u":
                alternate = self.on.get(1049, False)
                self.kitty[alternate] = max(0, self.kitty[alternate] - (numbers[0] if numbers else 1))
        return answers

    def _state(self, mode: int) -> int:
        return 0 if mode in self.unknown else 1 if self.on.get(mode) else 2

    def left_on(self) -> dict[str, object]:
        """What is not as in a fresh terminal; empty when all is clean."""
        wrong: dict[str, object] = {f"?{mode}": on for mode, on in self.on.items() if on != _AT_START.get(mode, False)}
        if self.titles:
            wrong["titles"] = self.titles
        if any(self.kitty.values()):
            wrong["kitty"] = self.kitty
        return wrong


class Frames:
    """What a terminal shows: each frame when it is whole, as the program meant it (synchronized output).

    A read of a pty ends anywhere. A test that looked in the middle of a frame would see half of two screens.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self._part = b""

    def feed(self, data: bytes) -> None:
        """Show what was written, but the frame that hasn't ended."""
        data = self._part + data
        end = data.rfind(_BEGINS)
        if end < 0 or _ENDS in data[end:]:  # none is open; but the mark of the next may be cut in two
            cut = next((n for n in range(len(_BEGINS) - 1, 0, -1) if data.endswith(_BEGINS[:n])), 0)
            end = len(data) - cut
        self._part = data[end:]
        self._stream.feed(data[:end])


class Terminal:
    """A pty with a job in it. `holder` runs the command as a shell's job; else it leads its session itself."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        holder: bool = True,
        size: tuple[int, int] = (80, 24),
        reports: Reports = Reports.KEPT,
    ) -> None:
        self.modes = Modes(frozenset({SIZES} if reports == Reports.NONE else ()))
        self._reports = reports
        self._frames = Frames(size)
        self.screen = self._frames.screen
        self.seen = b""
        self.events: list[dict[str, int]] = []
        self.master, slave = pty.openpty()
        self.size = size
        _sized(slave, size)
        self.before = termios.tcgetattr(slave)
        self._events, events = os.pipe()
        orders, self._orders = os.pipe()
        os.set_blocking(self._events, False)
        if holder:
            script = str(Path(__file__).with_name("holder.py"))
            command = [sys.executable, "-S", script, str(events), str(orders), *command]
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            cwd=cwd,
            pass_fds=(events, orders),
            start_new_session=True,
            preexec_fn=None if holder else _own_terminal,
        )
        self.slave = slave  # kept: without it the terminal would hang up with the last program
        os.close(events)
        os.close(orders)
        self._heard = b""

    # -- watching

    def pump(self, wait: float) -> None:
        """Read what is there, waiting at most so many seconds for the first of it."""
        ready, _, _ = select.select([self.master, self._events], [], [], wait)
        if self.master in ready:
            with contextlib.suppress(OSError):
                self._take(os.read(self.master, 65536))
        self.listen(0)

    def listen(self, wait: float) -> None:
        """Take the holder's events, and leave what the program writes unread."""
        if select.select([self._events], [], [], wait)[0]:
            self._heard += os.read(self._events, 65536)
            *lines, self._heard = self._heard.split(b"\n")
            self.events += [json.loads(line) for line in lines]

    def _take(self, data: bytes) -> None:
        self.seen += data
        self._frames.feed(data)
        reporting = self.modes.on.get(SIZES)
        for answer in self.modes.feed(data):
            os.write(self.master, answer)
        if not reporting:
            self._report()

    def _report(self) -> None:
        if self.modes.on.get(SIZES) and self._reports == Reports.KEPT:
            columns, rows = self.size
            os.write(self.master, b"\x1b[48;%d;%d;%d;%dt" % (rows, columns, rows * CELL[1], columns * CELL[0]))

    def wait(self, fact: Callable[[], object], what: str) -> None:
        """Until `fact()` is true; AssertionError with the screen when it does not become so."""
        end = time.monotonic() + LIMIT
        while not fact():
            if time.monotonic() > end:
                raise AssertionError(
                    f"never came: {what}\n{self.text()}\n{self.events}\n{self.wrong()}\n{self.seen[-900:]!r}"
                )
            self.pump(0.05)

    def wait_text(self, text: str) -> None:
        """Until `text` is on the screen."""
        self.wait(lambda: text in self.text(), repr(text))

    def wait_event(self, name: str) -> int:
        """The value of the next event `name`; earlier ones are forgotten."""
        self.wait(lambda: any(name in event for event in self.events), f"event {name}")
        while name not in self.events[0]:
            self.events.pop(0)
        return self.events.pop(0)[name]

    def wait_clean(self, *, stopped: bool = False) -> None:
        """Until the terminal is as before the program: its settings and all modes.

        Of a program that is only `stopped` the window's title may stay: a shell sets its own.
        """
        leave = {"titles"} if stopped else set()
        self.wait(lambda: not self.wrong().keys() - leave, "a clean terminal")

    def wait_quiet(self) -> None:
        """Until nothing is written for half a second."""

        def quiet() -> bool:
            seen = len(self.seen)
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                self.pump(0.05)
            return len(self.seen) == seen

        self.wait(quiet, "silence")

    def wrong(self) -> dict[str, object]:
        """What is not as before."""
        wrong = self.modes.left_on()
        now = termios.tcgetattr(self.slave)
        if now != self.before:
            wrong["termios"] = now
        return wrong

    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    # -- acting

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Another size, as a terminal's window gets one; what is on the screen is for the program to paint."""
        self.size = columns, rows
        self.screen.resize(rows, columns)
        _sized(self.slave, self.size)
        self._report()

    def paste(self, data: bytes) -> None:
        """Type a part of a paste. Nothing is read before all of it is written: a terminal puts no answer of its own
        into a paste."""
        while data:
            data = data[os.write(self.master, data) :]

    def send(self, data: bytes) -> None:
        """Type bytes, however many, and read meanwhile what is written."""
        while data:
            _, ready, _ = select.select([], [self.master], [], 0.05)
            if ready:
                data = data[os.write(self.master, data[:256]) :]
            if data:
                self.pump(0)

    def order(self, what: bytes) -> None:
        """Tell the holder: b"f" or b"b"."""
        os.write(self._orders, what)

    def close(self) -> None:
        """Hang up and end what is left."""
        for fd in (self.master, self.slave, self._orders, self._events):
            with contextlib.suppress(OSError):
                os.close(fd)
        for pid in (self.process.pid, *descendants(self.process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def _sized(terminal: int, size: tuple[int, int]) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def descendants(pid: int) -> list[int]:
    """Children of a process and theirs, from /proc."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                stat = Path("/proc", entry, "stat").read_text()
                parents[int(entry)] = int(stat.rpartition(")")[2].split()[1])
    found: list[int] = []
    level = [pid]
    while level:
        level = [one for one, parent in parents.items() if parent in level]
        found += level
    return found


def running(pid: int) -> bool:
    """Whether a process is there, and neither stopped nor a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZXT"
    except OSError:
        return False

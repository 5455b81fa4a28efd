"""Sources of typed lines: a terminal, a pipe, or a function; and a bell with which another thread ends a wait.

A user may have typed before a question was shown: `forget` drops that (asking.md E11). Echo is off for a secret and
restored in every case. Lines aren't interpreted; `wrong` says why one is unusable.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

MOST_BYTES = 16 << 20
TERMINAL_BYTES = 4095
"""Maximum bytes of a line in canonical mode; the terminal truncates longer ones silently."""
BURST_SECONDS = 0.05
"""Lines that arrive closer together than anyone types were pasted."""
DEAF, QUIET, PATIENCE = 0.5, 0.3, 30.0
"""Seconds for which a question that was just shown ignores keys, for which there must be no key before it accepts one
(Z12), and after which it does in any case."""
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")

NOT_UTF8 = "The line isn't valid UTF-8."
CUT = f"A terminal line holds at most {TERMINAL_BYTES:,} bytes. This one was cut: use several lines."
TOO_LONG = f"The line is longer than {MOST_BYTES >> 20} MiB."
CONTROLS = "The line has control characters (arrow keys don't edit here). Enter it again."


@dataclass(frozen=True, slots=True)
class InputLine:
    """A line without its end; `wrong` says why it can't be used, else it is empty."""

    text: str
    wrong: str = ""


class LineInput(Protocol):
    """`typed`: a person types; `over`: the end of input was reached; `gone`: the terminal is closed. The defaults are
    for a pipe or a function."""

    typed: bool = False
    over: bool
    gone: bool

    def fileno(self) -> int:
        """Return the descriptor for `select`; negative if `fill` blocks until there is a line."""

    @property
    def ready(self) -> bool:
        """True if a complete line is waiting."""

    def fill(self) -> None:
        """Read what is available."""

    def line(self) -> InputLine | None:
        """Return the next complete line."""

    def more(self) -> bool:
        """True if more lines arrived together with the last one, as only a paste does."""
        return False

    def forget(self) -> str:
        """Drop the input so far, which isn't an answer; return it for a notice. A pipe's content was written for
        later questions, and a function returns a line only on request: neither is dropped."""
        return ""

    def forget_and_wait(self) -> str:
        """As `forget`, for a question that was just shown: wait until keys may answer it (Z12)."""
        return ""

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Turn off echo inside."""
        yield


class LineBuffer:
    """Bytes read, as lines. Buffers are overwritten after use: an answer may be a secret."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._skips = False  # the rest of an overlong line

    @property
    def whole(self) -> bool:
        """True if there is a line with its end."""
        return b"\n" in self._bytes

    @property
    def empty(self) -> bool:
        return not self._bytes

    def add(self, data: bytes) -> None:
        """Add bytes; a line longer than MOST_BYTES is dropped."""
        self._bytes += data
        if len(self._bytes) > MOST_BYTES and not self.whole:
            self._bytes.clear()
            self._skips = True

    def line(self, *, over: bool, most: int | None = None) -> InputLine | None:
        """Return the next line, at the end of input (`over`) also an unterminated one; None if there is none.

        A line of `most` bytes was truncated by the terminal.
        """
        at = self._bytes.find(b"\n")
        if at < 0:
            if not (over and self._bytes):
                return None
            at = len(self._bytes)
        raw = bytes(self._bytes[:at]).removesuffix(b"\r")
        self._bytes[: at + 1] = bytes(at + 1)
        del self._bytes[: at + 1]
        if self._skips:
            self._skips = False
            return InputLine("", TOO_LONG)
        if most is not None and len(raw) >= most:
            return InputLine("", CUT)
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return InputLine("", NOT_UTF8)
        return InputLine("", CONTROLS) if _CONTROLS.search(text) else InputLine(text)

    def drain(self) -> bytes:
        """Return all bytes, and clear them."""
        found = bytes(self._bytes)
        self._bytes[:] = bytes(len(self._bytes))
        self._bytes.clear()
        return found


class Piped(LineInput):
    """Lines of a pipe or a file by its descriptor: every line counts, in order."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = LineBuffer()
        self.over = self.gone = False

    def fileno(self) -> int:
        return self._fd

    @property
    def ready(self) -> bool:
        return self._buffer.whole or (self.over and not self._buffer.empty)

    def fill(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            self.over = self.gone = True
            return
        self._buffer.add(data)
        self.over = not data

    def line(self) -> InputLine | None:
        return self._buffer.line(over=self.over)


class Terminal:
    """Terminal in canonical mode; `fd` is one of its descriptors, open for reading."""

    typed = True

    def __init__(self, fd: int, *, deaf: float = DEAF) -> None:
        """`deaf` is how many seconds a question that was just shown takes no key."""
        self._fd, self._deaf = fd, deaf
        self._buffer = LineBuffer()
        self.over = self.gone = False

    def fileno(self) -> int:
        return self._fd

    @property
    def ready(self) -> bool:
        return self._buffer.whole or (self.over and not self._buffer.empty)

    def fill(self) -> None:
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            self.over = self.gone = True
            return
        self._buffer.add(data)
        self.over = not data
        if self.over:
            try:  # Ctrl+D, or a closed window?
                termios.tcgetattr(self._fd)
            except termios.error:
                self.gone = True

    def line(self) -> InputLine | None:
        return self._buffer.line(over=self.over, most=TERMINAL_BYTES)

    def more(self) -> bool:
        if self._buffer.whole:
            return True
        if not self.over and select.select([self._fd], [], [], BURST_SECONDS)[0]:
            self.fill()
        return self._buffer.whole

    def forget(self) -> str:
        early = self._buffer.drain()
        self.over = False
        with contextlib.suppress(termios.error, OSError):
            early += self._unfinished()
            termios.tcflush(self._fd, termios.TCIFLUSH)
        return early.decode(errors="replace")

    def forget_and_wait(self) -> str:
        early = self._buffer.drain()
        began = time.monotonic()
        quiet = QUIET if self._deaf else 0.0
        until = began + self._deaf
        with contextlib.suppress(termios.error, OSError), self._by_key():
            while (left := until - time.monotonic()) > 0 and until - began < PATIENCE:
                if select.select([self._fd], [], [], left)[0]:
                    if not (data := os.read(self._fd, 65536)):
                        break
                    early += data
                    until = max(until, time.monotonic() + quiet)
        return early.decode(errors="replace") + self.forget()

    def _unfinished(self) -> bytes:
        """Return what is in the terminal's buffer, including an unterminated line."""
        with self._by_key():
            return os.read(self._fd, 65536)

    @contextmanager
    def _by_key(self) -> Iterator[None]:
        """Make each key readable inside, before its line has an end. Raises termios.error."""
        before = termios.tcgetattr(self._fd)
        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~termios.ICANON
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 0, 0
        try:
            termios.tcsetattr(self._fd, termios.TCSANOW, mode)
            yield
        finally:
            termios.tcsetattr(self._fd, termios.TCSANOW, before)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Turn off echo except of Enter; meanwhile no key may leave the program (Ctrl+Z, Ctrl+\\)."""
        try:
            before = termios.tcgetattr(self._fd)
        except termios.error:
            self.gone = True
            yield
            return
        mode = termios.tcgetattr(self._fd)
        mode[3] = (mode[3] & ~termios.ECHO) | termios.ECHONL | termios.ICANON
        for key in (termios.VSUSP, termios.VQUIT):
            mode[6][key] = b"\0"
        try:
            termios.tcsetattr(self._fd, termios.TCSAFLUSH, mode)
            yield
        finally:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._fd, termios.TCSAFLUSH, before)


class Called(LineInput):
    """Lines from a function that blocks and returns None at the end."""

    def __init__(self, read: Callable[[], str | None]) -> None:
        self._read = read
        self._lines: list[str] = []
        self.over = self.gone = False

    def fileno(self) -> int:
        return -1

    @property
    def ready(self) -> bool:
        return bool(self._lines)

    def fill(self) -> None:
        try:
            found = self._read()
        except OSError:
            self.over = self.gone = True
            return
        if found is None:
            self.over = True
        else:
            self._lines.append(found)

    def line(self) -> InputLine | None:
        if not self._lines:
            return None
        text = self._lines.pop(0)
        return InputLine("", CONTROLS) if _CONTROLS.search(text) else InputLine(text)


class Bell:
    """Ends a wait from another thread, or from a signal handler."""

    def __init__(self) -> None:
        self._in, self._out = os.pipe()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

    @property
    def rope(self) -> int:
        """Return the descriptor to write to, which rings the bell."""
        return self._out

    def ring(self) -> None:
        with contextlib.suppress(OSError):  # full: it already rings
            os.write(self._out, b"\0")

    def fileno(self) -> int:
        """Return the descriptor for waits other than `wait`: it is readable while the bell rings."""
        return self._in

    def reset(self) -> None:
        """Reset the bell."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._in, 4096):
                pass

    def wait(self, source: LineInput | None, timeout: float | None = None) -> bool:
        """Wait until it rings, `source` has input, which is read, or `timeout` seconds are over; return True for
        input."""
        fd = -1 if source is None else source.fileno()
        waits = source is None or (fd >= 0 and not source.ready)
        ready = select.select([self._in] if fd < 0 else [self._in, fd], [], [], timeout if waits else 0)[0]
        if self._in in ready:
            self.reset()
        if source is None or (self._in in ready and fd not in ready):
            return False  # the bell's cause comes before typed input
        if fd in ready or not (waits or source.ready):
            source.fill()
        return fd in ready or source.ready or source.over

    def close(self) -> None:
        """Only after all ringers are gone: the descriptor may soon be another file's."""
        os.close(self._in)
        os.close(self._out)

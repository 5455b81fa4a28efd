"""Standard input and output of a front end for programs: lines in, lines out, and a bell.

Neither side can block the other: input is read only while output drains, overlong lines are skipped without being
stored, and writes never block. Independent of messages.
"""

from __future__ import annotations

import os
import select
from collections import deque

from jp_tui.headless.input import Bell

HIGH = 1 << 20
"""Bytes queued for output; above this no input is read."""
CHUNK = select.PIPE_BUF
"""Bytes that can be written without blocking whenever the pipe is writable."""
_HUNG = select.POLLHUP | select.POLLERR | select.POLLNVAL | select.POLLRDHUP


class PipeLines:
    """Bytes in, complete lines out: None for an overlong one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rest = bytearray()
        self._skips = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that are now complete, without their ends and without blank ones."""
        if b"\n" not in data:
            self._keep(data)
            return []
        *whole, rest = data.split(b"\n")
        found: list[bytes | None] = []
        for piece in whole:
            self._keep(piece)
            found += self.finish()
        self._keep(rest)
        return found

    def finish(self) -> list[bytes | None]:
        """Return the unterminated rest as a line."""
        line: bytes | None = None if self._skips else bytes(self._rest).strip(b" \t\r")
        self._skips = False
        self._rest.clear()
        return [] if line == b"" else [line]

    def _keep(self, data: bytes) -> None:
        if self._skips:
            return
        self._rest += data
        if len(self._rest) > self._most:
            self._rest = bytearray()
            self._skips = True


class Pipes:
    """Two descriptors and a bell. `over`: the input has ended; `gone`: the output has no reader, `wrong` is the error
    unless the pipe was closed."""

    def __init__(self, reads: int, writes: int, most: int) -> None:
        self._reads, self._writes = reads, writes
        self.bell = Bell()
        self._in = PipeLines(most)
        self._lines: deque[bytes | None] = deque()
        self._out: deque[memoryview] = deque()
        self._size = 0
        self._hung = False
        self.over = self.gone = False
        self.wrong = ""

    # --- output -----------------------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Queue text; without a reader it is dropped."""
        data = text.encode()
        if self.gone or not data:
            return
        self._out.append(memoryview(data))
        self._size += len(data)

    @property
    def blocked(self) -> bool:
        """True if so much is queued that no more should be produced."""
        return self._size >= HIGH

    def _drain(self) -> None:
        """Write as much as possible without blocking."""
        ready = select.poll()
        ready.register(self._writes, select.POLLOUT)
        while self._out and not self.gone and ready.poll(0):
            piece = self._out[0]
            try:
                written = os.write(self._writes, piece[:CHUNK])
            except BlockingIOError:
                return
            except OSError as problem:
                self._lost("" if isinstance(problem, BrokenPipeError) else problem.strerror or str(problem))
                return
            self._size -= written
            if written == len(piece):
                self._out.popleft()
            else:
                self._out[0] = piece[written:]

    def _lost(self, wrong: str) -> None:
        self.gone, self.wrong = True, wrong
        self._out.clear()
        self._size = 0

    def flush(self, patience: float) -> None:
        """Write queued output. Stop after `patience` seconds without progress."""
        while self._out and not self.gone:
            before = self._size
            ready = select.poll()
            ready.register(self._writes, select.POLLOUT)
            ready.poll(patience * 1000)
            self._drain()
            if self._size == before:
                return

    # --- input ------------------------------------------------------------------------------------------------

    def lines(self) -> list[bytes | None]:
        """Return the received lines; None for an overlong one."""
        found = list(self._lines)
        self._lines.clear()
        return found

    def wait(self, timeout: float | None = None) -> list[tuple[int, int]]:
        """Wait until something can be done, the bell rings, or `timeout` seconds are over; the result is for `take`.
        Changes nothing."""
        waits = select.poll()
        waits.register(self.bell.fileno(), select.POLLIN)
        if not self.over:
            waits.register(self._reads, (select.POLLIN if self._listens else 0) | select.POLLRDHUP)
        if not self.gone:
            waits.register(self._writes, select.POLLOUT if self._out else 0)
        return waits.poll(None if timeout is None else timeout * 1000)

    def transfer(self, ready: list[tuple[int, int]]) -> None:
        """Read and write what `wait` reported."""
        listens = self._listens
        for fd, events in ready:
            if fd == self.bell.fileno():
                self.bell.reset()
            elif fd == self._reads:
                self._hung = self._hung or bool(events & _HUNG)
                if listens:
                    self._read()
            elif events & _HUNG and not self._out:
                self._lost("")
        if self._out:
            self._drain()

    @property
    def _listens(self) -> bool:
        """True if input is read now; after the client closed its end, everything left is read."""
        return self._hung or not self.blocked

    def _read(self) -> None:
        try:
            data = os.read(self._reads, 1 << 16)
        except OSError:
            data = b""
        self._lines += self._in.feed(data)
        if not data:
            self.over = True
            self._lines += self._in.finish()

    def close(self) -> None:
        """Only after all ringers are gone."""
        self.bell.close()

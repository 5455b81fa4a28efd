"""Both ends of a child's pipes on an event loop: its bounded output, its given input. Starts and ends no process."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from typing import IO

_CHUNK = 1 << 16


class Intake:
    """Reads a pipe to its end and keeps at most `limit` bytes: the first half and the last half.

    More than `flood` bytes set `flooded`; reading continues, so that the writer never blocks. `heard` receives each
    chunk.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        pipe: IO[bytes],
        limit: int,
        flood: int,
        flooded: asyncio.Event,
        heard: Callable[[bytes], None] | None = None,
    ) -> None:
        self._loop, self._heard = loop, heard
        self._pipe = pipe
        self._head_size = limit // 2
        self._tail_size = limit - self._head_size
        self._head, self._tail = bytearray(), bytearray()
        self._seen = 0
        self._flood, self._flooded = flood, flooded
        self._end = asyncio.Event()
        os.set_blocking(pipe.fileno(), False)
        loop.add_reader(pipe.fileno(), self._ready)

    def _ready(self) -> None:
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        self._seen += len(data)
        if self._heard is not None:
            self._heard(data)
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > self._tail_size + _CHUNK:  # not for each chunk: moving bytes is slow
            del self._tail[: -self._tail_size or None]
        if self._seen > self._flood:
            self._flooded.set()

    @property
    def open(self) -> bool:
        """True if a process may still write to it."""
        return not self._end.is_set()

    @property
    def dropped(self) -> int:
        """Return the number of bytes read but not kept."""
        return self._seen - len(self._head) - min(len(self._tail), self._tail_size)

    def kept(self) -> bytes:
        """Return the kept bytes, in order."""
        return bytes(self._head + self._tail[max(0, len(self._tail) - self._tail_size) :])

    async def drained(self, timeout: float) -> None:
        """Wait for the end of the pipe, at most `timeout` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._end.wait()

    def close(self) -> None:
        """Stop reading; may be called twice."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        self._end.set()


class Feed:
    """Writes given bytes into a pipe and closes it; a reader that ignores them isn't an error."""

    def __init__(self, loop: asyncio.AbstractEventLoop, pipe: IO[bytes], data: bytes) -> None:
        self._loop = loop
        self._pipe = pipe
        self._left = memoryview(data)
        os.set_blocking(pipe.fileno(), False)
        loop.add_writer(pipe.fileno(), self._ready)

    def _ready(self) -> None:
        try:
            if self._left:
                self._left = self._left[os.write(self._pipe.fileno(), self._left[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self._left = memoryview(b"")
        if not self._left:
            self.close()

    def close(self) -> None:
        """Stop writing; may be called twice."""
        if not self._pipe.closed:
            self._loop.remove_writer(self._pipe.fileno())
            self._pipe.close()

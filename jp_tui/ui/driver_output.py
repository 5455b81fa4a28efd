"""What goes to the terminal, by a thread of its own: a terminal that stops reading costs frames, never time (T8).

It knows no sequence: what is handed over is complete, and is written or dropped as a whole.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue

_CHUNK = 4096
_BEHIND = 0.25
"""Seconds in one chunk after which frames are dropped until the terminal reads again."""
_NO_PROGRESS, _DRAIN = 1.0, 5.0
"""On leaving: seconds without any progress, and seconds in all, after which output is given up."""


class Output:
    """A thread that writes to a terminal; `write` never blocks and may be called from a signal handler.

    While the terminal takes nothing, what is written is dropped (whole, so no sequence is cut), and `caught_up` is
    called from the thread once it reads again: then the screen has to be painted afresh.
    """

    def __init__(self, fd: int, caught_up: Callable[[], None]) -> None:
        self._fd = fd
        self._caught_up = caught_up
        self._queue: SimpleQueue[str | None] = SimpleQueue()  # reentrant, unlike a lock of ours
        self._since = 0.0  # when the chunk that is being written began, 0 when none is
        self._dropped = False
        self._finishing = False
        self._gone = False
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Queue `text`, complete sequences only."""
        since = self._since
        if since and not self._finishing and time.monotonic() - since > _BEHIND:
            if not self._dropped:
                self._dropped = True
                self._queue.put("")  # so that the thread looks once more
            return
        self._queue.put(text)

    def finish(self) -> None:
        """From now on drop nothing; frames that a stalled terminal has not taken are forgotten."""
        self._finishing = True
        if self._since and time.monotonic() - self._since > _BEHIND:
            with contextlib.suppress(Empty):
                while True:
                    self._queue.get_nowait()

    def close(self) -> bool:
        """Wait for what is queued as long as the terminal takes it; whether all was written."""
        self._queue.put(None)
        end = time.monotonic() + _DRAIN
        while self._thread.is_alive():
            self._thread.join(0.05)
            now = time.monotonic()
            if now > end or (self._since and now - self._since > _NO_PROGRESS):
                self._gone = True  # a blocked write cannot be called off: the thread ends with it
                return False
        return True

    def _run(self) -> None:
        while (text := self._queue.get()) is not None:
            parts = [text]
            last = False
            with contextlib.suppress(Empty):
                while not last:
                    more = self._queue.get_nowait()
                    last = more is None
                    parts.append(more or "")
            self._put("".join(parts).encode("utf-8", "replace"))
            if last:
                return
            if self._dropped and self._queue.empty():
                self._dropped = False
                self._caught_up()

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        while view and not self._gone:
            self._since = time.monotonic()
            try:
                view = view[os.write(self._fd, view[:_CHUNK]) :]
            except BlockingIOError:  # another program left O_NONBLOCK on the shared terminal
                select.select([], [self._fd], [], 1.0)
            except OSError:
                self._gone = True  # hung up: the input thread tells
        self._since = 0.0

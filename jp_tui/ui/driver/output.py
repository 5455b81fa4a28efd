"""Write to the terminal: as much as it takes at once directly, the rest in a thread.

So a terminal that stops reading costs frames but no time (T8), and the paint of a key doesn't wait for a thread. Texts
are complete sequences, each written or dropped as a whole.
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
"""Seconds for one chunk after which frames are dropped until the terminal reads again."""
_NO_PROGRESS, _DRAIN = 1.0, 5.0
"""Seconds without progress, and seconds in all, after which the rest is dropped on leaving."""


class TerminalOutput:
    """Writes to a terminal. `write` never blocks and can be called from a signal handler and from any thread.

    While the terminal takes nothing, texts are dropped as a whole, so that no sequence is cut. `caught_up` is called
    from the thread once the terminal reads again: then the screen has to be painted again.
    """

    def __init__(self, fd: int, caught_up: Callable[[], None]) -> None:
        self._fd = fd
        self._prompt = _prompt(fd)
        self._caught_up = caught_up
        self._queue: SimpleQueue[str | None] = SimpleQueue()  # reentrant, unlike a lock
        self._more: SimpleQueue[None] = SimpleQueue()  # wakes the thread
        self._writing = threading.Lock()  # held while writing; only the thread waits for it
        self._rest = b""  # of a text that is half written; comes before the queue
        self._since = 0.0  # start of the chunk that the thread is writing; 0 for none
        self._dropped = False
        self._finishing = False
        self._gone = False
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Write `text`, complete sequences only, or queue it."""
        since = self._since
        if since and not self._finishing and time.monotonic() - since > _BEHIND:
            if not self._dropped:
                self._dropped = True
                self._hand_over("")  # wakes the thread to call `caught_up`
        elif not self._at_once(text):
            self._hand_over(text)

    def _hand_over(self, text: str | None) -> None:
        self._queue.put(text)
        self._more.put(None)

    def _at_once(self, text: str) -> bool:
        """Write as much as the terminal takes now and leave the rest to the thread.

        Return False if other texts come first.
        """
        if self._prompt is None or not self._writing.acquire(blocking=False):
            return False
        try:
            if self._rest or self._gone or not self._queue.empty():
                return False
            data, done = text.encode("utf-8", "replace"), 0
            with contextlib.suppress(OSError):  # it takes nothing now; the thread finds out if it hung up
                done = os.write(self._prompt, data)
            self._rest = data[done:]
        finally:
            self._writing.release()
        if self._rest:
            self._more.put(None)
        return True

    def finish(self) -> None:
        """Drop nothing from now on. Frames that a stalled terminal hasn't read are dropped now."""
        self._finishing = True
        if self._since and time.monotonic() - self._since > _BEHIND:
            with contextlib.suppress(Empty):
                while True:
                    self._queue.get_nowait()

    def close(self) -> bool:
        """Wait for queued texts as long as the terminal takes them. Return True if all was written."""
        self._hand_over(None)
        end = time.monotonic() + _DRAIN
        while self._thread.is_alive():
            self._thread.join(0.05)
            now = time.monotonic()
            if now > end or (self._since and now - self._since > _NO_PROGRESS):
                self._gone = True  # a blocked write can't be cancelled: the thread ends with it
                return False
        return True

    def _run(self) -> None:
        last = False
        while not last:
            self._more.get()
            with self._writing:
                parts: list[str] = []
                with contextlib.suppress(Empty):
                    while (part := self._queue.get_nowait()) is not None:
                        parts.append(part)
                    last = True
                rest, self._rest = self._rest, b""
                self._put(rest + "".join(parts).encode("utf-8", "replace"))
            if self._dropped and self._queue.empty() and not last:
                self._dropped = False
                self._caught_up()
        with self._writing:
            prompt, self._prompt = self._prompt, None
        if prompt is not None:
            os.close(prompt)

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        while view and not self._gone:
            self._since = time.monotonic()
            try:
                view = view[os.write(self._fd, view[:_CHUNK]) :]
            except BlockingIOError:  # another program left O_NONBLOCK on the shared terminal
                select.select([], [self._fd], [], 1.0)
            except OSError:
                self._gone = True  # hung up: the input thread reports it
        self._since = 0.0


def _prompt(fd: int) -> int | None:
    """Open the same terminal again without blocking, which other programs on it don't notice.

    Return None if that isn't possible.
    """
    with contextlib.suppress(OSError):
        if os.isatty(fd):
            return os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    return None

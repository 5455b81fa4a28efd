"""Signals that end a command cleanly: the turn is closed in the log, the last line is complete (surface S1).

A signal takes effect only while the command waits, never within a line. A second one ends it at once, without harm to
the log. Signals ignored at the start stay ignored (`nohup`, `&`). A front end that uses Ctrl+C as a key handles it with
`interrupt`, until `final`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

_HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(BaseException):
    """Raised to end the command because of signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Endings:
    """Context in which signals are handled.

    Main thread only. `wake` is a descriptor that every signal writes to, so that none is missed just before a wait.
    `interrupt` is called for each SIGINT instead of ending, at any point of the program: it may only record the call.
    """

    def __init__(self, wake: int = -1, interrupt: Callable[[], None] | None = None) -> None:
        self._wake, self._interrupt = wake, interrupt
        self._woke_before = -1
        self._number = 0
        self._listening = False
        self._before: dict[int, object] = {}

    def __enter__(self) -> Endings:
        self._woke_before = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        for number in _HEARD:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:
                self._before[number] = before
                signal.signal(number, self._came)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self._woke_before)

    def final(self) -> None:
        """Let SIGINT end at once from here on, too."""
        self._interrupt = None
        if signal.SIGINT in self._before:
            signal.signal(signal.SIGINT, signal.SIG_DFL)

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Wait inside this context: Ended is raised as soon as a signal arrives, before or during it."""
        self._listening = True
        try:
            if self._number:
                raise Ended(self._number)
            yield
        finally:
            self._listening = False

    def _came(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and self._interrupt is not None:
            self._interrupt()
            return
        self._number = self._number or number
        for each in self._before:
            signal.signal(each, signal.SIG_DFL)
        if self._listening:
            self._listening = False
            raise Ended(self._number)

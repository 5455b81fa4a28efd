"""Hold output back until the whole first frame can be shown at once.

Until then the guardian has the screen and the keys (designs.md A.4, A.5): the input thread waits, and it passes on the
keys typed before, ahead of those it reads. The app decides when the frame is complete.
"""

from __future__ import annotations

import contextlib
import os
import signal
import termios
import threading
from collections.abc import Callable
from typing import Any

from jp_tui import guardian

_ALTERNATE = "\x1b[?1049h"


class FirstFrame:
    """Held output of one driver, and the keys typed before it read any. `write` is the driver's."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._held: list[str] | None = None
        self._left_while_held = False
        self._typed_before = b""
        self._may_read = threading.Event()

    @property
    def held(self) -> bool:
        """True while output is held back."""
        return self._held is not None

    def begin(self, *, hold: bool) -> None:
        """Hold output back from now on and read no keys; without `hold` read keys at once."""
        if hold:
            self._held = []
        else:
            self._may_read.set()

    def hold(self, data: str) -> bool:
        """Hold `data` back if output is held. Return False if it has to be written."""
        if self._held is None:
            return False
        self._held.append(data)
        return True

    def is_complete(self, rows: int) -> bool:
        """Return True if the held output has a whole frame: it moves to each of its rows."""
        return any(f"\x1b[{rows};1H" in piece for piece in self._held or ())

    def drop_frames(self) -> None:
        """Drop the held frames, which are out of date. Modes and titles stay."""
        if self._held is not None:
            self._held = [piece for piece in self._held if not (piece[:2] == "\x1b[" and piece[2:3].isdigit())]

    def release(self, typed: bytes = b"") -> None:
        """Write the held output in one piece and read keys, after those that were `typed` before."""
        held, self._held = self._held, None
        if held is None:
            return
        text = "".join(held)
        if guardian.frame_shown() and not self._left_while_held:
            text = text.replace(_ALTERNATE, "", 1)  # the guardian is on that screen; some terminals would clear it
        self._typed_before = typed
        self._write(f"\x1b[?2026h{text}\x1b[?2026l")
        self._may_read.set()

    def release_incomplete(self) -> None:
        """Release the held output if no whole frame came in time, with all keys as they were typed."""
        if self.held:
            text, cursor, rest = guardian.take_keys()
            self.release(text.encode() + b"\x1b[D" * (len(text) - cursor) + rest)

    def drop(self) -> None:
        """Drop all held output: the screen is left before it was shown."""
        self._held = None

    def wait_for_keys(self) -> bytes:
        """Block until keys may be read. Return the keys typed before."""
        self._may_read.wait()
        ahead, self._typed_before = self._typed_before, b""
        return ahead

    def end_wait(self) -> None:
        """Let the input thread continue, so that it can end."""
        self._may_read.set()

    def stop(self) -> None:
        """Stop the process while the guardian has the screen. It restores the terminal, and takes it again."""
        self._left_while_held = not guardian.guardian_reads_keys()
        os.kill(os.getpid(), signal.SIGSTOP)

    def continued(self, terminal: int, raw: list[Any] | None) -> None:
        """Continue after a stop. Set `raw` mode on the terminal (a descriptor) if the guardian released the keys."""
        if raw is not None and not guardian.guardian_reads_keys():
            self._left_while_held = True
            with contextlib.suppress(termios.error):
                termios.tcsetattr(terminal, termios.TCSANOW, raw)

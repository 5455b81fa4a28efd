"""The driver's part in the hand-over: what is painted is kept back until the whole first frame can be seen at once.

Until then screen and keys are the guardian's (designs.md A.4, A.5); the key thread waits, and what was typed before
goes through it ahead of what it reads. It decides nothing about when: the app lets go.
"""

from __future__ import annotations

import contextlib
import os
import signal
import termios
import threading
from typing import Any

from jp_tui import guardian

_ALTERNATE = "\x1b[?1049h"


class Held:
    """Output that is kept back, and keys that were typed before."""

    fileno: int
    _raw: list[Any] | None

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._held: list[str] | None = None
        self._left_while_held = False
        self._typed_ahead = b""
        self._go = threading.Event()

    def write(self, data: str) -> None:
        """To the terminal."""
        raise NotImplementedError

    @property
    def holding(self) -> bool:
        """Whether what is painted is kept back."""
        return self._held is not None

    def hold(self, back: bool) -> None:
        """Keep back what is painted from here on, and read no keys; or read them at once."""
        if back:
            self._held = []
        else:
            self._go.set()

    def kept_back(self, data: str) -> bool:
        """Whether it was, and need not be written."""
        if self._held is None:
            return False
        self._held.append(data)
        return True

    def framed(self, rows: int) -> bool:
        """Whether a whole frame is among what is kept back: it moves to each of its rows."""
        return any(f"\x1b[{rows};1H" in piece for piece in self._held or ())

    def forget_frames(self) -> None:
        """What was painted is out of date: only modes and titles are kept."""
        if self._held is not None:
            self._held = [piece for piece in self._held if not (piece[:2] == "\x1b[" and piece[2:3].isdigit())]

    def let_go(self, typed: bytes = b"") -> None:
        """Show what was painted, at once, and read the keys, after those that were `typed` before."""
        held, self._held = self._held, None
        if held is None:
            return
        text = "".join(held)
        if guardian.skeleton_stands() and not self._left_while_held:
            text = text.replace(_ALTERNATE, "", 1)  # it stands there; some terminals would empty it
        self._typed_ahead = typed
        self.write(f"\x1b[?2026h{text}\x1b[?2026l")
        self._go.set()

    def let_go_at_last(self) -> None:
        """No frame came that the app was waiting for: whatever there is, and all keys as they were typed."""
        if self.holding:
            text, cursor, rest = guardian.take_keys()
            self.let_go(text.encode() + b"\x1b[D" * (len(text) - cursor) + rest)

    def forget_held(self) -> None:
        """The screen is left before it was seen."""
        self._held = None

    def may_read(self) -> bytes:
        """Wait until the keys are ours; what was typed before."""
        self._go.wait()
        ahead, self._typed_ahead = self._typed_ahead, b""
        return ahead

    def stop_held(self) -> None:
        """Stop while the screen is the guardian's: it brings the terminal back, and takes it again."""
        self._left_while_held = not guardian.keeps_keys()
        os.kill(os.getpid(), signal.SIGSTOP)

    def continued_held(self) -> None:
        """Continued before the first frame was seen: the guardian has screen and keys, unless it gave the keys away."""
        if self._raw is not None and not guardian.keeps_keys():
            self._left_while_held = True
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self._raw)

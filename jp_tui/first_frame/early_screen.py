"""The screen and the keys until the app takes over: draws the frame, echoes what is typed, hands both over.

The terminal is made raw without a flush, so nothing that was typed ahead is lost, and it is read until the app asks for
the keys; then never again (designs.md A.3, A.6). It knows no process: the loop in `guardian/parent.py` calls it.
"""

from __future__ import annotations

import posix
import time

from jp_tui.first_frame.saved_look import chosen
from jp_tui.first_frame.skeleton import BEGIN, LEAST, SkeletonContext, frame, line, painted, room
from jp_tui.first_frame.typed_keys import Typed
from jp_tui.guardian.parent import GONE, LEAVE
from jp_tui.guardian.terminal import STDIN, STDOUT, in_foreground, paint, raw, restore, settings, used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jp_tui.first_frame.saved_look import Look


class Start:
    """Facts of the command line about the frame.

    `theme` is empty if no theme is named. `blank`: the command line changes more than the saved look knows, so nothing
    is drawn. `elsewhere`: another folder than the current one. `busy`: a prompt was given.
    """

    def __init__(self, theme: str = "", *, blank: bool = False, elsewhere: bool = False, busy: bool = False) -> None:
        self.theme, self.blank, self.elsewhere, self.busy = theme, blank, elsewhere, busy


def terminal_size() -> tuple[int, int]:
    """The columns and rows that are used; zeros if stdout isn't a terminal."""
    try:
        width, height = posix.get_terminal_size(STDOUT)
    except OSError:
        return 0, 0
    return used(width, height)


class EarlyScreen:
    """The guardian's screen and keys, from `begin` until the answer to the app's request for them."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._original: list[Any] = []
        self._typed = Typed()
        self._look: Look | None = None
        self._place = SkeletonContext()
        self._last: tuple[int, int, str] | None = None
        self._interrupts = 0  # Ctrl+C at the end of what was typed; two mean that the user doesn't want to wait
        self._owed = 0.0  # when the keys are handed over at the latest, once the app has asked for them

    @property
    def drawn(self) -> bool:
        """True if the alternate screen was entered."""
        return self._look is not None

    @property
    def full(self) -> bool:
        """True if nothing more should be read."""
        return self._typed.full

    def take(self, original: list[Any]) -> bool:
        """Keep the terminal's `original` settings. False if the terminal isn't ours or is too small for a frame."""
        self._original = original
        if not posix.isatty(STDOUT) or not in_foreground(STDIN):
            return False
        width, height = terminal_size()
        return width >= LEAST[0] and height >= LEAST[1]

    def begin(self) -> None:
        """Take the keys and the screen."""
        settings(raw(self._original))
        look = None if self._start.blank else chosen(posix.environ, self._start.theme)
        if look is None:
            self._typed.freeze()
            return
        self._look = look
        folder = b"" if self._start.elsewhere else _here()
        self._place = SkeletonContext(folder.decode("utf-8", "replace"), self._start.busy)
        self._draw(BEGIN)

    def again(self) -> None:
        """Take the keys and the screen back after a stop, when a shell had the terminal."""
        settings(raw(self._original))
        self._draw(BEGIN)

    def resized(self) -> None:
        """Draw the frame for the terminal's new size."""
        self._draw("")

    def show(self, width: int, height: int, text: str) -> None:
        """Paint the last screen of the resumed conversation, also after a stop, while the terminal has this size."""
        self._last = width, height, text
        if self._look is not None and terminal_size() == (width, height):
            paint(STDOUT, text)

    def _draw(self, first: str) -> None:
        width, height = terminal_size()
        if self._look is None:
            return
        if width < LEAST[0] or height < LEAST[1]:
            self._typed.freeze()
            paint(STDOUT, f"{first}\x1b[0;{self._look.colours['ground']}m\x1b[2J")
            return
        self._typed.room = room(self._look, width)
        drawn = frame(self._look, self._place, self._typed.text, self._typed.cursor, width, height)
        if self._last is not None and self._last[:2] == (width, height):
            drawn += self._last[2]
        paint(STDOUT, first + drawn)

    def read(self) -> str:
        """Take what was typed and show it. Returns GONE if the terminal hung up, LEAVE for Ctrl+C twice, else ""."""
        try:
            data = posix.read(STDIN, 4096)
        except OSError:
            data = b""
        if not data:
            return GONE
        last = len(data) - len(data.rstrip(b"\x03"))
        self._interrupts = self._interrupts + last if last == len(data) else last
        if self._typed.feed(data) and self._look is not None:
            found = line(self._look, self._typed.text, self._typed.cursor, *terminal_size())
            paint(STDOUT, painted(self._look, found))
        return LEAVE if self._interrupts > 1 else ""

    def wanted(self) -> None:
        """Handle the app's request for the keys. An incomplete sequence waits briefly for its rest."""
        self._owed = time.monotonic() + self._typed.cut

    def due(self) -> float | None:
        """Seconds until the keys are handed over, 0 if nothing is cut; None if the app hasn't asked for them."""
        if not self._owed:
            return None
        return max(0.0, self._owed - time.monotonic()) if self._typed.cut else 0.0

    def answer(self, *, rest: bool) -> bytes:
        """Return the typed text, in the form that `guardian/child.py` reads; with the `rest` if nothing more is read
        here."""
        text, raw_rest = self._typed.text.encode(), self._typed.rest if rest else b""
        return b"%08x%08x%08x%08x" % (self._typed.cursor, len(text), len(raw_rest), self.drawn) + text + raw_rest

    def put_back(self) -> None:
        """Restore the terminal, because the app didn't take it over."""
        if self.drawn:
            restore(self._original)
        elif in_foreground(STDIN):
            settings(self._original)


def _here() -> bytes:
    try:
        return posix.getcwdb()
    except OSError:
        return b""

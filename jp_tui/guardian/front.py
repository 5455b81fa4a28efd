"""What the guardian does until the app is there: it draws the skeleton, echoes what is typed, and hands both over.

The terminal is made raw without a flush, so nothing that was typed ahead is lost, and read until the app asks for the
keys; then never again (designs.md A.3, A.6). It knows no process: the loop in `parent.py` calls it.
"""

from __future__ import annotations

import posix
import time

from jp_tui.guardian.look import chosen
from jp_tui.guardian.skeleton import BEGIN, LEAST, Place, frame, line, painted, room, used
from jp_tui.guardian.terminal import STDIN, STDOUT, in_foreground, paint, raw, restore, settings
from jp_tui.guardian.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jp_tui.guardian.look import Look


GONE, LEAVE = "gone", "leave"
NOTHING = b"%032x" % 0
"""The answer of a guardian that has no keys."""


class Wish:
    """What the command line says of the first frame: the theme, if it names one; `blank`: too much else to draw it;
    `elsewhere`: another folder than this; `busy`: a prompt."""

    def __init__(self, theme: str = "", *, blank: bool = False, elsewhere: bool = False, busy: bool = False) -> None:
        self.theme, self.blank, self.elsewhere, self.busy = theme, blank, elsewhere, busy


def possible(original: list[Any] | None) -> bool:
    """Whether there is a terminal that is ours, with room for the workspace."""
    if original is None or not posix.isatty(STDOUT) or not in_foreground(STDIN):
        return False
    width, height = _size()
    return width >= LEAST[0] and height >= LEAST[1]


def _size() -> tuple[int, int]:
    try:
        width, height = posix.get_terminal_size(STDOUT)
    except OSError:
        return 0, 0
    return used(width, height)


class Front:
    """The guardian's own screen and keys, from `begin` to `end`."""

    def __init__(self, original: list[Any], wish: Wish) -> None:
        self.original, self.wish = original, wish
        self.typed = Typed()
        self.look: Look | None = None
        self.place = Place()
        self.leaves = 0
        """Ctrl+C at the end of what was typed: two mean that nobody wants to wait."""
        self.owed = 0.0
        """When the keys are handed over at the latest, once the app has asked for them."""

    @property
    def drawn(self) -> bool:
        """Whether the alternate screen is there."""
        return self.look is not None

    def begin(self) -> None:
        """Take keys and screen."""
        settings(raw(self.original))
        look = None if self.wish.blank else chosen(posix.environ, self.wish.theme)
        if look is None:
            self.typed.freeze()
            return
        self.look = look
        folder = b"" if self.wish.elsewhere else _here()
        self.place = Place(folder.decode("utf-8", "replace"), self.wish.busy)
        self._draw(BEGIN)

    def again(self) -> None:
        """After a stop, when a shell had the terminal."""
        settings(raw(self.original))
        self._draw(BEGIN)

    def resized(self) -> None:
        """The screen has another size now."""
        self._draw("")

    def _draw(self, first: str) -> None:
        width, height = _size()
        if self.look is None:
            return
        if width < LEAST[0] or height < LEAST[1]:
            self.typed.freeze()
            paint(STDOUT, f"{first}\x1b[0;{self.look.colours['ground']}m\x1b[2J")
            return
        self.typed.room = room(self.look, width)
        paint(STDOUT, first + frame(self.look, self.place, self.typed.text, self.typed.cursor, width, height))

    def read(self) -> str:
        """Take what was typed and show it; says when the terminal is GONE, or that Ctrl+C twice means LEAVE."""
        try:
            data = posix.read(STDIN, 4096)
        except OSError:
            data = b""
        if not data:
            return GONE
        last = len(data) - len(data.rstrip(b"\x03"))
        self.leaves = self.leaves + last if last == len(data) else last
        if self.typed.feed(data) and self.look is not None:
            width, height = _size()
            found = line(self.look, self.typed.text, self.typed.cursor, width, height)
            paint(STDOUT, painted(self.look, found))
        return LEAVE if self.leaves > 1 else ""

    def wanted(self) -> None:
        """The app wants the keys; what is cut gets its other half first, for a moment."""
        self.owed = time.monotonic() + self.typed.cut

    def due(self) -> float | None:
        """Seconds until the keys are handed over, at once when nothing is cut any more; None while nobody asked."""
        if not self.owed:
            return None
        return max(0.0, self.owed - time.monotonic()) if self.typed.cut else 0.0

    def answer(self, *, rest: bool) -> bytes:
        """What was typed, as `child.py` reads it; with the `rest` when nothing more will be read here."""
        text, raw_rest = self.typed.text.encode(), self.typed.rest if rest else b""
        return b"%08x%08x%08x%08x" % (self.typed.cursor, len(text), len(raw_rest), self.drawn) + text + raw_rest

    def put_back(self) -> None:
        """The terminal as it was: nobody took it over."""
        if self.drawn:
            restore(self.original)
        elif in_foreground(STDIN):
            settings(self.original)


def _here() -> bytes:
    try:
        return posix.getcwdb()
    except OSError:
        return b""

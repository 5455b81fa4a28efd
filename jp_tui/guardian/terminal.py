"""The terminal itself: write without blocking, raw mode, restore (T6).

Never blocks on a terminal that stopped reading, flushes typed input only on restore, and prints only printable text.
Independent of processes.
"""

from __future__ import annotations

import posix
import select
import termios
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

STDIN, STDOUT, STDERR = 0, 1, 2
RESET = (
    "\x18\x1b\\"  # CAN and ST end a sequence that was cut in the middle
    "\x1b[?2026l\x1b[0m"
    "\x1b[<u"  # the kitty keyboard belongs to the alternate screen: pop it before leaving
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"
    "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"
    "\x1b]22;default\x1b\\\x1b[23;0t"  # the pointer, and the window's title from the terminal's own stack
    "\x1b[?1l\x1b>\x1b[r\x1b[?7h"
    "\x1b[?1049l\x1b[?25h\x1b[0 q\x1b[0m"
)
"""Undoes every mode that the app or Textual may have set; harmless for a terminal that is already clean."""
MOST = (1_000, 400)
"""Maximum columns and rows (Z27): a screen is laid out cell by cell, and 10,000 by 10,000 cells are gigabytes. An 8K
wall in the smallest legible font has fewer."""
STALL = 0.5
"""Seconds for which a terminal may refuse to take a byte before it is given up."""
_PIECE = 512
"""Bytes that a terminal which accepts any accepts at once (the kernel's line discipline reports that from 256 on)."""
_LINE = 400


def used(width: int, height: int) -> tuple[int, int]:
    """The columns and rows of a terminal that are used (Z27)."""
    return min(width, MOST[0]), min(height, MOST[1])


def put(fd: int, text: str, limit: float = STALL, piece: int = 1) -> bool:
    """Write to a terminal `piece` by piece, as it takes them: never blocks longer than `limit` seconds in all.

    A blocking write cannot be given a limit, and O_NONBLOCK would be seen by the shell, which shares the
    description. False when the terminal stopped reading or is gone.
    """
    data = text.encode("utf-8", "replace")
    ready = select.poll()
    ready.register(fd, select.POLLOUT)
    end = time.monotonic() + limit
    try:
        for at in range(0, len(data), piece):
            events = ready.poll(max(0.0, end - time.monotonic()) * 1000)
            if not events or not events[0][1] & select.POLLOUT:
                return False
            posix.write(fd, data[at : at + piece])
    except OSError:
        return False
    return True


def paint(fd: int, text: str) -> bool:
    """As `put`, in larger pieces, for a terminal that was just taken and therefore reads."""
    return put(fd, text, STALL, _PIECE)


def in_foreground(fd: int) -> bool:
    """True if this process may set the terminal; also without job control."""
    try:
        return posix.tcgetpgrp(fd) == posix.getpgrp()
    except OSError:
        return True


def raw(attributes: list[Any]) -> list[Any]:
    """These settings as Textual makes them: no echo, no line editing, no signals, no flow control."""
    made = [*attributes[:6], list(attributes[6])]
    made[0] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    made[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    made[6][termios.VMIN], made[6][termios.VTIME] = 1, 0
    return made


def settings(attributes: list[Any]) -> None:
    """Set them at once, and keep what was typed ahead (TCSAFLUSH would drop it)."""
    quietly(termios.tcsetattr, STDIN, termios.TCSANOW, attributes)


def undiscarded(attributes: list[Any]) -> list[Any]:
    """Return these settings, changed so that Ctrl+C doesn't discard output that the terminal has still to read, which
    restores it."""
    return [*attributes[:3], attributes[3] | termios.NOFLSH, *attributes[4:]]


def hand_over_terminal(attributes: list[Any] | None) -> None:
    """Restore the exact settings after all output; from now on the terminal belongs to another process."""
    if attributes is not None and in_foreground(STDIN):
        settings(attributes)


def restore(attributes: list[Any] | None) -> None:
    """Restore `attributes` as termios returned them, send RESET and drop typed input; `hand_over_terminal` ends it.

    Output that a stalled terminal hasn't read is discarded, so that it reads RESET first.
    """
    if attributes is not None and in_foreground(STDIN):
        settings(undiscarded(attributes))
    if not put(STDOUT, RESET):
        quietly(termios.tcflush, STDOUT, termios.TCOFLUSH)
        put(STDOUT, RESET)
    quietly(termios.tcflush, STDIN, termios.TCIFLUSH)  # mouse reports and replies are not for the shell


def printable(text: str) -> list[str]:
    """Lines that may reach a terminal as they are: no control, format or surrogate character, none too long."""
    lines = ("".join(c if c.isprintable() else "?" for c in line.expandtabs()) for line in text.splitlines())
    return [_cut(line) for line in lines if line.strip()]


def _cut(line: str) -> str:
    """At most `_LINE` characters, with how many are left out."""
    kept = _LINE - 32
    return line if len(line) <= _LINE else f"{line[:kept]}... ({len(line) - kept} more characters)"


def first(lines: list[str], most: int) -> list[str]:
    """The first of these lines, and how many more there are."""
    return lines if len(lines) <= most else [*lines[:most], f"... {len(lines) - most} more lines"]


def quietly(call: Callable[..., object], *arguments: object) -> None:
    """Run `call`; ignore OSError and termios.error: the terminal or the other process is gone."""
    try:
        call(*arguments)
    except (OSError, termios.error):
        return

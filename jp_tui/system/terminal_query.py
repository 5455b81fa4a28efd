"""Query a terminal's capabilities: keys, modes, and whether it responds at all (traps.md T27).

One write, one read until the reply that every terminal sends, or 0.2 s. The terminal's state is restored, and no reply
reaches the shell. Parsing is pure.
"""

from __future__ import annotations

import os
import re
import select
import termios
import time
import tty
from contextlib import suppress
from dataclasses import dataclass

SECONDS = 0.2
_ASK = b"\x1b[?u\x1b[?1004$p\x1b[?2026$p\x1b[c"
_END = re.compile(rb"\x1b\[\?[\d;]*c")


@dataclass(frozen=True, slots=True)
class TerminalReplies:
    """The replies; None where there was none. `keys`: the kitty protocol, `focus`: focus reports, `sync`: synchronized
    output. `any`: it responded at all."""

    any: bool = False
    keys: bool | None = None
    focus: bool | None = None
    sync: bool | None = None


def ask(descriptor: int, seconds: float = SECONDS) -> TerminalReplies:
    """Query the terminal at this descriptor, which must be readable and writable. Raises OSError if it isn't a
    terminal."""
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error as error:
        raise OSError(str(error)) from None
    try:
        tty.setraw(descriptor, termios.TCSAFLUSH)
        os.write(descriptor, _ASK)
        return read(_read_reply(descriptor, seconds))
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def _read_reply(descriptor: int, seconds: float) -> bytes:
    heard, until = b"", time.monotonic() + seconds
    while not _END.search(heard) and len(heard) < 4096:
        left = until - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            break
        if not (more := os.read(descriptor, 1024)):
            break
        heard += more
    return heard


def read(heard: bytes) -> TerminalReplies:
    """Parse a reply. Pure."""
    ended = bool(_END.search(heard))
    keys = bool(re.search(rb"\x1b\[\?\d+u", heard))
    focus, sync = _mode(heard, b"1004"), _mode(heard, b"2026")
    return TerminalReplies(
        any=ended or keys or focus is not None or sync is not None,
        keys=True if keys else False if ended else None,
        focus=focus,
        sync=sync,
    )


def _mode(heard: bytes, mode: bytes) -> bool | None:
    """Return whether it supports a mode (DECRPM): 0 and 4 mean no."""
    found = re.search(rb"\x1b\[\?" + mode + rb";(\d)\$y", heard)
    return None if found is None else found[1] in b"123"

"""What a terminal answers when it is asked what it can: keys, modes, and whether it answers at all (traps.md T27).

One write, one read that ends with the answer every terminal gives, or after a fifth of a second. The terminal is as it
was afterwards, and nothing of the answer reaches the shell. The reading of it is pure.
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
    """What it said; None where it did not say. `keys`: the kitty protocol, `focus`: reports of it, `sync`: frames that
    are drawn at once. `any`: it answered at all."""

    any: bool = False
    keys: bool | None = None
    focus: bool | None = None
    sync: bool | None = None


def ask(descriptor: int, seconds: float = SECONDS) -> TerminalReplies:
    """Ask the terminal at this descriptor, which can be read and written. OSError when it is none."""
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error as error:
        raise OSError(str(error)) from None
    try:
        tty.setraw(descriptor, termios.TCSAFLUSH)
        os.write(descriptor, _ASK)
        return read(_heard(descriptor, seconds))
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)


def _heard(descriptor: int, seconds: float) -> bytes:
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
    """What an answer says. Pure."""
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
    """Whether it knows a mode (DECRPM): 0 and 4 are no."""
    found = re.search(rb"\x1b\[\?" + mode + rb";(\d)\$y", heard)
    return None if found is None else found[1] in b"123"

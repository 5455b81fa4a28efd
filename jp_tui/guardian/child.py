"""The app's side of the talk with its guardian: words over one pipe, answers and the guardian's death over the other.

Everything here does the plain thing in a process that has no guardian. It knows no screen and no key.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import posix
import select
import sys
import termios

from jp_tui.guardian.terminal import STDERR, STDIN, first, in_foreground, printable, quietly, raw, restore, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

UP, DOWN, WORD = b"R", b"X", b"W"
"""The app's words over the pipe: screen (re)started, screen left and restored, a last word follows."""
SO_FAR, GIVE = b"S", b"G"
"""Asks what was typed so far; asks for it all, and the keys are the app's from then on."""
LAST_SCREEN = b"P"
"""Followed by its length in eight hex digits: columns and rows in four hex digits each, and what is to be written."""
HEAD = 32
"""Bytes before an answer: the cursor, how long the text and the rest are, and whether the alternate screen is there, as
four numbers of eight hex digits."""
NO_KEYS = b"%032x" % 0
"""The answer of a guardian that has no keys."""
WORD_LINES = 8


class Self:
    """What this process knows of its guardian; the values of a process that has none until `run_guarded`."""

    guardian = 0
    to_parent = -1
    from_parent = -1
    capture = -1
    stderr = -1
    can_stop = True
    fronted = False
    drawn = 0
    pictured = False
    original: list[Any] | None = None
    word: tuple[str, bool] | None = None
    lent: tuple[str, ...] = ()


def parent_pipe_fd() -> int | None:
    """Becomes readable (end of file) when the guardian has died; None when there is no guardian."""
    return Self.from_parent if Self.from_parent >= 0 else None


def in_background(fd: int) -> bool:
    """Whether a shell has the terminal and can give it back. Not when the guardian died: then we are an orphan, which
    nobody would continue after a stop. Looked at in this order, since the shell takes the terminal after the death."""
    return not in_foreground(fd) and Self.guardian in (0, posix.getppid())


def original_termios() -> list[Any] | None:
    """The terminal's settings from before the fork, None when there is no guardian."""
    return Self.original


def can_suspend() -> bool:
    """Whether a shell with job control could continue us after a stop."""
    return Self.can_stop


# -- what was typed before we were there


def keeps_keys() -> bool:
    """Whether the guardian has the screen and the keys still, until `take_keys`."""
    return Self.fronted


def abandoned() -> bool:
    """Whether the guardian died while it had screen and keys."""
    if not Self.fronted:
        return False
    ready, _, _ = select.select([Self.from_parent], [], [], 0)
    return bool(ready)  # nothing was asked, so it is the end of file


def bring_back() -> None:
    """What an `abandoned` app does, which is an orphan in the background perhaps: the terminal as it was."""
    _signal.signal(_signal.SIGTTOU, _signal.SIG_IGN)
    if Self.original is not None:
        try:
            ours = termios.tcgetattr(STDIN) == raw(Self.original)
        except termios.error:
            ours = False
        if ours:  # else a shell has set its own already
            settings(Self.original)
    restore(None)


def skeleton_stands() -> bool:
    """Whether the alternate screen was there already when the keys were taken."""
    return bool(Self.drawn)


def show_last_screen(width: int, height: int, text: str) -> None:
    """Have the guardian paint `text` over its frame while the terminal has this size; nothing happens without a frame.

    Only sequences that place and colour printable text are allowed in it (`first_frame/last_screen.py` makes it).
    """
    if Self.fronted:
        _asked(SO_FAR)
    if Self.drawn:
        Self.pictured = True
        data = b"%04x%04x" % (width, height) + text.encode("utf-8", "replace")
        _tell(LAST_SCREEN + b"%08x" % len(data) + data)


def last_screen_shown() -> bool:
    """True if the guardian was given a last screen, so that the app can wait for the conversation itself."""
    return Self.pictured


def typed_so_far() -> tuple[str, int]:
    """The text that was typed, and where the cursor stands in it."""
    return _asked(SO_FAR)[:2] if Self.fronted else ("", 0)


def take_keys() -> tuple[str, int, bytes]:
    """The text, the cursor, and the bytes that the guardian did not understand; what is typed now stays in the kernel.

    Waits for at most 0.3 s, while a sequence is cut in two. What a dead guardian knew is gone.
    """
    if not Self.fronted:
        return "", 0, b""
    Self.fronted = False
    return _asked(GIVE)


def _asked(question: bytes) -> tuple[str, int, bytes]:
    _tell(question)
    head = _heard(HEAD)
    if len(head) < HEAD:
        return "", 0, b""
    cursor, text, rest, Self.drawn = (int(head[at : at + 8], 16) for at in (0, 8, 16, 24))
    body = _heard(text + rest)
    return body[:text].decode("utf-8", "replace"), cursor, body[text:]


def _heard(size: int) -> bytes:
    """So many bytes from the guardian; fewer when it is gone."""
    data = b""
    while len(data) < size:
        select.select([Self.from_parent], [], [])
        more = posix.read(Self.from_parent, size - len(data))
        if not more:
            break
        data += more
    return data


# -- the screen


def screen_up(*, aside: bool = True) -> None:
    """Say, before the first byte, that the screen is taken; stderr goes aside until `screen_down`, unless the driver
    draws there."""
    _tell(UP)
    if aside:
        set_stderr_aside()
    else:
        _stderr_back()


def set_stderr_aside() -> None:
    """What is said there while the screen is taken is kept, and printed when the terminal is back."""
    if Self.capture >= 0 and Self.stderr < 0 and posix.isatty(STDERR):
        quietly(sys.stderr.flush)
        Self.stderr = posix.dup(STDERR)
        posix.dup2(Self.capture, STDERR)


def screen_down() -> None:
    """Say that the terminal is as before; harmless when said twice."""
    _stderr_back()
    _tell(DOWN)


def _stderr_back() -> None:
    if Self.stderr >= 0:
        quietly(sys.stderr.flush)
        posix.dup2(Self.stderr, STDERR)
        posix.close(Self.stderr)
        Self.stderr = -1


def last_word(text: str, *, error: bool = False) -> None:
    """What is printed after the terminal is restored, on stdout or with `error` on stderr; the last call counts.

    One plain line; a crash may use a few. Without a guardian it waits for `say_last_word`.
    """
    text = "\n".join(first(printable(text), WORD_LINES))
    Self.word = (text, error)
    data = text.encode("utf-8", "replace")[:16_000]  # what is printable has at most this many bytes
    _tell(WORD + b"%d%04x" % (error, len(data)) + data)


def say_last_word() -> None:
    """Print the last word of a process that has no guardian (with one this does nothing)."""
    if Self.to_parent < 0 and Self.word is not None:
        text, error = Self.word
        Self.word = None
        print(text, file=sys.stderr if error else sys.stdout)


def lend_environment(values: Mapping[str, str]) -> None:
    """Set what a library reads at its import only; what the user has set stays."""
    import os

    Self.lent = tuple(name for name in values if name not in os.environ)
    os.environ.update({name: values[name] for name in Self.lent})


def return_environment() -> None:
    """Take back what was lent, so that an editor or a tool started later does not inherit it."""
    import os

    for name in Self.lent:
        os.environ.pop(name, None)
    Self.lent = ()


def _tell(data: bytes) -> None:
    if Self.to_parent >= 0:
        quietly(_write, data)


def _write(data: bytes) -> None:
    while data:
        data = data[posix.write(Self.to_parent, data) :]

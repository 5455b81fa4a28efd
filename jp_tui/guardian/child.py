"""The app's side of the channel to its guardian: messages over one pipe, answers and the guardian's end over the other.

In a process without a guardian every function here does nothing, or what is right without one.
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
"""Messages of the app: screen (re)started, screen left and restored, a last word follows."""
SO_FAR, GIVE = b"S", b"G"
"""Requests: what was typed so far; everything that was typed, and from then on the app reads the keys."""
LAST_SCREEN = b"P"
"""Followed by its length in eight hex digits: columns and rows in four hex digits each, and what is to be written."""
HEAD = 32
"""Bytes before an answer, four numbers of eight hex digits: the cursor, the lengths of the text and of the rest, and
whether the alternate screen was entered."""
NO_KEYS = b"%032x" % 0
"""The answer of a guardian that has no keys."""
WORD_LINES = 8


class Self:
    """This process's knowledge of its guardian; before `run_guarded` the values of a process without one."""

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
    """Becomes readable (end of file) when the guardian dies; None if there is no guardian."""
    return Self.from_parent if Self.from_parent >= 0 else None


def in_background(fd: int) -> bool:
    """True if a shell has the terminal and can return it. False if the guardian died: then this process is an orphan,
    which nothing would continue after a stop. Checked in this order, since the shell takes the terminal after the
    death."""
    return not in_foreground(fd) and Self.guardian in (0, posix.getppid())


def original_termios() -> list[Any] | None:
    """The terminal's settings from before the fork; None if there is no guardian."""
    return Self.original


def can_suspend() -> bool:
    """True if a shell with job control could continue this process after a stop."""
    return Self.can_stop


# -- what was typed before the app was loaded


def guardian_reads_keys() -> bool:
    """True while the guardian has the screen and the keys, until `take_keys`."""
    return Self.fronted


def abandoned() -> bool:
    """True if the guardian died while it had the screen and the keys."""
    if not Self.fronted:
        return False
    ready, _, _ = select.select([Self.from_parent], [], [], 0)
    return bool(ready)  # no request was sent, so it is the end of file


def bring_back() -> None:
    """Restore the terminal in an `abandoned` app, which may be an orphan in the background."""
    _signal.signal(_signal.SIGTTOU, _signal.SIG_IGN)
    if Self.original is not None:
        try:
            ours = termios.tcgetattr(STDIN) == raw(Self.original)
        except termios.error:
            ours = False
        if ours:  # else a shell has already set its own
            settings(Self.original)
    restore(None)


def frame_shown() -> bool:
    """True if the guardian had entered the alternate screen when the keys were taken."""
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
    """The typed text so far, and the index of the cursor in it."""
    return _asked(SO_FAR)[:2] if Self.fronted else ("", 0)


def take_keys() -> tuple[str, int, bytes]:
    """The typed text, the cursor, and the bytes that the guardian did not interpret. Later keys stay in the kernel.

    Waits for at most 0.3 s while a sequence is cut in two. What a dead guardian knew is lost.
    """
    if not Self.fronted:
        return "", 0, b""
    Self.fronted = False
    return _asked(GIVE)


def _asked(question: bytes) -> tuple[str, int, bytes]:
    _tell(question)
    head = _receive(HEAD)
    if len(head) < HEAD:
        return "", 0, b""
    cursor, text, rest, Self.drawn = (int(head[at : at + 8], 16) for at in (0, 8, 16, 24))
    body = _receive(text + rest)
    return body[:text].decode("utf-8", "replace"), cursor, body[text:]


def _receive(size: int) -> bytes:
    """Read `size` bytes from the guardian; fewer if it has died."""
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
    """Report, before the first byte is written, that the screen is taken. With `aside` stderr is redirected until
    `screen_down`; without, the driver draws there."""
    _tell(UP)
    if aside:
        set_stderr_aside()
    else:
        _stderr_back()


def set_stderr_aside() -> None:
    """Redirect stderr while the screen is in use; the text is printed when the terminal is restored."""
    if Self.capture >= 0 and Self.stderr < 0 and posix.isatty(STDERR):
        quietly(sys.stderr.flush)
        Self.stderr = posix.dup(STDERR)
        posix.dup2(Self.capture, STDERR)


def screen_down() -> None:
    """Report that the terminal is restored; harmless twice."""
    _stderr_back()
    _tell(DOWN)


def _stderr_back() -> None:
    if Self.stderr >= 0:
        quietly(sys.stderr.flush)
        posix.dup2(Self.stderr, STDERR)
        posix.close(Self.stderr)
        Self.stderr = -1


def last_word(text: str, *, error: bool = False) -> None:
    """Set what is printed after the terminal is restored, on stdout or with `error` on stderr; the last call counts.

    One plain line; a crash may use a few. Without a guardian `print_exit_text` prints it.
    """
    text = "\n".join(first(printable(text), WORD_LINES))
    Self.word = (text, error)
    data = text.encode("utf-8", "replace")[:16_000]  # what is printable has at most this many bytes
    _tell(WORD + b"%d%04x" % (error, len(data)) + data)


def print_exit_text() -> None:
    """Print the last word of a process without a guardian."""
    if Self.to_parent < 0 and Self.word is not None:
        text, error = Self.word
        Self.word = None
        print(text, file=sys.stderr if error else sys.stdout)


def lend_environment(values: Mapping[str, str]) -> None:
    """Set variables that a library reads only when it is imported; those that the user has set stay."""
    import os

    Self.lent = tuple(name for name in values if name not in os.environ)
    os.environ.update({name: values[name] for name in Self.lent})


def return_environment() -> None:
    """Remove those variables, so that an editor or a tool started later doesn't inherit them."""
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

"""Standard streams: opened before anything runs, flushed at the end, and input from them.

Prints only text passed in, on stderr.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from jp_tui.settings.errors import UsageError

if TYPE_CHECKING:
    from jp_tui.headless.forms.lines import Lines
    from jp_tui.headless.output import TextOutput

MAX_PROMPT = 16 << 20
"""Bytes of a prompt on standard input."""


def open_streams() -> None:
    """Occupy closed standard streams: otherwise a file of jp-tui would get that descriptor, and messages with it.

    Input is then empty, output fails, messages are lost.
    """
    streams = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for number, (name, mode, access) in enumerate(streams):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)  # the lowest free descriptor, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def flushed() -> bool:
    """Flush; return True if standard output took everything. The rest is dropped, so that the interpreter doesn't exit
    with its own status (120)."""
    taken = True
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
            taken = taken and number != 1
    return taken


def print_message(text: str) -> None:
    """Print a message on stderr; control characters from paths, files or arguments have no effect (R195)."""
    from jp_tui.conversation.neutral import neutralise  # only needed for a message

    text = neutralise(text, "visualize")
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")


def prompt(given: str) -> str:
    """Return the prompt: `given`, or standard input for `-`. Raises UsageError."""
    words = given
    if words == "-":
        try:
            data = sys.stdin.buffer.read(MAX_PROMPT + 1)
            words = data.decode("utf-8").replace("\r\n", "\n")
        except OSError as problem:
            raise UsageError(f"can't read standard input: {problem}") from problem
        except UnicodeDecodeError as problem:
            raise UsageError(f"standard input isn't valid UTF-8 (at byte {problem.start})") from problem
        if len(data) > MAX_PROMPT:
            raise UsageError(f"standard input is longer than {MAX_PROMPT >> 20} MiB, too much for a prompt")
    if not words.strip():
        raise UsageError("the prompt is empty")
    return words


def output(as_json: bool) -> TextOutput:
    """Return the output. JSON is UTF-8 for any terminal (S2); other text shows unsupported characters as marks."""
    from jp_tui.headless.output import TextOutput

    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(OSError):  # if it isn't writable at all, the writer reports that
            sys.stdout.reconfigure(encoding="utf-8" if as_json else None, errors="replace")
    return TextOutput(as_json, sys.stdout, sys.stderr)


def terminal(as_json: bool) -> Lines | None:
    """Return lines on the terminal itself for questions, never on redirected input (R147).

    None without such a terminal: then no one can be asked.
    """
    from jp_tui.headless.forms.lines import Lines
    from jp_tui.headless.input import Terminal

    try:
        # The streams stay open as long as the program.
        out = sys.stderr if as_json else open("/dev/tty", "w", encoding="utf-8", errors="replace")  # noqa: SIM115
        return Lines(out, Terminal(os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)))
    except OSError:
        return None


def lines() -> Lines:
    """Return the lines of a conversation: of the terminal, or those of redirected input in order (S4)."""
    from jp_tui.headless.forms.lines import Lines
    from jp_tui.headless.input import Piped, Terminal

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    if not sys.stdin.isatty():
        return Lines(sys.stdout, Piped(0))
    try:
        return Lines(sys.stdout, Terminal(os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)))
    except OSError:
        return Lines(sys.stdout, Terminal(0))


def asking() -> Callable[[str], bool] | None:
    """Return a function that asks yes or no at the terminal itself; None if standard input isn't one."""
    if not sys.stdin.isatty():
        return None
    try:
        terminal = open("/dev/tty", encoding="utf-8", errors="replace")  # noqa: SIM115
    except OSError:
        return None

    def ask(question: str) -> bool:
        sys.stderr.write(question)
        sys.stderr.flush()
        return terminal.readline().strip().lower() in ("y", "yes")

    return ask

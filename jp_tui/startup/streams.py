"""The three standard streams: made sure of before anything runs, flushed at the end, and what is read from them.

Says nothing of its own but what it is given, and only on stderr.
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
    """A standard stream that was closed is occupied: else a file of ours would get its number, and what is told there.

    Input has ended, output cannot be written, words for people are lost.
    """
    streams = (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    for number, (name, mode, access) in enumerate(streams):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)  # the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def flushed() -> bool:
    """Whether standard output took everything. What it or stderr cannot take goes nowhere, so that the interpreter does
    not end with a status of its own (120)."""
    taken = True
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
            taken = taken and number != 1
    return taken


def say(text: str) -> None:
    """A line for people, on stderr; what a path, a file or an argument brings along acts nowhere (R195)."""
    from jp_tui.conversation.neutral import neutralise  # only where something is wrong

    text = neutralise(text, "visualize")
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")


def prompt(given: str) -> str:
    """The words to send: `given`, or what stands on standard input for `-`. Raises UsageError."""
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
    """JSON is UTF-8 whatever the terminal speaks (S2); other text shows what that cannot as a mark."""
    from jp_tui.headless.output import TextOutput

    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(OSError):  # it cannot be written at all: whoever writes says so
            sys.stdout.reconfigure(encoding="utf-8" if as_json else None, errors="replace")
    return TextOutput(as_json, sys.stdout, sys.stderr)


def terminal(as_json: bool) -> Lines | None:
    """Questions go to the terminal itself and are read from there, never from a redirected input (R147).

    None when there is no such terminal: then nobody can be asked.
    """
    from jp_tui.headless.forms.lines import Lines
    from jp_tui.headless.input import Terminal

    try:
        # The streams live as long as the program.
        out = sys.stderr if as_json else open("/dev/tty", "w", encoding="utf-8", errors="replace")  # noqa: SIM115
        return Lines(out, Terminal(os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)))
    except OSError:
        return None


def lines() -> Lines:
    """A whole conversation in lines: of the terminal, or, one after the other, of what is redirected to it (S4)."""
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
    """A yes or no of a person at the terminal itself; None where standard input is no terminal or there is none."""
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

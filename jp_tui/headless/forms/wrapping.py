"""Lines wrapped for a terminal, between words (asking.md E60).

A continued line is indented, and after a bar it gets a broken bar: no part of an untrusted line can pass for jp-tui's,
and nothing is lost (E4). Redirected output is unchanged, as are commands to copy.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from typing import TextIO

BAR, GOES_ON = "| ", "¦ "
LEAST = 20
"""Minimum terminal width in cells for wrapping between words; narrower text would be ragged."""
SEPARATOR = " · "
_COMMAND = re.compile(r" *`?jp-tui ")
_WORD = re.compile(r" *[^ ]+ *| +")


def width_of(out: TextIO) -> int:
    """Return the width of the terminal `out` in cells; 0 if it isn't a terminal, or unknown."""
    try:
        return os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 0


def cells(text: str) -> int:
    """Return the maximum cells of a text."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def wrapped(text: str, width: int) -> str:
    """Return the text with lines of at most `width` cells; unchanged for 0 and for a width that is too small."""
    if width < LEAST or (len(text) <= width and text.isascii() and "\n" not in text):
        return text
    return "\n".join(one for line in text.split("\n") for one in _line(line, width))


def _line(line: str, width: int) -> Iterator[str]:
    if cells(line) <= width or _COMMAND.match(line):
        yield line
        return
    quoted = line.startswith(BAR)
    blanks = len(line) - len(line.lstrip(" "))
    lead = GOES_ON if quoted else " " * (min(blanks, width // 4) + 2)
    now, used = "", 0
    for part in _parts(line, width - cells(lead), exact=quoted):
        took = cells(part if quoted else part.rstrip(" "))
        if used + took > width:
            if quoted or now.strip():
                yield now if quoted else now.rstrip(" ")
            now, used = lead, cells(lead)
            part = part if quoted else part.lstrip(" ")
        now += part
        used += cells(part)
    yield now if quoted else now.rstrip(" ")


def _parts(line: str, room: int, *, exact: bool) -> Iterator[str]:
    """Yield unbreakable pieces: text between two dots, else words, else as many characters as fit. `exact`: blanks
    count as well."""
    pieces = line.split(SEPARATOR)
    for at, piece in enumerate(pieces):
        whole = piece if at == len(pieces) - 1 else f"{piece}{SEPARATOR}"
        if len(pieces) > 1 and cells(whole.rstrip(" ")) <= room and not exact:
            yield whole
            continue
        for word in _WORD.findall(whole):
            yield from _chopped(word, room) if cells(word if exact else word.rstrip(" ")) > room else [word]


def _chopped(word: str, room: int) -> Iterator[str]:
    now, used = "", 0
    for char in word:
        took = cells(char)
        if used + took > room:
            yield now
            now, used = "", 0
        now += char
        used += took
    yield now

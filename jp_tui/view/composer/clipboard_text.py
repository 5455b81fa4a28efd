"""What is copied: text without what would act where it is pasted, code out of its fences, and the words about it.

The source of a message is copied as it was written, Markdown and all; control characters are left out, since a terminal
that gets them pasted would obey. Knows no clipboard.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jp_tui.conversation.patterns import later

_ACTS = later("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_OPENS = later(r"^( {0,3})(`{3,}|~{3,})[ \t]*([^\n`]*?)[ \t]*$")

OSC52_MOST = 74_994
"""Bytes that go through the terminal at most: as base64 they stay under 100,000, which terminals take."""


class Code(NamedTuple):
    """A fenced block: the language it names, and its text."""

    language: str
    text: str


def harmless(text: str) -> str:
    """The text with line ends as LF and without control characters, except tabs and line ends."""
    return _ACTS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def code_blocks(markdown: str) -> list[Code]:
    """The fenced blocks of a text, in order; one that nobody closed reaches to the end."""
    found: list[Code] = []
    lines = markdown.split("\n")
    at = 0
    while at < len(lines):
        opens = _OPENS.match(lines[at])
        at += 1
        if opens is None:
            continue
        indent, fence, info = opens.groups()
        closes = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
        body: list[str] = []
        while at < len(lines) and not closes.match(lines[at]):
            line = lines[at]
            spare = len(line) - len(line.lstrip(" "))
            body.append(line[min(len(indent), spare) :])
            at += 1
        at += 1
        found.append(Code(info.split(" ")[0], "\n".join(body)))
    return found


def measured(text: str) -> str:
    """How much that is: `3 lines`, `12 characters`, `1 character`."""
    lines = text.rstrip("\n").count("\n") + 1
    if lines > 1:
        return f"{lines:,} lines"
    return f"{len(text):,} character" + ("" if len(text) == 1 else "s")

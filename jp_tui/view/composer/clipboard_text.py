"""Text for the clipboard: without control characters, code without its fences, and a description.

A message is copied as written, with its Markdown; control characters are removed, because a terminal would obey them
when pasted. Doesn't access a clipboard.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jp_tui.conversation.patterns import later

_ACTS = later("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_OPENS = later(r"^( {0,3})(`{3,}|~{3,})[ \t]*([^\n`]*?)[ \t]*$")

OSC52_MOST = 74_994
"""Bytes that are sent through the terminal at most: as base64 they stay under 100,000, which terminals accept."""


class Code(NamedTuple):
    """Fenced block: its language and its text."""

    language: str
    text: str


def harmless(text: str) -> str:
    """Return the text with line ends as LF and without control characters, except tabs and line ends."""
    return _ACTS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def code_blocks(markdown: str) -> list[Code]:
    """Return the fenced blocks of a text, in order; an unclosed one reaches to the end."""
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
    """Describe the size: `3 lines`, `12 characters`, `1 character`."""
    lines = text.rstrip("\n").count("\n") + 1
    if lines > 1:
        return f"{lines:,} lines"
    return f"{len(text):,} character" + ("" if len(text) == 1 else "s")

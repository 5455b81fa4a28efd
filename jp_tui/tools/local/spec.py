"""Run settings of a local tool as values: its configured command (inquiries.md R68, R83).

The composition root builds them from the settings. Every text in a command is a template; `templates.py` describes the
language. Runs nothing, reads no settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jp_tui.conversation.strict_json import Json

TIMEOUT_SECS = 600.0

_SPACE = " \t\r\n"
_CLOSES = {"{{": "}}", "{%": "%}", "{#": "#}"}


@dataclass(frozen=True, slots=True)
class ProgramCommand:
    """A program and its arguments; with `shell` both, joined by spaces, are a line for /bin/sh.

    A program without a slash is searched in PATH; one with a slash is relative to the workspace's root unless it is
    absolute or begins with `~/`; links are followed. `stdin` is the program's input, None for none. Secrets belong
    there, because other users of the machine can read arguments.
    """

    program: str
    args: tuple[str, ...] = ()
    shell: bool = False
    stdin: str | None = None


@dataclass(frozen=True, slots=True)
class LocalSpec:
    """One local tool. `parameters` as published (R80); `format_command` formats its arguments (R90); `access` as
    configured, None without restrictions (only passed to the tool, R83)."""

    name: str
    program: str
    args: tuple[str, ...] = ()
    shell: bool = False
    stdin: str | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    format_command: ProgramCommand | None = None
    timeout_secs: float = TIMEOUT_SECS
    access: Json = None

    @property
    def command(self) -> ProgramCommand:
        return ProgramCommand(self.program, self.args, self.shell, self.stdin)


def words(line: str) -> tuple[str, ...]:
    """Split a command line as a shell would, but never inside {{ }} or {% %}.

    Quotes group and are removed, a backslash escapes the next character; nothing is expanded. Raises ValueError with a
    message for an unclosed quote or brace, or an empty line.
    """
    found: list[str] = []
    word: list[str] | None = None
    quote, at = "", 0
    while at < len(line):
        char, pair = line[at], line[at : at + 2]
        if pair in _CLOSES:
            end = line.find(_CLOSES[pair], at + 2)
            if end < 0:
                raise ValueError(f"{pair} is not closed by {_CLOSES[pair]}")
            word = [*(word or ()), line[at : end + 2]]
            at = end + 2
            continue
        at += 1
        if char == quote:
            quote = ""
        elif char == "\\" and quote != "'" and at < len(line) and (not quote or line[at] in '"\\$`'):
            word = [*(word or ()), line[at]]
            at += 1
        elif quote or (char not in _SPACE and char not in "'\""):
            word = [*(word or ()), char]
        elif char in "'\"":
            quote, word = char, word or []
        elif word is not None:
            found.append("".join(word))
            word = None
    if quote:
        raise ValueError(f"the quote {quote} is not closed")
    if word is not None:
        found.append("".join(word))
    if not found or not found[0]:
        raise ValueError("it names no program")
    return tuple(found)

"""Shell commands at the composer: the meaning of `!`, and the output as part of a message.

Pure. `!!` begins a text that starts with an exclamation mark. A command's output is untrusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jp_tui.conversation.patterns import later

_SEQUENCES = later(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
TOLD = 100_000
"""Characters of output that become part of a message: the beginning and the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command and its result; `text` its output, `describe_end` its end in words, `good` for status 0."""

    line: str
    text: str = ""
    ended: str = ""
    good: bool = False
    ms: int = 0


def line_of(text: str) -> str | None:
    """Return the command in a submitted text; None if it is a text."""
    if not text.startswith("!") or text.startswith("!!"):
        return None
    return text[1:].strip()


def describe_end(*, status: int | None, signal: int | None, problem: str, stopped: bool) -> tuple[str, bool]:
    """Describe how a command ended, and True if it succeeded."""
    if stopped:
        return "stopped", False
    if problem:
        return problem, False
    if signal is not None:
        return f"killed by signal {signal}", False
    return f"exit status {'unknown' if status is None else status}", status == 0


def plain(text: str) -> str:
    """Remove cursor movement and colours from output."""
    return _SEQUENCES.sub("", text)


def output_message(ran: Ran) -> str:
    """Format it as part of a message, in a fence that nothing in it can close."""
    said = plain(ran.text).replace("\r\n", "\n").rstrip("\n")
    if len(said) > TOLD:
        left = len(said) - TOLD
        said = f"{said[: TOLD // 2]}\n[… {left:,} characters omitted …]\n{said[-TOLD // 2 :]}"
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", said + ran.line)), default=0) + 1)
    return f"{fence}\n$ {ran.line}\n{said}{chr(10) if said else ''}[{ran.ended}]\n{fence}"

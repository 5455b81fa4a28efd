"""Parts of the model's input as lines: one for each part, and the sum (context.md K12). Made from the engine's list
alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.context import ContextPart, ContextRead
from jp_tui.view.wording.amounts import count

TITLE: Final = "What goes to the model"
_NAMES: Final = {
    "system": "System prompt",
    "environment": "Environment",
    "instructions": "Instructions",
    "skills": "Skills",
    "tools": "Tools",
    "summary": "Summary",
    "record": "Record of answers",
    "messages": "Messages",
}
SHARE: Final = 20
"""Cells of a bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """A part: `name` is ours, or a file's path; `amount` what is sent of it, `share` in cells of SHARE; `why` says what
    is not, `about` whose file it is."""

    name: Foreign
    amount: str
    share: int
    about: str
    why: Foreign
    sent: bool


def rows(read: ContextRead) -> tuple[ContextRow, ...]:
    """In the order of a request."""
    return tuple(_row(one, read.tokens) for one in read.parts)


def _row(one: ContextPart, total: int) -> ContextRow:
    about = ""
    if one.trusted is False and one.state != "not_sent":
        about = "not trusted"
    elif one.state == "cut":
        about = "cut"
    elif one.part == "skills":
        about = "skill"
    share = -(-one.tokens * SHARE // total) if total else 0
    amount = "not sent" if one.state == "not_sent" else f"{count(one.tokens)} tokens"
    name = one.path if one.path is not None else Foreign(_NAMES[one.part])
    return ContextRow(name=name, amount=amount, share=share, about=about, why=one.why, sent=one.state != "not_sent")


def total(read: ContextRead) -> str:
    """The sum, and what there is room for."""
    if read.window is None:
        return f"{count(read.tokens)} tokens in all · the model's context window is not known"
    percent = round(100 * read.tokens / read.window) if read.window else 0
    said = f"{count(read.tokens)} of {count(read.window)} tokens ({percent} %)"
    return said if read.compact_at is None else f"{said} · compacted at {count(read.compact_at)}"


def bar(share: int) -> str:
    """So many cells of SHARE."""
    return "━" * min(share, SHARE)


def lines(read: ContextRead) -> Iterator[tuple[str, Foreign, str, Foreign]]:
    """For a terminal that nothing is drawn on: the amount, the name, whose it is, and why not all of it is sent."""
    for row in rows(read):
        yield row.amount, row.name, row.about, row.why

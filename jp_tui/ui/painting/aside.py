"""Paint the side questions about a question (asking.md E30): dim, and folded to one row below its call.

They are not part of the conversation that models see, and the look shows that. The exchanges come from
`view/questions/side_questions.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting import plain
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row
from jp_tui.ui.painting.trail import arrow, clip
from jp_tui.view.questions.side_questions import SideExchangeView

SIDE = "aside"
"""The name of this part of a call. It has no reason to show, since no question was asked in it."""


def aside_rows(asides: Sequence[SideExchangeView], frame: Frame, key: str, unfolded: frozenset[str]) -> list[Row]:
    """Return one row for all exchanges of a call; unfolded, it shows their text."""
    if not asides:
        return []
    look, hit = frame.look, ClickTarget("fold", key)
    open_, dim = key in unfolded, look.muted + Style(italic=True)
    inside = frame.inside([Piece("└ ", look.muted)], [Piece("  ", look.text)])
    count = f"{len(asides)} side question{'s' if len(asides) != 1 else ''}"
    sent = " · sent to the model" if any(one.sent for one in asides) else ""
    first = "" if open_ else f": {neutral.first_line(asides[0].asked)}"
    head = [Piece(f"~ {count}{sent}{first}", dim, hit)]
    rows = [inside.emit([*clip(head, inside.room - 2), arrow(open_, hit, look)])]
    if not open_:
        return rows
    about = ""
    for one in asides:
        if one.about.raw not in ("", about):
            about = one.about.raw
            rows += inside.paragraph([Piece(f"about: {neutral.first_line(one.about)}", look.muted)])
        rows += _message_rows("you: ", one.asked, inside)
        rows += _message_rows(f"{neutral.first_line(one.model) or 'model'}: ", one.said, inside)
        if one.broken:
            rows += inside.paragraph([Piece(f"✂ incomplete: {neutral.first_line(one.broken)}", look.waiting)])
    return rows


def _message_rows(who: str, words: Foreign, frame: Frame) -> list[Row]:
    look = frame.look
    if not words.raw.strip():
        return []
    inside = frame.inside([Piece("┊ ", look.muted)], [Piece("┊ ", look.muted)])
    shown, missing = plain.cut(words.raw.strip())
    lines = plain.lines(Foreign(shown), look.muted, look)
    rows = plain.paragraphs([[Piece(who, look.running), *lines[0]], *lines[1:]], inside)
    return [*rows, *plain.note(missing, inside)]

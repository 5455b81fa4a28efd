"""The last filter before the terminal, where a strip becomes output: text and style are still apart there (T1).

Control characters that reached a strip in spite of `ui/text.py` become visible, and a link that isn't a clean http(s)
address is removed. The filter repairs silently: tests find the code that let a character through.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from jp_tui.conversation.urls import clean_url
from jp_tui.conversation.visible import BIDI, picture
from jp_tui.ui.ascii_signs import ascii_text

_ACTS = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{BIDI}]")
"""A row has no newline, which would end it, and no tab, which would leave cells unpainted. Reordering characters can be
in a text field; elsewhere `ui/text.py` has made them visible."""


_signs = [False]
"""True if signs are written as ASCII. A process has one terminal, so this is for the whole process."""


def only_ascii(yes: bool) -> None:
    """Write borders, marks and arrows as ASCII from now on, or not."""
    _signs[0] = yes


def is_ascii() -> bool:
    """Return True if signs are written as ASCII."""
    return _signs[0]


def passed(text: str) -> str:
    """Return a row's text with control, surrogate and reordering characters made visible and tabs as blanks.

    Its length stays the same.
    """
    return _ACTS.sub(_sign, text) if _ACTS.search(text) else text


def _sign(match: re.Match[str]) -> str:
    char = match.group()
    if char in "\t\n":
        return " " if char == "\t" else "⏎"
    return "\ufffd" if char >= "\u0080" else picture(char)


def _unlinked(style: Style | None) -> Style | None:
    if style is None or not style.link or clean_url(style.link) == style.link:
        return style
    return style.update_link(None)


def color_system(console: Console) -> ColorSystem | None:
    """Return the colour system of the console; None for no colours."""
    return COLOR_SYSTEMS.get(console.color_system or "")


def filtered(render: Callable[[Strip, Console], str]) -> Callable[[Strip, Console], str]:
    """Return Textual's `render` after the filter: one search over the row, and over its parts only if it finds
    something."""

    def passes(self: Strip, console: Console) -> str:
        clean = self
        if _ACTS.search("".join([text for text, _, _ in self])):
            shown = Strip([Segment(passed(text), style, control) for text, style, control in self])
            clean = shown.crop(0, self.cell_length)  # a control took no cell, its sign takes one
        if _signs[0] or any(style is not None and style.link for _, style, _ in clean):
            signs = ascii_text if _signs[0] else str
            clean = Strip([Segment(signs(text), _unlinked(style), control) for text, style, control in clean])
        return render(clean, console)

    return passes


Strip.render = filtered(Strip.render)  # type: ignore[method-assign, assignment]

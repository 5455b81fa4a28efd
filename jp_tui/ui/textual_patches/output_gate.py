"""The last gate before the terminal: where a strip becomes output, text and style are still apart (traps.md T1).

Controls that reached a strip in spite of `ui/text.py` become visible; a link that is not a clean http(s) address
loses its link. It mends, it does not report: whoever let something through is found by the tests of the edge.
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
from jp_tui.ui import textual_patches
from jp_tui.ui.ascii_signs import ascii_text
from jp_tui.ui.textual_patches.shape import takes, uses

_ACTS = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{BIDI}]")
"""A row has no newline and no tab either: one ends it, and the other leaves cells as they were. What reorders can be in
a line that is written in: elsewhere it is spelled out before it comes here."""


_signs = [False]
"""Whether our signs go out as ASCII; one terminal a process, so one answer."""


def only_ascii(yes: bool) -> None:
    """From now on write borders, marks and arrows as ASCII, or not."""
    _signs[0] = yes


def is_ascii() -> bool:
    """Whether they do."""
    return _signs[0]


def passed(text: str) -> str:
    """The text of a row with C0, DEL, C1, surrogates and what reorders made visible, a tab as a blank; as long as it
    was."""
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
    """The colours that the console writes; None for none."""
    return COLOR_SYSTEMS.get(console.color_system or "")


def _quick(self: Strip, console: Console) -> str:
    """`Strip.render` with the gate: one search over the row, and only then a look at each segment."""
    if self._render_cache is None:
        segments = self._segments
        if _ACTS.search("".join([segment.text for segment in segments])):
            mended = Strip([Segment(passed(text), style, control) for text, style, control in segments])
            segments = mended.crop(0, self.cell_length)._segments  # a control took no cell, its sign takes one
        if _signs[0]:
            segments = [Segment(ascii_text(text), style, control) for text, style, control in segments]
        system = color_system(console) or ColorSystem.TRUECOLOR
        render = self.render_style
        self._render_cache = "".join(
            [
                text if style is None else render(_unlinked(style) if style.link else style, text, color_system=system)  # type: ignore[arg-type]
                for text, style, _ in segments
            ]
        )
    return self._render_cache


def by_public_means(render: Callable[[Strip, Console], str]) -> Callable[[Strip, Console], str]:
    """The gate before `render`, Textual's own, where the private parts of a strip are not as `_quick` knows them."""

    def gated(self: Strip, console: Console) -> str:
        clean = self
        if any(_ACTS.search(text) for text, _, _ in self):
            shown = Strip([Segment(passed(text), style, control) for text, style, control in self])
            clean = shown.crop(0, self.cell_length)
        if _signs[0] or any(style is not None and style.link for _, style, _ in clean):
            signs = ascii_text if _signs[0] else str
            clean = Strip([Segment(signs(text), _unlinked(style), control) for text, style, control in clean])
        return render(clean, console)

    return gated


def install_quick() -> None:
    """Let the gate render a strip by itself."""
    takes(Strip, "render", "self", "console")
    uses(Strip, "render", "_segments", "_render_cache", "render_style")
    Strip.render = _quick  # type: ignore[method-assign]


def install() -> None:
    """Put the gate in place, in one of its two forms; called once, when this module is imported."""
    if not textual_patches.applied("gate"):
        Strip.render = by_public_means(Strip.render)  # type: ignore[method-assign, assignment]


install()

"""The only place where untrusted text becomes content for a widget (traps.md T1-T3, R195, R196).

`Content` is built from plain text only, never from markup, so `[/]` and `[@click=…]` are shown as they are. jp-tui's
own texts are literals with named fields, and what fills a field is neutralised. Texts are cut by cells, not bytes.
"""

from __future__ import annotations

from string import Formatter
from typing import Literal, LiteralString

from rich.cells import cell_len, set_cell_size
from textual.color import Color
from textual.content import Content, Span
from textual.style import Style

import jp_tui.ui.textual_patches.output_gate  # noqa: F401  the output gate is in place before anything can be shown
from jp_tui.conversation import neutral
from jp_tui.conversation.sgr import MARK, Colour, Sgr
from jp_tui.conversation.text import Foreign

Mode = Literal["conversation", "approval", "line"]
Filling = Foreign | Content | int | float

MOST, LONGEST_LINE, MOST_LINES = 16 * 1024, 2_000, 1_000
"""The most characters of a text and of one line, and the most lines, that a widget gets (T4): laying out more blocks
the loop."""
MARK_STYLE = "$warning"
"""The style of jp-tui's placeholders (`\\u{202E}`, `⟨40 blanks⟩`) in content."""


def ours(template: LiteralString, /, style: str = "", **values: Filling) -> Content:
    """Return a text of jp-tui's own, each `{name}` replaced by neutralised untrusted text, a number or content.

    `{name:.1f}` formats a number. Raises KeyError if a field has no value, so that no braces are shown. There is no
    markup.
    """
    parts: list[Content] = []
    for literal, name, spec, _ in Formatter().parse(template):
        if literal:
            parts.append(Content(literal))
        if name is not None:
            parts.append(_filled(values[name], spec or ""))
    return styled(join(*parts), style)


def _filled(value: Filling, spec: str) -> Content:
    if isinstance(value, Content):
        return value
    if isinstance(value, Foreign):
        return foreign(value)
    return Content(format(value, spec))


def foreign(text: Foreign, *, mode: Mode = "conversation", style: str = "", limit: int | None = None) -> Content:
    """Return untrusted text for a widget, at most `limit` cells, cut with `…`. Mode `line` takes its first non-blank
    line."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = 0
    for piece, look in neutral.spans(text, mode) if mode == "line" else _capped(text, mode):
        pieces.append(piece)
        if look != neutral.Sgr():
            spans.append(Span(at, at + len(piece), MARK_STYLE if look.mark else _look(look)))
        at += len(piece)
    found = Content("".join(pieces), spans, strip_control_codes=False)
    if limit is not None:
        found = cut(found, limit)
    return styled(found, style)


def _capped(text: Foreign, mode: Literal["conversation", "approval"]) -> list[tuple[str, Sgr]]:
    """Return the styled pieces of the part of a text that a widget gets, and how much is missing."""
    kept = text.raw[:MOST]
    if kept.count("\n") > MOST_LINES:
        kept = "\n".join(kept.split("\n", MOST_LINES)[:MOST_LINES])
    missing = len(text.raw) - len(kept)
    if len(kept) > LONGEST_LINE and max(map(len, kept.split("\n"))) > LONGEST_LINE:
        kept = "\n".join(_short(line) for line in kept.split("\n"))
    found = neutral.spans(Foreign(kept), mode)
    if missing:
        found.append((f"… ⟨{missing:,} more characters⟩", MARK))
    return found


def _short(line: str) -> str:
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]}… ⟨{more:,} more characters⟩"


def whole(text: Foreign, limit: int) -> Content:
    """Return all of an untrusted text in one line of at most `limit` cells, with line breaks made visible."""
    raw = text.raw.strip("\n")
    found = foreign(Foreign(raw[:LONGEST_LINE]), mode="approval")
    one = found.plain.replace("\n", "⏎").replace("\t", " ")
    line = Content(one, list(found.spans), strip_control_codes=False)
    return cut(line if len(raw) <= LONGEST_LINE else line + Content("…"), limit)


def cut(content: Content, limit: int) -> Content:
    """Return at most `limit` cells, the last one `…` if text is omitted."""
    if content.cell_length <= limit:
        return content
    if limit < 1:
        return blank()
    kept = set_cell_size(content.plain, limit - 1).rstrip(" ")
    while kept and not content.plain.startswith(kept):  # half a wide character became a blank
        kept = kept[:-1].rstrip(" ")
    return content[: len(kept)] + Content("…")


def join(*parts: Content, sep: Content | None = None) -> Content:
    """Join contents, with `sep` between them."""
    return (sep or blank()).join(parts)


def styled(content: Content, style: str) -> Content:
    """Return the content with a style below its own."""
    return content.stylize_before(style) if style else content


def blank() -> Content:
    """Return empty content."""
    return Content("")


def cells(text: Foreign, mode: Mode = "line") -> int:
    """Return the number of cells that a text takes on the screen."""
    return cell_len(neutral.neutralise(Foreign(text.raw[:MOST]), mode))


def _look(look: Sgr) -> Style:
    return Style(
        foreground=_colour(look.fg),
        background=_colour(look.bg),
        bold=look.bold or None,
        dim=look.dim or None,
        italic=look.italic or None,
        underline=look.underline or None,
        reverse=look.reverse or None,
        strike=look.strike or None,
    )


def _colour(colour: Colour | None) -> Color | None:
    if colour is None:
        return None
    if isinstance(colour, tuple):
        return Color(*colour)
    if colour < 16:
        return Color.parse(_NAMES[colour])
    if colour >= 232:
        grey = 8 + 10 * (colour - 232)
        return Color(grey, grey, grey)
    cube = colour - 16
    red, green, blue = (55 + 40 * part if part else 0 for part in (cube // 36, cube // 6 % 6, cube % 6))
    return Color(red, green, blue)


_NAMES = (
    "ansi_black", "ansi_red", "ansi_green", "ansi_yellow", "ansi_blue", "ansi_magenta", "ansi_cyan", "ansi_white",
    "ansi_bright_black", "ansi_bright_red", "ansi_bright_green", "ansi_bright_yellow", "ansi_bright_blue",
    "ansi_bright_magenta", "ansi_bright_cyan", "ansi_bright_white",
)  # fmt: skip

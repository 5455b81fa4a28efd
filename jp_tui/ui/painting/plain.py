"""Untrusted text that isn't Markdown: lines of pieces, terminal colours kept where they can be read (R195).

The limits of traps.md T4 are here. A colour that is hardly different from its background is not used, so that no text
hides in the colour of the pane.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rich.color import Color as RichColor
from rich.style import Style

from jp_tui.conversation import neutral
from jp_tui.conversation.sgr import Colour, Sgr
from jp_tui.conversation.text import Foreign
from jp_tui.ui.painting.code import TAB
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import LINE_CELLS, ClickTarget, Piece, Row

SHOWN = 256 * 1024
"""Most characters of one message that are shown (traps.md T4)."""
READABLE = 1.6
"""Least contrast of a colour set by content."""


def whole(text: str, style: Style, frame: Frame, most: int = SHOWN) -> list[Row]:
    """Return the rows of a text of several lines, up to the limit, and a note about the rest."""
    shown, missing = cut(text, most)
    return [*paragraphs(lines(Foreign(shown), style, frame.look), frame), *note(missing, frame)]


def cut(text: str, most: int = SHOWN) -> tuple[str, int]:
    """Return the shown part of a text, and how many characters are not; cut at a line's end where one is near."""
    if len(text) <= most:
        return text, 0
    at = text.rfind("\n", most - 4096, most)
    kept = text[: at if at > 0 else most]
    return kept, len(text) - len(kept)


def note(missing: int, frame: Frame, what: str = "characters") -> list[Row]:
    """Return the note that a text continues, how much of it is left out, and where all of it is; no rows if it is
    whole."""
    if not missing:
        return []
    words = f"⟨{missing:,} more {what} not shown; an export (/conversations, e) has all⟩"
    return frame.paragraph([Piece(words, frame.look.waiting)])


def lines(text: Foreign, base: Style, look: PaintLook, *, approval: bool = False) -> list[list[Piece]]:
    """Return the lines of a text as pieces; in an approval with every unusual character visible."""
    found: list[list[Piece]] = [[]]
    palette = palette_of(look)
    for part, sgr in neutral.spans(text, "approval" if approval else "conversation"):
        style = look.mark if sgr.mark else dressed(base, sgr, palette)
        for number, line in enumerate(part.split("\n")):
            if number:
                found.append([])
            if line:
                found[-1].append(Piece(line, style))
    return [_capped(_tabbed(line), look, approval) for line in found]


def _tabbed(line: list[Piece]) -> list[Piece]:
    if not any("\t" in piece.text for piece in line):
        return line
    return [piece._replace(text=piece.text.expandtabs(TAB)) for piece in line]


def _capped(line: list[Piece], look: PaintLook, approval: bool) -> list[Piece]:
    size = sum(len(piece.text) for piece in line)
    if approval or size <= LINE_CELLS:
        return line
    found, room = list[Piece](), LINE_CELLS
    for piece in line:
        found.append(piece._replace(text=piece.text[:room]))
        room -= len(piece.text)
        if room <= 0:
            break
    return [*found, Piece(f"… ⟨{size - LINE_CELLS:,} more characters⟩", look.waiting)]


def paragraphs(content: Sequence[Sequence[Piece]], frame: Frame, *, wide: bool = False) -> list[Row]:
    """Return lines, each wrapped as prose, or `wide` as output."""
    return [row for line in content for row in frame.paragraph(line, wide=wide)]


def words(text: str, style: Style, hit: ClickTarget | None = None) -> Piece:
    """Return jp-tui's own text as a piece."""
    return Piece(text, style, hit)


@lru_cache(maxsize=512)
def dressed(base: Style, sgr: Sgr, palette: tuple[RichColor | None, ...] = ()) -> Style:
    """Return a base style with the styles set by content, as far as it stays readable; `palette` has its first 8
    colours."""
    fore, back = _rich(sgr.fg, palette), _rich(sgr.bg, palette)
    if sgr.reverse and (fore or back):
        fore, back = back or base.bgcolor, fore or base.color
    if not _readable(fore or base.color, back or base.bgcolor):
        fore = back = None
    return base + Style(
        color=fore,
        bgcolor=back,
        bold=sgr.bold or None,
        dim=sgr.dim or None,
        italic=sgr.italic or None,
        underline=sgr.underline or None,
        reverse=(sgr.reverse and not (fore or back)) or None,
        strike=sgr.strike or None,
    )


def palette_of(look: PaintLook) -> tuple[RichColor | None, ...]:
    """Return a theme's colours for black, red, green, yellow, blue, magenta, cyan, white."""
    styles = (look.muted, look.bad, look.good, look.waiting, look.marker, look.reviewer, look.running, look.text)
    return tuple(style.color for style in styles)


def _rich(colour: Colour | None, palette: tuple[RichColor | None, ...]) -> RichColor | None:
    if colour is None:
        return None
    if isinstance(colour, int) and colour < 16 and palette:
        return palette[colour % 8]
    return RichColor.from_rgb(*colour) if isinstance(colour, tuple) else RichColor.from_ansi(colour)


def _readable(fore: RichColor | None, back: RichColor | None) -> bool:
    if fore is None or back is None:
        return True
    if fore.is_default or back.is_default:
        return fore != back or fore.is_default
    lights = sorted(_light(colour) for colour in (fore, back))
    return (lights[1] + 0.05) / (lights[0] + 0.05) >= READABLE


def _light(colour: RichColor) -> float:
    """Return the relative luminance."""
    parts = (part / 255 for part in colour.get_truecolor())
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

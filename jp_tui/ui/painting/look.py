"""The colours of rows, read from a theme's variables once and passed on as one value.

Unknown variables fall back to those that every theme has. In a theme of the terminal's own 16 colours nothing is
blended: backgrounds are left out and muted text is dim. Resolves names only; paints nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color, ColorParseError

from jp_tui.settings.themes.colours import contrast

_BLACK: Final = Color(0, 0, 0)
_READABLE: Final = 4.5
_WORDS: Final = (0.28, 0.2, 0.14)
"""Share of a changed word's colour in its background: the largest one at which the word stays readable."""

SYNTAX: Final = ("keyword", "string", "number", "comment", "function", "type", "operator")


@dataclass(frozen=True, slots=True)
class PaintLook:
    """Styles by their use; each has its foreground and, where the row has one, its background."""

    text: Style
    muted: Style
    strong: Style
    heading: Style
    link: Style
    code: Style
    block: Style
    quote: Style
    user: Style
    user_bar: Style
    assistant: Style
    marker: Style
    good: Style
    bad: Style
    waiting: Style
    running: Style
    reviewer: Style
    mark: Style
    add: Style
    add_word: Style
    remove: Style
    remove_word: Style
    hunk: Style
    thumb: Style
    track: Style
    syntax: Mapping[str, Style] = field(default_factory=dict)

    @property
    def key(self) -> int:
        """The hash of all styles, a key for caches of painted rows."""
        return id(self)


def look(variables: Mapping[str, str]) -> PaintLook:
    """Return the look of a theme from its CSS variables (`App.get_css_variables()`)."""
    return _Maker(variables).look()


class _Maker:
    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._back = self._colour("background") or _BLACK
        self._fore = self._colour("foreground") or self._back.get_contrast_text()
        self._flat = self._back.ansi is not None or self._fore.ansi is not None

    def _colour(self, *names: str) -> Color | None:
        for name in names:
            text = self._variables.get(name)
            if not text or text.startswith("auto") or text == "transparent":
                continue
            try:
                return Color.parse(text)
            except ColorParseError:
                continue
        return None

    def _plain(self, name: str) -> Color | None:
        """Return one of the theme's named colours as a text colour: Textual darkens or lightens it to be readable."""
        return self._colour(name) if self._flat else self._colour(f"text-{name}", name)

    def _for(self, plain: str, *names: str) -> Color | None:
        return self._colour(*names) or self._plain(plain)

    def _mixed(self, amount: float) -> Color:
        """Return a colour between background and foreground."""
        return self._back.blend(self._fore, amount, 1.0)

    def _style(
        self,
        fore: Color | None,
        back: Color | None = None,
        *,
        bold: bool | None = None,
        underline: bool | None = None,
        dim: bool | None = None,
        reverse: bool | None = None,
    ) -> Style:
        back = self._back if back is None else back
        fore = self._fore if fore is None else fore
        if not self._flat:
            back = (self._back + back) if back.a < 1 else back
            fore = (back + fore) if fore.a < 1 else fore
        return Style(color=_rich(fore), bgcolor=_rich(back), bold=bold, underline=underline, dim=dim, reverse=reverse)

    def _muted(self, back: Color | None = None) -> Style:
        colour = self._colour("muted-foreground", "muted", "text-muted")
        if self._flat and (colour is None or colour.ansi == -1):
            return self._style(self._fore, back, dim=True)
        return self._style(colour or self._mixed(0.6), back)

    def _surface(self, amount: float, *names: str) -> Color:
        found = self._colour(*names)
        if found is not None and (found.ansi is None or self._flat):
            return found
        return self._back if self._flat else self._mixed(amount)

    def _syntax(self, back: Color) -> dict[str, Style]:
        fallback = {
            "keyword": "accent", "string": "success", "number": "warning", "function": "primary", "type": "secondary",
        }  # fmt: skip
        found: dict[str, Style] = {}
        for name in SYNTAX:
            colour = self._colour(f"syntax-{name}") or self._plain(fallback.get(name, ""))
            found[name] = self._style(colour, back)
        comment = self._colour("syntax-comment")
        found["comment"] = self._muted(back) if comment is None else self._style(comment, back)
        if comment is not None and comment.ansi == -1:
            found["comment"] = self._muted(back)
        return found

    def _diff(self, name: str, plain: str, tint: float) -> tuple[Style, Style]:
        """Return the styles of a changed line and of the changed words in it."""
        colour = self._for(plain, f"diff-{name}-foreground", f"diff-{name}")
        back = self._colour(f"diff-{name}-background", f"diff-{name}-bg")
        if back is None:
            back = self._back if self._flat or colour is None else self._back.blend(colour, tint, 1.0)
        line = self._style(colour, back)
        if self._flat or colour is None:
            return line, line + Style(reverse=True)
        shades = [back.blend(colour, share, 1.0) for share in _WORDS]
        read = (shade for shade in shades if (contrast(colour.hex, shade.hex) or 0) >= _READABLE)
        return line, line + Style(bgcolor=_rich(next(read, shades[-1])), bold=True)

    def look(self) -> PaintLook:
        block = self._surface(0.06, "code-background", "code-bg", "surface")
        user = self._surface(0.05, "user-background", "user-bg", "surface")
        add, add_word = self._diff("add", "success", 0.12)
        remove, remove_word = self._diff("remove", "error", 0.12)
        link = self._for("primary", "link-color", "link")
        thumb = self._colour("scrollbar") or self._mixed(0.3)
        return PaintLook(
            text=self._style(None),
            muted=self._muted(),
            strong=self._style(None, bold=True),
            heading=self._style(self._for("primary", "heading-foreground", "heading"), bold=True),
            link=self._style(link, underline=True),
            code=self._style(self._for("warning", "code-foreground", "code"), block),
            block=self._style(None, block),
            quote=self._style(self._colour("quote-foreground") or self._mixed(0.75)),
            user=self._style(None, user),
            user_bar=self._style(self._for("primary", "user-bar"), user),
            assistant=self._style(self._for("secondary", "assistant-foreground"), bold=True),
            marker=self._style(self._for("primary", "queued-foreground")),
            good=self._style(self._for("success", "done-foreground")),
            bad=self._style(self._for("error", "failed-foreground")),
            waiting=self._style(self._for("warning", "waiting-foreground", "waiting")),
            running=self._style(self._for("secondary", "running-foreground")),
            reviewer=self._style(self._for("accent", "reviewer-foreground", "reviewer")),
            mark=self._style(self._plain("warning"), reverse=True),
            add=add,
            add_word=add_word,
            remove=remove,
            remove_word=remove_word,
            hunk=self._muted_hunk(block),
            thumb=self._style(thumb),
            track=self._style(self._back),
            syntax=self._syntax(block),
        )

    def _muted_hunk(self, back: Color) -> Style:
        colour = self._colour("diff-hunk-foreground", "diff-hunk")
        return self._muted(back) if colour is None else self._style(colour, back)


def _rich(colour: Color) -> RichColor:
    return colour.rich_color

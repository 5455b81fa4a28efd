"""Highlighted code, a line at a time: each line starts with the lexer state of the line before, so painted lines never
change.

A streamed fence and a whole one are therefore identical. Constructs that a lexer only sees over several lines at once
may be coloured a little less finely. An unknown language, or a line longer than LEXED, is plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.style import Style

from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import Piece, Row, capped, chop_pieces, spaces

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]

_ALIAS = re.compile(r"[A-Za-z0-9+#._-]{1,32}\Z")
TAB = 4
CUT = "↩"
LEXED = 400
"""Longest line, in characters, to highlight: a regular expression blocks every thread for its whole run (traps.md
T21c)."""

LEXED_LINES = 4_000
"""Lines of one block to highlight; the rest is plain, since a megabyte would block the painter for seconds (T4)."""

_ROLES = (
    ("Token.Comment", "comment"),
    ("Token.Keyword.Type", "type"),
    ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Attribute", "function"),
    ("Token.Name.Decorator", "function"),
    ("Token.Name.Class", "type"),
    ("Token.Name.Builtin", "type"),
    ("Token.Name.Exception", "type"),
    ("Token.Name.Namespace", "type"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Variable", "number"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Operator", "operator"),
)


@lru_cache(maxsize=1024)
def _role(name: str) -> str | None:
    return next((role for prefix, role in _ROLES if name == prefix or name.startswith(prefix + ".")), None)


_ready: set[str] = set()


def ready(language: str) -> bool:
    """Return True if code in it can be painted at once: its lexer is loaded, or it has none."""
    return not _ALIAS.match(language) or language.lower() in _ready


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # heavy: only here
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    finally:
        _ready.add(language)


class Highlighter:
    """Highlight one line after the other; `base` is the style of text without a colour of its own."""

    def __init__(self, language: str, look: PaintLook, base: Style) -> None:
        self._look, self._base = look, base
        self._lexer = _lexer(language.lower()) if _ALIAS.match(language) else None
        self.state: tuple[str, ...] | None = None
        """The lexer's state at the end of the last line."""
        self._styles: dict[str | None, Style] = {None: base}
        self.lines = 0
        """The number of highlighted lines."""

    def line(self, text: str) -> list[Piece]:
        """Return the styled pieces of a line without its newline."""
        if self._lexer is None or len(text) > LEXED or self.lines >= LEXED_LINES or not text.strip():
            return [Piece(text, self._base)] if text else []
        self.lines += 1
        found: list[Piece] = []
        for name, part in self._tokens(text + "\n"):
            part = part.rstrip("\n")
            if part:
                style = self._style(_role(name))
                if found and found[-1].style is style:
                    found[-1] = Piece(found[-1].text + part, style)
                else:
                    found.append(Piece(part, style))
        return found if "".join(piece.text for piece in found) == text else [Piece(text, self._base)]

    def _style(self, role: str | None) -> Style:
        if role not in self._styles:
            colour = self._look.syntax.get(role or "")
            self._styles[role] = self._base if colour is None else self._base + Style(color=colour.color)
        return self._styles[role]

    def _tokens(self, text: str) -> Iterator[tuple[str, str]]:
        from pygments.lexer import ExtendedRegexLexer, LexerContext, RegexLexer

        lexer = self._lexer
        assert lexer is not None
        if isinstance(lexer, RegexLexer):
            context = LexerContext(text, 0, list(self.state) if self.state else None, len(text))
            try:
                tokens = [
                    (str(kind), part)
                    for _, kind, part in ExtendedRegexLexer.get_tokens_unprocessed(lexer, None, context)
                ]
            except (TypeError, KeyError, IndexError, AttributeError):
                pass  # a lexer with actions of its own and no context: highlight each line alone
            else:
                self.state = tuple(context.stack)
                yield from tokens
                return
        try:
            tokens = [(str(kind), part) for _, kind, part in lexer.get_tokens_unprocessed(text)]
        except Exception:  # a third party's lexer may raise anything; the code is shown without colours
            tokens = [("", text)]
        yield from tokens


class CodeLines:
    """Paint a code block line by line; the rows are identical for a whole block and a streamed one."""

    def __init__(self, language: str, frame: Frame) -> None:
        self._frame = code_frame(frame)
        self._highlight = Highlighter(language, frame.look, frame.look.block)

    def line(self, text: str) -> list[Row]:
        """Return the rows of one line without its newline."""
        return code_rows(self._highlight.line(capped(text).expandtabs(TAB)), self._frame, text)

    def peek(self, text: str) -> list[Row]:
        """Return the rows of a line that isn't whole yet, without a change of state."""
        kept = self._highlight.state, self._highlight.lines
        rows = self.line(text)
        self._highlight.state, self._highlight.lines = kept
        return rows


def code_frame(frame: Frame) -> Frame:
    """Return the frame of a code block: one blank cell of its background on the left."""
    margin = [Piece(spaces(1), frame.look.block)]
    return frame.inside(margin, margin, base=frame.look.block)


def code_rows(pieces: list[Piece], frame: Frame, source: str) -> list[Row]:
    """Return the rows of a line on the block's background, broken anywhere when too long, with a mark at each cut
    (S52)."""
    found: list[Row] = []
    parts = chop_pieces(pieces, frame.room - 1)
    for number, part in enumerate(parts):
        whole = source if number == 0 and "\t" in source else None
        tail = cut_mark(frame, frame.base) if number < len(parts) - 1 else ()
        found.append(frame.emit(part, join="" if number else None, fill=frame.base, full=whole, tail=tail))
    return found


def cut_mark(frame: Frame, ground: Style) -> tuple[Piece, ...]:
    """Return the mark at the right edge of a line that continues in the next row; it is not copied."""
    return (Piece(CUT, ground + Style(color=frame.look.muted.color)),)


def code(lines: Iterable[str], language: str, frame: Frame) -> list[Row]:
    """Return the rows of a whole block of code."""
    painter = CodeLines(language, frame)
    return [painted for line in lines for painted in painter.line(line)]

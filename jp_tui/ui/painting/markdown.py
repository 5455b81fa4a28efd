"""Markdown to rows: markdown-it's tokens, painted by jp-tui (CommonMark, tables, strike-through, task lists).

HTML is shown as text, never interpreted. Blocks are painted one at a time into a frame, so that a streamed message
keeps its painted blocks. The parser is loaded when the first message is painted, not before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.style import Style

from jp_tui.conversation.neutral import neutralise
from jp_tui.ui.painting import inline, table
from jp_tui.ui.painting.code import code
from jp_tui.ui.painting.diff import DiffLines
from jp_tui.ui.painting.frame import Frame
from jp_tui.ui.painting.rows import ClickTarget, Piece, Row, spaces

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_TASK = re.compile(r"\[([ xX])\] ")
DIFFS = ("diff", "patch", "udiff")
BULLETS = "•◦▪"
DEEPEST = 19
"""The level at which the parser stops: 9 nested lists, or 18 nested quotes."""
LEAVES = ("paragraph_open", "heading_open", "table_open")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes 40 ms: only when a message is painted

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def parse(text: str, env: dict[str, Any]) -> list[list[Token]]:
    """Return the top-level blocks of a text, each with its tokens; `env` passes link definitions on."""
    return [_shallow(tokens, text) for tokens in split(_parser().parse(text, env))]


def _shallow(tokens: list[Token], text: str) -> list[Token]:
    """Return the block, or its source if it is nested deeper than DEEPEST, where the parser drops text."""
    head = tokens[0]
    if head.map is None or max(token.level for token in tokens) < DEEPEST:
        return tokens
    from markdown_it.token import Token

    lines = text.split("\n")[head.map[0] : head.map[1]]
    return [Token("source", "", 0, content="\n".join(lines), map=head.map)]


def split(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return tokens grouped by top-level block."""
    found: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            found.append([])
        found[-1].append(token)
        depth += token.nesting
    return found


def document(blocks: Sequence[Sequence[Token]], frame: Frame, *, menu: bool = False) -> list[Row]:
    """Return the rows of blocks, a blank row between them."""
    found: list[Row] = []
    for tokens in blocks:
        rows = block(tokens, frame, menu=menu)
        if rows and found:
            found.append(frame.blank())
        found.extend(rows)
    return found


def block(tokens: Sequence[Token], frame: Frame, *, menu: bool = False) -> list[Row]:
    """Return the rows of one block."""
    head = tokens[0]
    match head.type:
        case "paragraph_open":
            return _paragraph(tokens[1], frame, frame.base)
        case "heading_open":
            return _heading(tokens[1], int(head.tag[1:]), frame)
        case "bullet_list_open" | "ordered_list_open":
            return [row for item in items(tokens, frame, menu=menu) for row in item]
        case "blockquote_open":
            return _quote(tokens, frame)
        case "fence":
            return fence(head.content, head.info, frame)
        case "code_block":
            return code(_lines(head.content), "", frame)
        case "hr":
            return [frame.emit([Piece("─" * frame.measure, frame.look.muted)])]
        case "table_open":
            return _table(tokens, frame)
        case _:
            text = neutralise(head.content)
            return [row for line in _lines(text) for row in frame.paragraph([Piece(line, frame.base)])]


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _paragraph(token: Token, frame: Frame, style: Style, hit: ClickTarget | None = None) -> list[Row]:
    found: list[Row] = []
    for pieces in inline.lines(token.children or (), frame.look, style, hit):
        found.extend(frame.paragraph(_stripped(pieces)))
    return found


def _stripped(pieces: list[Piece]) -> list[Piece]:
    """Return pieces without blanks at the ends, which the parser leaves beside a hard break."""
    if pieces and pieces[0].text.startswith(" "):
        pieces = [pieces[0]._replace(text=pieces[0].text.lstrip(" ")), *pieces[1:]]
    if pieces and pieces[-1].text.endswith(" "):
        pieces = [*pieces[:-1], pieces[-1]._replace(text=pieces[-1].text.rstrip(" "))]
    return pieces


def _heading(token: Token, level: int, frame: Frame) -> list[Row]:
    style = frame.look.heading
    if level == 1:
        style += Style(underline=True)
    elif level > 2:
        style += Style(italic=True)
    return _paragraph(token, frame, style)


def fence(content: str, info: str, frame: Frame) -> list[Row]:
    """Return the rows of a fenced block: a diff with its colours, code highlighted by the language it names."""
    language = language_of(info)
    lines = _lines(content) if content else []
    if language in DIFFS:
        painter = DiffLines(frame)
        return [row for line in lines for row in painter.line(line)]
    return code(lines, language, frame)


def language_of(info: str) -> str:
    """Return the first word of an info string, in lower case."""
    words = info.split(maxsplit=1)
    return words[0].strip("{}.").lower() if words else ""


def _quote(tokens: Sequence[Token], frame: Frame) -> list[Row]:
    bar = [Piece("▎ ", frame.look.muted)]
    inside = frame.inside(bar, bar, base=frame.look.quote)
    return document(split(tokens[1:-1]), inside)


def items(
    tokens: Sequence[Token], frame: Frame, *, menu: bool = False, first: int | None = None, apart_first: bool = False
) -> list[list[Row]]:
    """Return the rows of each item of a list, a blank row before those that the source sets apart.

    `first` is the number of the first item, `apart_first` whether a blank row precedes it, after items that are
    painted.
    """
    ordered = tokens[0].type == "ordered_list_open"
    entries = split(tokens[1:-1])
    if first is None:
        start = tokens[0].attrGet("start") if ordered else 1
        first = int(start) if start is not None else 1
    found: list[list[Row]] = []
    for number, entry in enumerate(entries, first):
        marker = f"{number:>2}. " if ordered else f" {BULLETS[min(entry[0].level // 2, 2)]} "
        apart = apart_from(entries[number - first - 1], entry) if found else apart_first
        rows = [frame.blank()] if apart else []
        found.append([*rows, *item(entry, marker, frame, menu=menu and ordered, number=number)])
    return found


def apart_from(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Return True if a blank line is between two blocks in the source; lists keep the spacing of their author.

    CommonMark's loose and tight depend on a list's end, so a streamed list could not keep its rows.
    """
    ends = [token.map[1] for token in before if token.map and (token.type in LEAVES or not token.nesting)]
    return bool(ends and after[0].map and after[0].map[0] > max(ends))


def item(entry: Sequence[Token], marker: str, frame: Frame, *, menu: bool, number: int) -> list[Row]:
    """Return the rows of one item; in a menu its text can be clicked."""
    blocks = split(entry[1:-1])
    hit = _word(blocks, number) if menu else None
    if blocks and blocks[0][0].type == "paragraph_open":
        marker = _task(blocks[0][1], marker)
    first = [Piece(marker, frame.look.marker, hit)]
    inside = frame.inside(first, [Piece(spaces(len(marker)), frame.base)], gutter=False)
    found: list[Row] = []
    for at, tokens in enumerate(blocks):
        if at and apart_from(blocks[at - 1], tokens):
            found.append(inside.blank())
        if tokens[0].type == "paragraph_open":
            found.extend(_paragraph(tokens[1], inside, frame.base, hit))
        else:
            found.extend(block(tokens, inside))
    return found or [inside.emit(())]


def _task(token: Token, marker: str) -> str:
    """Return the marker of a task's item, and remove its box from the text."""
    children = token.children or []
    box = _TASK.match(children[0].content) if children and children[0].type == "text" else None
    if box is None:
        return marker
    children[0].content = children[0].content[box.end() :]
    return marker.replace("•", "☐" if box[1] == " " else "☑").replace("◦", "☐" if box[1] == " " else "☑")


def _word(blocks: Sequence[Sequence[Token]], number: int) -> ClickTarget:
    """Return the click target of a menu item: the name it begins with, else its number."""
    for tokens in blocks[:1]:
        children = tokens[1].children or [] if len(tokens) > 1 else []
        if children and children[0].type == "code_inline" and children[0].content.strip():
            return ClickTarget("word", neutralise(children[0].content.strip(), "line"))
    return ClickTarget("word", str(number))


def _table(tokens: Sequence[Token], frame: Frame) -> list[Row]:
    rows: list[list[table.Cell]] = []
    aligns: list[table.Align] = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            style = frame.base + Style(bold=True) if token.type == "th_open" else frame.base
            lines = inline.lines(tokens[at + 1].children or (), frame.look, style)
            rows[-1].append(_stripped([piece for line in lines for piece in line]))
            if token.type == "th_open":
                said = str(token.attrGet("style") or "")
                aligns.append("right" if "right" in said else "center" if "center" in said else "left")
    return table.table(rows, aligns, frame)

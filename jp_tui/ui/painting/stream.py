"""A streamed message: rows that are final, and an open tail (designs.md B).

A finished Markdown block is painted once and frozen; of an open list all items but the last; of an open fence each
finished line, which is not parsed at all. Only the tail is painted again with each piece of text. The finished message
is painted again as a whole, since a late link definition can change earlier text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jp_tui.conversation.neutral import Sanitizer
from jp_tui.ui.painting import markdown, plain
from jp_tui.ui.painting.blocks import closing, page, thought
from jp_tui.ui.painting.code import CodeLines
from jp_tui.ui.painting.diff import DiffLines
from jp_tui.ui.painting.look import PaintLook
from jp_tui.ui.painting.rows import Row

if TYPE_CHECKING:
    from markdown_it.token import Token

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)\Z")


@dataclass(slots=True)
class _Fence:
    mark: str
    indent: int
    painter: CodeLines | DiffLines
    begun: bool = False

    def closes(self, line: str) -> bool:
        bare = line.strip(" \t")
        indent = len(line) - len(line.lstrip(" "))
        return indent < 4 and len(bare) >= len(self.mark) and not bare.strip(self.mark[0])

    def content(self, line: str) -> str:
        return line[min(self.indent, len(line) - len(line.lstrip(" "))) :]


class StreamedMessage:
    """Streamed Markdown of the assistant. After `feed`, `frozen` has grown and `tail` is new."""

    def __init__(self, width: int, look: PaintLook, *, menu: bool = False) -> None:
        self._frame = page(width, look)
        self._menu = menu
        self._clean = Sanitizer()
        self._text, self._room, self._missing = "", plain.SHOWN, 0
        self._references: dict[str, Any] = {}
        self._env: dict[str, Any] = {}
        self._known: tuple[str, list[list[Token]]] | None = None
        self._fence: _Fence | None = None
        self._number: int | None = None
        self._apart = False
        self._shown: list[Row] = []
        self.frozen: list[Row] = []
        self.tail: list[Row] = []

    def feed(self, text: str) -> None:
        """Add text of the message; freeze finished blocks and paint the tail."""
        text = self._clean.feed(text)
        kept = text[: self._room]
        self._room -= len(kept)
        self._missing += len(text) - len(kept)
        if kept or not self._shown:
            self._text += kept
            while self._advance():
                pass
            self._shown = self._open()
        self.tail = self._shown + closing(self._missing, False, self._frame)

    # --- freezing ------------------------------------------------------------------------------------------

    def _freeze(self, rows: Sequence[Row], *, apart: bool) -> None:
        if rows and apart and self.frozen:
            self.frozen.append(self._frame.blank())
        self.frozen.extend(rows)

    def _advance(self) -> bool:
        """Freeze what can be frozen; return True if there may be more."""
        return self._fence_lines() if self._fence is not None else self._blocks()

    def _fence_lines(self) -> bool:
        fence = self._fence
        assert fence is not None
        done = self._text.rfind("\n") + 1
        lines = self._text[:done].split("\n")[:-1]
        for at, line in enumerate(lines):
            if fence.closes(line):
                self._fence = None
                self._text = "\n".join(lines[at + 1 :]) + ("\n" if lines[at + 1 :] else "") + self._text[done:]
                return bool(self._text.strip())
            self._freeze(fence.painter.line(fence.content(line)), apart=not fence.begun)
            fence.begun = True
        self._text = self._text[done:]
        return False

    def _parsed(self) -> list[list[Token]]:
        """Return the blocks of the open text, parsed once for freezing and for the tail."""
        if self._known is None or self._known[0] != self._text:
            self._env = {"references": dict(self._references)}
            self._known = self._text, markdown.parse(self._text, self._env)
        return self._known[1]

    def _blocks(self) -> bool:
        blocks = self._parsed()
        whole = self._text.count("\n")
        starts = [_start(tokens) for tokens in blocks]
        last = next((at for at in range(len(blocks) - 1, -1, -1) if starts[at] < whole), None)
        if last is None:
            return False
        for tokens in blocks[:last]:
            self._freeze(self._rows(tokens), apart=self._number is None)
            self._number = None
        self._cut(starts[last])
        head = blocks[last][0]
        if head.type == "fence":
            return self._enter()
        if head.type in ("bullet_list_open", "ordered_list_open"):
            self._items(blocks[last], starts[last])
        return False

    def _rows(self, tokens: Sequence[Token]) -> list[Row]:
        if self._number is None:
            return markdown.block(tokens, self._frame, menu=self._menu)
        rows = markdown.items(tokens, self._frame, menu=self._menu, first=self._number, apart_first=self._apart)
        return [row for item in rows for row in item]

    def _cut(self, line: int) -> None:
        """Forget the text before a line; keep its link definitions."""
        if not line:
            return
        for label, found in self._env.get("references", {}).items():
            if label not in self._references and found.get("map", [0, 0])[1] <= line:
                self._references[label] = found
        self._text = "\n".join(self._text.split("\n")[line:])

    def _enter(self) -> bool:
        first, _, rest = self._text.partition("\n")
        match = _FENCE.match(first)
        if match is None:
            return False
        info = match[3].strip()
        language = markdown.language_of(info)
        painter = DiffLines(self._frame) if language in markdown.DIFFS else CodeLines(language, self._frame)
        self._fence = _Fence(match[2], len(match[1]), painter)
        self._text = rest
        return True

    def _items(self, tokens: Sequence[Token], start: int) -> None:
        """Freeze all items of an open list but the last."""
        entries = markdown.split(tokens[1:-1])
        whole = self._text.count("\n")
        last = next((at for at in range(len(entries) - 1, 0, -1) if _start(entries[at]) - start < whole), 0)
        if not last:
            return
        going = self._number is not None
        rows = markdown.items(
            tokens, self._frame, menu=self._menu, first=self._number, apart_first=self._apart and going
        )
        for number, item in enumerate(rows[:last]):
            self._freeze(item, apart=number == 0 and not going)
        given = tokens[0].attrGet("start") if tokens[0].type == "ordered_list_open" else 1
        first = self._number if self._number is not None else int(given) if given is not None else 1
        self._number = first + last
        self._apart = markdown.apart_from(entries[last - 1], entries[last])
        self._cut(_start(entries[last]) - start)

    # --- the open tail -------------------------------------------------------------------------------------

    def _open(self) -> list[Row]:
        rows: list[Row] = []
        if self._fence is not None:
            fence = self._fence
            if self._text and not (self._text.strip() and not self._text.strip(" \t" + fence.mark[0])):
                rows = fence.painter.peek(fence.content(self._text))
            if rows and not fence.begun and self.frozen:
                rows.insert(0, self._frame.blank())
        elif self._text.strip():
            for at, tokens in enumerate(self._parsed()):
                part = self._rows(tokens) if at == 0 else markdown.block(tokens, self._frame, menu=self._menu)
                if part and (rows or self.frozen) and not (at == 0 and self._number is not None):
                    rows.append(self._frame.blank())
                rows.extend(part)
        return rows


class Thinking:
    """Streamed reasoning; folded, so that only its first rows are ever painted."""

    def __init__(self, key: str, width: int, look: PaintLook, *, unfolded: bool) -> None:
        self._key, self._width, self._look, self._unfolded = key, width, look, unfolded
        self._pieces: list[str] = []
        self.frozen: list[Row] = []
        self.tail: list[Row] = []

    def feed(self, text: str) -> None:
        """Add text of the reasoning."""
        self._pieces = ["".join((*self._pieces, text))]
        self.tail = thought(self._key, self._pieces[0], self._width, self._look, self._unfolded)


def _start(tokens: Sequence[Token]) -> int:
    return tokens[0].map[0] if tokens[0].map else 0

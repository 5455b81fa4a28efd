"""JSON in a sheet: coloured, its mistakes marked in their lines, in place up to a size and whole beyond it (T4).

Only the lines on the screen are coloured: a JSON string ends in its line, so each line is coloured alone. Beyond WRAPS
characters lines no longer wrap, beyond ROOM the text is one mark that only another editor opens.
"""

from __future__ import annotations

import json
import re

from rich.text import Text
from textual import events
from textual.content import Content
from textual.widgets.text_area import Location

from jp_tui.ui.sheets.field import InputGate
from jp_tui.ui.sheets.json.field import LONGEST, JsonField
from jp_tui.view.composer.pastes import cleaned

ROOM, WRAPS, COLOURED = 131_072, 32_000, 2_000
"""Characters edited in place, characters up to which lines wrap, and characters of a line that are coloured."""
_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<string>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<number>-?\d[\d.eE+-]*)|(?P<word>\b(?:true|false|null)\b)|(?P<sign>[{}\[\]:,])"
)
_EMPTY = ("{}", "[]", '""')
_BEGINS = {"{}": "{[-0123456789tfn", "[]": "", '""': "{["}
"""Characters that begin another document in an empty one, where they would be invalid in it; elsewhere a bracket
does."""
_ENDS = ("ctrl+home", "ctrl+end")


def _whole(text: str) -> bool:
    """Return True if a text is a JSON document."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.lstrip()[:1] in ("{", "[")
    return True


class JsonEditor(JsonField):
    """The JSON of an answer."""

    COMPONENT_CLASSES = {"json--key", "json--string", "json--number", "json--word", "json--sign", "json--wrong"}
    DEFAULT_CSS = """
    JsonEditor { scrollbar-size-horizontal: 0;
        & .json--key { color: $text-primary; }
        & .json--string { color: $text-success; }
        & .json--number { color: $text-warning; }
        & .json--word { color: $text-accent; }
        & .json--sign { color: $foreground-muted; }
        & .json--wrong { color: $text-error; text-style: underline; }
    }
    """

    def __init__(self, *, gate: InputGate, hint: Content, id: str | None = None) -> None:
        super().__init__(gate=gate, hint=hint, id=id)
        self._wrong: frozenset[int] = frozenset()
        self._untouched: tuple[str, Location] | None = None
        self._given = False

    def put(self, text: str) -> None:
        wraps = len(text) <= WRAPS
        if self.soft_wrap is not wraps:
            self.soft_wrap = wraps
        self.mark(frozenset())
        if len(text) <= ROOM and max(map(len, (text := cleaned(text)).split("\n"))) <= LONGEST:
            self.load_text(text)
            self.move_cursor((0, 0))
        else:
            super().put(text)

    def begin(self, *, given: bool) -> None:
        """Let a pasted document replace the untouched text, or, unless that was `given` as an answer, a typed one. In
        an empty one the cursor is between its brackets."""
        if self.text in _EMPTY:
            self.move_cursor((0, 1))
        self._untouched, self._given = (self.text, self.cursor_location), given and self.text not in _EMPTY

    @property
    def _as_it_began(self) -> bool:
        return self._untouched == (self.text, self.cursor_location) and self.selection.is_empty

    def edit_with(self, event: events.Key) -> None:
        if event.key in _ENDS:
            self.move_cursor((0, 0) if event.key == "ctrl+home" else self.document.end)
            event.stop()
            return
        if (
            self._as_it_began
            and not self._given
            and event.character
            and event.character in _BEGINS.get(self.text, "{[")
        ):
            self.replace("", (0, 0), self.document.end)
        super().edit_with(event)

    def replace_with(self, text: str) -> None:
        """Replace the text, if possible with the same lines on the screen."""
        at, top = self.cursor_location, self.scroll_offset.y
        self.put(text)
        line = min(at[0], self.document.line_count - 1)
        self.move_cursor((line, min(at[1], len(self.document.get_line(line)))))
        self.scroll_to(y=top, animate=False, force=True, immediate=True)

    def insert_text(self, text: str) -> None:
        """Insert a paste as it is, as long as it can be edited here."""
        text = cleaned(text)
        if self._as_it_began and _whole(text):
            self.replace("", (0, 0), self.document.end)
        lines = text.split("\n")
        if len(text) + len(self.text) > ROOM or max(map(len, lines)) > LONGEST:
            super().insert_text(text)
            return
        if len(text) + len(self.text) > WRAPS and self.soft_wrap:
            self.soft_wrap = False
        found = self.replace(text, *self.selection)
        self.move_cursor(found.end_location)

    def mark(self, lines: frozenset[int]) -> None:
        """Set the lines, from 1, that have mistakes."""
        if lines != self._wrong:
            self._wrong = lines
            self.notify_style_update()  # TextArea drops its painted lines
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for match in _TOKEN.finditer(line.plain[:COLOURED]):
            line.stylize(self.get_component_rich_style(f"json--{match.lastgroup}", partial=True), *match.span())
        if line_index + 1 in self._wrong:
            start = len(line.plain) - len(line.plain.lstrip(" "))
            line.stylize(self.get_component_rich_style("json--wrong", partial=True), start, len(line.plain))
        return line

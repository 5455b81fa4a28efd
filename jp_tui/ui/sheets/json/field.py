"""A text field for JSON: laid out, edited in place as far as that is possible (R87)."""

from __future__ import annotations

from textual import events

from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.messages import NEW_LINE
from jp_tui.view.composer.pastes import ROOM, cleaned

LONGEST = 4_000
"""Characters of a line that can be edited in place; the user's own editor takes any (traps.md T4)."""


class JsonField(Field):
    """JSON, edited in place as far as that is possible; larger text is one mark."""

    DEFAULT_CSS = "JsonField { scrollbar-size-vertical: 1; }"

    def put(self, text: str) -> None:
        """Replace the whole text and show its top."""
        if len(text) <= ROOM and max(map(len, (text := cleaned(text)).split("\n"))) <= LONGEST:
            self.load_text(text)
        else:
            super().put(text)
        self.move_cursor((0, 0))

    @property
    def whole(self) -> bool:
        """True if all of it can be edited in place."""
        return self.value == self.text

    def show_place(self, line: int, column: int) -> None:
        """Move the cursor to a mistake; line and column count from 1."""
        if self.whole and line <= self.document.line_count:
            self.move_cursor((line - 1, min(column - 1, len(self.document.get_line(line - 1)))))

    def edit_with(self, event: events.Key) -> None:
        """Indent a new line as the one before it."""
        if event.key not in NEW_LINE:
            super().edit_with(event)
            return
        line = self.document.get_line(self.cursor_location[0])[: self.cursor_location[1]]
        indent = len(line) - len(line.lstrip(" ")) + (2 if line.rstrip().endswith(("{", "[")) else 0)
        self.replace("\n" + " " * indent, *self.selection, maintain_selection_offset=False)
        event.stop()

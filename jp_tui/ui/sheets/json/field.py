"""Two fields that are not plain text: JSON, which is laid out, and a secret, which is never shown (R87, R193, E27).

Neither knows what is asked. A secret's text is in no document, no history of edits, no clipboard and no repr; what the
screen has are signs, and a paste is one sign, so that not even its length shows.
"""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.widgets.text_area import Edit, EditResult

from jp_tui.ui.sheets.field import Field, InputGate
from jp_tui.ui.sheets.messages import NEW_LINE
from jp_tui.view.composer.pastes import ROOM, cleaned

LONGEST = 4_000
"""Characters of a line that can be edited in place; the editor of the user takes any (traps.md T4)."""
_TYPED, _PASTED = "•", "■"


class JsonField(Field):
    """JSON, edited in place as far as that is possible; beyond, all of it is one mark."""

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
        """Whether all of it can be edited in place."""
        return self.value == self.text

    def show_place(self, line: int, column: int) -> None:
        """The cursor where a mistake was found, both from 1."""
        if self.whole and line <= self.document.line_count:
            self.move_cursor((line - 1, min(column - 1, len(self.document.get_line(line - 1)))))

    def take(self, event: events.Key) -> None:
        """A new line begins below the one it follows."""
        if event.key not in NEW_LINE:
            super().take(event)
            return
        line = self.document.get_line(self.cursor_location[0])[: self.cursor_location[1]]
        indent = len(line) - len(line.lstrip(" ")) + (2 if line.rstrip().endswith(("{", "[")) else 0)
        self.replace("\n" + " " * indent, *self.selection, maintain_selection_offset=False)
        event.stop()


class SecretField(Field):
    """Something that nobody may read over a shoulder, in a log or in a picture of the screen."""

    def __init__(self, *, gate: InputGate, hint: Content, id: str | None = None) -> None:
        super().__init__(gate=gate, hint=hint, id=id)
        self._pieces: list[str] = []

    @property
    def value(self) -> str:
        """What was written; the only way to it."""
        return "".join(self._pieces)

    def put(self, text: str) -> None:
        """Nothing is ever put in: there is no draft and no default of a secret."""
        self.forget()

    def forget(self) -> None:
        """It was used, or its question is over (R193)."""
        self._pieces.clear()
        self.load_text("")

    def insert_text(self, text: str) -> None:
        """A paste, as one sign."""
        text = cleaned(text)
        if text:
            start, end = sorted(self.selection)
            self._put_in([text], _PASTED, start[1], end[1])

    def edit(self, edit: Edit) -> EditResult:
        """Any other change, character by character."""
        start, end = sorted((edit.from_location, edit.to_location))
        return self._put_in(list(cleaned(edit.text)), _TYPED, start[1], end[1])

    def _put_in(self, pieces: list[str], sign: str, start: int, end: int) -> EditResult:
        self._pieces[start:end] = pieces
        found = super().edit(Edit(sign * len(pieces), (0, start), (0, end), False))
        self.history.clear()
        self.move_cursor(found.end_location)
        return found

    def action_undo(self) -> None:
        """What was deleted is gone."""

    def action_redo(self) -> None:
        """As undo."""

    def action_cut(self) -> None:
        """Deletes, and leaves nothing on the clipboard."""
        start, end = sorted(self.selection)
        self._put_in([], _TYPED, start[1] if start != end else 0, end[1] if start != end else len(self._pieces))

    def action_copy(self) -> None:
        """A secret is not copied."""

    def on_unmount(self) -> None:
        self._pieces.clear()

"""A secret (R87, R193, R202; asking.md E27): one masked field, stored nowhere.

No draft, no default, no editor of the user (it would write a file), no clipboard, no note. The text is forgotten when
it is sent, and when the question is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static
from textual.widgets.text_area import Edit, EditResult

from jp_tui.ui.sheets.area import AnswerArea, AnswerBody, AnswerSheet
from jp_tui.ui.sheets.areas.text import EMPTY
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.field import Field, InputGate
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.layout import height_of
from jp_tui.ui.text import ours
from jp_tui.view.composer.pastes import cleaned
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

_TYPED, _PASTED = "•", "■"


class SecretNote(Static):
    """The line that says where a secret is sent and where not."""

    DEFAULT_CSS = "SecretNote { height: auto; color: $text-muted; }"


class SecretField(Field):
    """A text field that hides its text from onlookers, logs and screenshots.

    The text is in no document, no history of edits, no clipboard and no repr; the screen has signs, and a paste is one
    sign, so that it doesn't show even the length.
    """

    def __init__(self, *, gate: InputGate, hint: Content, id: str | None = None) -> None:
        super().__init__(gate=gate, hint=hint, id=id)
        self._pieces: list[str] = []

    @property
    def value(self) -> str:
        """The text; no other member returns it."""
        return "".join(self._pieces)

    def put(self, text: str) -> None:
        """Forget the text: there is no draft and no default of a secret."""
        self.forget()

    def forget(self) -> None:
        """Forget the text: it was sent, or its question is over (R193)."""
        self._pieces.clear()
        self.load_text("")

    def insert_text(self, text: str) -> None:
        """Insert a paste, shown as one sign."""
        text = cleaned(text)
        if text:
            start, end = sorted(self.selection)
            self._put_in([text], _PASTED, start[1], end[1])

    def edit(self, edit: Edit) -> EditResult:
        """Make any other change, character by character."""
        start, end = sorted((edit.from_location, edit.to_location))
        return self._put_in(list(cleaned(edit.text)), _TYPED, start[1], end[1])

    def _put_in(self, pieces: list[str], sign: str, start: int, end: int) -> EditResult:
        self._pieces[start:end] = pieces
        found = super().edit(Edit(sign * len(pieces), (0, start), (0, end), False))
        self.history.clear()
        self.move_cursor(found.end_location)
        return found

    def action_undo(self) -> None:
        """Do nothing: deleted text isn't kept."""

    def action_redo(self) -> None:
        """Do nothing, as undo."""

    def action_cut(self) -> None:
        """Delete, and leave nothing on the clipboard."""
        start, end = sorted(self.selection)
        self._put_in([], _TYPED, start[1] if start != end else 0, end[1] if start != end else len(self._pieces))

    def action_copy(self) -> None:
        """Do nothing: a secret is not copied."""

    def on_unmount(self) -> None:
        self._pieces.clear()


class SecretArea(AnswerArea, AnswerBody):
    """A question for a secret."""

    BINDINGS: ClassVar[list[Binding]] = []

    def __init__(self, sheet: AnswerSheet) -> None:
        self.body = self
        self._sheet = sheet
        self.field = SecretField(gate=sheet.gate, hint=ours(w.SECRET_HINT), id="answer")
        self._note = SecretNote(ours(w.SECRET_KEPT), id="kept")

    def widgets(self) -> Sequence[Widget]:
        return (self.field, self._note)

    def height_at(self, width: int, room: int) -> int:
        return 1 + height_of(self._note, width)

    def place(self, rows: int) -> None:
        self.field.styles.height = 1

    def listening(self) -> None:
        if self._sheet.mode == "answer":
            self._sheet.write(self.field)

    @property
    def changed(self) -> bool:
        return bool(self.field.value)

    def restore(self, draft: Draft) -> Draft:
        self.field.forget()
        return draft

    def sent(self) -> None:
        self.field.forget()

    # Keys

    def accept(self) -> None:
        self._sheet.write(self.field)

    def action_editor(self) -> None:
        if self._sheet.writing is not self.field:
            self._sheet.action_editor()

    def submit(self, field: Field) -> None:
        if field.value.strip():
            self._sheet.answered(field.value)
        else:
            self._sheet.show_notice(ours(w.NOT_WRITTEN))

    def pasted(self, text: str) -> bool:
        self._sheet.write(self.field)
        self.field.insert_text(text)
        return True

    def more_rows(self) -> list[ChoiceRow]:
        return [EMPTY]

    def answer_hints(self) -> list[Hint]:
        return [Hint("Enter", "write", "accept", keep=True)]

    def field_hints(self, field: Field) -> list[Hint]:
        return [
            Hint("Enter", "submit", "accept", keep=True), Hint("Esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

"""An answer in the user's own words (E14, E24, R192).

The default is in the field, unselected, to be edited or accepted. An empty text is an answer only when it is chosen in
the menu.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding
from textual.widget import Widget

from jp_tui.conversation.neutral import neutralise
from jp_tui.ui.sheets.area import AnswerArea, AnswerBody, AnswerSheet
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.text import ours
from jp_tui.view.composer.pastes import cleaned
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

EMPTY = ChoiceRow("empty", ours(w.EMPTY), detail=ours(w.EMPTY_DOES))
"""The line of the menu that answers with an empty text."""


class FreeTextArea(AnswerArea, AnswerBody):
    """A question with a field."""

    BINDINGS: ClassVar[list[Binding]] = [
        Binding("ctrl+g", "editor", "Editor", id="sheet.editor", tooltip="Edit the answer in your $EDITOR")
    ]

    def __init__(self, sheet: AnswerSheet) -> None:
        self.body = self
        self._sheet, begins = sheet, sheet.initial
        self._default = begins[0] if begins and isinstance(begins[0], str) else ""
        self._shown = cleaned(neutralise(self._default))  # a field can't mark control characters
        self.field = Field(gate=sheet.gate, hint=ours(w.TEXT_HINT), id="answer")

    def widgets(self) -> Sequence[Widget]:
        return (self.field,)

    def height_at(self, width: int, room: int) -> int:
        return self.field.height_at(width)  # the field is the answer: it may have all that is free (E1)

    def place(self, rows: int) -> None:
        self.field.styles.height = max(rows, 1)

    def listening(self) -> None:
        if self._sheet.mode == "answer":
            self._sheet.write(self.field)

    # Drafts

    def typed(self) -> str | None:
        text = self.field.value
        return None if text == self._shown else text

    def restore(self, draft: Draft) -> Draft:
        self.field.restore(self._shown if draft.answer is None else draft.answer, draft.places("answer"))
        return draft

    def kept_fields(self) -> list[tuple[str, Field]]:
        return [("answer", self.field)]

    # Keys

    def accept(self) -> None:
        self._sheet.write(self.field)

    def action_editor(self) -> None:
        if self._sheet.writing is None:
            self._sheet.write(self.field)
        self._sheet.action_editor()

    def submit(self, field: Field) -> None:
        text = self._default if field.value == self._shown else field.value
        if text.strip():
            self._sheet.answered(text)
        else:
            self._sheet.show_notice(ours(w.NOT_WRITTEN))

    def pasted(self, text: str) -> bool:
        self._sheet.write(self.field)
        self.field.insert_text(text)
        return True

    def more_rows(self) -> list[ChoiceRow]:
        return [EMPTY]

    def answer_hints(self) -> list[Hint]:
        return [Hint("Enter", "write", "accept", keep=True), Hint("Ctrl+G", "editor", "editor")]

    def field_hints(self, field: Field) -> list[Hint]:
        default = self._default and field.value == self._shown
        again = self._sheet.prompt.prefill
        words = "accept your answer" if default and again else "accept the default" if default else "submit"
        return [
            Hint("Enter", words, "accept", keep=True), Hint("Ctrl+J", "new line", "new_line"),
            Hint("Ctrl+G", "editor", "editor"), Hint("Esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

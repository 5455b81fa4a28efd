"""A secret (R193, R202; asking.md E27): one masked field; kept nowhere.

No draft, no default, no editor of the user (it would write a file), no clipboard, no note. What was written is
forgotten as soon as it was sent, and when the question goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.ui.sheets.area import AnswerArea, AnswerBody, AnswerSheet
from jp_tui.ui.sheets.areas.text import EMPTY
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.json.field import SecretField
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.layout import height_of
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w


class SecretNote(Static):
    """The line that says where a secret goes and where not."""

    DEFAULT_CSS = "SecretNote { height: auto; color: $text-muted; }"


class SecretArea(AnswerArea, AnswerBody):
    """A question whose answer nobody may see."""

    BINDINGS: ClassVar[list[Binding]] = []

    def __init__(self, sheet: AnswerSheet) -> None:
        self._sheet = sheet
        self.field = SecretField(gate=sheet.gate, hint=ours(w.SECRET_HINT), id="answer")
        self._note = SecretNote(ours(w.SECRET_KEPT), id="kept")

    @property
    def body(self) -> SecretArea:
        return self

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
            self._sheet.say(ours(w.NOT_WRITTEN))

    def pasted(self, text: str) -> bool:
        self._sheet.write(self.field)
        self.field.insert_text(text)
        return True

    def more_rows(self) -> list[ChoiceRow]:
        return [EMPTY]

    def answer_hints(self) -> list[Hint]:
        return [Hint("enter", "write", "accept", keep=True)]

    def field_hints(self, field: Field) -> list[Hint]:
        return [
            Hint("enter", "submit", "accept", keep=True), Hint("esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

"""An answer in the user's own words (E14, E24, R192).

The default stands in the field, unselected, to be edited or accepted. Nothing written is not an answer: an empty
text must be meant, and is chosen in the menu.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding

from jp_tui.conversation.neutral import neutralise
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.text import ours
from jp_tui.view.composer.pastes import cleaned
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w


class TextSheet(Sheet):
    """A question with a field."""

    BINDINGS: ClassVar = [Binding("ctrl+g", "editor", "Editor", id="sheet.editor", tooltip="Write in your own editor")]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self._default = self.begins_with()
        self.shown = cleaned(neutralise(self._default))  # a field cannot mark what would act or deceive
        self.field = self.make_field(gate)

    def make_field(self, gate: Gate) -> Field:
        """The field in which it is written."""
        return Field(gate=gate, hint=ours(w.TEXT_HINT), id="answer")

    def begins_with(self) -> str:
        """What stands in it at first."""
        return self.begins[0] if self.begins and isinstance(self.begins[0], str) else ""

    def answers(self) -> ComposeResult:
        yield self.field

    def wanted(self, width: int, room: int) -> int:
        return self.field.height_at(width)  # the field is the answer: it may have all that is free (E1)

    def given(self, rows: int) -> None:
        self.field.styles.height = max(rows, 1)

    def listening(self) -> None:
        super().listening()
        if self.mode == "answer":
            self.write(self.field)

    def typed(self) -> str | None:
        text = self.field.value
        return None if text == self.shown else text

    def restore(self, draft: Draft) -> None:
        super().restore(draft)
        self.field.put_again(self.shown if draft.answer is None else draft.answer, draft.places("answer"))

    def kept_fields(self) -> list[tuple[str, Field]]:
        return [("answer", self.field), *super().kept_fields()]

    def accept(self) -> None:
        self.write(self.field)

    def action_editor(self) -> None:
        if self.writing is None:
            self.write(self.field)
        super().action_editor()

    def submit(self, field: Field) -> None:
        text = self._default if field.value == self.shown else field.value
        if text.strip():
            self.answered(text)
        else:
            self.say(ours(w.NOT_WRITTEN))

    def pasted(self, text: str) -> None:
        self.write(self.field)
        self.field.insert_text(text)

    def more_rows(self) -> list[Row]:
        return [Row("empty", ours(w.EMPTY), detail=ours(w.EMPTY_DOES))]

    def answer_hints(self) -> list[Hint]:
        return [Hint("enter", "write", "accept", keep=True), Hint("ctrl+g", "editor", "editor")]

    def field_hints(self, field: Field) -> list[Hint]:
        default = self._default and field.value == self.shown
        words = (
            "accept your answer" if default and self.prompt.prefill else "accept the default" if default else "submit"
        )
        sends = Hint("enter", words, "accept", keep=True)
        return [
            sends, Hint("ctrl+j", "new line", "new_line"), Hint("ctrl+g", "editor", "editor"),
            Hint("esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

"""An answer that has to fit a JSON Schema, written as JSON (R186, R87; the form comes beside it later).

It begins with the default or with what the schema requires, says what is wanted in one line, and shows all of the
schema on demand. Whether a value fits is the engine's verdict: a refusal comes back with its reason and the text
stays. What is no JSON is told with line and column; emptied leads back to the choice.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import SchemaAnswer
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.fields import JsonField
from jp_tui.ui.sheets.frame import height_of
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.json_text import laid_out
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.schema_words import skeleton, summary
from jp_tui.ui.sheets.text import TextSheet
from jp_tui.ui.text import foreign, join, ours
from jp_tui.view import wording as w

LEAST_FIELD = 3
"""Rows of the field before which the line of what is wanted gives way."""


class SchemaSheet(TextSheet):
    """A question with a JSON field."""

    DEFAULT_CSS = "SchemaSheet #wanted { height: auto; color: $text-muted; }"
    BINDINGS: ClassVar = [
        Binding("f7", "aside('schema')", "Schema", id="sheet.schema", tooltip="All that the schema says, and back")
    ]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        kind = prompt.question.answer_type
        self._schema = kind.schema if isinstance(kind, SchemaAnswer) else {}
        super().__init__(prompt, gate=gate)
        wants = summary(self._schema)
        says = ours(w.SCHEMA_WANTS, wants=foreign(Foreign(wants), mode="approval", limit=240))
        self._wants = Static(join(says, ours(w.STAR)) if "*" in wants else says, id="wanted")
        self._said = 0

    def make_field(self, gate: Gate) -> Field:
        return JsonField(gate=gate, hint=ours(w.JSON_HINT), id="answer")

    def begins_with(self) -> str:
        question = self.prompt.question
        return laid_out(question.default if question.has_default else skeleton(self._schema))

    def texts(self) -> dict[str, Foreign]:
        return super().texts() | {"schema": Foreign(laid_out(self._schema))}

    def answers(self) -> ComposeResult:
        yield self._wants
        yield from super().answers()

    def wanted(self, width: int, room: int) -> int:
        self._said = height_of(self._wants, width)
        return self.field.height_at(width) + self._said

    def given(self, rows: int) -> None:
        least = min(self.field.height_at(0), LEAST_FIELD)
        self._wants.display = rows - self._said >= least
        super().given(rows - self._said if self._wants.display else rows)

    def submit(self, field: Field) -> None:
        if not self.field.value.strip():
            self.stop_writing()
            self.say(ours(w.EMPTIED))
            return
        assert isinstance(self.field, JsonField)
        found = self.read_json(self.field)
        if found is not None:
            self.answered(found[0])

    def field_key(self, key: str, field: Field) -> bool:
        if key == "f7":
            self.action_aside("schema")
        return key == "f7"

    def more_rows(self) -> list[Row]:
        return []

    def answer_hints(self) -> list[Hint]:
        return [Hint("enter", "write", "accept", keep=True), Hint("ctrl+g", "editor", "editor"), self._fold_hint()]

    def field_hints(self, field: Field) -> list[Hint]:
        default = self.prompt.question.has_default and field.value == self.shown
        return [
            Hint("enter", "accept the default" if default else "submit", "accept", keep=True),
            Hint("ctrl+j", "new line", "new_line"), Hint("ctrl+g", "editor", "editor"), self._fold_hint(),
            Hint("esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

    def _fold_hint(self) -> Hint:
        words = "fold the schema" if self.looking == "schema" else "whole schema"
        return Hint("f7", words, "aside('schema')")

"""`/` in a long choice of a form: only values with these letters, as in a list of options (issue 5; asking.md "Keys").

The filter belongs to one choice and goes with it: when another part of the form is visited, or the choice is folded,
all values are there again. It changes nothing in the document.
"""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.options import HINT_FILTER
from jp_tui.ui.sheets.schema_hints import HintedForm
from jp_tui.ui.text import ours
from jp_tui.view.schema.lines import Line
from jp_tui.view.wording import questions as w


class FilteredForm(HintedForm):
    """A form whose long choices can be narrowed."""

    BINDINGS: ClassVar = [
        Binding("slash", "filter", "Filter", id="sheet.filter", tooltip="Show only values with these letters"),
    ]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self.filter = Field(gate=gate, hint=ours(w.FILTER_HINT), id="filter")
        self.filter.display = False

    @staticmethod
    def _long(line: Line | None) -> bool:
        return line is not None and line.role in ("head", "option") and len(line.shape.choices) > 1

    def show(self) -> None:
        super().show()
        writing = self.writing is self.filter
        if not writing and self.filter.text and not self.filling.letters:
            self.filter.put("")  # the choice was left
        self.filter.display = self.mode != "menu" and self.face == "form" and (writing or bool(self.filter.text))

    def action_filter(self) -> None:
        """Letters for the choice under the cursor; a folded one opens."""
        line = self.filling.line
        if self.in_form and line is not None and self._long(line):
            if line.role == "head" and not line.unfolded:
                self.filling.fold(line.path, True)
            if self.filling.narrowed != line.path:
                self.filling.narrow(line.path, "")
            self.write(self.filter)
            self.fields.again()

    def action_editor(self) -> None:
        if self.writing is not self.filter:
            super().action_editor()

    def action_leave(self) -> None:
        """Esc in the filter: all values again."""
        if self.writing is self.filter:
            self.filter.put("")
            self.filling.narrow(self.filling.narrowed, "")
        super().action_leave()

    def go(self, place: int, *, writes: bool = True) -> None:
        if self.writing is self.filter:  # a click in the list
            self.writing = None
        super().go(place, writes=writes)

    def field_key(self, key: str, field: Field) -> bool:
        if field is not self.filter:
            return super().field_key(key, field)
        if key in ("up", "down"):
            place = self.filling.cursor + (-1 if key == "up" else 1)
            if 0 <= place < len(self.filling.lines) and self.filling.lines[place].role == "option":
                self.filling.go(place)
                self.fields.again()
                self.tell()
            return True
        return False

    def to_found(self) -> None:
        """Enter in the filter: the keys are the list's, and a second Enter chooses."""
        none = self.filling.found == 0
        self.stop_writing()
        self.fields.again()
        if none:
            self.say(ours(w.NO_MATCH))

    @on(Field.Edited, "#filter")
    def _filtered(self) -> None:
        if self.writing is self.filter:
            self.filling.narrow(self.filling.narrowed, self.filter.text)
            self.fields.again()
            self.tell()
            self.post_message(Grew())

    def line_hints(self) -> list[Hint]:
        found, line = super().line_hints(), self.filling.line
        if line is not None and self._long(line) and len(line.shape.choices) >= HINT_FILTER:
            found.insert(1, Hint("/", "filter", "filter", keep=True))
        return found

    def filter_hints(self) -> list[Hint]:
        """The keys that work while letters are typed."""
        return [
            Hint("↑↓", "move", "move(1)"), Hint("enter", "to the list", "accept", keep=True),
            Hint("esc", "all", "leave", keep=True),
        ]  # fmt: skip

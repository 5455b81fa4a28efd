"""The keys of a form: from field to field, choosing, unfolding, entries of lists (asking.md "Keys", E28, E60).

Letters mean something only where no text is written. Each change goes into the document through `schema_state.py`;
what becomes of the document is the sheet's (`schema.py`).
"""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.schema_state import Filling
from jp_tui.ui.sheets.schema_view import SchemaForm
from jp_tui.ui.sheets.sheet import Sheet


class FormKeys(Sheet):
    """A form under the keyboard and the mouse."""

    BINDINGS: ClassVar = [
        Binding("k", "skim(-1)", "Up", id="sheet.letter_up", tooltip="The line above, which is not written in yet"),
        Binding("j", "skim(1)", "Down", id="sheet.letter_down", tooltip="The line below, as with k"),
        Binding("tab", "field(1)", "Next field", id="sheet.next_field", tooltip="The next line of the form"),
        Binding("shift+tab", "field(-1)", "Last field", id="sheet.last_field", tooltip="The line above"),
        Binding("left", "option(-1)", "Left", id="sheet.option_left", tooltip="The choice on the left"),
        Binding("right", "option(1)", "Right", id="sheet.option_right", tooltip="The choice on the right"),
        Binding("space", "take", "Choose", id="sheet.take", tooltip="Chooses, marks, opens, adds"),
        Binding("plus", "add", "Add", id="sheet.add", tooltip="A new entry of this list"),
        Binding("minus,delete,backspace", "remove", "Remove", id="sheet.remove", tooltip="This entry, or this value"),
        Binding("alt+up", "shift(-1)", "Entry up", id="sheet.entry_up", tooltip="Moves the entry up in its list"),
        Binding("alt+down", "shift(1)", "Entry down", id="sheet.entry_down", tooltip="Moves the entry down"),
    ]
    filling: Filling
    fields: SchemaForm
    face: str

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)

    # What the sheet does

    def touched(self) -> None:
        """The form changed the document."""
        raise NotImplementedError

    def action_face(self) -> None:
        """To the JSON."""
        raise NotImplementedError

    def send(self) -> None:
        """Submit."""
        raise NotImplementedError

    def tell(self) -> None:
        """Say what is under the cursor now."""
        raise NotImplementedError

    def to_json(self) -> None:
        """The keys to the JSON."""
        raise NotImplementedError

    def side_to_form(self) -> None:
        """The form has the keys, if it can."""
        raise NotImplementedError

    # Moving

    @property
    def in_form(self) -> bool:
        """Whether the keys are the form's."""
        return self.face == "form" and self.mode != "menu" and self.writing in (None, self.fields.entry)

    def leave_line(self) -> None:
        """What was typed is the document's; the field leaves the line."""
        if self.fields.sync():
            self.touched()
        self.fields.end()
        if self.writing is self.fields.entry:
            self.writing = None
            self.mode = "answer"

    def stop_writing(self) -> None:
        self.leave_line()
        super().stop_writing()
        self.tell()

    def arrive(self, *, always: bool = False) -> None:
        """On a line: a text is written at once."""
        if self.face != "form":
            if always:
                self.to_json()
            return
        line = self.filling.line
        if line is not None and line.writes:
            self.fields.begin()
            super().write(self.fields.entry)
        else:
            self.writing = None
            self.turn("answer")
        self.fields.again()
        self.tell()
        self.post_message(Grew())

    def go(self, place: int, *, writes: bool = True) -> None:
        """The cursor to a line."""
        self.leave_line()
        self.filling.go(place)
        if writes:
            self.arrive()
        else:
            self.turn("answer")
            self.fields.again()
            self.tell()

    def action_field(self, by: int) -> None:
        """The next line, around the ends."""
        if self.in_form and self.filling.lines:
            self.go((self.filling.cursor + by) % len(self.filling.lines))

    def action_move(self, by: int) -> None:
        if self.in_form:
            place = self.filling.cursor + by
            if 0 <= place < len(self.filling.lines):
                self.go(place)
        else:
            super().action_move(by)

    def action_skim(self, by: int) -> None:
        """By letters: a text is passed, not written in, so that no letter lands in it that was meant to move (E60)."""
        if self.in_form and self.writing is None:
            place = self.filling.cursor + by
            if 0 <= place < len(self.filling.lines):
                self.go(place, writes=False)
        else:
            super().action_move(by)

    def action_edge(self, by: int) -> None:
        if self.in_form:
            self.go(0 if by < 0 else len(self.filling.lines) - 1)
        else:
            super().action_edge(by)

    def field_key(self, key: str, field: Field) -> bool:
        if field is not self.fields.entry:
            return False
        if key in ("tab", "shift+tab"):
            self.action_field(1 if key == "tab" else -1)
        elif key == "up" and field.on_first_row:
            self.action_move(-1)
        elif key == "down" and self._on_last_row(field):
            self.action_move(1)
        elif key in ("alt+up", "alt+down"):
            self.action_shift(-1 if key == "alt+up" else 1)
        elif key == "backspace" and not field.value and self._empty_entry():
            self.action_remove()
        elif key == "delete" and not field.value and self._may_be_null():
            self.action_remove()
            self.arrive()
        else:
            return False
        return True

    def _on_last_row(self, field: Field) -> bool:
        return field.wrapped_document.location_to_offset(field.cursor_location).y >= field.wrapped_document.height - 1

    def _may_be_null(self) -> bool:
        line = self.filling.line
        return line is not None and line.shape.nullable

    def _empty_entry(self) -> bool:
        line = self.filling.line
        return line is not None and line.entry

    # Choosing

    def action_option(self, by: int) -> None:
        """Another choice on the same line; folds and unfolds what has no choices there."""
        line = self.filling.line
        if not self.in_form or line is None:
            return
        if line.role == "field" and not line.writes and line.shape.kind != "null":
            many = 3 if line.shape.kind == "boolean" and line.shape.nullable else 2
            count = len(line.shape.choices) or many
            self.filling.option = min(max(self.filling.option + by, 0), count - 1)
        elif line.role == "head" and line.unfolded == (by < 0):
            self.action_take()
            return
        self.fields.again()
        self.post_message(Grew())

    def action_take(self) -> None:
        """Space: choose, mark, unfold, add."""
        line = self.filling.line
        if not self.in_form or line is None:
            return
        if line.role == "field" and not line.writes and line.shape.kind != "null":
            self.filling.choose(line, self.filling.option)
            self.touched()
        elif line.role == "option":
            self.filling.choose(line, line.option)
            self.touched()
        elif line.role == "head":
            before = self.filling.revision
            self.filling.fold(line.path, not line.unfolded)
            if self.filling.revision != before:
                self.touched()
        elif line.role == "add":
            self._add(line.path)
            return
        elif line.role in ("json", "more"):
            self.action_face()
            return
        self.arrive()

    def accept(self) -> None:
        line = self.filling.line
        if self.face != "form":
            self.arrive(always=True)
        elif line is not None and line.writes:
            self.arrive()
        elif line is not None and line.role in ("head", "add", "option", "json", "more"):
            self.action_take()
        else:
            self.send()

    # Entries

    def action_add(self) -> None:
        """A new entry of the list that the cursor is on or in."""
        line = self.filling.line
        if not self.in_form or line is None:
            return
        for end in range(len(line.path), -1, -1):
            path = line.path[:end]
            if self.filling.form.at(path).kind == "list":
                self._add(path)
                return

    def _add(self, path: tuple[str | int, ...]) -> None:
        self.leave_line()
        self.filling.add(path)
        self.touched()
        self.arrive()

    def action_remove(self) -> None:
        """This entry; of a property, its value."""
        line = self.filling.line
        if not self.in_form or line is None:
            return
        writes = self.writing is not None
        self.leave_line()
        if self.filling.remove(line):
            self.touched()
        if line.entry and writes:
            self.arrive()
        self.fields.again()

    def action_shift(self, by: int) -> None:
        """The entry up or down in its list, from any line inside it."""
        line = self.filling.line
        if not self.in_form or line is None:
            return
        self.leave_line()
        if line.entry and self.filling.shift(line, by):
            self.touched()
        self.arrive()

    # Mouse

    @on(SchemaForm.Pressed)
    def _pressed(self, event: SchemaForm.Pressed) -> None:
        event.stop()
        may = self.gate.click()
        self.begin(may)
        if not may or self.mode == "menu" or not event.place < len(self.filling.lines):
            return
        self.side_to_form()
        if self.face != "form":
            return
        self.go(event.place, writes=event.what in ("", "write"))
        what, _, number = event.what.partition(":")
        if what == "option":
            self.filling.option = int(number) if number else self.filling.option
            self.action_take()
        elif what == "fold":
            self.action_take()
        elif what in ("add", "remove", "json", "up", "down"):
            doing = {"up": "shift(-1)", "down": "shift(1)", "json": "face"}.get(what, what)
            self.run_here(doing)

    def pasted(self, text: str) -> None:
        line = self.filling.line
        if self.face == "form" and line is not None and line.writes:
            self.arrive()
            self.fields.entry.insert_text(text)
        else:
            super().pasted(text)

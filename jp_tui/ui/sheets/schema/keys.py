"""The keys of a form: from field to field, choosing, unfolding, entries of lists (asking.md "Keys", E28, E60).

Letters mean something only where no text is written. Each change goes into the document through `schema_state.py`;
what becomes of the document is the area's (`schema.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.messages import LayoutChanged
from jp_tui.ui.sheets.schema.form_view import SchemaForm

if TYPE_CHECKING:
    from jp_tui.ui.sheets.schema.area import SchemaArea

FORM_KEYS = [
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
"""The keys of a form."""


class FormKeys:
    """The keys and clicks of a form."""

    def __init__(self, area: SchemaArea) -> None:
        self._area, self._sheet, self._filling, self._fields = area, area.sheet, area.filling, area.fields

    # Moving

    @property
    def in_form(self) -> bool:
        """Whether the keys are the form's."""
        writing = self._sheet.writing in (None, self._fields.entry)
        return writing and self._sheet.mode != "menu" and self._area.faces.face == "form"

    def leave_line(self) -> None:
        """Take what was typed into the document, and the field from the line."""
        if self._fields.sync():
            self._area.touched()
        self._fields.end()
        if self._sheet.writing is self._fields.entry:
            self._sheet.release_keys()

    def arrive(self, *, always: bool = False) -> None:
        """Start on the line under the cursor: a text is written at once. `always`: also in the JSON."""
        if self._area.faces.face != "form":
            if always:
                self._sheet.write(self._area.faces.json)
            return
        line = self._filling.line
        if line is not None and line.writes:
            self._fields.begin()
            self._sheet.give_keys(self._fields.entry)
        else:
            self._sheet.release_keys()
            self._sheet.turn("answer")
        self._fields.again()
        self._area.show_state()
        self._sheet.post_message(LayoutChanged())

    def go(self, place: int, *, writes: bool = True) -> None:
        """Move the cursor to a line; unless `writes`, a text there is not written in yet."""
        if self._area.filter.active:  # a click in the list
            self._sheet.release_keys()
        self.leave_line()
        self._filling.go(place)
        if writes:
            self.arrive()
        else:
            self._sheet.turn("answer")
            self._fields.again()
            self._area.show_state()

    def action_field(self, by: int) -> None:
        """Go to the next line, around the ends."""
        if self.in_form and self._filling.lines:
            self.go((self._filling.cursor + by) % len(self._filling.lines))

    def action_move(self, by: int) -> None:
        if self.in_form:
            place = self._filling.cursor + by
            if 0 <= place < len(self._filling.lines):
                self.go(place)
        else:
            self._sheet.action_move(by)

    def action_skim(self, by: int) -> None:
        """Move by letters: a text is passed, so that no letter lands in it that was meant to move (E60)."""
        if self.in_form and self._sheet.writing is None:
            place = self._filling.cursor + by
            if 0 <= place < len(self._filling.lines):
                self.go(place, writes=False)
        else:
            self._sheet.action_move(by)

    def action_edge(self, by: int) -> None:
        if self.in_form:
            self.go(0 if by < 0 else len(self._filling.lines) - 1)
        else:
            self._sheet.action_edge(by)

    def field_key(self, key: str, field: Field) -> bool:
        """Handle a key in the field of a line. Return True if the key means something there."""
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
        line = self._filling.line
        return line is not None and line.shape.nullable

    def _empty_entry(self) -> bool:
        line = self._filling.line
        return line is not None and line.entry

    # Choosing

    def action_option(self, by: int) -> None:
        """Move to another choice on the same line; fold or unfold what has no choices there."""
        line = self._filling.line
        if not self.in_form or line is None:
            return
        if line.role == "field" and not line.writes and line.shape.kind != "null":
            many = 3 if line.shape.kind == "boolean" and line.shape.nullable else 2
            count = len(line.shape.choices) or many
            self._filling.option = min(max(self._filling.option + by, 0), count - 1)
        elif line.role == "head" and line.unfolded == (by < 0):
            self.action_take()
            return
        self._fields.again()
        self._sheet.post_message(LayoutChanged())

    def action_take(self) -> None:
        """Choose, mark, unfold or add, as Space does."""
        line = self._filling.line
        if not self.in_form or line is None:
            return
        if line.role == "field" and not line.writes and line.shape.kind != "null":
            self._filling.choose(line, self._filling.option)
            self._area.touched()
        elif line.role == "option":
            self._filling.choose(line, line.option)
            self._area.touched()
        elif line.role == "head":
            before = self._filling.revision
            self._filling.fold(line.path, not line.unfolded)
            if self._filling.revision != before:
                self._area.touched()
        elif line.role == "add":
            self._add(line.path)
            return
        elif line.role in ("json", "more"):
            self._area.faces.action_face()
            return
        self.arrive()

    def accept(self) -> None:
        """Do what Enter means on the line under the cursor; where it means nothing, submit."""
        line = self._filling.line
        if self._area.faces.face != "form":
            self.arrive(always=True)
        elif line is not None and line.writes:
            self.arrive()
        elif line is not None and line.role in ("head", "add", "option", "json", "more"):
            self.action_take()
        else:
            self._area.send()

    # Entries

    def action_add(self) -> None:
        """Add an entry to the list that the cursor is on or in."""
        line = self._filling.line
        if not self.in_form or line is None:
            return
        for end in range(len(line.path), -1, -1):
            path = line.path[:end]
            if self._filling.form.at(path).kind == "list":
                self._add(path)
                return

    def _add(self, path: tuple[str | int, ...]) -> None:
        self.leave_line()
        self._filling.add(path)
        self._area.touched()
        self.arrive()

    def action_remove(self) -> None:
        """Remove this entry; of a property, its value."""
        line = self._filling.line
        if not self.in_form or line is None:
            return
        writes = self._sheet.writing is not None
        self.leave_line()
        if self._filling.remove(line):
            self._area.touched()
        if line.entry and writes:
            self.arrive()
        self._fields.again()

    def action_shift(self, by: int) -> None:
        """Move the entry up or down in its list, from any line inside it."""
        line = self._filling.line
        if not self.in_form or line is None:
            return
        self.leave_line()
        if line.entry and self._filling.shift(line, by):
            self._area.touched()
        self.arrive()

    # Mouse

    def clicked(self, event: SchemaForm.Pressed) -> None:
        """Do what a click on a piece of a line means."""
        if not event.may_act or self._sheet.mode == "menu" or not event.place < len(self._filling.lines):
            return
        self._area.faces.side_to_form()
        if self._area.faces.face != "form":
            return
        self.go(event.place, writes=event.what in ("", "write"))
        what, _, number = event.what.partition(":")
        if what == "option":
            self._filling.option = int(number) if number else self._filling.option
            self.action_take()
        elif what == "fold":
            self.action_take()
        elif what in ("add", "remove", "json", "up", "down"):
            doing = {"up": "shift(-1)", "down": "shift(1)", "json": "face"}.get(what, what)
            self._sheet.keys.run(doing)

    def pasted(self, text: str) -> bool:
        """Take a paste on a line that is written in. Return True if it is one."""
        line = self._filling.line
        if self._area.faces.face != "form" or line is None or not line.writes:
            return False
        self.arrive()
        self._fields.entry.insert_text(text)
        return True

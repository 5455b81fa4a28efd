"""The keys of a form: from field to field, choosing, unfolding, entries of lists, the filter of a long choice
(asking.md "Keys", E28, E60).

Letters move and choose only where no text is written. Each change goes into the document (`document.py`); the area
checks and submits it. The filter changes nothing in the document, and goes when another part of the form is visited.
"""

from __future__ import annotations

from textual.binding import Binding

from jp_tui.ui.sheets.area import AnswerSheet
from jp_tui.ui.sheets.areas.options import HINT_FILTER
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import LayoutChanged
from jp_tui.ui.sheets.schema.document import FormDocument
from jp_tui.ui.sheets.schema.form_and_json import FormAndJson, Validation
from jp_tui.ui.sheets.schema.form_view import SchemaForm
from jp_tui.ui.text import ours
from jp_tui.view.schema.lines import FormLine
from jp_tui.view.wording import questions as w

FORM_KEYS = [
    Binding("k", "skim(-1)", "Up", id="sheet.letter_up", tooltip="Go to the line above"),
    Binding("j", "skim(1)", "Down", id="sheet.letter_down", tooltip="Go to the line below"),
    Binding("tab", "field(1)", "Next field", id="sheet.next_field", tooltip="Go to the next line of the form"),
    Binding("shift+tab", "field(-1)", "Previous field", id="sheet.last_field", tooltip="Go to the line above"),
    Binding("left", "option(-1)", "Left", id="sheet.option_left", tooltip="Go to the choice on the left"),
    Binding("right", "option(1)", "Right", id="sheet.option_right", tooltip="Go to the choice on the right"),
    Binding("space", "take", "Select", id="sheet.take", tooltip="Select a value, or open or add an entry"),
    Binding("plus", "add", "Add", id="sheet.add", tooltip="Add an entry to this list"),
    Binding("minus,delete,backspace", "remove", "Remove", id="sheet.remove", tooltip="Remove this entry or value"),
    Binding("alt+up", "shift(-1)", "Entry up", id="sheet.entry_up", tooltip="Move the entry up"),
    Binding("alt+down", "shift(1)", "Entry down", id="sheet.entry_down", tooltip="Move the entry down"),
    Binding("slash", "filter", "Filter", id="sheet.filter", tooltip="Filter the options"),
]


class FormFilter:
    """The filter of a form's long choices."""

    def __init__(
        self, sheet: AnswerSheet, document: FormDocument, form: SchemaForm, editors: FormAndJson, validation: Validation
    ) -> None:
        self._sheet, self._document, self._form = sheet, document, form
        self._editors, self._validation = editors, validation
        self.field = Field(gate=sheet.gate, hint=ours(w.FILTER_HINT), id="filter")
        self.field.display = False

    @property
    def active(self) -> bool:
        """True while letters are typed into it."""
        return self._sheet.writing is self.field

    def shown(self) -> None:
        """Show the field while it is in use; empty it when its choice was left."""
        if not self.active and self.field.text and not self._document.letters:
            self.field.put("")
        in_use = self.active or bool(self.field.text)
        self.field.display = self._sheet.mode != "menu" and self._editors.active == "form" and in_use

    def action_filter(self) -> None:
        """Take letters for the choice under the cursor; a folded one opens."""
        line = self._document.line
        if self._editors.in_form and line is not None and _long(line):
            if line.role == "head" and not line.unfolded:
                self._document.fold(line.path, True)
            if self._document.narrowed != line.path:
                self._document.narrow(line.path, "")
            self._sheet.write(self.field)
            self._form.again()

    def action_editor(self) -> None:
        if not self.active:
            self._sheet.action_editor()

    def action_leave(self) -> None:
        """Show all values again, when Esc leaves the filter."""
        if self.active:
            self.field.put("")
            self._document.narrow(self._document.narrowed, "")
        self._sheet.action_leave()

    def key(self, key: str) -> bool:
        """Handle a key while letters are typed. Return True if it moved the cursor in the list."""
        if key not in ("up", "down"):
            return False
        place = self._document.cursor + (-1 if key == "up" else 1)
        if 0 <= place < len(self._document.lines) and self._document.lines[place].role == "option":
            self._document.go(place)
            self._form.again()
            self._validation.show_state()
        return True

    def submit(self) -> None:
        """Give the keys to the list; a second Enter chooses."""
        none = self._document.found == 0
        self._sheet.stop_writing()
        self._form.again()
        if none:
            self._sheet.show_notice(ours(w.NO_MATCH))

    def edited(self) -> None:
        """Show only the values with the letters."""
        if self.active:
            self._document.narrow(self._document.narrowed, self.field.text)
            self._form.again()
            self._validation.show_state()
            self._sheet.post_message(LayoutChanged())

    def with_hint(self, hints: list[Hint]) -> list[Hint]:
        """Name the filter's key among those of the line under the cursor, where the list is long."""
        line = self._document.line
        if line is None or not _long(line) or len(line.shape.choices) < HINT_FILTER:
            return hints
        return [*hints[:1], Hint("/", "filter", "filter", keep=True), *hints[1:]]

    def hints(self) -> list[Hint]:
        """Return the keys that work while letters are typed."""
        return [
            Hint("↑↓", "move", "move(1)"), Hint("Enter", "to the list", "accept", keep=True),
            Hint("Esc", "clear filter", "leave", keep=True),
        ]  # fmt: skip


def _long(line: FormLine | None) -> bool:
    return line is not None and line.role in ("head", "option") and len(line.shape.choices) > 1


class FormKeys:
    """The keys and clicks of a form."""

    def __init__(
        self,
        sheet: AnswerSheet,
        document: FormDocument,
        form: SchemaForm,
        editors: FormAndJson,
        form_filter: FormFilter,
        validation: Validation,
    ) -> None:
        self._sheet, self._document, self._form = sheet, document, form
        self._editors, self._filter, self._validation = editors, form_filter, validation

    # Moving

    def go(self, place: int, *, writes: bool = True) -> None:
        """Move the cursor to a line; unless `writes`, a text there is not written in yet."""
        if self._filter.active:  # a click in the list
            self._sheet.release_keys()
        self._editors.leave_line()
        self._document.go(place)
        if writes:
            self._editors.arrive()
        else:
            self._sheet.turn("answer")
            self._form.again()
            self._validation.show_state()

    def action_field(self, by: int) -> None:
        """Go to the next line, around the ends."""
        if self._editors.in_form and self._document.lines:
            self.go((self._document.cursor + by) % len(self._document.lines))

    def action_move(self, by: int) -> None:
        if self._editors.in_form:
            place = self._document.cursor + by
            if 0 <= place < len(self._document.lines):
                self.go(place)
        else:
            self._sheet.action_move(by)

    def action_skim(self, by: int) -> None:
        """Move by letters, without the focus on a text: no letter that was meant to move is typed into it (E60)."""
        if self._editors.in_form and self._sheet.writing is None:
            place = self._document.cursor + by
            if 0 <= place < len(self._document.lines):
                self.go(place, writes=False)
        else:
            self._sheet.action_move(by)

    def action_edge(self, by: int) -> None:
        if self._editors.in_form:
            self.go(0 if by < 0 else len(self._document.lines) - 1)
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
            self._editors.arrive()
        else:
            return False
        return True

    def _on_last_row(self, field: Field) -> bool:
        return field.wrapped_document.location_to_offset(field.cursor_location).y >= field.wrapped_document.height - 1

    def _may_be_null(self) -> bool:
        line = self._document.line
        return line is not None and line.shape.nullable

    def _empty_entry(self) -> bool:
        line = self._document.line
        return line is not None and line.entry

    # Choosing

    def action_option(self, by: int) -> None:
        """Move to another choice on the same line; fold or unfold a line without choices."""
        line = self._document.line
        if not self._editors.in_form or line is None:
            return
        if line.role == "field" and not line.writes and line.shape.kind != "null":
            many = 3 if line.shape.kind == "boolean" and line.shape.nullable else 2
            count = len(line.shape.choices) or many
            self._document.point(min(max(self._document.option + by, 0), count - 1))
        elif line.role == "head" and line.unfolded == (by < 0):
            self.action_take()
            return
        self._form.again()
        self._sheet.post_message(LayoutChanged())

    def action_take(self) -> None:
        """Choose, mark, unfold or add, as Space does."""
        line = self._document.line
        if not self._editors.in_form or line is None:
            return
        if line.role == "field" and not line.writes and line.shape.kind != "null":
            self._document.choose(line, self._document.option)
            self._validation.form_changed()
        elif line.role == "option":
            self._document.choose(line, line.option)
            self._validation.form_changed()
        elif line.role == "head":
            before = self._document.revision
            self._document.fold(line.path, not line.unfolded)
            if self._document.revision != before:
                self._validation.form_changed()
        elif line.role == "add":
            self._add(line.path)
            return
        elif line.role in ("json", "more"):
            self._editors.action_face()
            return
        self._editors.arrive()

    def accept(self) -> None:
        """Run the effect of Enter on the line under the cursor; if it has none, submit."""
        line = self._document.line
        if self._editors.active != "form":
            self._editors.arrive(always=True)
        elif line is not None and line.writes:
            self._editors.arrive()
        elif line is not None and line.role in ("head", "add", "option", "json", "more"):
            self.action_take()
        else:
            self._validation.send()

    # Entries

    def action_add(self) -> None:
        """Add an entry to the list that the cursor is on or in."""
        line = self._document.line
        if not self._editors.in_form or line is None:
            return
        for end in range(len(line.path), -1, -1):
            path = line.path[:end]
            if self._document.form.at(path).kind == "list":
                self._add(path)
                return

    def _add(self, path: tuple[str | int, ...]) -> None:
        self._editors.leave_line()
        self._document.add(path)
        self._validation.form_changed()
        self._editors.arrive()

    def action_remove(self) -> None:
        """Remove this entry; of a property, its value."""
        line = self._document.line
        if not self._editors.in_form or line is None:
            return
        writes = self._sheet.writing is not None
        self._editors.leave_line()
        if self._document.remove(line):
            self._validation.form_changed()
        if line.entry and writes:
            self._editors.arrive()
        self._form.again()

    def action_shift(self, by: int) -> None:
        """Move the entry up or down in its list, from any line inside it."""
        line = self._document.line
        if not self._editors.in_form or line is None:
            return
        self._editors.leave_line()
        if line.entry and self._document.shift(line, by):
            self._validation.form_changed()
        self._editors.arrive()

    # Mouse

    def clicked(self, event: SchemaForm.Pressed, may: bool) -> None:
        """Run the effect of a click on a piece of a line."""
        if not may or self._sheet.mode == "menu" or not event.place < len(self._document.lines):
            return
        self._editors.turn_to_form()
        if self._editors.active != "form":
            return
        self.go(event.place, writes=event.what in ("", "write"))
        what, _, number = event.what.partition(":")
        if what == "option":
            if number:
                self._document.point(int(number))
            self.action_take()
        elif what == "fold":
            self.action_take()
        elif what in ("add", "remove", "json", "up", "down"):
            doing = {"up": "shift(-1)", "down": "shift(1)", "json": "face"}.get(what, what)
            self._sheet.run(doing)

    def pasted(self, text: str) -> bool:
        """Accept a paste on a line with a field. Return True if it is one."""
        line = self._document.line
        if self._editors.active != "form" or line is None or not line.writes:
            return False
        self._editors.arrive()
        self._form.entry.insert_text(text)
        return True


def line_hints(document: FormDocument) -> list[Hint]:
    """Return the keys that work on the line under the cursor."""
    line = document.line
    found: list[Hint] = []
    if line is None:
        return found
    if line.writes:
        found.append(Hint("Enter", "write", "accept", keep=True))
    elif line.role == "field" and line.shape.kind == "many":
        found += [Hint("←→", "move", "option(1)"), Hint("Space", "toggle", "take")]
    elif line.role == "field" and line.shape.kind != "null":
        found += [Hint("←→", "move", "option(1)"), Hint("Space", "select", "take")]
    elif line.role == "option":
        found.append(Hint("Enter", "toggle" if line.shape.kind == "many" else "select", "take", keep=True))
    elif line.role == "head":
        found.append(Hint("Enter", "fold" if line.unfolded else "open", "take", keep=True))
    elif line.role == "add":
        found.append(Hint("Enter", "add", "add", keep=True))
    elif line.role == "json":
        found.append(Hint("Enter", "edit as JSON", "face", keep=True))
    elif line.role == "more":
        found.append(Hint("Enter", "show as JSON", "face", keep=True))
    if line.shape.kind == "list" and line.role == "head":
        found.append(Hint("+", "add", "add"))
    found += _removal_hint(document)
    if line.entry:
        found.append(Hint("Alt+↑↓", "move entry", "shift(1)"))
    return [*found, Hint("Tab", "next field", "field(1)")]


def _removal_hint(document: FormDocument) -> list[Hint]:
    line = document.line
    does = document.removal(line) if line is not None else ""
    if line is None or not does or (does == "unset" and line.required):
        return []
    return [Hint("Del", does, "remove")]


def field_line_hints(document: FormDocument, *, empty: bool) -> list[Hint]:
    """Return the keys that work while a text is written; `empty`: the field has no text."""
    line, found = document.line, [Hint("Tab", "next field", "field(1)", keep=True)]
    if line is not None and line.shape.nullable and empty:
        found += _removal_hint(document)
    return [*found, Hint("Alt+↑↓", "move entry", "shift(1)")] if line is not None and line.entry else found

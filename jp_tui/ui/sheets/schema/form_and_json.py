"""Form and JSON of a schema answer, side by side or one at a time (R186, R187; asking.md "Keys" F6, E24).

Both show one document, and each change in one is a change of the other. JSON typed by the user stays as it is while it
means the same; text that isn't JSON keeps the focus until it is. A draft is the text of the document and which of the
two had the focus.
"""

from __future__ import annotations

import json
from typing import Literal, LiteralString, Protocol

from textual.containers import Horizontal

from jp_tui.conversation.strict_json import Json, JsonProblem, dump, same
from jp_tui.ui.sheets.area import AnswerSheet
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.json.editor import JsonEditor
from jp_tui.ui.sheets.json.places import places
from jp_tui.ui.sheets.json.text import laid_out, read
from jp_tui.ui.sheets.messages import LayoutChanged
from jp_tui.ui.sheets.schema import texts
from jp_tui.ui.sheets.schema.document import FormDocument
from jp_tui.ui.sheets.schema.form_view import SchemaForm
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

MIRRORED = 16_000
"""Characters up to which the JSON follows each key in the form."""
Editor = Literal["form", "json"]


class FormAndJsonRow(Horizontal):
    """Form and JSON, one of them or both side by side."""

    DEFAULT_CSS = """
    FormAndJsonRow { height: 4; width: 1fr;
        & > #json { width: 1fr; height: 1fr; }
        &.-both > #json { width: 40%; margin-left: 1; }
    }
    """


class Validation(Protocol):
    """The reports of a schema answer's parts to the area, which asks the engine for a check."""

    def form_changed(self) -> None:
        """Take a change of the document by the form."""
        ...

    def check_soon(self) -> None:
        """Ask for a check as soon as no key came for a moment."""
        ...

    def show_state(self) -> None:
        """Update the lines under the form: the line under the cursor, and the problems."""
        ...

    def send(self) -> None:
        """Submit a valid answer; else move the cursor to a problem."""
        ...


class FormAndJson:
    """Keeps a form and its JSON in step, and knows which of them has the focus."""

    def __init__(self, sheet: AnswerSheet, document: FormDocument, form: SchemaForm, validation: Validation) -> None:
        self._sheet, self._document, self._form, self._validation = sheet, document, form, validation
        self.json = JsonEditor(gate=sheet.gate, hint=ours(w.JSON_HINT), id="json")
        self.row = FormAndJsonRow(form, self.json, id="faces")
        self.active: Editor = "json" if document.whole else "form"
        """The one that has the focus, or gets it next."""
        self.text = self._first_text = laid_out(document.value)
        """The JSON as it is in the editor."""
        self._json_is: Json = document.value
        self._unread = False  # the JSON was changed and is not the document yet
        self.json_problem: JsonProblem | None = None
        """Why the text in the editor isn't JSON."""
        self._both = False

    @property
    def synced(self) -> bool:
        """True if the JSON in the editor is the document."""
        return not self._unread and not self.json_problem

    def arrange(self, both: bool) -> None:
        """Show form and JSON side by side, or one at a time."""
        if both != self._both or not self.json.is_mounted:
            self._both = both
            self._turned()

    def _turned(self) -> None:
        """Show the form, the JSON or both; the JSON has the text of the document."""
        self._form.display = self._both or self.active == "form"
        self.json.display = self._both or self.active == "json"
        self.row.set_class(self._both, "-both")
        self.mirror()

    # One document

    def mirror(self, *, all_of_it: bool = False) -> None:
        """Write the document into the JSON, if that is on the screen; text that means the same stays as it is."""
        if not self.synced or self._json_is is self._document.value:
            return
        if not all_of_it and not (self.json.display and len(self.text) <= MIRRORED):
            return
        if dump(self._json_is) != dump(self._document.value):
            self.text = laid_out(self._document.value)
            self.json.replace_with(self.text)
            self.text = self.json.value
        self._json_is = self._document.value

    def edited(self, field: Field) -> None:
        """Take a change of the line's field, or of the JSON."""
        if field is self._form.entry:
            if self._form.sync():
                self._form.show_cursor()
                self._validation.form_changed()
            self._form.again()
        elif field is self.json and self.json.value != self.text:
            self.text = self.json.value
            self._unread = True
            self._document.outdate()
            self._validation.check_soon()
            self._validation.show_state()

    def replace_json(self) -> None:
        """Let the form replace what isn't JSON."""
        self.json_problem = None

    def sync(self) -> bool:
        """Make the typed text, in the form or as JSON, the document. Return False if it isn't JSON."""
        if self._form.sync():
            self._validation.form_changed()
        if self._unread:
            self._unread = False
            try:
                value = read(self.text)
            except JsonProblem as problem:
                self.json_problem = problem
            else:
                self.json_problem, self._json_is = None, value
                self._document.become(value, revised=False)
                self._form.again()
        return self.json_problem is None

    # The form has the keys

    @property
    def in_form(self) -> bool:
        """True if keys are the form's."""
        writing = self._sheet.writing in (None, self._form.entry)
        return writing and self._sheet.mode != "menu" and self.active == "form"

    def leave_line(self) -> None:
        """Move the typed text into the document, and the field from the line."""
        if self._form.sync():
            self._validation.form_changed()
        self._form.end()
        if self._sheet.writing is self._form.entry:
            self._sheet.release_keys()

    def arrive(self, *, always: bool = False) -> None:
        """Start on the line under the cursor: a text is written at once. `always`: also in the JSON."""
        if self.active != "form":
            if always:
                self._sheet.write(self.json)
            return
        line = self._document.line
        if line is not None and line.writes:
            self._form.begin()
            self._sheet.give_keys(self._form.entry)
        else:
            self._sheet.release_keys()
            self._sheet.turn("answer")
        self._form.again()
        self._validation.show_state()
        self._sheet.post_message(LayoutChanged())

    # From one to the other

    def action_face(self) -> None:
        """Go from the form to the JSON or back, at the same place."""
        if self._sheet.mode == "menu":
            return
        if self.active == "form":
            line = self._document.line
            self.to_json()
            path = self._document.place(line) if line else ()
            spot = places(self.text, [path]).get(path) if line and self.json.whole else None
            if spot:
                self.json.show_place(*spot)
            self._may_begin()
        elif self._document.whole is not None and not self._unread:
            self._sheet.show_notice(texts.no_form(self._document.whole))
        elif not self.sync():
            self.show_mistake(texts.NO_FACE)
        elif self._document.whole is not None:
            self._sheet.show_notice(texts.no_form(self._document.whole))
        else:
            self.active = "form"
            self._turned()
            self.arrive(always=True)

    def show_mistake(self, words: LiteralString) -> None:
        """Go to the mistake, and say `words`; the line under the form says which mistake it is."""
        assert self.json_problem is not None
        self._validation.show_state()
        if self.json_problem.line is not None and self.json_problem.column is not None:
            self.json.show_place(self.json_problem.line, self.json_problem.column)
        self._sheet.show_notice(ours(words))

    def _may_begin(self) -> None:
        """Let a typed or pasted document replace an unchanged one."""
        if same(self._document.value, self._document.start) and self.synced:
            self.json.begin(given=bool(self._sheet.initial))

    def to_json(self) -> None:
        """Give the keys to the JSON."""
        self._turn_to_json()
        self._sheet.write(self.json)
        self._validation.show_state()

    def _turn_to_json(self) -> None:
        if self.active == "form":
            self.leave_line()
            self.active = "json"
            self._turned()
            self.mirror(all_of_it=True)

    def turn_to_form(self) -> None:
        """Let the form have the keys next, if there is one and the JSON can be read."""
        if self.active == "json" and self._document.whole is None:
            if self.sync():
                self.active = "form"
                self._turned()
            else:
                self._validation.show_state()

    def enter(self, field: Field) -> None:
        """Prepare for a field that is about to get the keys."""
        if field is self.json and self.active == "form":
            self._turn_to_json()
        elif field is self._form.entry:
            self.turn_to_form()
        else:
            self.leave_line()

    # Drafts

    def typed(self) -> str | None:
        """Return the text of the document and which of the two had the keys; None while nothing was changed."""
        if not self.synced:
            return json.dumps({"side": self.active, "text": self.text}, ensure_ascii=False)
        begun = self._document.value is self._document.start and self.text == self._first_text
        if begun or (self.active == "form" and same(self._document.value, self._document.start)):
            return None
        means = self._json_is is self._document.value
        text = self.text if means else dump(self._document.value)
        return json.dumps({"side": self.active, "text": text}, ensure_ascii=False)

    def restore(self, draft: Draft) -> None:
        """Restore a draft of `typed`."""
        text, face = _read_draft(draft.answer)
        if text is not None:
            self.text, self._unread = text, True
            self.json.put(text)
            self.text = self.json.value
            self.active = face if self.sync() and not self._document.whole else "json"
            self._document.outdate()
            self._validation.check_soon()
        elif not self.json.text:
            self.json.put(self.text)
            self.text = self._first_text = self.json.value
            self._may_begin()
        self._turned()


def _read_draft(draft: str | None) -> tuple[str | None, Editor]:
    """Return text and editor of a draft; a draft of another form was typed as JSON, and is kept as that."""
    if draft is None:
        return None, "form"
    try:
        found = json.loads(draft)
    except (ValueError, RecursionError):
        return draft, "json"
    if isinstance(found, dict) and set(found) == {"side", "text"} and isinstance(found["text"], str):
        return found["text"], "form" if found["side"] == "form" else "json"
    return draft, "json"

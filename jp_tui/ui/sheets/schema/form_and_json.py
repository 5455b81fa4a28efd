"""The two faces of a schema answer, form and JSON, over one document (R186, R187; asking.md "Keys" F6, E24).

Each change in one is a change of the other. JSON that was written by hand stays as it is as long as it means the same;
JSON that is none keeps the keys until it is one. A draft is the text of the document and which face had the keys.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, LiteralString

from textual.containers import Horizontal

from jp_tui.conversation.strict_json import Json, JsonProblem, dump, same
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.json.editor import JsonEditor
from jp_tui.ui.sheets.json.places import places
from jp_tui.ui.sheets.json.text import laid_out, read
from jp_tui.ui.sheets.schema import texts as says
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

if TYPE_CHECKING:
    from jp_tui.ui.sheets.schema.area import SchemaArea

MIRRORED = 16_000
"""Characters up to which the JSON follows each key in the form."""
Face = Literal["form", "json"]


class FormAndJsonRow(Horizontal):
    """Form and JSON, one of them or both side by side."""

    DEFAULT_CSS = """
    FormAndJsonRow { height: 4; width: 1fr;
        & > #json { width: 1fr; height: 1fr; }
        &.-both > #json { width: 40%; margin-left: 1; }
    }
    """


class FormAndJson:
    """Keeps a form and its JSON together."""

    def __init__(self, area: SchemaArea) -> None:
        self._area, self._sheet, self._filling, self._fields = area, area.sheet, area.filling, area.fields
        self.json = JsonEditor(gate=area.sheet.gate, hint=ours(w.JSON_HINT), id="json")
        self.row = FormAndJsonRow(self._fields, self.json, id="faces")
        self.face: Face = "json" if self._filling.whole else "form"
        self.text = self._first_text = laid_out(self._filling.document)
        """The JSON as it is in the editor."""
        self._json_is: Json = self._filling.document
        self._unread = False  # the JSON was changed and is not the document yet
        self.misread: JsonProblem | None = None
        """Why the text in the editor is no JSON."""
        self._both = False

    @property
    def in_line(self) -> bool:
        """Whether the JSON in the editor is the document."""
        return not self._unread and not self.misread

    def arrange(self, both: bool) -> None:
        """Show both faces side by side, or one at a time."""
        if both != self._both or not self.json.is_mounted:
            self._both = both
            self._turned()

    def _turned(self) -> None:
        """Show the faces that belong on the screen, the JSON as the document is."""
        self._fields.display = self._both or self.face == "form"
        self.json.display = self._both or self.face == "json"
        self.row.set_class(self._both, "-both")
        self.mirror()

    # One document

    def mirror(self, *, all_of_it: bool = False) -> None:
        """Write the document into the JSON, if that is on the screen; text that means the same stays as it is."""
        if not self.in_line or self._json_is is self._filling.document:
            return
        if not all_of_it and not (self.json.display and len(self.text) <= MIRRORED):
            return
        if dump(self._json_is) != dump(self._filling.document):
            self.text = laid_out(self._filling.document)
            self.json.replace_with(self.text)
            self.text = self.json.value
        self._json_is = self._filling.document

    def edited(self, field: Field) -> None:
        """Take a change of the line's field, or of the JSON."""
        if field is self._fields.entry:
            if self._fields.sync():
                self._fields.show_cursor()
                self._area.touched()
            self._fields.again()
        elif field is self.json and self.json.value != self.text:
            self.text = self.json.value
            self._unread = True
            self._filling.revision += 1
            self._area.check_soon()
            self._area.show_state()

    def form_changed(self) -> None:
        """Take a change in the form: it replaces what was no JSON."""
        self.misread = None

    def bring_in_line(self) -> bool:
        """Make what was typed, in the form or as JSON, the document. Return False if it is no JSON."""
        if self._fields.sync():
            self._area.touched()
        if self._unread:
            self._unread = False
            try:
                document = read(self.text)
            except JsonProblem as problem:
                self.misread = problem
            else:
                self.misread, self._json_is = None, document
                self._filling.become(document, revised=False)
                self._fields.again()
        return self.misread is None

    # From one to the other

    def action_face(self) -> None:
        """Go to the other face, at the same place."""
        if self._sheet.mode == "menu":
            return
        if self.face == "form":
            line = self._filling.line
            self.to_json()
            path = self._filling.place(line) if line else ()
            spot = places(self.text, [path]).get(path) if line and self.json.whole else None
            if spot:
                self.json.show(spot)
            self._may_begin()
        elif self._filling.whole is not None and not self._unread:
            self._sheet.say(says.no_form(self._filling.whole))
        elif not self.bring_in_line():
            self.to_misread(says.NO_FACE)
        elif self._filling.whole is not None:
            self._sheet.say(says.no_form(self._filling.whole))
        else:
            self.face = "form"
            self._turned()
            self._area.form.arrive(always=True)

    def to_misread(self, words: LiteralString) -> None:
        """Go to the mistake; which one it is stands below already."""
        assert self.misread is not None
        self._area.show_state()
        if self.misread.line is not None and self.misread.column is not None:
            self.json.show((self.misread.line, self.misread.column))
        self._sheet.say(ours(words))

    def _may_begin(self) -> None:
        """What nobody has changed yet gives way to a document that is written or pasted over it."""
        if same(self._filling.document, self._filling.start) and self.in_line:
            self.json.begin(given=bool(self._sheet.begins))

    def to_json(self) -> None:
        """Give the keys to the JSON."""
        self._turn_to_json()
        self._sheet.write(self.json)
        self._area.show_state()

    def _turn_to_json(self) -> None:
        if self.face == "form":
            self._area.form.leave_line()
            self.face = "json"
            self._turned()
            self.mirror(all_of_it=True)

    def side_to_form(self) -> None:
        """Make the form the face that has the keys, if it can be."""
        if self.face == "json" and self._filling.whole is None:
            if self.bring_in_line():
                self.face = "form"
                self._turned()
            else:
                self._area.show_state()

    def enter(self, field: Field) -> None:
        """Prepare for a field that is about to get the keys."""
        if field is self.json and self.face == "form":
            self._turn_to_json()
        elif field is self._fields.entry:
            self.side_to_form()
        else:
            self._area.form.leave_line()

    # Drafts

    def typed(self) -> str | None:
        """The text of the document and the face; None while nothing was changed."""
        if not self.in_line:
            return json.dumps({"side": self.face, "text": self.text}, ensure_ascii=False)
        begun = self._filling.document is self._filling.start and self.text == self._first_text
        if begun or (self.face == "form" and same(self._filling.document, self._filling.start)):
            return None
        means = self._json_is is self._filling.document
        text = self.text if means else dump(self._filling.document)
        return json.dumps({"side": self.face, "text": text}, ensure_ascii=False)

    def restore(self, draft: Draft) -> None:
        """Put back the text and the face of a draft."""
        text, side = says.kept(draft.answer)
        if text is not None:
            self.text, self._unread = text, True
            self.json.put(text)
            self.text = self.json.value
            self.face = side if self.bring_in_line() and not self._filling.whole else "json"
            self._filling.revision += 1
            self._area.check_soon()
        elif not self.json.text:
            self.json.put(self.text)
            self.text = self._first_text = self.json.value
            self._may_begin()
        self._turned()

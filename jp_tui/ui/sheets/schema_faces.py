"""The two faces of a schema answer, form and JSON, over one document (R186, R187; asking.md "Keys" F6, E24).

Each change in one is a change of the other. JSON that was written by hand stays as it is as long as it means the same;
JSON that is none keeps the keys until it is one. A draft is the text of the document and which face had the keys.
"""

from __future__ import annotations

import json
from typing import Literal, LiteralString

from textual import on
from textual.containers import Horizontal

from jp_tui.conversation.strict_json import Json, JsonProblem, dump, same
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import SchemaAnswer
from jp_tui.ui.sheets import schema_says as says
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.json_editor import JsonEditor
from jp_tui.ui.sheets.json_places import places
from jp_tui.ui.sheets.json_text import laid_out, read
from jp_tui.ui.sheets.schema_filter import FilteredForm
from jp_tui.ui.sheets.schema_state import Filling
from jp_tui.ui.sheets.schema_view import SchemaForm
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

MIRRORED = 16_000
"""Characters up to which the JSON follows each key in the form."""
Face = Literal["form", "json"]


class Faces(FilteredForm):
    """A form and its JSON."""

    face: Face

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        kind = prompt.question.answer_type
        self._schema = kind.schema if isinstance(kind, SchemaAnswer) else {}
        self.filling = Filling(self._schema, self.begins)
        self.fields = SchemaForm(self.filling, gate=gate, id="form")
        self.json = JsonEditor(gate=gate, hint=ours(w.JSON_HINT), id="json")
        self.faces = Horizontal(self.fields, self.json, id="faces")
        self.face: Face = "json" if self.filling.whole else "form"
        self._json_text = self._first_text = laid_out(self.filling.document)
        self._json_is: Json = self.filling.document
        self._unread = False  # the JSON was changed and is not the document yet
        self._misread: JsonProblem | None = None
        self._both = False

    # What the sheet does

    def wish(self) -> None:
        """Something was changed: it wants a verdict soon."""
        raise NotImplementedError

    def turned(self) -> None:
        """Show the faces that belong on the screen, the JSON as the document is."""
        self.fields.display = self._both or self.face == "form"
        self.json.display = self._both or self.face == "json"
        self.faces.set_class(self._both, "-both")
        self.mirror()

    # One document

    def mirror(self, *, all_of_it: bool = False) -> None:
        """The JSON as the form has it, if it is on the screen; the text stays as it is while it means the same."""
        if self._unread or self._misread or self._json_is is self.filling.document:
            return
        if not all_of_it and not (self.json.display and len(self._json_text) <= MIRRORED):
            return
        if dump(self._json_is) != dump(self.filling.document):
            self._json_text = laid_out(self.filling.document)
            self.json.replace_with(self._json_text)
            self._json_text = self.json.value
        self._json_is = self.filling.document

    @on(Field.Edited)
    def _field_edited(self, event: Field.Edited) -> None:
        if event.field is self.fields.entry:
            if self.fields.sync():
                self.fields.show_cursor()
                self.touched()
            self.fields.again()
        elif event.field is self.json and self.json.value != self._json_text:
            self._json_text = self.json.value
            self._unread = True
            self.filling.revision += 1
            self.wish()
            self.tell()

    def bring_in_line(self) -> bool:
        """What was typed, in the form or as JSON, becomes the document; False when it is no JSON."""
        if self.fields.sync():
            self.touched()
        if self._unread:
            self._unread = False
            try:
                document = read(self._json_text)
            except JsonProblem as problem:
                self._misread = problem
            else:
                self._misread, self._json_is = None, document
                self.filling.become(document, revised=False)
                self.fields.again()
        return self._misread is None

    # From one to the other

    def action_face(self) -> None:
        """The other face, at the same place."""
        if self.mode == "menu":
            return
        if self.face == "form":
            line = self.filling.line
            self._to_json()
            path = self.filling.place(line) if line else ()
            spot = places(self._json_text, [path]).get(path) if line and self.json.whole else None
            if spot:
                self.json.show(spot)
            self.may_begin()
        elif self.filling.whole is not None and not self._unread:
            self.say(says.no_form(self.filling.whole))
        elif not self.bring_in_line():
            self.to_misread(says.NO_FACE)
        elif self.filling.whole is not None:
            self.say(says.no_form(self.filling.whole))
        else:
            self.face = "form"
            self.turned()
            self.arrive(always=True)

    def to_misread(self, words: LiteralString) -> None:
        """To the mistake; which one it is stands below already."""
        assert self._misread is not None
        self.tell()
        if self._misread.line is not None and self._misread.column is not None:
            self.json.show((self._misread.line, self._misread.column))
        self.say(ours(words))

    def may_begin(self) -> None:
        """What nobody has changed yet gives way to a document that is written or pasted over it."""
        if same(self.filling.document, self.filling.start) and not self._unread and not self._misread:
            self.json.begin(given=bool(self.begins))

    def _to_json(self) -> None:
        if self.face == "form":
            self.leave_line()
            self.face = "json"
            self.turned()
            self.mirror(all_of_it=True)
        self.write(self.json)
        self.tell()

    def side_to_form(self) -> None:
        if self.face == "json" and self.filling.whole is None:
            if self.bring_in_line():
                self.face = "form"
                self.turned()
            else:
                self.tell()

    def to_json(self) -> None:
        self.write(self.json)

    def write(self, field: Field) -> None:
        if field is self.json and self.face == "form":
            self.leave_line()
            self.face = "json"
            self.turned()
            self.mirror(all_of_it=True)
        elif field is self.fields.entry:
            self.side_to_form()
        else:
            self.leave_line()
        super().write(field)

    # Drafts

    def typed(self) -> str | None:
        if self._unread or self._misread:
            return json.dumps({"side": self.face, "text": self._json_text}, ensure_ascii=False)
        begun = self.filling.document is self.filling.start and self._json_text == self._first_text
        if begun or (self.face == "form" and same(self.filling.document, self.filling.start)):
            return None
        means = self._json_is is self.filling.document
        text = self._json_text if means else dump(self.filling.document)
        return json.dumps({"side": self.face, "text": text}, ensure_ascii=False)

    def restore(self, draft: Draft) -> None:
        text, side = says.kept(draft.answer)
        if text is not None:
            self._json_text, self._unread = text, True
            self.json.put(text)
            self._json_text = self.json.value
            self.face = side if self.bring_in_line() and not self.filling.whole else "json"
            self.filling.revision += 1
            self.wish()
        elif not self.json.text:
            self.json.put(self._json_text)
            self._json_text = self._first_text = self.json.value
            self.may_begin()
        self.turned()
        super().restore(draft)
        self.tell()

"""An answer that has to fit a JSON Schema: a form and its JSON, two faces of one document (R11, R186; E14, E24).

From 100 columns on both stand side by side, else one at a time; F6 goes from one to the other. What is typed is checked
by the engine as it is typed, and only what it found to fit can be submitted. Emptied, it leads back to the choice.
What the document, its form and a verdict are is `schema_state.py`'s, how the keys of the form work `schema_keys.py`'s.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Static

from jp_tui.conversation.strict_json import Json, JsonProblem, dump, same
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import SchemaAnswer
from jp_tui.ui.sheets import schema_says as says
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.frame import EDGES
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.json_editor import JsonEditor
from jp_tui.ui.sheets.json_places import places
from jp_tui.ui.sheets.json_text import laid_out, read
from jp_tui.ui.sheets.messages import CheckWanted, Grew
from jp_tui.ui.sheets.schema_keys import FormKeys
from jp_tui.ui.sheets.schema_state import Filling
from jp_tui.ui.sheets.schema_view import SchemaForm
from jp_tui.ui.text import ours
from jp_tui.view import wording as w
from jp_tui.view.drafts import Draft

CHECK_AFTER = 0.15
"""Seconds after a change until the engine is asked whether it fits."""
WIDE, MIRRORED = 100, 16_000
"""Columns from which form and JSON stand side by side, and characters up to which JSON follows each key in the form."""
ROWS = 14
"""Rows that the JSON asks for at most beside a form that is lower."""
Face = Literal["form", "json"]


class SchemaSheet(FormKeys):
    """A question whose answer has parts."""

    DEFAULT_CSS = """
    SchemaSheet {
        & > #faces { height: 4; width: 1fr; }
        & #json { width: 1fr; height: 1fr; }
        & #faces.-both > #json { width: 40%; margin-left: 1; }
        & > #about { height: 1; color: $text-muted; }
        & > #verdict { height: 1; color: $text-muted; }
    }
    """
    BINDINGS: ClassVar = [
        Binding("f6", "face", "Form or JSON", id="sheet.face", tooltip="The form, or the same as JSON"),
        Binding("f7", "aside('schema')", "Schema", id="sheet.schema", tooltip="What the schema says, and back"),
        Binding("ctrl+s", "send", "Submit", id="sheet.send", tooltip="Submits the answer, wherever the cursor is"),
        Binding("ctrl+g", "editor", "Editor", id="sheet.editor", tooltip="Write in your own editor"),
    ]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        kind = prompt.question.answer_type
        self._schema = kind.schema if isinstance(kind, SchemaAnswer) else {}
        self.filling = Filling(self._schema, self.begins)
        self.fields = SchemaForm(self.filling, gate=gate, id="form")
        self.json = JsonEditor(gate=gate, hint=ours(w.JSON_HINT), id="json")
        self.about = Static(id="about")
        self.verdict = Static(id="verdict")
        self.faces = Horizontal(self.fields, self.json, id="faces")
        self.face: Face = "json" if self.filling.whole else "form"
        self._json_text = self._first_text = laid_out(self.filling.document)
        self._json_is: Json = self.filling.document
        self._unread = False  # the JSON was changed and is not the document yet
        self._misread: JsonProblem | None = None
        self._both = False
        self._described = Foreign("")
        self._timer: Timer | None = None
        self._waits: int | None = None  # the revision that is submitted as soon as its verdict is there
        self._marked: tuple[object, object] | None = None

    # Places

    def answers(self) -> ComposeResult:
        yield self.faces
        yield self.about
        yield self.verdict

    def on_mount(self) -> None:
        self._wish()
        self.tell()

    def texts(self) -> dict[str, Foreign]:
        return super().texts() | {"schema": self._described}

    def action_aside(self, name: str) -> None:
        if name == "schema" and self.looking != name:
            self._described = says.described(self._schema, self.filling.line)
        super().action_aside(name)

    def wanted(self, width: int, room: int) -> int:
        both = width + 2 * EDGES >= WIDE and self.filling.whole is None
        if both != self._both or not self.json.is_mounted:
            self._both = both
            self.turned()
        rows = max(self.fields.height_at(width), 2)
        if both or self.face == "json":
            high = self.json.height_at(width)
            rows = max(rows, min(high, ROWS)) if both else max(high, 3)
        return rows + 2

    def given(self, rows: int) -> None:
        self.about.display = rows >= 5 and self.face == "form"
        self.verdict.display = rows >= 3
        self.faces.styles.height = max(rows - self.about.display - self.verdict.display, 1)
        self.call_after_refresh(self.fields.again)

    def turned(self) -> None:
        """Show the faces that belong on the screen, the JSON as the document is."""
        self.fields.display = self._both or self.face == "form"
        self.json.display = self._both or self.face == "json"
        self.faces.set_class(self._both, "-both")
        self.mirror()

    # One document

    def touched(self) -> None:
        """The form changed the document."""
        self._misread = None
        self._waits = None
        self._wish()
        self.changed()
        self.tell()

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
            self._unread, self._waits = True, None
            self.filling.revision += 1
            self._wish()
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

    # Verdicts

    def _wish(self) -> None:
        """Ask for a verdict when no key came for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(CHECK_AFTER, self.ask)

    def ask(self) -> None:
        """Ask now, if there is something to ask."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.bring_in_line():
            self.mirror()
            self.post_message(CheckWanted(self.prompt.inquiry, self.filling.revision, self.filling.document))
        self.tell()

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """The engine's verdict; one for something older than what stands here is let go."""
        if not self.filling.checked(revision, problems) or self._unread or self._misread:
            return
        waits, self._waits = self._waits, None
        self.tell()
        self.fields.again()
        if waits == revision:
            self._fresh = True  # the key that submitted was one that may
            self._deliver()

    def tell(self) -> None:
        """The lines under the form: what the cursor is on, and what is wrong."""
        self.about.update(says.about(self.filling))
        self.verdict.update(says.verdict(self.filling, self._misread, json=self.face == "json"))
        wrong = frozenset({self._misread.line or 0}) if self._misread else frozenset[int]()
        if self._misread is None and self.json.display and self.json.whole and self.filling.sure:
            marked = (self._json_text, self.filling.verdict)
            if marked == self._marked:
                return
            self._marked = marked
            found = places(self._json_text, [one.path for one in self.filling.problems])
            wrong = frozenset(line for line, _ in found.values())
        self.json.mark(wrong)
        self.post_message(Grew())

    # Submitting

    def begin(self, fresh: bool) -> None:
        self._waits = None
        super().begin(fresh)

    def action_send(self) -> None:
        """Submit, wherever the cursor is."""
        if self.mode != "menu":
            self.send()

    def submit(self, field: Field) -> None:
        self.send()

    def send(self) -> None:
        """Only what was found to fit leaves; else the cursor goes to what is wrong."""
        if self.face == "json" and not self.json.value.strip():
            self.stop_writing()
            self.say(ours(w.EMPTIED))
        elif not self.bring_in_line():
            assert self._misread is not None
            self.tell()
            self._to_json()
            self.misread(self.json, self._misread)
        elif not self.filling.sure:
            self.ask()
            self._waits = self.filling.revision if self._fresh else None
            self.say(ours(says.CHECKING))
        else:
            self._deliver()

    def _deliver(self) -> None:
        local = next(iter(self.filling.local), None)
        if self.filling.problems or local is not None:
            self.say(says.cannot(self.filling))
            self.to_problem()
        else:
            self.answered(self.filling.document)

    def to_problem(self, by: int = 0) -> None:
        """To what is wrong: the first place, or the next one from here."""
        found = [one.path for one in self.filling.problems] or list(self.filling.local)
        if not found:
            return
        if self.face == "json":
            text = self.json.value
            spots = sorted(set(places(text, found).values()))
            here = (self.json.cursor_location[0] + 1, self.json.cursor_location[1] + 1)
            later = [spot for spot in spots if spot > here] if by else []
            for spot in later[:1] or spots[:1]:
                self.json.show(spot)
        else:
            self.leave_line()
            self.filling.go_to(found[0])
            self.arrive()

    # From one to the other

    def action_face(self) -> None:
        """The other face, at the same place."""
        if self.mode == "menu":
            return
        if self.face == "form":
            line = self.filling.line
            self._to_json()
            spot = places(self._json_text, [line.path]).get(line.path) if line and self.json.whole else None
            if spot:
                self.json.show(spot)
        elif self.filling.whole is not None and not self._unread:
            self.say(says.no_form(self.filling.whole))
        elif not self.bring_in_line():
            assert self._misread is not None
            self.tell()
            self.misread(self.json, self._misread)
        elif self.filling.whole is not None:
            self.say(says.no_form(self.filling.whole))
        else:
            self.face = "form"
            self.turned()
            self.arrive(always=True)

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
            self._wish()
        elif not self.json.text:
            self.json.put(self._json_text)
            self._json_text = self._first_text = self.json.value
        self.turned()
        super().restore(draft)
        self.tell()

    # Keys

    def listening(self) -> None:
        super().listening()
        if self.mode == "answer":
            self.arrive(always=True)

    def field_key(self, key: str, field: Field) -> bool:
        if key == "f6" and field in (self.json, self.fields.entry):
            self.action_face()
        elif key == "f7":
            self.action_aside("schema")
        elif key in ("tab", "shift+tab") and field is self.json:
            self.to_problem(1)
        else:
            return super().field_key(key, field)
        return True

    def answer_hints(self) -> list[Hint]:
        found = self.line_hints() if self.face == "form" else [Hint("enter", "write", "accept", keep=True)]
        line = self.filling.line
        chooses = self.face == "form" and line is not None and line.role == "field" and not line.writes
        return [*found, Hint("enter" if chooses else "ctrl+s", "submit", "send", keep=True), *self._side_hints()]

    def field_hints(self, field: Field) -> list[Hint]:
        sends = Hint("enter", "submit", "send", keep=True)
        if field is self.json:
            moves = [Hint("tab", "next problem", "next_problem")] if self.filling.problems else []
        else:
            moves = self.field_line_hints()
        return [
            sends, *moves, *self._side_hints(), Hint("ctrl+j", "new line", "new_line"),
            Hint("ctrl+g", "editor", "editor"), Hint("esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

    def action_next_problem(self) -> None:
        self.to_problem(1)

    def _side_hints(self) -> list[Hint]:
        words = "fold the schema" if self.looking == "schema" else "schema"
        found = [] if self.filling.whole else [Hint("f6", "JSON" if self.face == "form" else "form", "face", keep=True)]
        return [*found, Hint("f7", words, "aside('schema')")]

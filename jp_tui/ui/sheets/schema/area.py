"""An answer that has to fit a JSON Schema: a form and its JSON over one document (R11, R186; E14, E24).

From 100 columns on both are side by side, else one at a time; F6 goes from one to the other. The engine checks the
answer, and only a valid one can be submitted. Emptied JSON leads back to the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.questions.types import SchemaAnswer
from jp_tui.ui.sheets.area import AnswerArea, AnswerBody, AnswerSheet
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.json.places import places
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.layout import EDGES
from jp_tui.ui.sheets.messages import LayoutChanged, PieceClicked, ValidationRequested
from jp_tui.ui.sheets.schema import texts
from jp_tui.ui.sheets.schema.document import FormDocument
from jp_tui.ui.sheets.schema.form_and_json import FormAndJson
from jp_tui.ui.sheets.schema.form_view import SchemaForm
from jp_tui.ui.sheets.schema.keys import FORM_KEYS, FormFilter, FormKeys, field_line_hints, line_hints
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.schema.lines import FieldProblem
from jp_tui.view.wording import questions as w

CHECK_AFTER = 0.15
"""Seconds after a change until the engine is asked for a check."""
WIDE = 100
"""Columns from which form and JSON are side by side."""
TALL = 2
"""Most lines for the result of the check."""
ROWS = 14
"""Most rows that the JSON requests beside a form with fewer rows."""


class FormNote(Static):
    """A line under the form."""

    DEFAULT_CSS = "FormNote { height: 1; color: $text-muted; }"


class SchemaArea(AnswerArea, AnswerBody):
    """A question whose answer has parts."""

    BINDINGS: ClassVar[list[Binding]] = [
        Binding("f6", "face", "Form or JSON", id="sheet.face", tooltip="Switch between form and JSON"),
        Binding("f7", "aside('schema')", "Schema", id="sheet.schema", tooltip="Show or hide the schema"),
        Binding("ctrl+s", "send", "Submit", id="sheet.send", tooltip="Submit the answer from anywhere"),
        Binding("ctrl+g", "editor", "Editor", id="sheet.editor", tooltip="Edit the answer in your $EDITOR"),
        Binding("n", "decline", "Decline", id="sheet.decline", tooltip="Decline the server's question"),
        *FORM_KEYS,
    ]

    def __init__(self, sheet: AnswerSheet) -> None:
        self.body = self
        kind = sheet.prompt.question.answer_type
        self.sheet = sheet
        self._schema = kind.schema if isinstance(kind, SchemaAnswer) else {}
        self.document = FormDocument(self._schema, sheet.initial)
        self.form = SchemaForm(self.document, gate=sheet.gate, id="form")
        self.editors = FormAndJson(sheet, self.document, self.form, self)
        self.filter = FormFilter(sheet, self.document, self.form, self.editors, self)
        self.keys = FormKeys(sheet, self.document, self.form, self.editors, self.filter, self)
        self._about = FormNote(id="about")
        self._result = FormNote(id="verdict")
        self._timer: Timer | None = None
        self._submitting: int | None = None  # the revision that is submitted as soon as it is checked
        self._marked: tuple[object, object] | None = None
        self._across, self._down = 0, TALL  # cells of a line below the form, and lines for the result
        self._needs = 1  # lines that the result needs
        self._wants = 5  # rows of form and lines together
        self._described = Foreign("")

    @property
    def parts(self) -> tuple[object, ...]:
        return (self.keys, self.filter, self.editors)

    def mounted(self) -> None:
        self.check_soon()
        self.show_state()

    def texts(self) -> dict[str, Foreign]:
        return {"schema": self._described}

    def action_aside(self, name: str) -> None:
        if name == "schema" and self.sheet.reading.shown_text != name:
            self._described = texts.described(self._schema, self.document.line)
        self.sheet.reading.action_aside(name)

    # Places

    def widgets(self) -> Sequence[Widget]:
        return (self.filter.field, self.editors.row, self._about, self._result)

    def shown(self) -> None:
        self.filter.shown()

    def height_at(self, width: int, room: int) -> int:
        if width != self._across:
            self._across = width
            self.show_state()
        both = width + 2 * EDGES >= WIDE and self.document.whole is None
        self.editors.arrange(both)
        rows = max(self.form.height_at(width), 2)
        if both or self.editors.active == "json":
            high = self.editors.json.height_at(width)
            rows = max(rows, min(high, ROWS)) if both else max(high, 3)
        self._wants = rows + 1 + self._needs
        return self._wants + self.filter.field.display

    def place(self, rows: int) -> None:
        rows -= self.filter.field.display
        form = self.editors.active == "form" or self.document.whole is not None
        self._about.display = rows >= min(self._wants, 5) and form
        self._result.display = rows >= 3
        if self._down != (down := TALL if rows >= min(self._wants, 7) else 1):
            self._down = down
            self._show_result()
        below = min(self._needs, self._down) if self._result.display else 0
        self._result.styles.height = below or 1
        self.editors.row.styles.height = max(rows - self._about.display - below, 1)
        self.form.call_after_refresh(self.form.on_layout_done)

    # Checks

    def form_changed(self) -> None:
        """Take a change of the document by the form."""
        self.editors.replace_json()
        self.check_soon()
        self.sheet.answer_changed()
        self.show_state()

    def check_soon(self) -> None:
        """Ask for a check as soon as no key came for a moment."""
        self._submitting = None
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.sheet.set_timer(CHECK_AFTER, self.check_now)

    def check_now(self) -> None:
        """Ask the engine for a check, unless the JSON can't be read."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.editors.sync():
            self.editors.mirror()
            self.sheet.post_message(ValidationRequested(self.sheet.prompt, self.document.revision, self.document.value))
        self.show_state()

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """Take the engine's check; drop one of an older value."""
        if not self.document.checked(revision, problems) or not self.editors.synced:
            return
        waits, self._submitting = self._submitting, None
        self.show_state()
        self.form.again()
        if waits == revision:
            self.sheet.press.renew()  # the key that submitted was allowed to
            self._submit()

    def show_state(self) -> None:
        """Update the lines under the form: the line under the cursor, and the problems."""
        self._about.update(texts.about(self.document))
        self._show_result()
        text, editor, problem = self.editors.text, self.editors.json, self.editors.json_problem
        wrong = frozenset({problem.line or 0}) if problem else frozenset[int]()
        if problem is None and editor.display and editor.whole and self.document.sure:
            marked = (text, self.document.result)
            if marked == self._marked:
                return
            self._marked = marked
            found = places(text, [one.path for one in self.document.problems if self._is_wrong(one)])
            wrong = frozenset(line for line, _ in found.values())
        editor.mark(wrong)
        self.sheet.post_message(LayoutChanged())

    def _show_result(self) -> None:
        """Show the result in two lines if one is too short for the problem at the cursor, and there is room."""
        form, across = self.editors.active == "form", max(self._across, 1)
        said = texts.fitted(self.document, self.editors.json_problem, form=form, across=across, lines=TALL)
        self._needs = min(max(len(said.wrap(across)), 1), TALL)
        if self._down < self._needs:
            said = texts.fitted(self.document, self.editors.json_problem, form=form, across=across, lines=self._down)
        self._result.update(said)

    def _is_wrong(self, problem: FieldProblem) -> bool:
        """Return True if it is wrong, and not merely missing in a part that the user did not reach yet."""
        return not problem.missing or self.document.started(problem.path)

    # Submitting

    def begin(self, key: events.Key | None) -> None:
        self._submitting = None

    def action_send(self) -> None:
        """Submit, wherever the cursor is."""
        if self.sheet.mode != "menu":
            self.send()

    def submit(self, field: Field) -> None:
        if field is self.filter.field:
            self.filter.submit()
        else:
            self.send()

    def send(self) -> None:
        """Submit a valid answer; else move the cursor to a problem."""
        if self.editors.active == "json" and not self.editors.json.value.strip():
            self.sheet.stop_writing()
            self.sheet.show_notice(ours(w.EMPTIED))
        elif not self.editors.sync():
            self.editors.to_json()
            self.editors.show_mistake(texts.NO_JSON)
        elif not self.document.sure:
            self.check_now()
            self._submitting = self.document.revision if self.sheet.press.fresh else None
            self.sheet.show_notice(ours(texts.CHECKING))
        else:
            self._submit()

    def _submit(self) -> None:
        local = next(iter(self.document.local), None)
        if self.document.problems or local is not None:
            self.document.tried()
            self.sheet.show_notice(texts.cannot(self.document))
            self.to_problem()
        else:
            self.sheet.answered(self.document.value)

    def to_problem(self, by: int = 0) -> None:
        """Go to a problem: the first one, or with `by` the next one from here."""
        found = [one.path for one in self.document.problems] or list(self.document.local)
        if not found:
            return
        if self.editors.active == "json":
            text = self.editors.json.value
            spots = sorted(set(places(text, found).values()))
            here = (self.editors.json.cursor_location[0] + 1, self.editors.json.cursor_location[1] + 1)
            later = [spot for spot in spots if spot > here] if by else []
            for spot in later[:1] or spots[:1]:
                self.editors.json.show_place(*spot)
        else:
            self.editors.leave_line()
            self.document.go_to(found[0])
            self.editors.arrive()

    # Keys

    def listening(self) -> None:
        if self.sheet.mode == "answer":
            self.editors.arrive(always=True)

    def accept(self) -> None:
        self.keys.accept()

    def clicked(self, event: PieceClicked, may: bool) -> None:
        assert isinstance(event, SchemaForm.Pressed)
        self.keys.clicked(event, may)

    def pasted(self, text: str) -> bool:
        return self.keys.pasted(text)

    def edited(self, field: Field) -> None:
        if field is self.filter.field:
            self.filter.edited()
        else:
            self.editors.edited(field)

    def enter(self, field: Field) -> None:
        self.editors.enter(field)

    def leave(self) -> None:
        self.editors.leave_line()

    def left(self) -> None:
        self.show_state()

    def field_key(self, key: str, field: Field) -> bool:
        if key == "f6" and field in (self.editors.json, self.form.entry, self.filter.field):
            self.editors.action_face()
        elif key == "f7":
            self.action_aside("schema")
        elif key in ("tab", "shift+tab") and field is self.editors.json:
            self.to_problem(1)
        elif field is self.filter.field:
            return self.filter.key(key)
        else:
            return field is self.form.entry and self.keys.field_key(key, field)
        return True

    def answer_hints(self) -> list[Hint]:
        found = [Hint("Enter", "write", "accept", keep=True)]
        if self.editors.active == "form":
            found = self.filter.with_hint(line_hints(self.document))
        line = self.document.line
        chooses = self.editors.active == "form" and line is not None and line.role == "field" and not line.writes
        sends = Hint("Enter" if chooses else "Ctrl+S", "submit", "send", keep=True)
        declines = [Hint("n", "decline", "decline", keep=True)] if "decline" in self.sheet.prompt.controls else []
        return [*found, sends, *declines, *self._side_hints(keep=not declines)]

    def field_hints(self, field: Field) -> list[Hint]:
        if field is self.filter.field:
            return self.filter.hints()
        sends = Hint("Enter", "submit", "send", keep=True)
        if field is self.editors.json:
            moves = [Hint("Tab", "next problem", "next_problem")] if self.document.problems else []
        else:
            moves = field_line_hints(self.document, empty=not self.form.entry.value)
        return [
            sends, *moves, *self._side_hints(), Hint("Ctrl+J", "new line", "new_line"),
            Hint("Ctrl+G", "editor", "editor"), Hint("Esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

    def action_next_problem(self) -> None:
        self.to_problem(1)

    def _side_hints(self, *, keep: bool = True) -> list[Hint]:
        words = "fold the schema" if self.sheet.reading.shown_text == "schema" else "schema"
        other = "why no form" if self.document.whole else "JSON" if self.editors.active == "form" else "form"
        return [Hint("F6", other, "face", keep=keep), Hint("F7", words, "aside('schema')")]

    # Drafts

    def typed(self) -> str | None:
        return self.editors.typed()

    def restore(self, draft: Draft) -> Draft:
        self.editors.restore(draft)
        self.show_state()
        return draft

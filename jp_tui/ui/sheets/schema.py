"""An answer that has to fit a JSON Schema: a form and its JSON, two faces of one document (R11, R186; E14, E24).

From 100 columns on both stand side by side, else one at a time; F6 goes from one to the other. What is typed is checked
by the engine as it is typed, and only what it found to fit can be submitted. Emptied, it leads back to the choice.
What the document and its form are is `schema_state.py`'s, how both faces keep together `schema_faces.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.timer import Timer
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets import schema_says as says
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.frame import EDGES
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.json_places import places
from jp_tui.ui.sheets.messages import CheckWanted, Grew
from jp_tui.ui.sheets.schema_faces import Faces
from jp_tui.ui.text import ours
from jp_tui.view.schema.lines import Problem
from jp_tui.view.wording import questions as w

CHECK_AFTER = 0.15
"""Seconds after a change until the engine is asked whether it fits."""
WIDE = 100
"""Columns from which form and JSON stand side by side."""
TALL = 2
"""Lines of the verdict at most."""
ROWS = 14
"""Rows that the JSON asks for at most beside a form that is lower."""


class SchemaSheet(Faces):
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
        self.about = Static(id="about")
        self.verdict = Static(id="verdict")
        self._timer: Timer | None = None
        self._waits: int | None = None  # the revision that is submitted as soon as its verdict is there
        self._marked: tuple[object, object] | None = None
        self._across, self._down = 0, TALL  # cells of a line below the form, and lines that there are for the verdict
        self._needs = 1  # lines that the verdict would take
        self._wants = 5  # rows of all that
        self._described = Foreign("")

    # Places

    def answers(self) -> ComposeResult:
        yield self.filter
        yield self.faces
        yield self.about
        yield self.verdict

    def on_mount(self) -> None:
        self.wish()
        self.tell()

    def texts(self) -> dict[str, Foreign]:
        return super().texts() | {"schema": self._described}

    def action_aside(self, name: str) -> None:
        if name == "schema" and self.looking != name:
            self._described = says.described(self._schema, self.filling.line)
        super().action_aside(name)

    def wanted(self, width: int, room: int) -> int:
        if width != self._across:
            self._across = width
            self.tell()
        both = width + 2 * EDGES >= WIDE and self.filling.whole is None
        if both != self._both or not self.json.is_mounted:
            self._both = both
            self.turned()
        rows = max(self.fields.height_at(width), 2)
        if both or self.face == "json":
            high = self.json.height_at(width)
            rows = max(rows, min(high, ROWS)) if both else max(high, 3)
        self._wants = rows + 1 + self._needs
        return self._wants + self.filter.display

    def given(self, rows: int) -> None:
        rows -= self.filter.display
        self.about.display = rows >= min(self._wants, 5) and (self.face == "form" or self.filling.whole is not None)
        self.verdict.display = rows >= 3
        if self._down != (down := TALL if rows >= min(self._wants, 7) else 1):
            self._down = down
            self._say_verdict()
        below = min(self._needs, self._down) if self.verdict.display else 0
        self.verdict.styles.height = below or 1
        self.faces.styles.height = max(rows - self.about.display - below, 1)
        self.call_after_refresh(self.fields.settled)

    # Verdicts

    def touched(self) -> None:
        self._misread = None
        self.wish()
        self.changed()
        self.tell()

    def wish(self) -> None:
        """Ask for a verdict when no key came for a moment."""
        self._waits = None
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
            self.post_message(CheckWanted(self.prompt, self.filling.revision, self.filling.document))
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
        self._say_verdict()
        wrong = frozenset({self._misread.line or 0}) if self._misread else frozenset[int]()
        if self._misread is None and self.json.display and self.json.whole and self.filling.sure:
            marked = (self._json_text, self.filling.verdict)
            if marked == self._marked:
                return
            self._marked = marked
            found = places(self._json_text, [one.path for one in self.filling.problems if self._told(one)])
            wrong = frozenset(line for line, _ in found.values())
        self.json.mark(wrong)
        self.post_message(Grew())

    def _say_verdict(self) -> None:
        """In two lines where one is not enough for what is wrong at the cursor, in one where there is no more."""
        form, across = self.face == "form", max(self._across, 1)
        said = says.fitted(self.filling, self._misread, form=form, across=across, lines=TALL)
        self._needs = min(max(len(said.wrap(across)), 1), TALL)
        if self._down < self._needs:
            said = says.fitted(self.filling, self._misread, form=form, across=across, lines=self._down)
        self.verdict.update(said)

    def _told(self, problem: Problem) -> bool:
        """Whether it is wrong, and not merely something that nobody came to yet."""
        return not problem.missing or self.filling.started(problem.path)

    # Submitting

    def begin(self, fresh: bool) -> None:
        self._waits = None
        super().begin(fresh)

    def action_send(self) -> None:
        """Submit, wherever the cursor is."""
        if self.mode != "menu":
            self.send()

    def submit(self, field: Field) -> None:
        if field is self.filter:
            self.to_found()
        else:
            self.send()

    def send(self) -> None:
        """Only what was found to fit leaves; else the cursor goes to what is wrong."""
        if self.face == "json" and not self.json.value.strip():
            self.stop_writing()
            self.say(ours(w.EMPTIED))
        elif not self.bring_in_line():
            self._to_json()
            self.to_misread(says.NO_JSON)
        elif not self.filling.sure:
            self.ask()
            self._waits = self.filling.revision if self._fresh else None
            self.say(ours(says.CHECKING))
        else:
            self._deliver()

    def _deliver(self) -> None:
        local = next(iter(self.filling.local), None)
        if self.filling.problems or local is not None:
            self.filling.tried = True
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

    # Keys

    def listening(self) -> None:
        super().listening()
        if self.mode == "answer":
            self.arrive(always=True)

    def field_key(self, key: str, field: Field) -> bool:
        if key == "f6" and field in (self.json, self.fields.entry, self.filter):
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
        if field is self.filter:
            return self.filter_hints()
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
        other = "why no form" if self.filling.whole else "JSON" if self.face == "form" else "form"
        return [Hint("f6", other, "face", keep=True), Hint("f7", words, "aside('schema')")]

"""What every sheet shows: who asks, context, question, answers, reply, menu, the keys that work (E1, E4, E5).

It lays the parts out in the rows it is given and shows what state they are in. It hears no key and decides
nothing: `sheet.py` does, and a subclass of that supplies the area where its kind of answer is given.
"""

from __future__ import annotations

from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint, KeyLine
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.plan import TIGHT, Wants, share
from jp_tui.ui.sheets.rows import Choices
from jp_tui.ui.text import blank, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view import wording as w

Mode = Literal["answer", "write", "menu"]
EDGES = 2
"""Rows and columns of the frame's border on both sides together; columns have a blank beside each."""


class Frame(Vertical, can_focus=True):
    """The parts of a sheet and their places."""

    DEFAULT_CSS = """
    Frame { height: auto; width: 1fr; padding: 0 1; border: round $primary; background: $surface;
        border-title-color: $primary; border-title-style: bold; border-subtitle-color: $text-muted;
        &.-tool { border: round $warning; border-title-color: $warning; }
        &.-deaf { border: round $foreground 30%; border-title-color: $text-muted; }
        &.-deaf > .answers, &.-deaf > .context { opacity: 50%; }
        &.-gaps > #question, &.-gaps > .context { margin-bottom: 1; }
        & > #question { height: auto; text-style: bold; }
        & > #warning { height: auto; color: $text-warning; text-style: bold; }
        & > #problem { height: auto; color: $text-warning; }
        & > #why, & > #reply-title { height: auto; color: $text-muted; }
    }
    """
    armed: reactive[bool] = reactive(False, init=False)
    """Whether its keys answer; shown, never only felt (E10)."""

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(classes="-deaf")
        self.prompt, self.gate = prompt, gate
        self.mode: Mode = "answer"
        self.writing: Field | None = None
        self.done = self.cramped = False
        self.keeps_answers = False  # whether they stay visible beside a reply that is written (E20)
        self.set_class(prompt.source == "tool", "-tool")
        self.border_title = words.title(prompt)
        line, above = words.question(prompt)
        self.context = ContextView(above, approval=words.mode(prompt) == "approval", focus=False) if above else None
        if self.context:
            self.context.styles.height = 0  # until it has its rows: what was never shown must not count as seen
        self._line = line
        self.question = Static(line, id="question")
        warned = words.warning(prompt)
        self.warning = Static(warned, id="warning")
        self.warning.display = bool(warned)
        self.menu = Choices(id="menu")
        self.reply_title = Static(ours(w.REPLY_TITLE), id="reply-title")
        self.reply = Field(gate=gate, hint=ours(w.REPLY_HINT), id="reply")
        self.why = Static(words.why(prompt), id="why")
        self.problem = Static(id="problem")
        self.line = KeyLine()
        self.areas: list[Widget] = []

    def compose(self) -> ComposeResult:
        for hidden in (self.menu, self.reply, self.reply_title, self.why, self.problem):
            hidden.display = False
        if self.context:
            self.context.add_class("context")
            yield self.context
        yield self.question
        yield self.warning
        self.areas = list(self.answers())
        for area in self.areas:
            area.add_class("answers")
            yield area
        yield from (self.menu, self.reply_title, self.reply, self.why, self.problem, self.line)

    # What a subclass supplies

    def answers(self) -> ComposeResult:
        """The widgets of the answer area, from top to bottom."""
        raise NotImplementedError

    def wanted(self, width: int, room: int) -> int:
        """Rows that the answer area would take."""
        raise NotImplementedError

    def given(self, rows: int) -> None:
        """The answer area has that many rows."""
        raise NotImplementedError

    def hints(self) -> list[Hint]:
        """The keys that work now, in order of importance."""
        raise NotImplementedError

    # Showing

    def waiting(self, place: int, of: int) -> None:
        """Say how many wait and which of them this is."""
        text = ours(w.PLACE, n=place, m=of) if of > 1 else blank()
        self.border_subtitle = text

    def say(self, notice: Content) -> None:
        """One notice above the keys; an empty one takes it away."""
        self.problem.update(notice)
        self.problem.display = bool(notice)
        self.post_message(Grew())

    @on(ContextView.Seen)
    def _seen(self) -> None:
        """The question's line says what stands above it, and how much of that was not on the screen yet (E15)."""
        if self.context is not None:
            shown = self.context
            note = words.under(self._line, shown.changes, shown.hunk[1], shown.unseen, shown.lines)
            self.question.update(note)
            self.post_message(Grew())

    def watch_armed(self) -> None:
        self.set_class(not self.armed, "-deaf")
        self.show()

    def show(self) -> None:
        """Bring what is visible in line with the mode."""
        replying = self.writing is self.reply
        self.menu.display = self.mode == "menu"
        self.reply_title.display = replying and not self.keeps_answers
        self.reply.display = replying or (self.mode == "answer" and bool(self.reply.text))
        for area in self.areas:
            area.display = self.mode != "menu" and (self.keeps_answers or not replying)
        shown = [self.question, self.line, *([self.context] if self.context else [])]
        for part in shown:
            part.display = not self.cramped
        self.warning.display = not self.cramped and bool(self.warning.content)
        if self.cramped:
            for hidden in (*self.areas, self.menu, self.reply_title, self.reply, self.why):
                hidden.display = False
        self.post_message(Grew())

    def lay_out(self, width: int, room: int, extra: list[Hint]) -> None:
        """Share out `room` rows at an outer `width`; `extra` are the keys that the dock adds to the last line."""
        inner = width - 2 * EDGES
        if inner < 1:
            return
        self.line.note = None if self.armed else ours(w.SENT) if self.done else ours(w.DEAF)
        self.line.hints = tuple([*self.hints(), *extra] if self.armed else extra)
        self.line.most = 1 if room < TIGHT else 3
        field_room = max(room // 3, 1)
        fixed = EDGES + self.line.height_at(inner)
        for part in (self.reply_title, self.why, self.problem, self.warning):
            fixed += height_of(part, inner) if part.display else 0
        if self.reply.display:
            self.reply.styles.height = min(self.reply.height_at(inner), field_room)
            fixed += min(self.reply.height_at(inner), field_room)
        answers = self.menu.height_at(inner) if self.mode == "menu" else 0
        shown = any(area.display for area in self.areas)
        wants = Wants(
            context=self.context.height_at(inner) if self.context else 0,
            question=height_of(self.question, inner),
            answers=self.wanted(inner, field_room) if shown else answers,
            fixed=fixed,
        )
        shares = share(room, wants)
        if self.context:
            self.context.styles.height = shares.context
        if shown:
            self.given(shares.answers)
        self.menu.styles.max_height = max(shares.answers, 1)
        self.set_class(shares.gaps > 0, "-gaps")
        self._cramp(shares.cramped)

    def _cramp(self, cramped: bool) -> None:
        """What cannot be reviewed cannot be answered: say so instead of showing half of it."""
        if cramped != self.cramped:
            self.cramped = cramped
            self.say(ours(w.TOO_SMALL) if cramped else blank())
            self.show()


def height_of(part: Static, width: int) -> int:
    """Rows that a text takes, with what its style pads it by."""
    content, width = part.content, width - part.styles.padding.width
    return len(content.wrap(width)) if isinstance(content, Content) else 0

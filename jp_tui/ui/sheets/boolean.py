"""Yes or no, once or for the rest of the turn (R113, R192, M33; asking.md E15, E22).

Yes to something that was not on the screen to its end stays dim, says how much was not, and wants to be said twice.
Where only a human may decide, Enter accepts nothing until the user moved or pressed a key of the answer.
"""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.frame import height_of
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.rows import Choices, Pairs, Row
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.text import join, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view import wording as w


class BooleanSheet(Sheet):
    """A question with two answers, or four where the answer may be remembered."""

    DEFAULT_CSS = "BooleanSheet #covers { height: auto; color: $text-muted; padding-left: 5; }"
    BINDINGS: ClassVar = [
        Binding("right,left", "across", "Yes or no", id="sheet.across", tooltip="From yes to no and back"),
        Binding("y", "say('yes')", "Yes", id="sheet.yes", tooltip="Yes, this once"),
        Binding("Y", "say('yes_turn')", "Yes, this turn", id="sheet.yes_turn", tooltip="Yes, remembered for this turn"),
        Binding("n", "say('no')", "No", id="sheet.no", tooltip="No, this once"),
        Binding("N", "say('no_turn')", "No, this turn", id="sheet.no_turn", tooltip="No, remembered for this turn"),
    ]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self._touched = False
        rows = self._rows()
        marked = (place for place, row in enumerate(rows) if row.tags)
        self._choices = Pairs(*rows, cursor=next(marked, None), id="answers")
        self._covers = Static(words.covers(prompt), id="covers")
        self._needed = self._rest = 0
        self._unsaid = False  # what remembering covers has no room on the screen

    def answers(self) -> ComposeResult:
        yield self._choices
        if "remember" in self.prompt.controls:
            yield self._covers

    def wanted(self, width: int, room: int) -> int:
        self._rest = height_of(self._covers, width) if "remember" in self.prompt.controls else 0
        self._needed = self._choices.height_at(width)
        return self._needed + self._rest

    def given(self, rows: int) -> None:
        self._unsaid = rows < self._needed + self._rest  # half of what is covered would be worse than none
        self._covers.display = not self._unsaid
        self._choices.styles.height = max(min(rows, self._needed), 1)

    def choices(self) -> Choices:
        return self._choices

    def _rows(self) -> tuple[Row, ...]:
        question = self.prompt.question
        unseen = bool(self.context and self.context.unseen)
        mark = ours(w.DEFAULT)
        yes_mark = mark if question.has_default and question.default is True else None
        no_mark = mark if question.has_default and question.default is False else None
        if "remember" not in self.prompt.controls:
            return (Row("yes", ours(w.YES), ours("y"), yes_mark, dim=unseen), Row("no", ours(w.NO), ours("n"), no_mark))
        return (
            Row("yes", ours(w.YES_ONCE), ours("y"), yes_mark, dim=unseen),
            Row("yes_turn", ours(w.YES_TURN), ours("Y"), dim=unseen),
            Row("no", ours(w.NO_ONCE), ours("n"), no_mark),
            Row("no_turn", ours(w.NO_TURN), ours("N")),
        )

    def action_say(self, what: str) -> None:
        """One of the answers, by its key or a click."""
        place = self._choices.place(what)
        if place is None or self.mode == "menu":
            return
        self._touched = True
        self._choices.to(place)
        doubts = self._doubts(what)
        if doubts and not self.again(what):
            self.say(join(*doubts, ours(w.SAME_AGAIN), sep=ours(". ")))
            return
        self.answer(Answered(value=what.startswith("yes"), remember=what.endswith("turn")))

    def action_move(self, by: int) -> None:
        self._touched = self._touched or self.mode == "answer"
        super().action_move(by)

    def _doubts(self, what: str) -> list[Content]:
        """What must be said before that answer counts: what was not seen, and what is remembered (E15, R236)."""
        found = []
        if what.startswith("yes") and self.context and self.context.unseen:
            found.append(ours(w.WERE_UNSEEN, n=self.context.unseen, m=self.context.lines))
        if what.endswith("turn") and self._unsaid:
            found.append(words.covers(self.prompt))
        return found

    def action_across(self) -> None:
        rows, at = self._choices.rows, self._choices.cursor
        if self.mode == "answer" and at is not None:
            self._choices.to((at + len(rows) // 2) % len(rows))

    def accept(self) -> None:
        row = self._choices.current
        if row is None:
            self.say(ours(w.NOTHING_CHOSEN))
        elif self.prompt.human_only and not self._touched:
            self.say(ours(w.YOURS_TO_DECIDE))
        else:
            self.action_say(row.id)

    def submit(self, field: Field) -> None:
        raise AssertionError("a boolean has no field of its own")

    def field_hints(self, field: Field) -> list[Hint]:
        raise AssertionError("a boolean has no field of its own")

    def answer_hints(self) -> list[Hint]:
        found = [Hint("↑↓", "move", "move(1)")]
        if self._choices.cursor is not None and (self._touched or not self.prompt.human_only):
            found.append(Hint("enter", "accept", "accept"))
        return found

    @on(Choices.Moved, "#answers")
    def _moved(self, event: Choices.Moved) -> None:
        event.stop()
        self._touched = True
        self.post_message(Grew())

    @on(Choices.Picked, "#answers")
    def _picked(self, event: Choices.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        self.action_say(event.id)

    @on(ContextView.Seen)
    def _more_seen(self) -> None:
        self._choices.rows = self._rows()

"""Something is let through or not: yes, no, and what is remembered of it (R86, R93, R113; asking.md E15, R236).

Yes to something that was not on the screen to its end stays dim, says how much was not, and wants to be said twice.
Where only a human may decide, Enter accepts nothing until the user moved or pressed a key of the answer. What an
answer is, and what it is called, is its kind's: `boolean.py`, `permission.py`, `delivery.py`.
"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.frame import height_of
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.rows import Choices, Pairs, Row
from jp_tui.ui.sheets.sheet import Sheet
from jp_tui.ui.text import join, ours
from jp_tui.ui.widgets.context import ContextView
from jp_tui.view.wording import questions as w

VERDICT = [
    Binding("right", "across(1)", "Yes or no", id="sheet.across", tooltip="From yes to no; in a form as Tab"),
    Binding("left", "across(-1)", "Yes or no", id="sheet.across_back", tooltip="From no to yes; in a form as Back"),
    Binding("y", "say('yes')", "Yes", id="sheet.yes", tooltip="Yes, this once"),
    Binding("Y", "say('yes_turn')", "Yes, this turn", id="sheet.yes_turn", tooltip="Yes, remembered for this turn"),
    Binding("n", "say('no')", "No", id="sheet.no", tooltip="No, this once"),
    Binding("N", "say('no_turn')", "No, this turn", id="sheet.no_turn", tooltip="No, remembered for this turn"),
]
"""The keys of every such sheet; each kind declares them, for the page of keys."""


class VerdictSheet(Sheet):
    """A question with two answers, or four where the answer may be remembered."""

    DEFAULT_CSS = "VerdictSheet #covers { height: auto; color: $text-muted; padding-left: 5; }"

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self.touched = False
        rows, first = self.rows(), self.first()
        self.list = Pairs(
            *rows, cursor=next((at for at, row in enumerate(rows) if row.id == first), None), id="answers"
        )
        self._covers = Static(words.covers(prompt), id="covers")
        self._needed = self._rest = 0
        self._listed = True  # all answers are on the screen, each with its key
        self._unsaid = False  # what remembering covers has no room on the screen

    # What a kind supplies

    def rows(self) -> tuple[Row, ...]:
        """The answers: `yes`, `no`, and with `_turn` behind it what is remembered."""
        raise NotImplementedError

    def decide(self, what: str) -> None:
        """One of the answers is meant."""
        raise NotImplementedError

    def first(self) -> str:
        """The answer that the cursor stands on at first; empty when on none."""
        return ""

    @property
    def warned(self) -> bool:
        """Whether Enter accepts nothing before the user did something (R192)."""
        return self.prompt.human_only

    @property
    def unseen(self) -> bool:
        """Whether some of what would be approved was not on the screen."""
        return bool(self.context and self.context.unseen)

    # Places

    def answers(self) -> ComposeResult:
        yield self.list
        if "remember" in self.prompt.controls:
            yield self._covers

    def wanted(self, width: int, room: int) -> int:
        self._rest = height_of(self._covers, width) if "remember" in self.prompt.controls else 0
        self._needed = self.list.height_at(width)
        return self._needed + self._rest

    def needed(self, wanted: int) -> int:
        return self._needed

    def given(self, rows: int) -> None:
        self._listed = rows >= self._needed
        self._unsaid = rows < self._needed + self._rest  # half of what is covered would be worse than none
        self._covers.display = not self._unsaid
        self.list.styles.height = max(min(rows, self._needed), 1)

    def choices(self) -> Choices:
        return self.list

    # Keys

    def action_say(self, what: str) -> None:
        """One of the answers, by its key or a click."""
        place = self.list.place(what)
        if place is None or self.mode == "menu":
            return
        self.touched = True
        self.list.to(place)
        doubts = self._doubts(what)
        if doubts and not self.again(what):
            self.say(join(*doubts, ours(w.SAME_AGAIN), sep=ours(". ")))
            return
        self.decide(what)

    def action_move(self, by: int) -> None:
        self.touched = self.touched or self.mode == "answer"
        super().action_move(by)

    def _doubts(self, what: str) -> list[Content]:
        """What must be said before that answer counts: what was not seen, and what is remembered (E15, R236)."""
        found = []
        if what.startswith("yes") and self.context and self.context.unseen:
            found.append(ours(w.WERE_UNSEEN, n=self.context.unseen, m=self.context.lines))
        if what.endswith("turn") and self._unsaid:
            found.append(words.covers(self.prompt))
        return found

    def action_across(self, by: int) -> None:
        if self.form is not None:
            self.action_place(by)
            return
        rows, at = self.list.rows, self.list.cursor
        half = -(-len(rows) // 2)
        if self.mode != "answer":
            return
        if at is None:
            self.list.to(half if by > 0 else 0)
        else:
            self.list.to(at - half if at >= half else min(at + half, len(rows) - 1))

    def accept(self) -> None:
        row = self.list.current
        if row is None:
            self.say(ours(w.NOTHING_CHOSEN))
        elif self.warned and not self.touched:
            self.say(ours(w.YOURS_TO_DECIDE))
        else:
            self.action_say(row.id)

    def hints(self) -> list[Hint]:
        """What stands in the list with its key need not stand in the last line too."""
        listed = {row.id for row in self.list.rows} if self._listed and self.mode == "answer" else set[str]()
        return [hint for hint in super().hints() if hint.action not in listed]

    def submit(self, field: Field) -> None:
        raise AssertionError("a verdict has no field of its own")

    def field_hints(self, field: Field) -> list[Hint]:
        raise AssertionError("a verdict has no field of its own")

    def answer_hints(self) -> list[Hint]:
        found = [Hint("↑↓", "move", "move(1)")]
        if self.list.cursor is not None and (self.touched or not self.warned):
            found.append(Hint("enter", "accept", "accept", keep=True))
        return found

    @on(Choices.Moved, "#answers")
    def _moved(self, event: Choices.Moved) -> None:
        event.stop()
        self.touched = True
        self.post_message(Grew())

    @on(Choices.Picked, "#answers")
    def _picked(self, event: Choices.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        self.action_say(event.id)

    @on(ContextView.Seen)
    def _more_seen(self) -> None:
        self.list.rows = self.rows()

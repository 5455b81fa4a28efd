"""Yes and no as a list, once or remembered (R86, R93, R113; asking.md E15, R236).

The body of every answer that allows something or not. Yes to something that was not on the screen to its end is dim,
says how much was not, and needs a second key press. Where only the user may decide, Enter accepts nothing until the
user moved or pressed a key of the answer. The area names the answers and makes the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerBody, AnswerSheet
from jp_tui.ui.sheets.choice_list import ChoiceList, ChoiceRow, TwoColumnList
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.layout import height_of
from jp_tui.ui.text import join, ours
from jp_tui.view.wording import questions as w

YES_NO_KEYS = [
    Binding("right", "across(1)", "Yes or no", id="sheet.across", tooltip="Move from yes to no; in a form like Tab"),
    Binding(
        "left", "across(-1)", "Yes or no", id="sheet.across_back", tooltip="Move from no to yes; in a form like Back"
    ),
    Binding("y", "say('yes')", "Yes", id="sheet.yes", tooltip="Yes, this once"),
    Binding("Y", "say('yes_turn')", "Yes, this turn", id="sheet.yes_turn", tooltip="Yes, remembered for this turn"),
    Binding("n", "say('no')", "No", id="sheet.no", tooltip="No, this once"),
    Binding("N", "say('no_turn')", "No, this turn", id="sheet.no_turn", tooltip="No, remembered for this turn"),
]
"""The keys of every such answer; each kind declares them, for the page of keys."""


def never(what: str) -> Content | None:
    """Return None: refuse no answer."""
    return None


class RememberScope(Static):
    """The line that says what a remembered answer covers."""

    DEFAULT_CSS = "RememberScope { height: auto; color: $text-muted; padding-left: 5; }"


class YesNoBody(AnswerBody):
    """Two answers, or four where the answer may be remembered."""

    def __init__(
        self,
        sheet: AnswerSheet,
        *,
        rows: Callable[[], Sequence[ChoiceRow]],
        decide: Callable[[str], None],
        unseen: Callable[[], Content | None],
        first: str = "",
        warned: bool = True,
        refusal: Callable[[str], Content | None] = never,
        above: Sequence[Static] = (),
    ) -> None:
        """`rows` returns the answers: `yes`, `no`, remembered ones with `_turn` behind it, and others; `decide` takes
        the id of the chosen one. `unseen` says how much of what a yes allows was not on the screen; `refusal` why an
        answer can't be given now. `first` is the answer with the cursor, empty for none; `warned`: Enter accepts
        nothing before the user did something (R192). `above` are lines over the answers."""
        self._sheet, self._rows, self._decide, self._unseen = sheet, rows, decide, unseen
        self._warned, self._refusal, self._above = warned, refusal, above
        self._touched = False
        shown = tuple(rows())
        at = next((at for at, row in enumerate(shown) if row.id == first), None)
        self.list = TwoColumnList(*shown, cursor=at, id="answers")
        self._covers = RememberScope(texts.covers(sheet.prompt), id="covers")
        self._remembers = "remember" in sheet.prompt.controls
        self._needed = self._rest = 0
        self._listed = True  # all answers are on the screen, each with its key
        self._unsaid = False  # what remembering covers has no room on the screen

    # Places

    def widgets(self) -> Sequence[Widget]:
        return (*self._above, self.list, *([self._covers] if self._remembers else []))

    def height_at(self, width: int, room: int) -> int:
        self._rest = height_of(self._covers, width) if self._remembers else 0
        self._needed = self.list.height_at(width)
        return self._needed + self._rest + len(self._above)

    def least_height(self, height: int) -> int:
        return self._needed

    def place(self, rows: int) -> None:
        rows -= len(self._above)
        self._listed = rows >= self._needed
        self._unsaid = rows < self._needed + self._rest  # half of what is covered would be worse than none
        self._covers.display = not self._unsaid
        self.list.styles.height = max(min(rows, self._needed), 1)

    @property
    def choices(self) -> ChoiceList:
        return self.list

    def show_rows(self) -> None:
        """Update the answers."""
        self.list.rows = tuple(self._rows())

    # Keys

    def action_say(self, what: str) -> None:
        """Choose an answer, by its key or a click."""
        if (refusal := self._refusal(what)) is not None:
            self._sheet.say(refusal)
            return
        place = self.list.place(what)
        if place is None or self._sheet.mode == "menu":
            return
        self._touched = True
        self.list.to(place)
        doubts = self._doubts(what)
        if doubts and not self._sheet.press.again(what):
            self._sheet.say(join(*doubts, ours(w.SAME_AGAIN), sep=ours(". ")))
            return
        self._decide(what)

    def _doubts(self, what: str) -> list[Content]:
        """Return what the user must know before that answer counts: what was unseen, what is remembered (E15, R236)."""
        found = []
        if what.startswith("yes") and (unseen := self._unseen()) is not None:
            found.append(unseen)
        if what.endswith("turn") and self._unsaid:
            found.append(texts.covers(self._sheet.prompt))
        return found

    def action_move(self, by: int) -> None:
        self._touched = self._touched or self._sheet.mode == "answer"
        self._sheet.action_move(by)

    def action_across(self, by: int) -> None:
        """Go from one column of answers to the other."""
        if self._sheet.steps.form is not None:
            self._sheet.steps.action_place(by)
            return
        rows, at = self.list.rows, self.list.cursor
        half = -(-len(rows) // 2)
        if self._sheet.mode != "answer":
            return
        if at is None:
            self.list.to(half if by > 0 else 0)
        else:
            self.list.to(at - half if at >= half else min(at + half, len(rows) - 1))

    def accept(self) -> None:
        """Choose the answer under the cursor."""
        row = self.list.current
        if row is None:
            self._sheet.say(ours(w.NOTHING_CHOSEN))
        elif self._warned and not self._touched:
            self._sheet.say(ours(w.YOURS_TO_DECIDE))
        else:
            self.action_say(row.id)

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        """Leave out keys that the list shows."""
        listed = {row.id for row in self.list.rows} if self._listed and self._sheet.mode == "answer" else set[str]()
        return [hint for hint in hints if hint.action not in listed]

    def hints(self) -> list[Hint]:
        """Return the keys of the list."""
        found = [Hint("↑↓", "move", "move(1)")]
        if self.list.cursor is not None and (self._touched or not self._warned):
            found.append(Hint("enter", "accept", "accept", keep=True))
        return found

    # What happens in it

    def moved(self) -> None:
        self._touched = True

    def picked(self, row: str) -> None:
        self.action_say(row)

    def seen(self) -> None:
        self.show_rows()

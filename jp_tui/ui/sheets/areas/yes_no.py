"""Yes and no in one row, once or remembered (R86, R93, R113; asking.md E15, Z14, R236).

The body of every answer that allows something or not. Yes to something that was not on the screen to its end is dim,
says how much was not, and needs a second key press. Where only the user may decide, Enter accepts nothing until the
user moved or pressed a key of the answer. The area names the answers and makes the outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import ChosenRule
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerBody, AnswerSheet
from jp_tui.ui.sheets.choice_list import AnswerRow, ChoiceList, ChoiceRow
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.text import MOST, cut, foreign, join, ours
from jp_tui.view.questions.rule_choice import RuleChoice
from jp_tui.view.wording import questions as w

YES_NO_KEYS = [
    Binding(
        "right", "across(1)", "Yes or no", id="sheet.across", tooltip="Go to the next answer; in a form, same as Tab"
    ),
    Binding(
        "left",
        "across(-1)",
        "Yes or no",
        id="sheet.across_back",
        tooltip="Go to the previous answer; in a form, same as b",
    ),
    Binding("y", "say('yes')", "Yes", id="sheet.yes", tooltip="Answer yes once"),
    Binding(
        "Y", "say('yes_turn')", "Yes, this turn", id="sheet.yes_turn", tooltip="Answer yes for the rest of the turn"
    ),
    Binding("n", "say('no')", "No", id="sheet.no", tooltip="Answer no once"),
    Binding("N", "say('no_turn')", "No, this turn", id="sheet.no_turn", tooltip="Answer no for the rest of the turn"),
    Binding("plus", "scope(1)", "Widen", id="sheet.wider", tooltip="Let Y and N cover more"),
    Binding("minus", "scope(-1)", "Narrow", id="sheet.narrower", tooltip="Let Y and N cover less"),
    Binding("l", "lasts", "How long", id="sheet.lasts", tooltip="Let Y and N last for turn, conversation or folder"),
]
"""The keys of every such answer; each kind declares them, for the page of keys."""


COVERS = "covers"
"""The name of the text about the scope of a remembered answer, which opens above the context if its line was cut."""


def never(what: str) -> Content | None:
    """Return None: refuse no answer."""
    return None


class RememberScope(Static):
    """The scope of a remembered answer (R236): all of it where there is room, else one truncated line."""

    DEFAULT_CSS = "RememberScope { height: auto; color: $text-muted; padding-left: 1; }"

    def __init__(self, covers: Content) -> None:
        super().__init__(covers, id="covers")
        self._covers, self._shown = covers, covers
        self.complete = True
        """True if all of it is shown, as of the last `fit`."""

    def rows(self, width: int) -> int:
        """Return the rows that all of it takes at an outer width."""
        return len(self._covers.wrap(max(width - 1, 1)))

    def put(self, covers: Content) -> None:
        """Replace the text."""
        self._covers = covers

    def fit(self, width: int, rows: int) -> None:
        """Show as much of it as fits into so many rows; a sentence that is cut has a mark."""
        self.complete = rows >= self.rows(width)
        shown = self._covers if self.complete else cut(self._covers, max(width - 1, 1))
        if shown is not self._shown and shown.plain != self._shown.plain:
            self._shown = shown
            self.update(shown)
        self.display = self.complete or rows > 0


class YesNoBody(AnswerBody):
    """Two answers, or four where the answer may be remembered, the two that count once first."""

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
        self.choice = RuleChoice.of(sheet.prompt)
        """The rules that Y and N make, None if they make none."""
        shown = self._lasting()
        at = next((at for at, row in enumerate(shown) if row.id == first), None)
        self.list = AnswerRow(*shown, cursor=at, id="answers")
        self._covers = RememberScope(self._scope()) if "remember" in sheet.prompt.controls else None
        self._needed = self._width = 0
        self._listed = True  # all answers are on the screen, each with its key

    # What Y and N cover

    def _scope(self) -> Content:
        if self.choice is None:
            return texts.covers(self._sheet.prompt)
        return foreign(self.choice.sentence(), mode="line", limit=MOST)

    def texts(self) -> dict[str, Foreign]:
        """Return the text behind the line, where it is one of rules."""
        return {COVERS: self.choice.everything()} if self.choice is not None else {}

    def rule(self, what: str) -> ChosenRule | None:
        """Return the rules that an answer makes: one that is remembered."""
        return self.choice.chosen if self.choice is not None and what.endswith("turn") else None

    def action_scope(self, by: int) -> None:
        """Widen what Y and N cover, or narrow it."""
        self._choose(None if self.choice is None else self.choice.moved(by), ours(w.NO_OTHER_SCOPE))

    def action_lasts(self) -> None:
        """Change how long Y and N last."""
        self._choose(None if self.choice is None else self.choice.longer(), ours(w.NO_OTHER_TIME))

    def _choose(self, choice: RuleChoice | None, otherwise: Content) -> None:
        if choice is None or self._covers is None or self._sheet.mode != "answer":
            return
        if choice == self.choice:
            self._sheet.show_notice(otherwise)
            return
        self.choice = choice
        self._covers.put(self._scope())
        self.show_rows()
        self._sheet.reading.renew(COVERS)
        self._sheet.show_question()

    # Places

    def widgets(self) -> Sequence[Widget]:
        return (*self._above, self.list, *([self._covers] if self._covers else []))

    def height_at(self, width: int, room: int) -> int:
        self._width, self._needed = width, self.list.height_at(width)
        return self.least_rows + (self._covers.rows(width) if self._covers else 0)

    @property
    def least_rows(self) -> int:
        return self._needed + len(self._above)

    def least_height(self, height: int) -> int:
        return min(height, self.least_rows + 2)

    def place(self, rows: int) -> None:
        rows -= len(self._above)
        self._listed = rows >= self._needed
        if self._covers:
            self._covers.fit(self._width, rows - self._needed)
        self.list.styles.height = max(min(rows, self._needed), 1)

    @property
    def choices(self) -> ChoiceList:
        return self.list

    def show_rows(self) -> None:
        """Update the answers."""
        self.list.rows = self._lasting()

    def _lasting(self) -> tuple[ChoiceRow, ...]:
        """Return the answers; remembered ones say how long."""
        if self.choice is None:
            return tuple(self._rows())
        lasts = foreign(Foreign(self.choice.short), mode="line")
        return tuple(
            replace(row, label=ours(w.LASTING, word=row.label[: row.label.plain.find(",")], lasts=lasts))
            if row.id.endswith("turn")
            else row
            for row in self._rows()
        )

    # Keys

    def action_say(self, what: str) -> None:
        """Choose an answer, by its key or a click."""
        if (refusal := self._refusal(what)) is not None:
            self._sheet.show_notice(refusal)
            return
        place = self.list.place(what)
        if place is None or self._sheet.mode == "menu":
            return
        if what.startswith("yes") and self._sheet.reading.hidden:
            self._sheet.show_notice(ours(w.TOO_SMALL))
            return
        self._touched = True
        self.list.to(place)
        unseen = self._unseen() if what.startswith("yes") else None
        unsaid = what.endswith("turn") and self._covers is not None and not self._covers.complete
        if (unseen is not None or unsaid) and not self._sheet.press.again(what):
            if unsaid and self._sheet.reading.shown_text != COVERS:
                self._sheet.reading.show_text(COVERS)
            self._sheet.show_notice(join(*([unseen] if unseen is not None else []), ours(w.SAME_AGAIN), sep=ours(". ")))
            return
        self._decide(what)

    def action_move(self, by: int) -> None:
        self._touched = self._touched or self._sheet.mode == "answer"
        self._sheet.action_move(by)

    def action_across(self, by: int) -> None:
        """Go to the next answer in the row; in a form to another question."""
        if self._sheet.steps.form is not None:
            self._sheet.steps.action_place(by)
        elif self._sheet.mode == "answer":
            self.action_move(by)

    def accept(self) -> None:
        """Choose the answer under the cursor."""
        row = self.list.current
        if row is None:
            self._sheet.show_notice(ours(w.NOTHING_CHOSEN))
        elif self._warned and not self._touched:
            self._sheet.show_notice(ours(w.YOURS_TO_DECIDE))
        else:
            self.action_say(row.id)

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        """Leave out keys that the list shows."""
        listed = {row.id for row in self.list.rows} if self._listed and self._sheet.mode == "answer" else set[str]()
        return [hint for hint in hints if hint.action not in listed]

    def hints(self) -> list[Hint]:
        """Return the keys of the list."""
        found = [Hint("+ - l", "scope", "scope(1)")] if self.choice is not None and self.choice.changes else []
        if self.list.cursor is not None and (self._touched or not self._warned):
            return [Hint("Enter", "select", "accept", keep=True), *found]
        return found

    # Events of its widgets

    def moved(self) -> None:
        self._touched = True

    def picked(self, row: str) -> None:
        self.action_say(row)

    def seen(self) -> None:
        self.show_rows()

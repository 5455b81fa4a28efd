"""Permission to run a call (R86, R87, R90, M34): the call as it would run, and seven choices.

Run and skip, once or for the rest of the turn, in the row of answers; skip with a reason, the arguments as JSON, edit
them first by keys of their own and in the menu. Nothing is preselected and Enter accepts nothing until the user moved:
only the user decides. Where the editor comes first, leaving it leads to the choices, and the menu cancels the edit.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Permitted
from jp_tui.ui.sheets.area import AnswerArea, AnswerSheet
from jp_tui.ui.sheets.areas.yes_no import YES_NO_KEYS, YesNoBody
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.text import ours
from jp_tui.view.wording import questions as w


class PermissionArea(AnswerArea):
    """A decision to run a tool."""

    BINDINGS: ClassVar[list[Binding]] = [
        *YES_NO_KEYS,
        Binding("p", "print", "Arguments", id="sheet.arguments", tooltip="Show the arguments as JSON, or the call"),
    ]
    body: YesNoBody

    def __init__(self, sheet: AnswerSheet) -> None:
        self._sheet, self._prompt = sheet, sheet.prompt
        self.body = YesNoBody(sheet, rows=self._rows, decide=self._decide, unseen=sheet.reading.unseen)

    def texts(self) -> dict[str, Foreign]:
        found = {"arguments": self._prompt.arguments} if self._prompt.arguments else {}
        return found | self.body.texts()

    def _rows(self) -> tuple[ChoiceRow, ...]:
        dim, remember = self._sheet.reading.some_unseen, "remember" in self._prompt.controls
        rows = [ChoiceRow("yes", ours(w.RUN_SHORT), ours("y"), dim=dim), ChoiceRow("no", ours(w.SKIP_SHORT), ours("n"))]
        if remember:
            rows.append(ChoiceRow("yes_turn", ours(w.RUN_REMEMBERED), ours("Y"), dim=dim))
            rows.append(ChoiceRow("no_turn", ours(w.SKIP_REMEMBERED), ours("N")))
        return tuple(rows)

    def _decide(self, what: str) -> None:
        rule = self.body.rule(what)
        remember = what.endswith("turn") and rule is None
        self._sheet.answer(Permitted(run=what.startswith("yes"), remember=remember, rule=rule))

    def action_print(self) -> None:
        """Show the arguments as JSON, or the call again."""
        if self._sheet.mode == "answer":
            self._sheet.reading.action_aside("arguments")

    def accept(self) -> None:
        self.body.accept()

    def more_rows(self) -> list[ChoiceRow]:
        if not self._prompt.edit_first:
            return []
        return [ChoiceRow("no_edit", ours(w.CANCEL), detail=ours(w.SKIP_CANCEL_DOES))]

    def choose(self, line: str) -> bool:
        if line != "no_edit":
            return False
        self._sheet.answer(Permitted(run=False, reason=w.EDIT_CANCELLED))
        return True

    def answer_hints(self) -> list[Hint]:
        says = Hint("p", "the call" if self._sheet.reading.shown_text == "arguments" else "as JSON", "print")
        return [*self.body.hints(), *([says] if self._prompt.arguments else [])]

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        return self.body.arranged(hints)

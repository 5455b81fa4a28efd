"""The menu of a sheet, which Esc opens: every way out, and what each would lose (R182, R248; asking.md E60).

It never answers or cancels by itself: a line has to be chosen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Restored, WentBack
from jp_tui.ui.sheets import spare, texts
from jp_tui.ui.sheets.choice_list import ChoiceList
from jp_tui.ui.sheets.key_line import Hint, KeyLine

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

_LINES = {
    "reply": "reply", "note": "note", "edit": "edit", "back": "back", "ask": "ask_back", "restore": "restore",
    "end": "end_turn",
}  # fmt: skip
"""Lines of the menu that a key does too, by their actions: kinds of answers have other keys."""


class SheetMenu:
    """The lines of the menu and what they do."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self.list = ChoiceList(id="menu")
        self.lost = 0
        """How many other questions the end of the turn would close."""
        self._spare: list[Hint] = []  # keys without room in the last line

    @property
    def at(self) -> str:
        """The line under the cursor, empty for none."""
        return self.list.current.id if self.list.current else ""

    def open(self, at: str) -> None:
        """Open the menu of Esc, the cursor on one of its lines. It never answers or cancels by itself (R248)."""
        sheet, side, draft = self._sheet, self._sheet.side, self._sheet.draft
        typed = bool(draft.reply or draft.answer or draft.note or draft.edit)
        may = {"note": side.may_note, "edit": side.may_edit, "reply": side.may_reply}
        more = [*sheet.area.more_rows(), *sheet.steps.rows()]
        if sheet.mode != "menu":
            self._spare = spare.left_out(sheet.line, [*sheet.hints(), *sheet.fit.extra])
        rows = texts.menu(sheet.prompt, lost=self.lost, typed=typed, more=more, aside=sheet.talk.rows(), may=may)
        rows = tuple(replace(row, key=sheet.keys.sign_of(_LINES[row.id])) if row.id in _LINES else row for row in rows)
        self.list.rows = (*rows, *spare.rows(self._spare, sheet, sheet.area.BINDINGS))
        sheet.turn("menu")
        self.list.to(self.list.place(at) or 0)

    def choose(self, line: str) -> None:
        """Run a line of the menu."""
        sheet = self._sheet
        if sheet.area.choose(line):
            return
        if line == "answer":
            sheet.turn("answer")
            sheet.listening()
        elif line in ("reply", "note", "edit"):
            sheet.keys.run(line)
        elif line == "back":
            sheet.answer(WentBack(to=sheet.prompt.back))
        elif line == "ask":
            sheet.turn("answer")
            sheet.talk.action_ask_back()
        elif line == "along":
            sheet.turn("answer")
            sheet.talk.action_send_along()
        elif line == "restore":
            sheet.answer(Restored())
        elif line == "empty":
            sheet.answer(Answered(value=""))
        elif line == "cancel":
            sheet.answer(Cancelled())
        elif line == "end":
            sheet.answer(EndTurn())
        elif line.startswith(spare.SPARE):
            self.choose("answer")
            self._do(line.removeprefix(spare.SPARE))

    def _do(self, action: str) -> None:
        """Run an action of the sheet; others belong to what it is in."""
        if self._sheet.keys.knows(action):
            self._sheet.keys.run(action)
        else:
            self._sheet.post_message(KeyLine.Pressed(action))

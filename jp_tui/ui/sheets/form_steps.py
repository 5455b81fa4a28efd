"""The steps of a form: Back, its undo, and the tabs (R176-R178, R182b, R187; asking.md E3, E23, "Keys").

Where Back discards later answers, the sheet names them first and needs the key a second time. Forward only passes
answered questions. It shows no other question itself: a step is an outcome, and the engine asks the next question.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Restored, WentBack
from jp_tui.questions.types import Place
from jp_tui.ui.sheets import form_tabs as f
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.form_tabs import FormTabs
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.port import SheetPort
from jp_tui.ui.text import blank, join, ours
from jp_tui.view.wording import questions as w

MOVES = {"tab": 1, "shift+tab": -1, "ctrl+pagedown": 1, "ctrl+pageup": -1}
"""Keys to the next and the previous question that also work in a field."""


class FormSteps:
    """The ways between the questions of a form; without a form nothing of it is shown."""

    def __init__(self, sheet: SheetPort, *, tab_moves: bool, changed: Callable[[], bool]) -> None:
        """`tab_moves`: Tab leads to another question; in a form of fields it leads to another field. `changed` returns
        True if there is an answer that was changed and not sent."""
        self._sheet, self._prompt, self._tab_moves, self._changed = sheet, sheet.prompt, tab_moves, changed
        self.form = f.form_of(sheet.prompt)
        self.tabs = FormTabs(sheet.prompt, self.form) if self.form else None
        says = f.beneath(sheet.prompt, self.form) if self.form else []
        self.beneath = Static(join(*says, sep=ours("\n")) if says else blank(), id="beneath")

    @property
    def may_back(self) -> bool:
        """True if there is an answered question to go back to (R176)."""
        return bool(self._prompt.back)

    def action_back(self) -> None:
        """Go to the question that was answered last."""
        if self.may_back:
            self.go_back(self._prompt.back)

    def action_restore(self) -> None:
        """Restore the answers that Back removed (E23)."""
        if self._prompt.undo and self._changed() and not self._sheet.press.again("restore"):
            self._sheet.show_notice(ours(w.NOT_SUBMITTED))
        elif self._prompt.undo:
            self._sheet.answer(Restored())

    def action_place(self, by: int) -> None:
        """Go to the question before, or past those that are answered."""
        if self._sheet.mode == "menu" or self.form is None:
            return
        if by > 0 and self._prompt.undo:
            self.action_restore()
        elif by > 0:
            self._sheet.show_notice(ours(w.NOT_AHEAD))
        elif self.may_back:
            self.go_back(self._prompt.back)
        else:
            self._sheet.show_notice(ours(w.NO_BACK))

    def go_back(self, to: str) -> None:
        """Go back to a question, after naming what that discards (E23)."""
        gone = f.discarded(self.form, to) if self.form else []
        if gone and not self._sheet.press.again(f"back {to}"):
            self._sheet.show_notice(ours(w.BACK_LOSES, to=f.name(to), which=f.names(gone)))
        else:
            self._sheet.answer(WentBack(to=to))

    def moved(self, key: str) -> bool:
        """Go to another question by a key pressed in a field of the answer. Return True if the key does that."""
        if key not in MOVES or self.form is None:
            return False
        self.action_place(MOVES[key])
        return True

    def pick(self, place_id: str) -> None:
        """Go to a question that was clicked on in the tabs, or chosen in the review."""
        place = self._place(place_id)
        if place is not None and place.state == "answered" and not place.fixed:
            self.go_back(place.id)
        elif place_id in self._prompt.undo or (place_id == f.REVIEW and self._prompt.undo):
            self.action_restore()
        elif place is None or place.state != "current":
            self._sheet.show_notice(self._no_way(place))

    def _place(self, place_id: str) -> Place | None:
        return next((one for one in self.form.places if one.id == place_id), None) if self.form else None

    def _no_way(self, place: Place | None) -> Content:
        if place is not None and place.state == "skipped":
            return ours(w.SKIPPED_LINE, id=f.name(place.id, 40), because=Foreign(place.because))
        if place is not None and place.fixed:
            return ours(w.FIXED_ANSWER, id=f.name(place.id, 40))
        return blank() if self._prompt.kind == "review" else ours(w.NOT_AHEAD)

    # Keys and lines of the menu

    def hints(self) -> list[Hint]:
        """Return the letters that step through the form."""
        found = [Hint("b", "back", "back")] if self.may_back else []
        return [*found, Hint("u", "restore", "restore")] if self._prompt.undo else found

    def place_hints(self) -> list[Hint]:
        """Return the other keys for the same, while no field is in use."""
        if not (self.form and (self.may_back or self._prompt.undo)):
            return []
        to = "place(-1)" if self.may_back else "place(1)"
        return [Hint("← → Tab" if self._tab_moves else "Ctrl+PgUp PgDn", "questions", to)]

    def field_hints(self) -> list[Hint]:
        """The keys for the same while a field is written in, where letters are text."""
        if self.form is None:
            return []
        back = Hint("Shift+Tab" if self._tab_moves else "Ctrl+PgUp", "back", "place(-1)")
        on = Hint("Tab" if self._tab_moves else "Ctrl+PgDn", "restore", "place(1)")
        return [*([back] if self.may_back else []), *([on] if self._prompt.undo else [])]

    def rows(self) -> list[ChoiceRow]:
        """The lines of the menu that a form adds; they say what Back discards (R248)."""
        rows = []
        if self.may_back:
            to = f.name(self._prompt.back)
            gone = f.discarded(self.form, self._prompt.back) if self.form else []
            does = ours(w.BACK_DISCARDS, to=to, which=f.names(gone)) if gone else ours(w.BACK_DOES, to=to)
            rows.append(ChoiceRow("back", ours(w.BACK), detail=does))
        if self._prompt.undo:
            does = ours(w.UNDO_DOES, which=f.names(self._prompt.undo))
            leaves = [ours(w.UNDO_LEAVES)] if self._changed() else []
            rows.append(ChoiceRow("restore", ours(w.UNDO), detail=join(does, *leaves, sep=ours("; "))))
        return rows

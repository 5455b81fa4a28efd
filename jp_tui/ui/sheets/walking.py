"""Moving about in a form: Back, its undo, and the tabs (R176-R178, R182b, R187; asking.md E3, E23, "Keys").

Back to an answered question says first which later answers it discards, and wants to be said twice then. Forward one
only gets past what is answered. Nothing moves here: each way leads out of the sheet, and the engine asks what follows.
"""

from __future__ import annotations

from textual import on
from textual.content import Content

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import PromptRequest, Restored, WentBack
from jp_tui.ui.sheets import form as f
from jp_tui.ui.sheets.field import Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.saying import Saying
from jp_tui.ui.sheets.tabs import FormTabs
from jp_tui.ui.text import blank, join, ours
from jp_tui.view.wording import questions as w

MOVES = {"tab": 1, "shift+tab": -1, "ctrl+pagedown": 1, "ctrl+pageup": -1}
"""Keys to the next and the previous question that also work in a field."""


class Walking(Saying):
    """The ways between the questions of a form."""

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)

    @property
    def may_back(self) -> bool:
        """Whether there is an answered question to go back to (R176)."""
        return bool(self.prompt.back)

    @property
    def changed_answer(self) -> bool:
        """Whether there is an answer that was changed and not submitted."""
        return self.typed() is not None

    def action_back(self) -> None:
        """To the question that was answered last."""
        if self.may_back:
            self.go_back(self.prompt.back)

    def action_restore(self) -> None:
        """Bring back what Back took away (E23)."""
        if self.prompt.undo and self.changed_answer and not self.again("restore"):
            self.say(ours(w.NOT_SUBMITTED))
        elif self.prompt.undo:
            self.answer(Restored())

    def action_place(self, by: int) -> None:
        """To the question before, or past those that are answered."""
        if self.mode == "menu" or self.form is None:
            return
        if by > 0 and self.prompt.undo:
            self.action_restore()
        elif by > 0:
            self.say(ours(w.NOT_AHEAD))
        elif self.may_back:
            self.go_back(self.prompt.back)
        else:
            self.say(ours(w.NO_BACK))

    def go_back(self, to: str) -> None:
        """Back; what it discards is said before (E23)."""
        gone = f.discarded(self.form, to) if self.form else []
        if gone and not self.again(f"back {to}"):
            self.say(ours(w.BACK_LOSES, to=f.name(to), which=f.names(gone)))
        else:
            self.answer(WentBack(to=to))

    def moves(self, key: str) -> bool:
        """A key in a field that leads to another question; not while something is said beside the answer."""
        if key not in MOVES or self.form is None or self.side_hints() is not None:
            return False
        self.action_place(MOVES[key])
        return True

    def walking_hints(self) -> list[Hint]:
        """The keys of a form."""
        found = [Hint("b", "back", "back")] if self.may_back else []
        return [*found, Hint("u", "bring back", "restore")] if self.prompt.undo else found

    @property
    def _tabs_walk(self) -> bool:
        """Whether Tab leads to another question here; in a form of fields it leads to another field."""
        return self._actions.get("tab") == "place(1)"

    def place_hints(self) -> list[Hint]:
        """The other keys of the same ways, while no field is written in."""
        if not (self.form and (self.may_back or self.prompt.undo)):
            return []
        to = "place(-1)" if self.may_back else "place(1)"
        return [Hint("← → tab" if self._tabs_walk else "ctrl+pgup pgdn", "questions", to)]

    def field_walking_hints(self) -> list[Hint]:
        """The keys of these ways while a field is written in, where letters are text."""
        if self.form is None:
            return []
        back = Hint("shift+tab" if self._tabs_walk else "ctrl+pgup", "back", "place(-1)")
        on = Hint("tab" if self._tabs_walk else "ctrl+pgdn", "bring back", "place(1)")
        return [*([back] if self.may_back else []), *([on] if self.prompt.undo else [])]

    def walking_rows(self) -> list[Row]:
        """The lines of the menu that a form adds; what Back discards is said there (R248)."""
        rows = []
        if self.may_back:
            gone, to = f.discarded(self.form, self.prompt.back) if self.form else [], f.name(self.prompt.back)
            does = ours(w.BACK_DISCARDS, to=to, which=f.names(gone)) if gone else ours(w.BACK_DOES, to=to)
            rows.append(Row("back", ours(w.BACK), detail=does))
        if self.prompt.undo:
            does = ours(w.UNDO_DOES, which=f.names(self.prompt.undo))
            leaves = [ours(w.UNDO_LEAVES)] if self.changed_answer else []
            does = join(does, *leaves, sep=ours("; "))
            rows.append(Row("restore", ours(w.UNDO), detail=does))
        return rows

    def pick(self, place_id: str) -> None:
        """A question of the form is meant, by a click on its tab or in the review."""
        place = next((one for one in self.form.places if one.id == place_id), None) if self.form else None
        if place is not None and place.state == "answered" and not place.fixed:
            self.go_back(place.id)
        elif place_id in self.prompt.undo or (place_id == f.REVIEW and self.prompt.undo):
            self.action_restore()
        elif place is None or place.state != "current":
            self.say(self._no_way(place_id))

    def _no_way(self, place_id: str) -> Content:
        place = next((one for one in self.form.places if one.id == place_id), None) if self.form else None
        if place is not None and place.state == "skipped":
            return ours(w.SKIPPED_LINE, id=f.name(place.id, 40), because=Foreign(place.because))
        if place is not None and place.fixed:
            return ours(w.FIXED_ANSWER, id=f.name(place.id, 40))
        return blank() if self.prompt.kind == "review" else ours(w.NOT_AHEAD)

    @on(FormTabs.Picked)
    def _tab_clicked(self, event: FormTabs.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        if self.armed:
            self.pick(event.place)

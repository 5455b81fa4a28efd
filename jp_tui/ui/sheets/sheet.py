"""What every sheet does: moves, reads, opens its menu, and comes to one typed outcome (R245, R248).

It takes a prompt and posts `Done` once. It sends no command, reads no clock, and never takes the focus by itself.
How it hears is in `hearing.py`, what is said beside an answer in `saying.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import Binding

from jp_tui.protocol.values import Answered, Cancelled, EndTurn, PromptRequest, Restored, WentBack
from jp_tui.ui.sheets import spare, words
from jp_tui.ui.sheets.asking import Asking
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint, KeyLine
from jp_tui.ui.sheets.messages import READING, Grew
from jp_tui.ui.sheets.rows import Choices, Row
from jp_tui.view.questions.offered_prompt import is_offered

_LINES = {
    "reply": "reply", "note": "note", "edit": "edit", "back": "back", "ask": "ask_back", "restore": "restore",
    "end": "end_turn",
}  # fmt: skip
"""Lines of the menu that a key does too, by their actions: kinds of sheets have other keys."""


class Sheet(Asking):
    """One question and the keys that answer it."""

    BINDINGS: ClassVar = [
        Binding("up,k,ctrl+p", "move(-1)", "Up", id="sheet.up", tooltip="The choice above"),
        Binding("down,j,ctrl+n", "move(1)", "Down", id="sheet.down", tooltip="The choice below"),
        Binding("home", "edge(-1)", "First", id="sheet.first", tooltip="The first choice"),
        Binding("end", "edge(1)", "Last", id="sheet.last", tooltip="The last choice"),
        Binding("enter", "accept", "Accept", id="sheet.accept", tooltip="Takes what the cursor is on"),
        Binding("b", "back", "Back", id="sheet.back", tooltip="To the question answered last, its answer to change"),
        Binding("u", "restore", "Bring back", id="sheet.restore", tooltip="The answers that Back took away"),
        Binding("tab,right,ctrl+pagedown", "place(1)", "Next", id="sheet.place_next", tooltip="Past what is answered"),
        Binding("shift+tab,left,ctrl+pageup", "place(-1)", "Previous", id="sheet.place_back", tooltip="As Back"),
        Binding("r", "reply", "Reply", id="sheet.reply", tooltip="Answer in words instead; cancels the question"),
        Binding("question_mark", "ask_back", "Ask back", id="sheet.ask", tooltip="Talk about the question, aside"),
        Binding("c", "note", "Note", id="sheet.note", tooltip="A comment that goes along with your answer"),
        Binding("e", "edit", "Edit arguments", id="sheet.edit", tooltip="Change the call's arguments, then run it"),
        Binding("s", "end_turn", "End turn", id="sheet.end", tooltip="Stops the turn; asks once more first"),
        Binding("w", "why", "Why", id="sheet.why", tooltip="Which rule brought this question to you"),
        Binding("v", "aside('reason')", "Whole reason", id="sheet.reason", tooltip="All that the reviewer said"),
        Binding("escape", "leave", "Back or menu", id="sheet.leave", tooltip="Leaves a text field, else the menu"),
        Binding("t", "split", "Side by side", id="sheet.split", tooltip="A diff in one column or in two"),
        Binding("right_square_bracket", "hunk(1)", "Next hunk", id="sheet.next_hunk", tooltip="To the next hunk"),
        Binding("left_square_bracket", "hunk(-1)", "Last hunk", id="sheet.last_hunk", tooltip="To the hunk above"),
        Binding("ctrl+d", READING["ctrl+d"], "Read on", id="sheet.read", tooltip="Scrolls what is asked about down"),
        Binding("ctrl+u", READING["ctrl+u"], "Read back", id="sheet.read_back", tooltip="Scrolls it up"),
        Binding("shift+down", READING["shift+down"], "Line down", id="sheet.line_down", tooltip="One line down"),
        Binding("shift+up", READING["shift+up"], "Line up", id="sheet.line_up", tooltip="One line up"),
    ]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self.lost = 0
        self._opened = not prompt.edit_first
        self._spare: list[Hint] = []  # keys without room in the last line

    # What a subclass supplies

    def choices(self) -> Choices | None:
        """The list that the cursor keys move in."""
        return None

    def accept(self) -> None:
        """Enter, while an answer is chosen."""
        raise NotImplementedError

    def submit(self, field: Field) -> None:
        """Enter, in a field of the subclass."""
        raise NotImplementedError

    def answer_hints(self) -> list[Hint]:
        """The keys of the answer area that work now."""
        raise NotImplementedError

    def field_hints(self, field: Field) -> list[Hint]:
        """The keys that work in a field of the subclass."""
        raise NotImplementedError

    def more_rows(self) -> list[Row]:
        """Lines of the menu that only this kind of answer has."""
        return []

    def listening(self) -> None:
        """It begins to listen, or the user comes back from the menu: where does one write?

        A prompt that wants its arguments edited first opens in the editor, the first time.
        """
        if not self._opened:
            self._opened = True
            self.action_edit()

    def checked(self, revision: int, problems: Sequence[tuple[str, str]]) -> None:
        """A verdict of the engine, for a sheet that asked for one."""

    def menu_needs(self, width: int) -> int:
        return self.menu.height_at(width, to="end")  # the way to stop is not to be looked for

    def hints(self) -> list[Hint]:
        if self.mode == "menu":
            return [
                Hint("↑↓", "move", "move(1)"), Hint("enter", "take", "accept", keep=True),
                Hint("esc", "back", "leave", keep=True),
            ]  # fmt: skip
        if self.writing is not None:
            return self.side_hints() or [*self.field_hints(self.writing), *self.field_walking_hints()]
        found = [*self.answer_hints(), *self.walking_hints()]
        if self.may_reply:
            found.append(Hint("r", "reply", "reply"))
        if self.may_note:
            found.append(Hint("c", "note", "note"))
        if self.may_edit:
            found.append(Hint("e", "edit", "edit"))
        if "end_turn" in self.prompt.controls:
            found.append(Hint("s", "end turn", "end_turn"))
        found += [*self.asking_hints(), Hint("esc", "menu", "leave", keep=True), *self.place_hints()]
        return [*found, *self._reading_hints(), *([Hint("w", "why", "why")] if self.knows_why else [])]

    @property
    def knows_why(self) -> bool:
        """Whether a rule is to be told: of what another process holds only what it put on record."""
        return bool(self.prompt.why) or not is_offered(self.prompt)

    def _reading_hints(self) -> list[Hint]:
        view, found = self.reading, list[Hint]()
        if view and not view.fits:
            found.append(Hint("ctrl+d", "read on", "read(1)"))
        if self.looking == "reason":
            found.append(Hint("v", "the question", "aside('reason')"))
        elif self.banner and not self.told:
            found.append(Hint("v", "whole reason", "aside('reason')"))
        if view and view.hunk[1]:
            found.append(Hint("t", "unified", "split") if view.split else Hint("t", "split", "split"))
        if view and view.hunk[1] > 1:
            found.append(Hint("] [", "hunk", "hunk(1)"))
        return found

    # Actions

    def action_move(self, by: int) -> None:
        moved = self.menu if self.mode == "menu" else self.choices()
        if moved is not None:
            moved.move(by)

    def action_edge(self, by: int) -> None:
        moved = self.menu if self.mode == "menu" else self.choices()
        if moved is not None:
            moved.to(0 if by < 0 else len(moved.rows) - 1)

    def action_accept(self) -> None:
        if self.writing is not None:
            if not self.side():
                self.submit(self.writing)
        elif self.mode == "menu" and self.menu.current:
            self.choose(self.menu.current.id)
        elif self.mode == "answer":
            self.accept()

    def action_end_turn(self) -> None:
        """Asks once more: the second `s`, or Enter, does it."""
        if self.mode == "menu" and self.menu.current and self.menu.current.id == "end":
            self.answer(EndTurn())
        elif "end_turn" in self.prompt.controls:
            self.open_menu("end")

    def action_why(self) -> None:
        if not self.knows_why:
            return
        if "why" in self.texts():
            self.look_at("why")
        else:
            self.why.display = not self.why.display
        self.post_message(Grew())

    def action_aside(self, name: str) -> None:
        """Another text in the context's place, and back."""
        if name in self.texts():
            self.look_at(name)

    def action_leave(self) -> None:
        if self.writing is not None:
            self.stop_writing()
        elif self.mode == "menu":
            self.choose("answer")
        else:
            self.open_menu("answer")

    def action_read(self, by: int) -> None:
        if self.reading:
            self.reading.page(by)

    def action_hunk(self, step: int) -> None:
        if self.reading:
            self.reading.action_hunk(step)

    def action_split(self) -> None:
        if self.reading and self.reading.hunk[1]:
            self.reading.action_split()
            self.post_message(Grew())

    def action_step(self, by: int) -> None:
        if self.reading:
            self.reading.line(by)

    # The menu

    def open_menu(self, at: str) -> None:
        """The menu of Esc, the cursor on one of its lines. It never answers or cancels by itself (R248)."""
        typed = bool(self.reply.text or self.typed() or self.note.text or self.edited())
        may = {"note": self.may_note, "edit": self.may_edit, "reply": self.may_reply}
        more, aside = [*self.more_rows(), *self.walking_rows()], self.asking_rows()
        if self.mode != "menu":
            self._spare = spare.left_out(self.line, [*self.hints(), *self.extra])
        rows = words.menu(self.prompt, lost=self.lost, typed=typed, more=more, aside=aside, may=may)
        rows = tuple(replace(row, key=self.key_of(_LINES[row.id])) if row.id in _LINES else row for row in rows)
        self.menu.rows = (*rows, *spare.rows(self._spare, self))
        self.turn("menu")
        self.menu.to(self.menu.place(at) or 0)

    def choose(self, line: str) -> None:
        """A line of the menu."""
        if line == "answer":
            self.turn("answer")
            self.listening()
        elif line in ("reply", "note", "edit"):
            self.run_here(line)
        elif line == "back":
            self.answer(WentBack(to=self.prompt.back))
        elif line == "ask":
            self.turn("answer")
            self.action_ask_back()
        elif line == "along":
            self.turn("answer")
            self.action_send_along()
        elif line == "restore":
            self.answer(Restored())
        elif line == "empty":
            self.answer(Answered(value=""))
        elif line == "cancel":
            self.answer(Cancelled())
        elif line == "end":
            self.answer(EndTurn())
        elif line.startswith(spare.SPARE):
            self.choose("answer")
            self._do(line.removeprefix(spare.SPARE))

    def _do(self, action: str) -> None:
        """An action of the sheet, else of what it stands in."""
        if hasattr(self, f"action_{action.partition('(')[0]}"):
            self.run_here(action)
        else:
            self.post_message(KeyLine.Pressed(action))

    @on(Choices.Picked, "#menu")
    def _menu_clicked(self, event: Choices.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        self.choose(event.id)

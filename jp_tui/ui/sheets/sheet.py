"""What every sheet does: hears the keys that the dock lets through, and comes to one typed outcome (R245, R248).

It takes a prompt and posts `Done` once. It sends no command, reads no clock, and never takes the focus by itself.
Every outcome leaves through `answer`, which refuses what the dock's guard did not let pass (E10, E11).
"""

from __future__ import annotations

from typing import ClassVar

from textual import actions, events, on
from textual.binding import Binding, BindingsMap

from jp_tui.protocol.values import Answered, Cancelled, EndTurn, PromptRequest, Replied, Response
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint, KeyLine
from jp_tui.ui.sheets.messages import READING, Done, Grew
from jp_tui.ui.sheets.rows import Choices, Row
from jp_tui.ui.sheets.writing import Writing
from jp_tui.ui.text import blank, ours
from jp_tui.view import wording as w

TWICE = 1.0
"""Seconds within which a second Ctrl+C ends the turn (R248)."""
_SWALLOWED = frozenset({"tab", "shift+tab", "backspace", "delete"})
"""Keys that would act on the field or move the focus: while a sheet is open they do nothing (R245)."""


class Sheet(Writing):
    """One question and the keys that answer it."""

    BINDINGS: ClassVar = [
        Binding("up,k,ctrl+p", "move(-1)", "Up", id="sheet.up", tooltip="The choice above"),
        Binding("down,j,ctrl+n", "move(1)", "Down", id="sheet.down", tooltip="The choice below"),
        Binding("home", "edge(-1)", "First", id="sheet.first", tooltip="The first choice"),
        Binding("end", "edge(1)", "Last", id="sheet.last", tooltip="The last choice"),
        Binding("enter", "accept", "Accept", id="sheet.accept", tooltip="Takes what the cursor is on"),
        Binding("r", "reply", "Reply", id="sheet.reply", tooltip="Answer in words instead; cancels the question"),
        Binding("s", "end_turn", "End turn", id="sheet.end", tooltip="Stops the turn; asks once more first"),
        Binding("w", "why", "Why", id="sheet.why", tooltip="Which rule brought this question to you"),
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
        self._fresh = False
        self._interrupted = float("-inf")
        self._asked = self._again = ""
        self._actions = _actions(type(self))

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

    def field_key(self, key: str, field: Field) -> bool:
        """A key that means something to a subclass while that field is written in; says whether it did."""
        return False

    def field_hints(self, field: Field) -> list[Hint]:
        """The keys that work in a field of the subclass."""
        raise NotImplementedError

    def more_rows(self) -> list[Row]:
        """Lines of the menu that only this kind of answer has."""
        return []

    def listening(self) -> None:
        """It begins to listen, or the user comes back from the menu: where does one write?"""

    def hints(self) -> list[Hint]:
        if self.mode == "menu":
            return [Hint("↑↓", "move", "move(1)"), Hint("enter", "take", "accept"), Hint("esc", "back", "leave")]
        if self.writing is self.reply:
            return [
                Hint("enter", "sends the reply", "accept"), Hint("ctrl+j", "new line", "new_line"),
                Hint("ctrl+g", "editor", "editor"), Hint("esc", "back, text kept", "leave"),
            ]  # fmt: skip
        if self.writing is not None:
            return self.field_hints(self.writing)
        found = self.answer_hints()
        if "reply" in self.prompt.controls:
            found.append(Hint("r", "reply", "reply"))
        if "end_turn" in self.prompt.controls:
            found.append(Hint("s", "end turn", "end_turn"))
        found.append(Hint("esc", "menu", "leave"))
        if self.context and not self.context.fits:
            found.append(Hint("ctrl+d", "read on", "read(1)"))
        if self.context and self.context.hunk[1]:
            found.append(Hint("t", "one column", "split") if self.context.split else Hint("t", "two columns", "split"))
        if self.context and self.context.hunk[1] > 1:
            found.append(Hint("]", "next hunk", "hunk(1)"))
        return [*found, Hint("w", "why", "why")]

    # Keys: each one goes through the gate first, wherever Textual sent it

    def on_key(self, event: events.Key) -> None:
        if self.gate.key(event):
            event.stop()
            event.prevent_default()
        elif self.writing is not None:  # sent here just before the field got the focus
            self.writing.take(event)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self.gate.paste(event) and self.writing is not None:
            self.writing.insert_text(event.text)

    def binds(self, key: str) -> bool:
        """Whether the key does something in this sheet while no field is written in."""
        return key in self._actions

    def press(self, event: events.Key, now: float, *, fresh: bool) -> bool:
        """A key that the sheet may hear; says whether it is used up. `fresh` when it may also answer (E11)."""
        self.begin(fresh)
        if event.key == "ctrl+c":
            twice, self._interrupted = now - self._interrupted < TWICE, now
            if twice:
                self.answer(EndTurn())
            elif fresh:
                self.action_leave()
            return True
        if self.writing is not None:
            return self._press_writing(event.key, self.writing)
        if event.key in self._actions:
            self.run_here(self._actions[event.key])
            return True
        return event.is_printable or event.key in _SWALLOWED

    def _press_writing(self, key: str, field: Field) -> bool:
        """Keys that mean something to the sheet while a field is written in; the field gets the others."""
        if key == "enter":
            self.action_accept()
        elif key == "escape":
            self.action_leave()
        elif key == "ctrl+g":
            self.action_editor()
        else:
            return key in ("tab", "shift+tab") or self.field_key(key, field)
        return True

    def begin(self, fresh: bool) -> None:
        """A key or click is about to be handled: what was said to the last one no longer stands there."""
        self._fresh = fresh
        self._again, self._asked = self._asked, ""
        if self.problem.display and not self.cramped:
            self.say(blank())

    def again(self, what: str) -> bool:
        """Whether the same was asked just before, by a key or click of its own; remembers it for the next time."""
        if self._fresh:
            self._asked = what
        return self._fresh and self._again == what

    def run_here(self, action: str) -> None:
        """Do one of the sheet's actions, here and now."""
        _, name, parameters = actions.parse(action)
        getattr(self, f"action_{name}")(*parameters)

    def answer(self, response: Response) -> None:
        """The only way out: once, armed, and by a key or click that may answer."""
        if self.armed and self._fresh and not self.done and not self.cramped:
            self.done = True
            self.post_message(Done(self.prompt, response))

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
            self._send_reply() if self.writing is self.reply else self.submit(self.writing)
        elif self.mode == "menu" and self.menu.current:
            self._choose(self.menu.current.id)
        elif self.mode == "answer":
            self.accept()

    def action_reply(self) -> None:
        if "reply" in self.prompt.controls:
            self.write(self.reply)

    def action_end_turn(self) -> None:
        """Asks once more: the second `s`, or Enter, does it."""
        if self.mode == "menu" and self.menu.current and self.menu.current.id == "end":
            self.answer(EndTurn())
        elif "end_turn" in self.prompt.controls:
            self.open_menu("end")

    def action_why(self) -> None:
        self.why.display = not self.why.display
        self.post_message(Grew())

    def action_leave(self) -> None:
        if self.writing is not None:
            self.stop_writing()
        elif self.mode == "menu":
            self._choose("answer")
        else:
            self.open_menu("answer")

    def action_read(self, by: int) -> None:
        if self.context:
            self.context.page(by)

    def action_hunk(self, step: int) -> None:
        if self.context:
            self.context.action_hunk(step)

    def action_split(self) -> None:
        if self.context and self.context.hunk[1]:
            self.context.action_split()
            self.post_message(Grew())

    def action_step(self, by: int) -> None:
        if self.context:
            self.context.line(by)

    def open_menu(self, at: str) -> None:
        """The menu of Esc, the cursor on one of its lines. It never answers or cancels by itself (R248)."""
        typed = bool(self.reply.text or self.typed())
        self.menu.rows = words.menu(self.prompt, lost=self.lost, typed=typed, more=self.more_rows())
        self.turn("menu")
        self.menu.to(self.menu.place(at) or 0)

    def _choose(self, line: str) -> None:
        if line == "answer":
            self.turn("answer")
            self.listening()
        elif line == "reply":
            self.action_reply()
        elif line == "empty":
            self.answer(Answered(value=""))
        elif line == "cancel":
            self.answer(Cancelled())
        elif line == "end":
            self.answer(EndTurn())

    def _send_reply(self) -> None:
        text = self.reply.value.strip()
        if text:
            self.answer(Replied(text=text))
        elif self.prompt.source == "tool":  # M47 quotes the words, so there must be some
            self.say(ours(w.REPLY_EMPTY))
        elif self.again("wordless"):
            self.answer(Replied(text=None))
        else:
            self.say(ours(w.REPLY_EMPTY_OK))

    # Mouse

    @on(KeyLine.Pressed)
    def _hint_clicked(self, event: KeyLine.Pressed) -> None:
        if hasattr(self, f"action_{event.action.partition('(')[0]}"):  # what is not ours is the dock's
            event.stop()
            self.begin(self.gate.click())
            self.run_here(event.action)

    @on(Choices.Picked, "#menu")
    def _menu_clicked(self, event: Choices.Picked) -> None:
        event.stop()
        self.begin(self.gate.click())
        self._choose(event.id)


def _actions(sheet: type[Sheet]) -> dict[str, str]:
    """Keys to actions, a subclass's own before those that all share."""
    found: dict[str, str] = {}
    for kind in reversed(sheet.__mro__):
        if issubclass(kind, Sheet) and "BINDINGS" in vars(kind):
            found |= {key: binding.action for key, binding in BindingsMap(kind.BINDINGS)}
    return found

"""How a sheet hears: each key, paste and click that the dock lets through, and the one way out (R245, E10, E11).

Every outcome leaves through `answer`, once, and only by a key or click that may answer. What a key does is said by
the bindings of `sheet.py` and its kinds.
"""

from __future__ import annotations

from textual import actions, events, on
from textual.binding import BindingsMap
from textual.content import Content
from textual.keys import key_to_character

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import EndTurn, PromptRequest, Response
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import KeyLine
from jp_tui.ui.sheets.messages import Done
from jp_tui.ui.sheets.writing import Writing
from jp_tui.ui.text import blank, ours

TWICE = 1.0
"""Seconds within which a second Ctrl+C ends the turn (R248)."""
_SWALLOWED = frozenset({"tab", "shift+tab", "backspace", "delete"})
"""Keys that would act on the field or move the focus: while a sheet is open they do nothing (R245)."""


class Hearing(Writing):
    """The ear of one sheet."""

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self._fresh = False
        self._interrupted = float("-inf")
        self._asked = self._again = ""
        self._actions = _actions(type(self))

    # What a sheet supplies

    def action_accept(self) -> None:
        """Enter, wherever the user is."""
        raise NotImplementedError

    def action_leave(self) -> None:
        """Esc, wherever the user is."""
        raise NotImplementedError

    def field_key(self, key: str, field: Field) -> bool:
        """A key that means something to a subclass while that field is written in; says whether it did."""
        return False

    def moves(self, key: str) -> bool:
        """A key that leads from a field to another question; says whether it did."""
        return False

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

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.gate.pressed(event)

    def binds(self, key: str) -> bool:
        """Whether the key does something in this sheet while no field is written in."""
        return key in self._actions

    def key_of(self, action: str) -> Content | None:
        """The sign of the key that does it in this sheet, None when no single one does: for lines that name it."""
        signs = (key_to_character(key) for key, done in self._actions.items() if done == action)
        sign = next((sign for sign in signs if sign and sign.isprintable()), None)
        return ours("{sign}", sign=Foreign(sign)) if sign else None

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
        if key in ("enter", "ctrl+s"):
            self.action_accept()
        elif key == "escape":
            self.action_leave()
        elif key == "ctrl+g":
            self.action_editor()
        else:
            return self.field_key(key, field) or self.moves(key) or key in ("tab", "shift+tab")
        return True

    @on(KeyLine.Pressed)
    def _hint_clicked(self, event: KeyLine.Pressed) -> None:
        if hasattr(self, f"action_{event.action.partition('(')[0]}"):  # what is not ours is the dock's
            event.stop()
            self.begin(self.gate.click())
            self.run_here(event.action)

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


def _actions(sheet: type[Hearing]) -> dict[str, str]:
    """Keys to actions, a subclass's own before those that all share."""
    found: dict[str, str] = {}
    for kind in reversed(sheet.__mro__):
        if issubclass(kind, Hearing) and "BINDINGS" in vars(kind):
            found |= {key: binding.action for key, binding in BindingsMap(kind.BINDINGS)}
    return found

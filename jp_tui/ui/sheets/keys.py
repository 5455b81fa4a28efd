"""The keys of one sheet: which action each runs, and whether the key or click at hand may answer (R245, E10, E11).

Every key arrives through the dock's gate. An action is looked for in the answer area and its body first, then in the
sheet and its parts, so that a kind of answer can change what a key does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from textual import actions, events
from textual.binding import BindingsMap, BindingType
from textual.content import Content
from textual.keys import key_to_character

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import EndTurn
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.text import blank, ours

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

TWICE = 1.0
"""Seconds within which a second Ctrl+C ends the turn (R248)."""
_SWALLOWED = frozenset({"tab", "shift+tab", "backspace", "delete"})
"""Keys that would act on the field or move the focus: while a sheet is open they do nothing (R245)."""


class SheetKeys:
    """Handles the keys that a sheet may hear."""

    def __init__(self, sheet: Sheet, *bindings: Iterable[BindingType]) -> None:
        """`bindings` in order: a later one replaces an earlier one of the same key."""
        self._sheet = sheet
        self._actions = {key: binding.action for some in bindings for key, binding in BindingsMap(some)}
        self.fresh = False
        """Whether the key or click that is being handled may answer."""
        self._interrupted = float("-inf")
        self._asked = self._again = ""

    def binds(self, key: str) -> bool:
        """Whether the key does something while no field is written in."""
        return key in self._actions

    def action_of(self, key: str) -> str:
        """What a key does here, empty for nothing."""
        return self._actions.get(key, "")

    def sign_of(self, action: str) -> Content | None:
        """The character of the key that runs an action; None when no single character does."""
        signs = (key_to_character(key) for key, done in self._actions.items() if done == action)
        sign = next((sign for sign in signs if sign and sign.isprintable()), None)
        return ours("{sign}", sign=Foreign(sign)) if sign else None

    # Actions

    def _method(self, name: str) -> Callable[..., None] | None:
        sheet = self._sheet
        owners = (
            sheet.area,
            *sheet.area.parts,
            sheet.area.body,
            sheet,
            sheet.side,
            sheet.steps,
            sheet.talk,
            sheet.reading,
        )
        found = (getattr(owner, f"action_{name}", None) for owner in owners)
        method: Callable[..., None] | None = next((one for one in found if one is not None), None)
        return method

    def knows(self, action: str) -> bool:
        """Whether an action is the sheet's; others belong to what it is in."""
        return self._method(action.partition("(")[0]) is not None

    def run(self, action: str) -> None:
        """Run one of the sheet's actions now."""
        _, name, parameters = actions.parse(action)
        method = self._method(name)
        assert method is not None, action
        method(*parameters)

    # Keys

    def press(self, event: events.Key, now: float, *, fresh: bool) -> bool:
        """Handle a key that the gate let through. Return True if it is used up. `fresh`: it may also answer (E11)."""
        self.begin(fresh, event)
        if event.key == "ctrl+c":
            twice, self._interrupted = now - self._interrupted < TWICE, now
            if twice:
                self._sheet.answer(EndTurn())
            elif fresh:
                self.run("leave")
            return True
        if self._sheet.writing is not None:
            return self._press_writing(event.key, self._sheet.writing)
        if event.key in self._actions:
            self.run(self._actions[event.key])
            return True
        return event.is_printable or event.key in _SWALLOWED

    def _press_writing(self, key: str, field: Field) -> bool:
        """Keys that mean something to the sheet while a field is written in; the field gets the others."""
        sheet = self._sheet
        if key in ("enter", "ctrl+s"):
            self.run("accept")
        elif key == "escape":
            self.run("leave")
        elif key == "ctrl+g":
            self.run("editor")
        else:
            used = sheet.area.body.field_key(key, field) or sheet.talk.scrolled(key) or sheet.steps.moved(key)
            return used or key in ("tab", "shift+tab")
        return True

    def begin(self, fresh: bool, key: events.Key | None = None) -> None:
        """Prepare for a key or click: the notice about the last one goes."""
        self._sheet.area.body.begin(key)
        self.fresh = fresh
        self._again, self._asked = self._asked, ""
        if self._sheet.problem.display and not self._sheet.cramped:
            self._sheet.say(blank())

    def again(self, what: str) -> bool:
        """Whether the same was asked just before, by a key or click of its own; remember it for the next time."""
        if self.fresh:
            self._asked = what
        return self.fresh and self._again == what

    def renew(self) -> None:
        """Let an answer leave for which an earlier key or click was allowed to answer."""
        self.fresh = True

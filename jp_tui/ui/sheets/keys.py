"""The keys of one sheet: which action each runs, and whether the key or click at hand may answer (R245, E10, E11)."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import BindingsMap, BindingType
from textual.content import Content
from textual.keys import key_to_character

from jp_tui.conversation.text import Foreign
from jp_tui.ui.text import ours


class KeyMap:
    """Keys and their actions while no field is written in."""

    def __init__(self, *bindings: Iterable[BindingType]) -> None:
        """`bindings` in order: a later one replaces an earlier one of the same key."""
        self._actions = {key: binding.action for some in bindings for key, binding in BindingsMap(some)}

    def __contains__(self, key: str) -> bool:
        return key in self._actions

    def action_of(self, key: str) -> str:
        """Return the action of a key; empty for none."""
        return self._actions.get(key, "")

    def sign_of(self, action: str) -> Content | None:
        """Return the character of the key that runs an action; None when no single character does."""
        signs = (key_to_character(key) for key, done in self._actions.items() if done == action)
        sign = next((sign for sign in signs if sign and sign.isprintable()), None)
        return ours("{sign}", sign=Foreign(sign)) if sign else None


class KeyPress:
    """The key or click that is being handled."""

    def __init__(self) -> None:
        self.fresh = False
        """True if it may answer: it isn't part of a paste or a repeat, and the sheet accepted keys before it."""
        self._asked = self._previous = ""

    def begin(self, fresh: bool) -> None:
        """Start to handle another key or click."""
        self.fresh = fresh
        self._previous, self._asked = self._asked, ""

    def again(self, what: str) -> bool:
        """Return True if the press before this one asked for the same; remember it for the next one."""
        if self.fresh:
            self._asked = what
        return self.fresh and self._previous == what

    def renew(self) -> None:
        """Allow the answer of an earlier key or click, which was allowed to answer, to be sent."""
        self.fresh = True

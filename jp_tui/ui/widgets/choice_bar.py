"""One row of names, of which one is chosen: each is a button, and the chosen one has brackets (asking.md E60)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.ui.keys.bindings import words
from jp_tui.ui.text import blank, join, ours, styled

_GAP = "  "


class ChoiceBar(Widget):
    """Names of jp-tui's own, with the key of each choice."""

    DEFAULT_CSS = "ChoiceBar { height: 1; width: 1fr; padding: 0 1; display: none; }"
    ALLOW_SELECT = False
    names: reactive[Sequence[tuple[str, str]]] = reactive(())
    """Each choice with its text."""
    chosen: reactive[str] = reactive("")
    _pressed = ""

    @dataclass
    class Picked(Message):
        """A choice was clicked."""

        choice: str

    def _texts(self) -> dict[str, str]:
        return {key: f"[{text}]" if key == self.chosen else text for key, text in self.names}

    def render(self) -> Content:
        styles = {True: "bold $primary", False: "$muted-foreground"}
        parts = [styled(words(text), styles[key == self.chosen]) for key, text in self._texts().items()]
        return join(*parts, sep=ours(_GAP)) if parts else blank()

    def _at(self, x: int) -> str:
        """Return the choice at a cell; empty between them."""
        start = 0
        for key, text in self._texts().items():
            if start <= x < start + len(text):
                return key
            start += len(text) + len(_GAP)
        return ""

    def _cell(self, event: events.MouseEvent) -> int:
        return event.x - self.styles.padding.left

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = self._at(self._cell(event))

    def on_click(self, event: events.Click) -> None:
        """Report a click on a choice, unless it began on another (E11)."""
        event.stop()
        choice = self._at(self._cell(event))
        if choice and choice == self._pressed:
            self.post_message(self.Picked(choice))

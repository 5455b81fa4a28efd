"""The row of tabs of a form: what is answered, where one is, what comes, and the review at its end (asking.md E3).

One row, however many questions there are; a click says which one was meant. It moves nowhere by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import FormView
from jp_tui.ui.sheets import form as f
from jp_tui.ui.text import join, ours


class FormTabs(Widget):
    """Where one is in a form."""

    DEFAULT_CSS = "FormTabs { height: 1; width: 1fr; }"
    ALLOW_SELECT = False

    @dataclass
    class Picked(Message):
        """A tab was clicked; `place` is a question's id, or form.REVIEW."""

        place: str

    def __init__(self, prompt: PromptRequest, form: FormView, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tabs = f.tabs(prompt, form)
        self._pressed = ""  # on which the button went down
        ids = [place.id for place in form.places if place.state == "current"]
        self._at = next((at for at, tab in enumerate(self._tabs) if tab.id in ids), len(self._tabs) - 1)

    def _laid(self) -> list[tuple[int, f.Stop]]:
        return f.fitted(self._tabs, self._at, max(self.size.width, 1))

    def render(self) -> Content:
        line = ours("")
        for start, tab in self._laid():
            line = join(line, ours(" " * (start - line.cell_length)), tab.says)
        return line

    def _tab_at(self, x: int) -> str:
        """The id of the tab there, empty for none."""
        return next((tab.id for start, tab in self._laid() if start <= x < start + tab.says.cell_length), "")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = self._tab_at(event.x)

    def on_click(self, event: events.Click) -> None:
        """A click on a tab; one that began on another is none (E11)."""
        event.stop()
        place = self._tab_at(event.x)
        if place and place == self._pressed:
            self.post_message(self.Picked(place))

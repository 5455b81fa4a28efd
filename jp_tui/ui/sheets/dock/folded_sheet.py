"""The one line of a folded sheet: the number of open questions, asker and question, the keys that open it (asking.md
E2).

It never has the focus and answers nothing; a click opens the question, or shows the next.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.keys.bindings import users
from jp_tui.ui.sheets import texts
from jp_tui.ui.text import blank


class FoldedSheet(Widget):
    """The folded sheet."""

    DEFAULT_CSS = """
    FoldedSheet { height: 1; width: 1fr; padding: 0 1; background: $warning 12%; color: $text-muted;
        &:ansi { background: ansi_default; }
    }
    """
    ALLOW_SELECT = False

    prompt: reactive[PromptRequest | None] = reactive(None)
    """The first question."""
    waiting: reactive[int] = reactive(0)
    """The number of open questions."""

    @dataclass
    class Clicked(Message):
        """The line was clicked; `onward`: on the words that show the next question."""

        onward: bool

    @property
    def _keys(self) -> tuple[str, str]:
        return users(self, "fold"), users(self, "next")

    def render(self) -> Content:
        if self.prompt is None:
            return blank()
        return texts.folded(self.prompt, self.waiting, self.content_size.width, *self._keys)[0]

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if self.prompt is not None:
            _, start, end = texts.folded(self.prompt, self.waiting, self.content_size.width, *self._keys)
            self.post_message(self.Clicked(start <= event.x - self.styles.padding.left < end))

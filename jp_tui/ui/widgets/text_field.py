"""One line of text in a page over the workspace: a search, a value. Keeps no history and submits nothing automatically.

Textual's own input in the colours and the size of jp-tui's pages.
"""

from __future__ import annotations

from typing import LiteralString

from rich.text import Text
from textual.binding import Binding
from textual.widgets import Input

from jp_tui.ui.textual_patches.output_gate import passed
from jp_tui.ui.textual_patches.private import own_bindings


class TextField(Input):
    """A line; `hint` is a text of jp-tui, shown while it is empty; `enter` names the effect of Enter, for the last
    line."""

    DEFAULT_CSS = """
    TextField, TextField:focus {
        height: 1; width: 1fr; border: none; padding: 0 1; background: $surface; color: $foreground;
        background-tint: $foreground 4%;
        & > .input--placeholder { color: $muted-foreground; }
        &:focus { background-tint: $foreground 9%; }
    }
    """

    def __init__(self, hint: LiteralString, *, id: str, enter: LiteralString = "") -> None:
        super().__init__(placeholder=hint, id=id, compact=True, select_on_focus=False)
        if enter:
            own_bindings(self).key_to_bindings["enter"] = [Binding("enter", "submit", enter)]
        self.cursor_blink = False  # an idle page sends nothing (T24)

    @property
    def _value(self) -> Text:
        """The text, which may be a value of a file: its control characters are shown, and kept."""
        shown = super()._value
        shown.plain = passed(shown.plain)
        return shown

    def show_end(self) -> None:
        """Show the end of a text longer than the line, where the cursor is."""
        self.scroll_to(x=max(self.virtual_size.width - self.content_size.width, 0), animate=False, force=True)

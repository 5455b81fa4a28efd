"""A text field below the answers of a sheet: a reply, a note, the call's arguments (R182, R97b, E31).

It knows what Enter does in it and which keys to name; `layout.py` shows it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static

from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.text import blank


def _nothing() -> None:
    """Leave a field without any effect."""


@dataclasses.dataclass(eq=False)
class SideField:
    """A field with a title that names the use of its text.

    `beside`: the answers stay visible while it is written in. `large`: it takes the place of context and answers, and
    is hidden when it is left, though its text is kept. `kept`: the title while the field holds text that was left.
    `submit` runs at Enter, `hints` the keys that work in it, `leave` is called before it loses the keys.
    """

    caption: Content
    field: Field
    beside: bool = False
    large: bool = False
    kept: Content = dataclasses.field(default_factory=blank)
    _: dataclasses.KW_ONLY
    submit: Callable[[], None]
    hints: Callable[[], list[Hint]]
    leave: Callable[[], None] = _nothing
    title: Static = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.title = Static(self.caption, classes="title")
        self._left = False

    def arrange(self, left: bool, tight: bool) -> None:
        """Set the title and the visible parts; `left`: it has text and isn't in use.

        In little room only a text that is sent with an answer is shown, without a title.
        """
        if left != self._left and self.kept:
            self._left = left
            self.title.update(self.kept if left else self.caption)
        if left:
            self.field.display = self.beside or not tight
            self.title.display = bool(self.kept) and not tight

    def rows(self, width: int, room: int) -> int:
        """Return its rows, out of `room`, at a width, and set the height of the field."""
        heading = self.title.content
        rows = len(heading.wrap(width)) if isinstance(heading, Content) and self.title.display else 0
        if self.field.display and not self.large:
            high = min(self.field.height_at(width), room)
            self.field.styles.height = high
            rows += high
        return rows

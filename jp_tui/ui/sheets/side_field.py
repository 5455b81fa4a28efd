"""A field of a sheet below its answers: a reply, a note, the call's arguments (R182, R97b, E31).

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
    """A field under the line that says what becomes of it.

    `beside`: the answers stay while it is written in. `large`: it takes the place of context and answers, and is
    not shown when it is left, though its text is kept. `kept`: what stands above a text that was left there.
    `submit` is what Enter does, `hints` the keys that work in it, `leave` is called before it loses the keys.
    """

    says: Content
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
        self.title = Static(self.says, classes="title")
        self._left = False

    def settle(self, left: bool, tight: bool) -> None:
        """Once its text was left, what stands above says what becomes of that. In little room only what goes along
        with an answer is shown, and nothing above it."""
        if left != self._left and self.kept:
            self._left = left
            self.title.update(self.kept if left else self.says)
        if left:
            self.field.display = self.beside or not tight
            self.title.display = bool(self.kept) and not tight

    def rows(self, width: int, room: int) -> int:
        """Rows that it takes of `room` at a width; the field gets its own."""
        says = self.title.content
        rows = len(says.wrap(width)) if isinstance(says, Content) and self.title.display else 0
        if self.field.display and not self.large:
            high = min(self.field.height_at(width), room)
            self.field.styles.height = high
            rows += high
        return rows

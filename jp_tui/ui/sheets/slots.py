"""A field of a sheet beside its answer: a reply, a note, the call's arguments (R182, R97b, E31).

Only what it is; `frame.py` shows it and `saying.py` says what becomes of what is written.
"""

from __future__ import annotations

import dataclasses

from textual.content import Content
from textual.widgets import Static

from jp_tui.ui.sheets.field import Field


@dataclasses.dataclass(eq=False)
class Slot:
    """A field under the line that says what becomes of it.

    `beside`: the answers stay while it is written in. `large`: it takes the place of context and answers, and is
    not shown when it is left, though its text is kept.
    """

    says: Content
    field: Field
    beside: bool = False
    large: bool = False
    title: Static = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.title = Static(self.says, classes="title")

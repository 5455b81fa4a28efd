"""One of several options (R9, R192, R238; asking.md E20-E22).

The answer is the option's value. Nothing is chosen before the user moved, unless there is a default.
"""

from __future__ import annotations

from typing import ClassVar

from jp_tui.questions.types import Option
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.options import CHOOSING, OptionSheet


class SelectSheet(OptionSheet):
    """A question that one option answers."""

    BINDINGS: ClassVar = [*CHOOSING]

    def take(self, option: Option) -> None:
        self.answered(option.value)

    def accept(self) -> None:
        self.take_here()

    def answer_hints(self) -> list[Hint]:
        found = [Hint("↑↓", "move", "move(1)")]
        if self.choices().cursor is not None:
            found.append(Hint("enter", "accept" if self.option else "write", "accept", keep=True))
        return [*found, *self.filter_hints()]

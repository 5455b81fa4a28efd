"""One of several options (R9, R192, R238; asking.md E20-E22).

The answer is the option's value.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding

from jp_tui.questions.types import Option
from jp_tui.ui.sheets.area import AnswerArea, AnswerSheet
from jp_tui.ui.sheets.areas.options import OPTION_KEYS, OptionsBody
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.view.questions.drafts import Draft


class SelectArea(AnswerArea):
    """A question that one option answers."""

    BINDINGS: ClassVar[list[Binding]] = [*OPTION_KEYS]
    body: OptionsBody

    def __init__(self, sheet: AnswerSheet) -> None:
        question = sheet.prompt.question
        self._sheet = sheet
        self._default = question.default if question.has_default else None
        self.body = OptionsBody(
            sheet, take=self._choose_option, default=self._is_default, before=self._is_previous_answer
        )

    def _choose_option(self, option: Option) -> None:
        self._sheet.answered(option.value)

    def _is_default(self, option: Option) -> bool:
        return isinstance(self._default, str) and option.value == self._default

    def _is_previous_answer(self, option: Option) -> bool:
        return self._sheet.prompt.prefill == (option.value,)

    def typed(self) -> str | None:
        return self.body.typed()

    def restore(self, draft: Draft) -> Draft:
        self.body.restore(draft)
        return draft

    def accept(self) -> None:
        self.body.choose_highlighted()

    def answer_hints(self) -> list[Hint]:
        found = [Hint("↑↓", "move", "move(1)")]
        if self.body.choices.cursor is not None:
            found.append(Hint("Enter", "select" if self.body.option else "write", "accept", keep=True))
        return [*found, *self.body.filter_hints()]

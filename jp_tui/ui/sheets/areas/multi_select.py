"""Any number of several options (R7, R8, R192; asking.md "Keys", E14, E22, E24).

Space and digits toggle, Enter submits the marked options, in the order of the list and not of the toggling. An empty
selection is an answer only when Enter is pressed twice, or in the menu. Enter never toggles: else a user who wants to
mark an option might submit.
"""

from __future__ import annotations

import json
from typing import ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from jp_tui.conversation.strict_json import Json
from jp_tui.questions.types import MultiSelectAnswer, Option
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.area import AnswerArea, AnswerSheet
from jp_tui.ui.sheets.areas.options import OPTION_KEYS, OptionsBody
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.messages import LayoutChanged
from jp_tui.ui.text import join, ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

_ON, _OFF = ours("■ ", "$text-success"), ours("□ ", "$foreground-muted")


class MarkedCount(Static):
    """The line that counts marked options."""

    DEFAULT_CSS = "MarkedCount { height: 1; color: $text-muted; padding-left: 5; }"


class MultiSelectArea(AnswerArea):
    """A question that any number of options answers."""

    BINDINGS: ClassVar[list[Binding]] = [
        *OPTION_KEYS,
        Binding("space", "mark", "Toggle", id="sheet.toggle", tooltip="Select or clear the option"),
        Binding("a", "all", "All or none", id="sheet.all", tooltip="Select all options shown, or none"),
        Binding("i", "invert", "Invert", id="sheet.invert", tooltip="Invert the selection"),
    ]
    body: OptionsBody

    def __init__(self, sheet: AnswerSheet) -> None:
        question, prefill = sheet.prompt.question, sheet.prompt.prefill
        kind = question.answer_type
        self._sheet = sheet
        self._asked_order = [option.value for option in kind.options] if isinstance(kind, MultiSelectAnswer) else []
        self._defaults = self._known((question.default,) if question.has_default else ())
        self._at_first = self._known(prefill) if prefill else self._defaults
        self._chosen = set(self._at_first)
        self._count = MarkedCount(id="count")
        self.body = OptionsBody(
            sheet, take=self._toggle_option, default=lambda option: option.value in self._defaults,
            before=lambda option: bool(prefill) and option.value in self._at_first,
            label=self._label, below=self._count,
        )  # fmt: skip

    def mounted(self) -> None:
        self._show_count()

    @property
    def chosen(self) -> list[str]:
        """The marked values, in the order of the options (R8)."""
        return [value for value in self._asked_order if value in self._chosen]

    def _known(self, given: tuple[Json, ...]) -> frozenset[str]:
        """Return those of some values that are options."""
        values = given[0] if given and isinstance(given[0], list) else []
        return frozenset(self._asked_order) & {value for value in values if isinstance(value, str)}

    def _label(self, option: Option) -> Content:
        return join(_ON if option.value in self._chosen else _OFF, texts.option(option.value))

    # Marks

    def _toggle_option(self, option: Option) -> None:
        self._mark({option.value} ^ self._chosen)

    def action_mark(self) -> None:
        """Mark the option under the cursor, else move the cursor to the first visible option and mark that."""
        if self._sheet.mode != "answer":
            return
        shown = self.body.choices
        if shown.current is None and (row := shown.row_at(0, 0)) is not None:
            shown.to(shown.rows.index(row))
        self.body.touch()
        self.body.choose_highlighted()

    def action_all(self) -> None:
        """Mark all visible options, or none of them when all are marked."""
        if self._sheet.mode == "answer":
            shown = {option.value for option in self.body.found}
            self._mark(self._chosen - shown if shown <= self._chosen else self._chosen | shown)

    def action_invert(self) -> None:
        """Invert the marks of all visible options."""
        if self._sheet.mode == "answer":
            self._mark(self._chosen ^ {option.value for option in self.body.found})

    def _mark(self, chosen: set[str]) -> None:
        self._chosen = chosen
        self.body.show_rows()
        self._show_count()
        self._sheet.answer_changed()

    def _show_count(self) -> None:
        self._count.update(ours(w.CHOSEN, n=len(self._chosen), m=len(self.body.options)))
        self._sheet.post_message(LayoutChanged())

    # Drafts

    def typed(self) -> str | None:
        return None if self._chosen == self._at_first else json.dumps(self.chosen, ensure_ascii=False)

    def restore(self, draft: Draft) -> Draft:
        try:
            kept = json.loads(draft.answer) if draft.answer else None
        except (ValueError, RecursionError):
            kept = None
        if isinstance(kept, list):
            known = set(self._asked_order)
            self._chosen = {value for value in kept if isinstance(value, str) and value in known}
            self.body.show_rows()
            self._show_count()
        return draft

    # Keys

    def _writes(self) -> bool:
        """Return True if the cursor is on the row for the user's own words."""
        return self.body.option is None and self.body.choices.current is not None

    def accept(self) -> None:
        if self._writes():
            self.body.choose_highlighted()
        elif self._chosen or self._sheet.press.again("none"):
            self._sheet.answered([*self.chosen])
        else:
            self._sheet.show_notice(ours(w.NONE_CHOSEN))

    def more_rows(self) -> list[ChoiceRow]:
        return [ChoiceRow("none", ours(w.EMPTY), detail=ours(w.NOTHING_DOES))]

    def choose(self, line: str) -> bool:
        if line == "none":
            self._sheet.answered([])
        return line == "none"

    def answer_hints(self) -> list[Hint]:
        return [
            Hint("Space", "toggle", "mark"),
            Hint("Enter", "write" if self._writes() else "submit", "accept", keep=True),
            *self.body.filter_hints(), Hint("a", "all", "all"), Hint("i", "invert", "invert"),
        ]  # fmt: skip

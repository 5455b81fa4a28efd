"""Any number of several options (R7, R8, R192; asking.md "Keys", E14, E22, E24).

Space and digits toggle, Enter submits what is marked, in the order of the options and not of the toggling. Nothing
marked is an answer only when it is said twice or chosen in the menu. Enter never toggles: it would be too easy to
send what one only wanted to mark.
"""

from __future__ import annotations

import json
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from jp_tui.conversation.strict_json import Json
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import MultiSelectAnswer, Option
from jp_tui.ui.sheets import words
from jp_tui.ui.sheets.field import Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.messages import Grew
from jp_tui.ui.sheets.options import CHOOSING, OptionSheet
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.text import join, ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w

_ON, _OFF = ours("■ ", "$text-success"), ours("□ ", "$foreground-muted")


class MultiSelectSheet(OptionSheet):
    """A question that any number of options answers."""

    DEFAULT_CSS = "MultiSelectSheet #count { height: 1; color: $text-muted; padding-left: 5; }"
    BINDINGS: ClassVar = [
        *CHOOSING,
        Binding("space", "mark", "Toggle", id="sheet.toggle", tooltip="Marks the option, or takes the mark away"),
        Binding("a", "all", "All or none", id="sheet.all", tooltip="Marks all that is shown, or none of it"),
        Binding("i", "invert", "Invert", id="sheet.invert", tooltip="Turns every mark that is shown"),
    ]

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        question = prompt.question
        kind = question.answer_type
        self._asked_order = [option.value for option in kind.options] if isinstance(kind, MultiSelectAnswer) else []
        self._defaults = self._known((question.default,) if question.has_default else ())
        self._at_first = self._known(prompt.prefill) if prompt.prefill else self._defaults
        self._chosen = set(self._at_first)
        super().__init__(prompt, gate=gate)
        self._count = Static(id="count")

    def answers(self) -> ComposeResult:
        yield from super().answers()
        yield self._count

    def wanted(self, width: int, room: int) -> int:
        return super().wanted(width, room) + 1

    def given(self, rows: int) -> None:
        super().given(rows - 1)

    def on_mount(self) -> None:
        self._tell()

    @property
    def chosen(self) -> list[str]:
        """What is marked, in the order of the options (R8)."""
        return [value for value in self._asked_order if value in self._chosen]

    def is_default(self, option: Option) -> bool:
        return option.value in self._defaults

    def was_before(self, option: Option) -> bool:
        return bool(self.prompt.prefill) and option.value in self._at_first

    def _known(self, given: tuple[Json, ...]) -> frozenset[str]:
        """Those of some values that are options."""
        values = given[0] if given and isinstance(given[0], list) else []
        return frozenset(self._asked_order) & {value for value in values if isinstance(value, str)}

    def label(self, option: Option) -> Content:
        return join(_ON if option.value in self._chosen else _OFF, words.option(option.value))

    # Marks

    def take(self, option: Option) -> None:
        self._mark({option.value} ^ self._chosen)

    def action_mark(self) -> None:
        """Mark what the cursor is on, else the first option in sight, where it then is."""
        if self.mode != "answer":
            return
        if self.choices().current is None and (row := self.choices().row_at(0, 0)) is not None:
            self.choices().to(self.choices().rows.index(row))
        self.take_here()

    def action_all(self) -> None:
        """All that is shown, or none of it when all of it is marked already."""
        if self.mode == "answer":
            shown = {option.value for option in self.found}
            self._mark(self._chosen - shown if shown <= self._chosen else self._chosen | shown)

    def action_invert(self) -> None:
        if self.mode == "answer":
            self._mark(self._chosen ^ {option.value for option in self.found})

    def _mark(self, chosen: set[str]) -> None:
        self._chosen = chosen
        self.again_shown()
        self._tell()
        self.changed()

    def _tell(self) -> None:
        self._count.update(ours(w.CHOSEN, n=len(self._chosen), m=len(self.options)))
        self.post_message(Grew())

    # Drafts

    def typed(self) -> str | None:
        return None if self._chosen == self._at_first else json.dumps(self.chosen, ensure_ascii=False)

    def restore(self, draft: Draft) -> None:
        super().restore(draft)
        try:
            kept = json.loads(draft.answer) if draft.answer else None
        except (ValueError, RecursionError):
            kept = None
        if isinstance(kept, list):
            known = set(self._asked_order)
            self._chosen = {value for value in kept if isinstance(value, str) and value in known}
            self.again_shown()
            self._tell()

    # Keys

    def accept(self) -> None:
        if self.option is None and self.choices().current is not None:
            self.take_here()  # words of one's own
        elif self._chosen or self.again("none"):
            self.answered([*self.chosen])
        else:
            self.say(ours(w.NONE_CHOSEN))

    def more_rows(self) -> list[Row]:
        return [Row("none", ours(w.EMPTY), detail=ours(w.NOTHING_DOES))]

    def choose(self, line: str) -> None:
        if line == "none":
            self.answered([])
        else:
            super().choose(line)

    def answer_hints(self) -> list[Hint]:
        writes = self.option is None and self.choices().current is not None
        return [
            Hint("space", "toggle", "mark"), Hint("a", "all", "all"), Hint("i", "invert", "invert"),
            Hint("enter", "write" if writes else "submit", "accept", keep=True), *self.filter_hints(),
        ]  # fmt: skip

"""A question that waits for other people: the user sees it and can withdraw it, but not answer it (store.md D14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual.widget import Widget
from textual.widgets import Static

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets.area import AnswerArea, AnswerBody, AnswerSheet
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.layout import height_of
from jp_tui.ui.text import ours
from jp_tui.view.questions import people


class WaitsForOthers(Static):
    """The line in place of an answer."""

    DEFAULT_CSS = "WaitsForOthers { height: auto; color: $text-muted; }"


class OthersArea(AnswerArea, AnswerBody):
    """No answer, whatever the question's kind."""

    def __init__(self, sheet: AnswerSheet) -> None:
        self.body = self
        self._sheet = sheet
        self._says = WaitsForOthers(ours(people.WITHDRAW if may_withdraw(sheet) else people.OTHERS))

    def widgets(self) -> Sequence[Widget]:
        return (self._says,)

    def height_at(self, width: int, room: int) -> int:
        return height_of(self._says, width)

    def place(self, rows: int) -> None:
        self._says.styles.height = max(rows, 1)

    def accept(self) -> None:
        """Say whom it waits for."""
        sheet = self._sheet
        text = people.WAITS_FOR if may_withdraw(sheet) else people.OTHERS
        sheet.show_notice(ours(text, who=Foreign(people.awaited(sheet.prompt))))

    def answer_hints(self) -> list[Hint]:
        return []

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        """Name what Esc leads to."""
        if not may_withdraw(self._sheet) or self._sheet.mode != "answer":
            return hints
        return [replace(one, words="withdraw, menu") if one.action == "leave" else one for one in hints]


def may_withdraw(sheet: AnswerSheet) -> bool:
    """Return True if the question can be closed here without an answer."""
    prompt = sheet.prompt
    return prompt.kind != "question" or bool(prompt.controls & {"cancel", "reply", "edit", "end_turn"})

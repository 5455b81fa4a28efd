"""A secret (R193, R202; asking.md E27): the text sheet, masked; kept nowhere.

No draft, no default, no editor of the user (it would write a file), no clipboard, no note. What was written is
forgotten as soon as it was sent, and when the question goes.
"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Static

from jp_tui.protocol.values import PromptRequest, Response
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.fields import SecretField
from jp_tui.ui.sheets.frame import height_of
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.text import TextSheet
from jp_tui.ui.text import ours
from jp_tui.view.wording import questions as w


class SecretSheet(TextSheet):
    """A question whose answer nobody may see."""

    DEFAULT_CSS = "SecretSheet #kept { height: auto; color: $text-muted; }"

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self._says = Static(ours(w.SECRET_KEPT), id="kept")

    def make_field(self, gate: Gate) -> Field:
        return SecretField(gate=gate, hint=ours(w.SECRET_HINT), id="answer")

    def begins_with(self) -> str:
        return ""

    def answers(self) -> ComposeResult:
        yield from super().answers()
        yield self._says

    def wanted(self, width: int, room: int) -> int:
        return 1 + height_of(self._says, width)

    def given(self, rows: int) -> None:
        super().given(1)

    def typed(self) -> str | None:
        return None

    @property
    def changed_answer(self) -> bool:
        return bool(self.field.value)

    def answer(self, response: Response) -> None:
        super().answer(response)
        if self.done:
            self.field.put("")

    def action_editor(self) -> None:
        if self.writing is not None and self.writing is not self.field:
            super().action_editor()

    def answer_hints(self) -> list[Hint]:
        return [Hint("enter", "write", "accept", keep=True)]

    def field_hints(self, field: Field) -> list[Hint]:
        return [
            Hint("enter", "submit", "accept", keep=True), Hint("esc", "reply, end turn, menu", "leave", keep=True),
        ]  # fmt: skip

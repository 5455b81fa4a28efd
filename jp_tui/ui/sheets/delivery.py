"""Leave to deliver a result to the assistant (R93, M20, M35): the result, and deliver, skip, edit first.

Nothing is preselected (Z11). An emptied or untouched edit delivers the result as it was; cancelled is said as such.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Static

from jp_tui.conversation.neutral import neutralise
from jp_tui.protocol.values import Delivered, PromptRequest
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.rows import Row
from jp_tui.ui.sheets.slots import Slot
from jp_tui.ui.sheets.verdict import VERDICT, VerdictSheet
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w


class DeliverySheet(VerdictSheet):
    """May the assistant read this?"""

    BINDINGS: ClassVar = [*VERDICT]
    DEFAULT_CSS = "DeliverySheet #failed { height: auto; color: $text-error; }"

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self.result = Field(gate=gate, hint=ours(w.RESULT_HINT), id="result")
        self.slots = (*self.slots, Slot(ours(w.RESULT_TITLE), self.result, large=True))
        self._failed = Static(ours(w.FAILED_RESULT) if prompt.is_error else ours(""), id="failed")
        self._given: str | None = None

    @property
    def warned(self) -> bool:
        return True

    @property
    def may_reply(self) -> bool:
        return False

    @property
    def may_edit(self) -> bool:
        return True

    def answers(self) -> ComposeResult:
        if self.prompt.is_error:
            yield self._failed
        yield from super().answers()

    def wanted(self, width: int, room: int) -> int:
        return super().wanted(width, room) + bool(self.prompt.is_error)

    def given(self, rows: int) -> None:
        super().given(rows - bool(self.prompt.is_error))

    def rows(self) -> tuple[Row, ...]:
        return (
            Row("yes", ours(w.DELIVER), ours("y"), dim=self.unseen),
            Row("no", ours(w.SKIP_DELIVERY), ours("n")),
            Row("edit", ours(w.EDIT_RESULT), ours("e")),
        )

    def decide(self, what: str) -> None:
        if what == "edit":
            self.action_edit()
        else:
            self.answer(Delivered(deliver=what == "yes"))

    # The result in a field

    def action_edit(self) -> None:
        if self._given is None:
            self._given = neutralise(self.prompt.result)  # nothing is left that a field would clean away
        if not self.result.value:
            self.result.put(self._given)
        self.write(self.result)

    def edited(self) -> str | None:
        text = self.result.value
        return None if not text or text == self._given else text

    def restore(self, draft: Draft) -> None:
        super().restore(Draft(draft.answer, draft.reply, draft.note))
        if draft.edit is not None:
            self.result.put(draft.edit)

    def submit(self, field: Field) -> None:
        if self.result.value.strip() or self.again("emptied"):
            self.answer(Delivered(deliver=True, text=self.edited()))
        else:
            self.say(ours(w.EMPTIED_RESULT))

    def field_hints(self, field: Field) -> list[Hint]:
        return [
            Hint("enter", "delivers this", "accept", keep=True), Hint("ctrl+j", "new line", "new_line"),
            Hint("ctrl+g", "editor", "editor"), Hint("esc", "back, text kept", "leave", keep=True),
        ]  # fmt: skip

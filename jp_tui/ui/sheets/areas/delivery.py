"""Permission to deliver a result to the assistant (R93, M20, M35): the result, and deliver, skip, edit first.

Nothing is preselected (Z11). An emptied or untouched edit delivers the result as it was.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding
from textual.widgets import Static

from jp_tui.conversation.neutral import neutralise
from jp_tui.protocol.values import Delivered
from jp_tui.ui.sheets.area import AnswerArea, AnswerSheet
from jp_tui.ui.sheets.areas.yes_no import YES_NO_KEYS, YesNoBody
from jp_tui.ui.sheets.choice_list import ChoiceRow
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.reply_fields import text_hints
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.wording import questions as w


class FailedResult(Static):
    """The line for a result that is an error."""

    DEFAULT_CSS = "FailedResult { height: auto; color: $text-error; }"


class DeliveryArea(AnswerArea):
    """A decision to deliver a result to the assistant."""

    BINDINGS: ClassVar[list[Binding]] = [*YES_NO_KEYS]
    body: YesNoBody

    def __init__(self, sheet: AnswerSheet) -> None:
        self._sheet, self._prompt = sheet, sheet.prompt
        self._result = Field(gate=sheet.gate, hint=ours(w.RESULT_HINT), id="result")
        self._slot = SideField(
            ours(w.RESULT_TITLE), self._result, large=True, submit=self._submit,
            hints=lambda: text_hints("deliver this"),
        )  # fmt: skip
        self._given: str | None = None  # the result as the field shows it before anything is changed
        failed = [FailedResult(ours(w.FAILED_RESULT), id="failed")] if sheet.prompt.is_error else []
        self.body = YesNoBody(
            sheet, rows=self._rows, decide=self._decide, unseen=sheet.reading.unseen, above=failed
        )  # fmt: skip

    def slots(self) -> tuple[SideField, ...]:
        return (self._slot,)

    def _rows(self) -> tuple[ChoiceRow, ...]:
        return (
            ChoiceRow("yes", ours(w.DELIVER), ours("y"), dim=self._sheet.reading.some_unseen),
            ChoiceRow("no", ours(w.SKIP_DELIVERY), ours("n")),
        )

    def _decide(self, what: str) -> None:
        self._sheet.answer(Delivered(deliver=what == "yes"))

    def accept(self) -> None:
        self.body.accept()

    def answer_hints(self) -> list[Hint]:
        return self.body.hints()

    def arranged(self, hints: list[Hint]) -> list[Hint]:
        return self.body.arranged(hints)

    # The result in a field

    def action_edit(self) -> None:
        """Edit the result, as it was left the last time."""
        if self._given is None:
            self._given = neutralise(self._prompt.result)  # a field would remove control characters
        if not self._result.value:
            self._result.put(self._given)
        self._sheet.write(self._result)

    def _submit(self) -> None:
        if self._result.value.strip() or self._sheet.press.again("emptied"):
            self._sheet.answer(Delivered(deliver=True, text=self.edited_text()))
        else:
            self._sheet.show_notice(ours(w.EMPTIED_RESULT))

    def edited_text(self) -> str | None:
        text = self._result.value
        return None if not text or text == self._given else text

    def restore(self, draft: Draft) -> Draft:
        if draft.edit is not None:
            self._result.put(draft.edit)
        return Draft(draft.answer, draft.reply, draft.note)

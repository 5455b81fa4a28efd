"""Fields beside the plain answer: a reply, a note, edited arguments (R182, R97b, E31).

Text stays when its field is left. Nothing empty is sent: an emptied editor leads back to the choice, and a reply to a
tool's question needs a text.
"""

from __future__ import annotations

from typing import LiteralString

from jp_tui.conversation.strict_json import JsonProblem
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Edited, Permitted, Replied
from jp_tui.questions.types import SecretAnswer
from jp_tui.ui.sheets import texts
from jp_tui.ui.sheets.field import Field
from jp_tui.ui.sheets.json.field import JsonField
from jp_tui.ui.sheets.json.text import laid_out, read_object
from jp_tui.ui.sheets.key_line import Hint
from jp_tui.ui.sheets.port import SheetPort
from jp_tui.ui.sheets.side_field import SideField
from jp_tui.ui.text import ours
from jp_tui.view.questions.drafts import Draft
from jp_tui.view.questions.offered_prompt import is_offered, is_outside
from jp_tui.view.questions.prompt_line import page_of
from jp_tui.view.wording import questions as w


def text_hints(enter: LiteralString) -> list[Hint]:
    """The keys of a field below the answers."""
    return [
        Hint("Enter", enter, "accept", keep=True), Hint("Ctrl+J", "new line", "new_line"),
        Hint("Ctrl+G", "editor", "editor"), Hint("Esc", "back, keep text", "leave", keep=True),
    ]  # fmt: skip


class ReplyFields:
    """Reply, note and arguments of one sheet."""

    def __init__(self, sheet: SheetPort) -> None:
        self._sheet, self._prompt = sheet, sheet.prompt
        self.reply = Field(gate=sheet.gate, hint=ours(w.REPLY_HINT), id="reply")
        self.note = Field(gate=sheet.gate, hint=ours(w.NOTE_HINT), id="note")
        self.edit = JsonField(gate=sheet.gate, hint=ours(w.JSON_HINT), id="edit")
        self._laid_out: str | None = None
        """The call's arguments as the editor shows them before anything is changed."""
        self.slots = (
            SideField(
                texts.reply_title(self._prompt), self.reply, kept=ours(w.REPLY_KEPT), submit=self._send_reply,
                hints=lambda: text_hints("send the reply"),
            ),
            SideField(
                ours(w.NOTE_TITLE), self.note, beside=True, kept=ours(w.NOTE_KEPT), submit=sheet.stop_writing,
                hints=lambda: text_hints("keep the note"),
            ),
            SideField(
                texts.edit_title(self._prompt), self.edit, large=True, submit=self._send_edit,
                hints=lambda: text_hints("run with these"),
            ),
        )  # fmt: skip

    @property
    def may_reply(self) -> bool:
        """True if a text may be sent instead of an answer. A call can always be skipped with a reason (M34)."""
        kind = self._prompt.kind
        return kind == "permission" or (kind != "delivery" and "reply" in self._prompt.controls)

    @property
    def may_note(self) -> bool:
        """True if a note may be sent: with an answer to a tool's question (R182), never with a secret or elsewhere."""
        prompt = self._prompt
        alone = isinstance(prompt.question.answer_type, SecretAnswer) or (is_offered(prompt) and not is_outside(prompt))
        if page_of(prompt):  # its key copies the address
            return False
        return prompt.yours and prompt.kind == "question" and prompt.source in ("tool", "outside") and not alone

    @property
    def may_edit(self) -> bool:
        """True if the call's arguments may be edited; of a delivery, the result."""
        kind = self._prompt.kind
        if kind == "permission":
            return bool(self._prompt.arguments)
        return kind == "delivery" or "edit" in self._prompt.controls

    @property
    def note_text(self) -> str:
        """The note that is sent with an answer."""
        return self.note.value.strip() if self.may_note else ""

    # Actions

    def action_reply(self) -> None:
        if self.may_reply:
            self._sheet.write(self.reply)

    def action_note(self) -> None:
        if self.may_note:
            self._sheet.write(self.note)

    def action_edit(self) -> None:
        """Edit the arguments, as they were left the last time."""
        if not self.may_edit:
            return
        try:
            if not self.edit.value:
                if self._laid_out is None:
                    self._laid_out = laid_out(read_object(self._prompt.arguments.raw))
                self.edit.put(self._laid_out)
        except JsonProblem as problem:
            self._sheet.show_notice(ours(w.NO_ARGUMENTS, problem=Foreign(problem.message)))
            return
        self._sheet.write(self.edit)

    # The effects of Enter

    def _send_reply(self) -> None:
        text, kind = self.reply.value.strip(), self._prompt.kind
        if text and kind == "permission":
            self._sheet.answer(Permitted(run=False, reason=text))
        elif text:
            self._sheet.answer(Replied(text=text))
        elif kind in ("permission", "delivery"):
            self._sheet.show_notice(ours(w.NO_REASON_YET))
        elif self._prompt.source == "tool":  # M47 quotes the reply, so it can't be empty
            self._sheet.show_notice(ours(w.REPLY_EMPTY))
        elif self._sheet.press.again("wordless"):
            self._sheet.answer(Replied(text=None))
        else:
            self._sheet.show_notice(ours(w.REPLY_EMPTY_OK))

    def _send_edit(self) -> None:
        if not self.edit.value.strip():
            self.edit.put("")
            self._sheet.stop_writing()
            self._sheet.show_notice(ours(w.EMPTIED))
            return
        try:
            arguments = read_object(self.edit.value)
        except JsonProblem as problem:
            self._misread(problem)
        else:
            self._sheet.answer(Edited(arguments=arguments))

    def _misread(self, problem: JsonProblem) -> None:
        """Show the mistake in the arguments, and move the cursor there."""
        what = Foreign(problem.message)
        if problem.line is None or problem.column is None:
            self._sheet.show_notice(ours(w.NOT_JSON_SOMEWHERE, problem=what))
        else:
            self.edit.show_place(problem.line, problem.column)
            self._sheet.show_notice(ours(w.NOT_JSON, line=problem.line, column=problem.column, problem=what))

    # Drafts

    def edited(self) -> str | None:
        """Return the edited arguments; None when untouched."""
        text = self.edit.value
        return None if not text or text == self._laid_out else text

    def kept_fields(self) -> list[tuple[str, Field]]:
        """The fields whose pastes a draft remembers, each with the draft's name for it."""
        return [("reply", self.reply), ("note", self.note)]

    def restore(self, draft: Draft) -> None:
        """Restore the unsent texts."""
        self.reply.restore(draft.reply, draft.places("reply"))
        self.note.restore(draft.note, draft.places("note"))
        if draft.edit is not None:
            self.edit.put(draft.edit)

"""What is said beside a plain answer: a reply in words, a note, edited arguments (R182, R97b, R87; asking.md E31).

Text stays when its field is left. Nothing empty is sent: an emptied editor leads back to the choice, and a tool's
question takes no reply without words.
"""

from __future__ import annotations

from jp_tui.conversation.strict_json import Json, JsonProblem
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import Answered, Edited, PartsTaken, Replied, Response
from jp_tui.questions.types import SecretAnswer
from jp_tui.ui.sheets.fields import JsonField
from jp_tui.ui.sheets.hearing import Hearing
from jp_tui.ui.sheets.hints import Hint
from jp_tui.ui.sheets.json_text import read_object
from jp_tui.ui.text import ours
from jp_tui.view.questions.offered_prompt import is_offered
from jp_tui.view.wording import questions as w


class Saying(Hearing):
    """Fields beside the answer."""

    @property
    def may_reply(self) -> bool:
        """Whether words may come instead of an answer."""
        return "reply" in self.prompt.controls

    @property
    def may_note(self) -> bool:
        """Whether a note may go along: with a tool's question (R182), never beside a secret or to another process."""
        alone = isinstance(self.prompt.question.answer_type, SecretAnswer) or is_offered(self.prompt)
        return self.prompt.kind == "question" and self.prompt.source == "tool" and not alone

    @property
    def may_edit(self) -> bool:
        """Whether the call's arguments may be edited."""
        return "edit" in self.prompt.controls

    def action_reply(self) -> None:
        if self.may_reply:
            self.write(self.reply)

    def action_note(self) -> None:
        if self.may_note:
            self.write(self.note)

    def action_edit(self) -> None:
        """The arguments in a field, as they were left the last time."""
        if not self.may_edit:
            return
        try:
            if not self.edit.value:
                self.edit.put(self.laid_out)
        except JsonProblem as problem:
            self.say(ours(w.NO_ARGUMENTS, problem=Foreign(problem.message)))
            return
        self.write(self.edit)

    def side(self) -> bool:
        """Enter in one of these fields; says whether it was one."""
        if self.writing is self.reply:
            self._send_reply()
        elif self.writing is self.note:
            self.stop_writing()
        elif self.writing is self.edit:
            self._send_edit()
        else:
            return False
        return True

    def side_hints(self) -> list[Hint] | None:
        """The keys of the one that is written in."""
        sends = Hint("enter", "sends the reply", "accept", keep=True)
        if self.writing is self.note:
            sends = Hint("enter", "keeps the note", "accept", keep=True)
        elif self.writing is self.edit:
            sends = Hint("enter", "runs with these", "accept", keep=True)
        elif self.writing is not self.reply:
            return None
        return [
            sends, Hint("ctrl+j", "new line", "new_line"), Hint("ctrl+g", "editor", "editor"),
            Hint("esc", "back, text kept", "leave", keep=True),
        ]  # fmt: skip

    def answered(self, value: Json, *, remember: bool = False, parts: PartsTaken | None = None) -> None:
        """An answer, with the note beside it, and which parts of what is asked it takes (R251)."""
        note = self.note.value.strip() if self.may_note else ""
        self.answer(Answered(value=value, remember=remember, note=note, parts=parts))

    def replied(self, text: str) -> Response:
        """What a reply in words comes to."""
        return Replied(text=text)

    def _send_reply(self) -> None:
        text = self.reply.value.strip()
        if text:
            self.answer(self.replied(text))
        elif self.prompt.kind in ("permission", "delivery"):
            self.say(ours(w.NO_REASON_YET))
        elif self.prompt.source == "tool":  # M47 quotes the words, so there must be some
            self.say(ours(w.REPLY_EMPTY))
        elif self.again("wordless"):
            self.answer(Replied(text=None))
        else:
            self.say(ours(w.REPLY_EMPTY_OK))

    def _send_edit(self) -> None:
        if not self.edit.value.strip():
            self.edit.put("")
            self.stop_writing()
            self.say(ours(w.EMPTIED))
            return
        try:
            arguments = read_object(self.edit.value)
        except JsonProblem as problem:
            self.misread(self.edit, problem)
        else:
            self.answer(Edited(arguments=arguments))

    def misread(self, field: JsonField, problem: JsonProblem) -> None:
        """Say what is wrong with a JSON text, and go there."""
        what = Foreign(problem.message)
        if problem.line is None or problem.column is None:
            self.say(ours(w.NOT_JSON_SOMEWHERE, problem=what))
        else:
            field.show_place(problem.line, problem.column)
            self.say(ours(w.NOT_JSON, line=problem.line, column=problem.column, problem=what))

"""What is typed in a sheet: which field has the keys, what of it is kept as a draft (E24, R187, traps.md T5).

A field gets the focus only from here, never by itself or by a click alone. Text stays when a field is left. It
decides nothing: what Enter means is `sheet.py`'s.
"""

from __future__ import annotations

from textual import on

from jp_tui.protocol.values import PromptRequest
from jp_tui.ui.sheets.field import Field, Gate
from jp_tui.ui.sheets.frame import Frame, Mode
from jp_tui.ui.sheets.json_text import laid_out, read_object
from jp_tui.ui.sheets.messages import DraftChanged, EditorWanted, Grew
from jp_tui.view.questions.drafts import Draft

SAVE_AFTER = 0.2
"""Seconds after a change until the draft is passed on (E24 allows 0.3)."""


class Writing(Frame):
    """The fields of a sheet."""

    def __init__(self, prompt: PromptRequest, *, gate: Gate) -> None:
        super().__init__(prompt, gate=gate)
        self.kept = Draft()
        self._saved = Draft()
        self._saving = False
        self._laid_out: str | None = None

    def on_mount(self) -> None:
        self.restore(self.kept)

    def typed(self) -> str | None:
        """The answer's text as far as it was typed, None when untouched."""
        return None

    def restore(self, draft: Draft) -> None:
        """Give back what was typed before."""
        self._saved = draft
        self.reply.put_again(draft.reply, draft.places("reply"))
        self.note.put_again(draft.note, draft.places("note"))
        if draft.edit is not None:
            self.edit.put(draft.edit)
        self.show()

    @property
    def laid_out(self) -> str:
        """The call's arguments as they stand in the editor before anything is changed; JsonProblem if they cannot."""
        if self._laid_out is None:
            self._laid_out = laid_out(read_object(self.prompt.arguments.raw))
        return self._laid_out

    def edited(self) -> str | None:
        """The edited arguments as far as they were changed, None when untouched."""
        text = self.edit.value
        return None if not text or text == self._laid_out else text

    def asked_aside(self) -> str:
        """What was to be asked aside and was not yet."""
        return ""

    def write(self, field: Field) -> None:
        """Give a field the keys."""
        self.writing = field
        self.turn("write")

    def stop_writing(self) -> None:
        """Take them back; the text stays."""
        self.writing = None
        self.turn("answer")

    def turn(self, mode: Mode) -> None:
        self.mode = mode
        self.show()

    def pasted(self, text: str) -> None:
        """A paste while no field is written in: it never answers, and it is not thrown away (E11)."""
        if "reply" in self.prompt.controls:
            self.write(self.reply)
            self.reply.insert_text(text)

    def action_new_line(self) -> None:
        if self.writing is not None:
            self.writing.insert_text("\n")

    def action_editor(self) -> None:
        """The field's text in the user's own editor; the dock knows how to leave the screen for it."""
        if self.writing is not None:
            self.post_message(EditorWanted(self.writing))

    @on(Field.Clicked)
    def _field_clicked(self, event: Field.Clicked) -> None:
        event.stop()
        if self.gate.click():
            self.write(event.field)

    @on(Field.Edited)
    def _edited(self, event: Field.Edited) -> None:
        event.stop()
        self.post_message(Grew())
        self.changed()

    def changed(self) -> None:
        """Something is there that was not there before; it becomes a draft soon."""
        if not self._saving:
            self._saving = True
            self.set_timer(SAVE_AFTER, self._save)

    @property
    def draft(self) -> Draft:
        """What is typed and not sent."""
        places = tuple((name, *place) for name, field in self.kept_fields() for place in field.places)
        return Draft(self.typed(), self.reply.value, self.note.value, self.edited(), self.asked_aside(), places)

    def kept_fields(self) -> list[tuple[str, Field]]:
        """The fields whose pastes are folded again when a draft comes back, each with the draft's name for it."""
        return [("reply", self.reply), ("note", self.note)]

    def _save(self) -> None:
        self._saving = False
        draft = self.draft
        if not self.done and draft != self._saved:
            self._saved = draft
            self.post_message(DraftChanged(self.prompt, draft))

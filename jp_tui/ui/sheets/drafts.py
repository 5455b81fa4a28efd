"""The draft of a sheet: unsent input, saved soon after each change and restored (E24, R187).

It holds no text of its own but the last saved state. A secret is in no draft: its area excludes it.
"""

from __future__ import annotations

from collections.abc import Callable

from jp_tui.ui.sheets.area import AnswerArea
from jp_tui.ui.sheets.messages import SheetDraftChanged
from jp_tui.ui.sheets.port import SheetPort
from jp_tui.ui.sheets.reply_fields import ReplyFields
from jp_tui.ui.sheets.side_question import SideQuestion
from jp_tui.view.questions.drafts import Draft

SAVE_AFTER = 0.2
"""Seconds after a change until the draft is saved (E24 allows 0.3)."""


class SheetDraft:
    """Reads, saves and restores the draft of one sheet."""

    def __init__(
        self,
        sheet: SheetPort,
        area: AnswerArea,
        side: ReplyFields,
        talk: SideQuestion,
        later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        """`later` calls a function after some seconds."""
        self._sheet, self._area, self._side, self._talk, self._later = sheet, area, side, talk, later
        self._saved = Draft()
        self._saving = False

    @property
    def current(self) -> Draft:
        """The unsent input."""
        fields = [*self._area.body.kept_fields(), *self._side.kept_fields()]
        places = tuple((name, *place) for name, field in fields for place in field.places)
        edited = self._area.edited_text() or self._side.edited()
        return Draft(
            self._area.typed(), self._side.reply.value, self._side.note.value, edited, self._talk.field.value, places
        )

    def restore(self, draft: Draft) -> None:
        """Restore the answer and the fields beside it."""
        self._saved = draft
        self._side.restore(self._area.restore(draft))

    def changed(self) -> None:
        """Save soon."""
        if not self._saving:
            self._saving = True
            self._later(SAVE_AFTER, self._save)

    def _save(self) -> None:
        self._saving = False
        draft = self.current
        if not self._sheet.done and draft != self._saved:
            self._saved = draft
            self._sheet.post_message(SheetDraftChanged(self._sheet.prompt, draft))

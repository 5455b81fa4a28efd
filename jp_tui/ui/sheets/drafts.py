"""The draft of a sheet: what is typed and not sent, saved soon after each change and restored (E24, R187).

It holds no text of its own but the last saved state. A secret is in no draft: its area says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jp_tui.ui.sheets.messages import SheetDraftChanged
from jp_tui.view.questions.drafts import Draft

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

SAVE_AFTER = 0.2
"""Seconds after a change until the draft is posted (E24 allows 0.3)."""


class SheetDraft:
    """Reads, saves and restores the draft of one sheet."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._saved = Draft()
        self._saving = False

    @property
    def current(self) -> Draft:
        """What is typed and not sent."""
        sheet = self._sheet
        fields = [*sheet.area.body.kept_fields(), *sheet.side.kept_fields()]
        places = tuple((name, *place) for name, field in fields for place in field.places)
        edited = sheet.area.edited_text() or sheet.side.edited()
        return Draft(
            sheet.area.typed(), sheet.side.reply.value, sheet.side.note.value, edited, sheet.talk.field.value, places
        )

    def restore(self, draft: Draft) -> None:
        """Put back what was typed before."""
        self._saved = draft
        rest = self._sheet.area.restore(draft)
        self._sheet.side.restore(rest)
        self._sheet.show()
        self._sheet.talk.restore(rest)

    def changed(self) -> None:
        """Save soon: something is there that was not there before."""
        if not self._saving:
            self._saving = True
            self._sheet.set_timer(SAVE_AFTER, self._save)

    def _save(self) -> None:
        self._saving = False
        draft = self.current
        if not self._sheet.done and draft != self._saved:
            self._saved = draft
            self._sheet.post_message(SheetDraftChanged(self._sheet.prompt, draft))

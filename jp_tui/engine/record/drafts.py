"""Unsent text, kept beside the log so that it is there after a restart (asking.md E6, E24).

A conversation in which nothing was said yet has an id that nobody will ask for again: what was typed there is kept
for the workspace, and the next new conversation gets it. It moves along when something is said.
"""

from __future__ import annotations

import asyncio

from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import JournalError, Receipt
from jp_tui.protocol.events import StorageFailed

COMPOSER = "composer"
FOLDS = "composer.folds"
"""What is folded of the composer's text, opaque to us."""
QUEUE = "queue"
"""What is to be said after the turn that runs (`message_queue.py`); it outlasts the turn."""


NOT_KEPT = "What you type is not kept beyond this program until there is room again; send it, or copy it."


class ConversationDrafts:
    """The drafts of one conversation, by key. One that cannot be kept ends nothing, and the user is told, once."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._shelf = log.id if log.exists else f"new:{log.setup.workspace}"
        self._held: dict[str, str] = {}
        self._writing: set[asyncio.Task[None]] = set()
        self._told = False

    def all(self) -> dict[str, str]:
        """By key: `composer`, or an inquiry's id. Raises JournalError."""
        self._held = self._log.setup.journal.drafts(self._shelf)
        return dict(self._held)

    def save(self, key: str, text: str) -> None:
        """Keep it; an empty text forgets it."""
        journal, text = self._log.setup.journal, storable(text)
        try:
            if text:
                self._held[key] = text
                self._watch(journal.save_draft(self._shelf, key, text), lost=True)
            else:
                self._held.pop(key, None)
                self._watch(journal.clear_draft(self._shelf, key), lost=False)
        except JournalError:  # it is closed: the program ends
            return

    def _watch(self, receipt: Receipt[None], *, lost: bool) -> None:
        """Find out later whether it was kept; `lost`: words would be, if not."""

        async def watch() -> None:
            try:
                await receipt
            except JournalError as problem:
                if lost and not self._told:
                    self._told = True
                    self._log.publish(StorageFailed(message=str(problem), advice=NOT_KEPT))
            else:
                self._told = self._told and not lost  # what was forgotten says nothing about the next that is kept

        task = asyncio.create_task(watch())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    def begun(self) -> None:
        """Something is said: from now on the conversation has drafts of its own, and no prompt of before waits."""
        for key in [key for key in self._held if key not in (COMPOSER, FOLDS, QUEUE)]:
            self.save(key, "")
        if self._shelf == self._log.id:
            return
        held = dict(self._held)
        for key in held:
            self.save(key, "")
        self._shelf = self._log.id
        for key, text in held.items():
            self.save(key, text)

    def keep_words(self, *texts: str) -> None:
        """What was to be said when the program ended goes before what stands in the composer."""
        stands, new = self._held.get(COMPOSER, ""), "\n\n".join(text for text in texts if text.strip())
        if not new or f"{stands}\n\n".startswith(f"{new}\n\n"):  # whoever tries again and again fills no draft
            return
        self.save(COMPOSER, f"{new}\n\n{stands}" if stands.strip() else new)

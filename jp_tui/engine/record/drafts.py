"""Unsent text, stored beside the log so that it survives a restart (asking.md E6, E24).

An empty conversation's id is never requested again, so its text is stored for the workspace and passed to the next new
conversation. It moves once something is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from jp_tui.engine.record.event_codec import storable
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import JournalError, Receipt
from jp_tui.protocol.events import StorageFailed

COMPOSER = "composer"
FOLDS = "composer.folds"
"""Folded parts of the composer's text, opaque here."""
QUEUE = "queue"
"""Messages to send after the running turn (`message_queue.py`); they outlast the turn."""


NOT_KEPT = "Your draft is lost if you quit now. Send it, copy it, or free disk space."


class ConversationDrafts:
    """Drafts of one conversation, by key. A failed write ends nothing; the user is notified once."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._shelf = log.id if log.exists else f"new:{log.setup.workspace}"
        self._held: dict[str, str] = {}
        self._writing: set[asyncio.Task[None]] = set()
        self._told = False

    def all(self) -> dict[str, str]:
        """Return drafts by key: `composer`, or an inquiry's id. Raises JournalError."""
        self._held = self._log.setup.journal.drafts(self._shelf)
        return dict(self._held)

    def get(self, key: str) -> str:
        """Return a draft. Raises JournalError."""
        return (self._held or self.all()).get(key, "")

    async def keep(self, key: str, text: str) -> None:
        """Save it, and return once it is stored. Raises JournalError."""
        journal, text = self._log.setup.journal, storable(text)
        await (journal.save_draft(self._shelf, key, text) if text else journal.clear_draft(self._shelf, key))
        if text:
            self._held[key] = text
        else:
            self._held.pop(key, None)

    def save(self, key: str, text: str) -> None:
        """Save it; an empty text deletes it."""
        journal, text = self._log.setup.journal, storable(text)
        try:
            if text:
                self._held[key] = text
                self._watch(journal.save_draft(self._shelf, key, text), lost=True)
            else:
                self._held.pop(key, None)
                self._watch(journal.clear_draft(self._shelf, key), lost=False)
        except JournalError:  # closed: the program is ending
            return

    def _watch(self, receipt: Receipt[None], *, lost: bool) -> None:
        """Check later whether it was stored; `lost`: text is lost if not."""

        async def watch() -> None:
            try:
                await receipt
            except JournalError as problem:
                self._failed(str(problem), lost=lost)
            else:
                self._told = self._told and not lost  # a failed deletion says nothing about the next write

        self._follow(watch())

    def _follow(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    def _failed(self, message: str, *, lost: bool) -> None:
        """Tell the user once that a draft isn't stored; `lost`: its text is lost by that."""
        if lost and not self._told:
            self._told = True
            self._log.publish(StorageFailed(message=message, advice=NOT_KEPT))

    def store_lost(self, sent: str) -> None:
        """The store's server is out of reach; `sent` is a message that isn't recorded yet."""

    async def store_back(self) -> dict[str, str]:
        """The store answers again: return drafts of it that the front end doesn't know. Raises JournalError."""
        return {}

    def begun(self) -> None:
        """The first message was sent: the conversation has its own drafts from now on, and no earlier prompt waits."""
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
        """Put messages that were unsent at the program's end before the composer's text."""
        stands, new = self._held.get(COMPOSER, ""), "\n\n".join(text for text in texts if text.strip())
        if not new or f"{stands}\n\n".startswith(f"{new}\n\n"):  # repeated attempts must not add it again
            return
        self.save(COMPOSER, f"{new}\n\n{stands}" if stands.strip() else new)

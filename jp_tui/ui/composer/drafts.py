"""Saves drafts to the log: of the composer and of every open answer (asking.md E6, E24).

Saves within 0.3 s of the first change, however long the user keeps typing, and at once on request. It keeps no text: a
draft is read when it is saved, so that a megabyte is not copied at every key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jp_tui.protocol.commands import SaveDraft

DELAY = 0.25
"""Seconds from the first change to the save; E24 allows 0.3 for all of it."""
COMPOSER = "composer"
FOLDS = "composer.folds"
OWN = (COMPOSER, FOLDS, "queue")
"""Keys of the composer; all others are ids of questions."""


class DraftStore:
    """`send` sends a command; `later` calls back after some seconds."""

    def __init__(
        self, *, send: Callable[[SaveDraft], None], later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self._send = send
        self._later = later
        self._waiting: dict[tuple[str, str], Callable[[], str]] = {}
        self._saved: dict[tuple[str, str], str] = {}
        self._armed = False

    def loaded(self, conversation: str, drafts: dict[str, str]) -> None:
        """Note the drafts in the log; they need not be saved again."""
        self._saved.update({(conversation, key): text for key, text in drafts.items()})

    def changed(self, conversation: str, key: str, text: Callable[[], str]) -> None:
        """Save a draft soon; `text` returns it as it is then."""
        if not conversation:
            return
        self._waiting[conversation, key] = text
        if not self._armed:
            self._armed = True
            self._later(DELAY, self.flush)

    def discard(self, conversation: str, key: str) -> None:
        """Delete a draft now: it was sent, or its question is closed."""
        self.changed(conversation, key, str)
        self.flush()

    def flush(self) -> None:
        """Save all changed drafts now."""
        from jp_tui.protocol.commands import SaveDraft

        self._armed = False
        waiting, self._waiting = self._waiting, {}
        for (conversation, key), text in waiting.items():
            said = text()
            if said != self._saved.get((conversation, key), ""):
                self._saved[conversation, key] = said
                self._send(SaveDraft(conversation=conversation, key=key, text=said))

"""Unsent text on its way to the log: of the composer and of every open answer (asking.md E6, E24).

Saves within 0.3 s of the first change, however long the typing goes on, and at once when asked to. It holds no
text itself: what is saved is read when it is saved, so that a megabyte is not put together at every key.
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
"""Keys that are no question's."""


class Drafts:
    """`send` hands a command over, `later` calls back after some seconds."""

    def __init__(
        self, *, send: Callable[[SaveDraft], None], later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self._send = send
        self._later = later
        self._waiting: dict[tuple[str, str], Callable[[], str]] = {}
        self._saved: dict[tuple[str, str], str] = {}
        self._armed = False

    def loaded(self, conversation: str, drafts: dict[str, str]) -> None:
        """What the log holds already; it need not be saved again."""
        self._saved.update({(conversation, key): text for key, text in drafts.items()})

    def changed(self, conversation: str, key: str, text: Callable[[], str]) -> None:
        """The text of `key` changed; `text` gives the newest when it is saved."""
        if not conversation:
            return
        self._waiting[conversation, key] = text
        if not self._armed:
            self._armed = True
            self._later(DELAY, self.flush)

    def over(self, conversation: str, key: str) -> None:
        """Nothing is to be kept any more: it was sent, or its question is gone."""
        self.changed(conversation, key, str)
        self.flush()

    def flush(self) -> None:
        """Save what changed, now."""
        from jp_tui.protocol.commands import SaveDraft

        self._armed = False
        waiting, self._waiting = self._waiting, {}
        for (conversation, key), text in waiting.items():
            said = text()
            if said != self._saved.get((conversation, key), ""):
                self._saved[conversation, key] = said
                self._send(SaveDraft(conversation=conversation, key=key, text=said))

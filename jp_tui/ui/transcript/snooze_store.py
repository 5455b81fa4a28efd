"""Snoozed questions, saved with their drafts so that they stay snoozed after a restart (E51).

`view/questions/inbox.py` decides when a snooze ends. A saved snooze counts only for a question that is asked for the
first time in this run.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time

from jp_tui.protocol.values import PromptRequest
from jp_tui.view.questions.queue import Key, key_of
from jp_tui.view.questions.snooze import Snooze, packed, unpacked


class SnoozeStore:
    """`save` saves a text for a question; `wall` returns seconds since 1970."""

    def __init__(self, *, save: Callable[[Key, str], None], wall: Callable[[], float] = time) -> None:
        self._save, self._wall = save, wall
        self._drafts: dict[Key, str] = {}
        self._snoozed: dict[Key, Snooze] = {}
        self._known: set[Key] = set()

    def draft_changed(self, key: Key, text: str) -> None:
        """Save the draft of an answer."""
        self._drafts[key] = text
        self._save_both(key)

    def snooze(self, prompt: PromptRequest, seconds: float | None) -> None:
        """Save that a question is snoozed for so long, with None until nothing else waits."""
        key = key_of(prompt)
        self._snoozed[key] = Snooze(None if seconds is None else self._wall() + seconds, prompt.digest)
        self._save_both(key)

    def unsnooze(self, key: Key) -> None:
        """Save that a question waits like any other."""
        if self._snoozed.pop(key, None) is not None:
            self._save_both(key)

    def asked(self, prompt: PromptRequest, saved: str) -> tuple[str, bool, float | None]:
        """Read the saved draft and snooze of a question that is asked.

        Return the draft, True if it is still snoozed, and for how many seconds (None: until nothing else waits).
        """
        key, (text, off) = key_of(prompt), unpacked(saved)
        if key in self._known:
            return text, False, None
        self._known.add(key)
        self._drafts[key] = text
        left = None if off is None or off.until is None else off.until - self._wall()
        if off is None or off.digest != prompt.digest or (left is not None and left <= 0):
            return text, False, None
        self._snoozed[key] = off
        return text, True, left

    def forget_settled(self, key: Key) -> None:
        """Forget a question that no longer waits."""
        self._drafts.pop(key, None)
        self._snoozed.pop(key, None)
        self._known.discard(key)

    def _save_both(self, key: Key) -> None:
        self._save(key, packed(self._drafts.get(key, ""), self._snoozed.get(key)))

"""What was put off, kept in the database with the drafts of the questions: a restart does not bring it all back (E51).

It decides nothing about when something is back; `inbox.py` of the view does. Only what is asked for the first time in
this run is put off again by what was kept.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time

from jp_tui.protocol.values import PromptRequest
from jp_tui.view.questions.queue import Key, key_of
from jp_tui.view.questions.snooze import Off, packed, unpacked


class Snoozes:
    """`save` keeps a text for a question; `wall` gives seconds since 1970."""

    def __init__(self, *, save: Callable[[Key, str], None], wall: Callable[[], float] = time) -> None:
        self._save, self._wall = save, wall
        self._typed: dict[Key, str] = {}
        self._off: dict[Key, Off] = {}
        self._known: set[Key] = set()

    def typed(self, key: Key, text: str) -> None:
        """What is typed for a question has changed."""
        self._typed[key] = text
        self._keep(key)

    def put_off(self, prompt: PromptRequest, seconds: float | None) -> None:
        """A question was put off for so long, with None until nothing else waits."""
        key = key_of(prompt)
        self._off[key] = Off(None if seconds is None else self._wall() + seconds, prompt.digest)
        self._keep(key)

    def back(self, key: Key) -> None:
        """It waits like any other again."""
        if self._off.pop(key, None) is not None:
            self._keep(key)

    def came(self, prompt: PromptRequest, draft: str) -> tuple[str, bool, float | None]:
        """A question is asked, with what was kept of it: what was typed, whether it is still put off, and for how many
        seconds more."""
        key, (text, off) = key_of(prompt), unpacked(draft)
        if key in self._known:
            return text, False, None
        self._known.add(key)
        self._typed[key] = text
        left = None if off is None or off.until is None else off.until - self._wall()
        if off is None or off.digest != prompt.digest or (left is not None and left <= 0):
            return text, False, None
        self._off[key] = off
        return text, True, left

    def over(self, key: Key) -> None:
        """It is settled."""
        self._typed.pop(key, None)
        self._off.pop(key, None)
        self._known.discard(key)

    def _keep(self, key: Key) -> None:
        self._save(key, packed(self._typed.get(key, ""), self._off.get(key)))

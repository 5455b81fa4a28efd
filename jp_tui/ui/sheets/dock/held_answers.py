"""Answers by a key, held a moment in case the key was the first of a paste (asking.md E11).

A terminal without paste brackets sends a paste as keys. The first of them may answer before the second is read, so an
answer by a key is held for HOLD; when more comes that close, nothing is answered and the text goes to the composer.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from jp_tui.view.questions.queue import Key

HOLD = 0.03
"""Seconds for which an answer by a key waits for more of the same burst before it leaves."""


class HeldAnswers:
    """Holds one answer for a moment."""

    def __init__(self, later: Callable[[float, Callable[[], None]], object], send: Callable[[Message], object]) -> None:
        """`later` calls a function after some seconds."""
        self._later, self._send = later, send
        self._held: tuple[Message, Key] | None = None  # the message to send, and its question
        self._revoked: set[Key] = set()

    @property
    def empty(self) -> bool:
        """True if no answer is held."""
        return self._held is None

    def hold(self, answer: Message, key: Key, *, by_key: bool) -> bool:
        """Send an answer: at once by a click, else when nothing follows close behind its key. Return False if it was
        recalled before."""
        if key in self._revoked:
            self._revoked.discard(key)
            return False
        if by_key:
            self._held = answer, key
            self._later(HOLD, self._release)
        else:
            self._send(answer)
        return True

    def _release(self) -> None:
        if self._held is not None:
            self._send(self._held[0])
        self._held = None

    def recall(self, key: Key, *, coming: bool) -> bool:
        """Revoke the answer to a question. Return False if it left already. `coming`: the sheet has posted it, and
        `hold` was not called for it yet."""
        if self._held is not None and self._held[1] == key:
            self._held = None
        elif coming:
            self._revoked.add(key)
        else:
            return False
        return True

"""What the workspace says by itself: a few words in the last line for a moment, or something to know above it.

A part of `WorkspaceScreen`. It decides no words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer

from jp_tui.ui.widgets.footer import KeyBar

if TYPE_CHECKING:
    from textual.screen import Screen

    from jp_tui.ui.screens.exchange import Exchange

    _Part = Screen[None]
else:
    _Part = object


class Telling(_Part):
    """The screen's own words."""

    _exchange: Exchange | None
    _unsay: Timer | None = None

    def say(self, words: Content, seconds: float = 3.0) -> None:
        """A few words in the last line, for a moment."""
        if not self.is_mounted:
            return
        if self._unsay is not None:
            self._unsay.stop()
        self.query_one(KeyBar).notice = words
        self._unsay = self.set_timer(seconds, self._unsaid)

    def note(self, words: str, advice: str = "") -> None:
        """Something to know, until it is put away."""
        if self._exchange is not None and self._exchange.is_mounted:
            self._exchange.note(words, advice)

    def _unsaid(self) -> None:
        self.query_one(KeyBar).notice = None

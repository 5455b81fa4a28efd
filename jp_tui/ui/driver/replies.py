"""What a terminal answers to a question about itself, taken out of what is typed before anybody sees it.

Textual's parser does not know these answers and would type them into whatever has the focus. Pure: text and times in,
text and answers out; nothing is taken out before something was asked, nor after the last answer. It asks nothing.
"""

from __future__ import annotations

import re

from textual.message import Message

_FOCUS = re.compile(r"\x1b\[\?1004;(\d)\$y")
_WHOLE = re.compile(r"\x1b(?:P>\||\]99;)(?P<said>[^\x07\x1b]*)(?:\x1b\\|\x07)")
_BEGUN = re.compile(r"\x1b(?:P>\||\]99;)[^\x07\x1b]{0,512}\x1b?\Z")
_PERHAPS = re.compile(r"\x1b(?:P>?|\]9?9?)\Z")
"""The beginning of an answer, or Alt with that character: the rest is there at once, or it was a key."""
ONE_KEY, BROKEN_OFF = 0.05, 1.0
"""Seconds for which a possible and a sure beginning wait for their rest."""


class TerminalAnswered(Message):
    """What the terminal says of itself: whether it reports its focus (None: it did not say), its name and version, and
    whether it takes OSC 99. The later one holds what the earlier one held."""

    def __init__(self, focus: bool | None, version: str, osc99: bool) -> None:
        super().__init__()
        self.focus, self.version, self.osc99 = focus, version, osc99


class TerminalReplies:
    """`expecting` once something was asked; `focus`, `version` and `osc99` are what was answered so far."""

    def __init__(self) -> None:
        self.expecting = False
        self.focus: bool | None = None
        self.version = ""
        self.osc99 = False
        self._held = ""
        self._until = 0.0

    @property
    def due(self) -> float | None:
        """When `overdue` should be asked; None when nothing is held back."""
        return self._until if self._held else None

    def feed(self, text: str, now: float) -> tuple[str, bool]:
        """What is left for the parser, and whether something was answered. The answer about the focus stays in it:
        the parser knows its form."""
        news = False
        if "$y" in text and (said := _FOCUS.search(text)):
            self.focus, news = said[1] in "13", True
        expects = self.expecting
        if not expects:
            return text, news
        text, self._held = self._held + text, ""
        before = (self.version, self.osc99)
        text = _WHOLE.sub(self._answered, text)
        if self.expecting and (begun := _BEGUN.search(text) or _PERHAPS.search(text)):
            text, self._held = text[: begun.start()], begun.group()
            self._until = now + (ONE_KEY if _PERHAPS.match(self._held) else BROKEN_OFF)
        return text, news or before != (self.version, self.osc99)

    def _answered(self, match: re.Match[str]) -> str:
        if match.group().startswith("\x1b]"):
            self.osc99 = True
        else:  # asked for last, so nothing comes after it
            self.version, self.expecting = match["said"], False
        return ""

    def overdue(self, now: float) -> str:
        """What was held back and is no answer after all; the rest of one that broke off is forgotten."""
        if not self._held or now < self._until:
            return ""
        held, self._held = self._held, ""
        return held if _PERHAPS.match(held) else ""

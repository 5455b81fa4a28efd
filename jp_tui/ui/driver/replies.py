"""Take the terminal's answers about itself out of the input.

Textual's parser doesn't know these answers and would type them into the focused widget. Pure: it takes text and times,
and returns text and answers. Nothing is taken out before a query was sent, nor after the last answer.
"""

from __future__ import annotations

import re

from textual.message import Message

_FOCUS = re.compile(r"\x1b\[\?1004;(\d)\$y")
_WHOLE = re.compile(r"\x1b(?:P>\||\]99;)(?P<said>[^\x07\x1b]*)(?:\x1b\\|\x07)")
_BEGUN = re.compile(r"\x1b(?:P>\||\]99;)[^\x07\x1b]{0,512}\x1b?\Z")
_PERHAPS = re.compile(r"\x1b(?:P>?|\]9?9?)\Z")
"""The beginning of an answer, or Alt with that character: the rest comes at once, or it was a key."""
ONE_KEY, BROKEN_OFF = 0.05, 1.0
"""Seconds for which a possible beginning of an answer, and a certain one, wait for their rest."""


class TerminalAnswered(Message):
    """The terminal answered: if it reports its focus (None: no answer), its name and version, and if it takes OSC 99.

    A later message includes the facts of the earlier ones.
    """

    def __init__(self, focus: bool | None, version: str, osc99: bool) -> None:
        super().__init__()
        self.focus, self.version, self.osc99 = focus, version, osc99


class ReplyParser:
    """`expecting` is set when a query is sent; `focus`, `version` and `osc99` are the answers so far."""

    def __init__(self) -> None:
        self.expecting = False
        self.focus: bool | None = None
        self.version = ""
        self.osc99 = False
        self._held = ""
        self._until = 0.0

    @property
    def due(self) -> float | None:
        """The time for `overdue`; None if nothing is held back."""
        return self._until if self._held else None

    def feed(self, text: str, now: float) -> tuple[str, bool]:
        """Return the text for the parser, and True if there was an answer.

        The answer about the focus stays in the text: the parser knows its form.
        """
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
        else:  # the query ends with this, so no answer comes after it
            self.version, self.expecting = match["said"], False
        return ""

    def overdue(self, now: float) -> str:
        """Return held text that isn't an answer after all. An answer that broke off is dropped."""
        if not self._held or now < self._until:
            return ""
        held, self._held = self._held, ""
        return held if _PERHAPS.match(held) else ""

"""Between a sheet in which somebody asks back and whoever answers: words out, words in (asking.md E30).

Passes on; keeps nothing. A refusal ends the one question that waits, since a refusal names none.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.message import Message

from jp_tui.conversation.text import Foreign
from jp_tui.ui.sheets import messages
from jp_tui.ui.sheets.judging import Judging


class Talking(Judging):
    """Passes side questions on, and what is said to them back."""

    @dataclass
    class AsideAsked(Message):
        """A side question about an open one; `said` and `said_all` bring what comes of it."""

        conversation: str
        inquiry: str
        text: str

    @dataclass
    class AsideSent(Message):
        """What was said aside goes along with the results, or with `send` false stays aside."""

        conversation: str
        inquiry: str
        send: bool

    def said(self, inquiry: str, text: Foreign) -> None:
        """More of an answer to a side question."""
        sheet = self._sheets.get(inquiry)
        if sheet is not None:
            sheet.said(text)

    def said_all(self, inquiry: str, broken: str = "") -> None:
        """A side question is over; `broken` says why, when it broke off. An empty inquiry means whichever waits."""
        for name, sheet in self._sheets.items():
            if inquiry in ("", name):
                sheet.said_all(broken)

    @on(messages.AsideAsked)
    def _aside_asked(self, event: messages.AsideAsked) -> None:
        event.stop()
        self.post_message(self.AsideAsked(self._conversation_of(event.inquiry), event.inquiry, event.text))

    @on(messages.AsideSent)
    def _aside_sent(self, event: messages.AsideSent) -> None:
        event.stop()
        self.post_message(self.AsideSent(self._conversation_of(event.inquiry), event.inquiry, event.send))

    def _conversation_of(self, inquiry: str) -> str:
        return next((one.conversation for one in self._queue.prompts if one.inquiry == inquiry), "")

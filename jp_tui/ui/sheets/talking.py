"""Between a sheet in which somebody asks back and whoever answers: words out, words in (asking.md E30).

Passes on; keeps only what the log said of talks in an earlier life, for the sheet that is made later. A refusal ends
the one question that waits, since a refusal names none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import StoredEvent
from jp_tui.ui.sheets import messages
from jp_tui.ui.sheets.judging import Judging
from jp_tui.view.questions import side_questions
from jp_tui.view.questions.queue import NONE, Key, key_of

if TYPE_CHECKING:
    from jp_tui.ui.sheets.sheet import Sheet

MOST = 64
"""Questions of which the talk is kept; older ones were answered long ago."""


@dataclass(slots=True)
class Earlier:
    """What the log holds of the talk about one question, by the numbers of its events."""

    said: dict[int, side_questions.Aside] = field(default_factory=dict)
    sends: dict[int, bool] = field(default_factory=dict)

    @property
    def talk(self) -> list[side_questions.Aside]:
        return [one for _, one in sorted(self.said.items())]

    @property
    def along(self) -> bool:
        return bool(self.sends) and self.sends[max(self.sends)]


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

    def __init__(self, *, clock: Callable[[], float], id: str | None = None) -> None:
        super().__init__(clock=clock, id=id)
        self._earlier: dict[Key, Earlier] = {}

    def read(self, conversation: str, events: Sequence[StoredEvent]) -> None:
        """Some of a conversation's log: what was said aside about a question that waits is shown with it (E30)."""
        for one in events:
            event = read_event(one.event) if one.event.get("type") == side_questions.KIND else None
            if not isinstance(event, Unknown):
                continue
            found, wish = side_questions.aside(event), side_questions.sends(event)
            if (inquiry := found.inquiry if found else wish[0] if wish else "") == "":
                continue
            key = conversation, inquiry
            earlier = self._earlier.setdefault(key, Earlier())
            if found:
                earlier.said[one.seq] = found
            elif wish:
                earlier.sends[one.seq] = wish[1]
            if key in self._sheets:
                self._sheets[key].recall(earlier.talk, earlier.along)
        while len(self._earlier) > MOST:
            del self._earlier[next(iter(self._earlier))]

    def made(self, sheet: Sheet) -> None:
        super().made(sheet)
        if (earlier := self._earlier.get(key_of(sheet.prompt))) is not None:
            sheet.recall(earlier.talk, earlier.along)

    def said(self, key: Key, text: Foreign) -> None:
        """More of an answer to a side question."""
        sheet = self._sheets.get(key)
        if sheet is not None:
            sheet.said(text)

    def said_all(self, key: Key = NONE, broken: str = "") -> None:
        """A side question is over; `broken` says why, when it broke off. No key means whichever waits."""
        for name, sheet in self._sheets.items():
            if key in (NONE, name):
                sheet.said_all(broken)

    @on(messages.AsideAsked)
    def _aside_asked(self, event: messages.AsideAsked) -> None:
        event.stop()
        self.post_message(self.AsideAsked(*key_of(event.prompt), event.text))

    @on(messages.AsideSent)
    def _aside_sent(self, event: messages.AsideSent) -> None:
        event.stop()
        self.post_message(self.AsideSent(*key_of(event.prompt), event.send))

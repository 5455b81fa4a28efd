"""Side questions of all sheets: replies on their way to them, and earlier exchanges from the log (asking.md E30).

It keeps only exchanges from the log, for a sheet that is made later. A refusal names no question, so it ends whichever
waits for a reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import StoredEvent
from jp_tui.ui.sheets.dock.sheet_host import SheetHost
from jp_tui.view.questions import side_questions as asides
from jp_tui.view.questions.queue import NONE, Key, key_of

if TYPE_CHECKING:  # a sheet is loaded with the first question
    from jp_tui.ui.sheets.sheet import Sheet

MOST = 64
"""Questions whose exchanges are kept; older ones were answered long ago."""


@dataclass(slots=True)
class RecordedTalk:
    """The logged exchanges of one question, by the numbers of their events."""

    said: dict[int, asides.SideExchangeView] = field(default_factory=dict)
    sends: dict[int, bool] = field(default_factory=dict)

    @property
    def talk(self) -> list[asides.SideExchangeView]:
        return [one for _, one in sorted(self.said.items())]

    @property
    def forwarded(self) -> bool:
        return bool(self.sends) and self.sends[max(self.sends)]


class SideReplies:
    """Passes replies on to the sheets, and earlier exchanges from the log."""

    def __init__(self, host: SheetHost) -> None:
        self._host = host
        self._earlier: dict[Key, RecordedTalk] = {}

    def read(self, conversation: str, events: Sequence[StoredEvent]) -> None:
        """Read a part of a conversation's log: earlier exchanges are shown with their open questions (E30)."""
        for one in events:
            event = read_event(one.event) if one.event.get("type") == asides.KIND else None
            if not isinstance(event, Unknown):
                continue
            found, wish = asides.side_exchange(event), asides.sends(event)
            if (inquiry := found.inquiry if found else wish[0] if wish else "") == "":
                continue
            key = conversation, inquiry
            earlier = self._earlier.setdefault(key, RecordedTalk())
            if found:
                earlier.said[one.seq] = found
            elif wish:
                earlier.sends[one.seq] = wish[1]
            if sheet := self._host.sheet_of(key):
                sheet.side_question.recall(earlier.talk, earlier.forwarded)
        while len(self._earlier) > MOST:
            del self._earlier[next(iter(self._earlier))]

    def made(self, sheet: Sheet) -> None:
        """Show earlier exchanges in a new sheet."""
        if (earlier := self._earlier.get(key_of(sheet.prompt))) is not None:
            sheet.side_question.recall(earlier.talk, earlier.forwarded)

    def received(self, key: Key, text: Foreign) -> None:
        """Show more of a reply to a side question."""
        sheet = self._host.sheet_of(key)
        if sheet is not None:
            sheet.side_question.received(text)

    def ended(self, key: Key = NONE, broken: str = "") -> None:
        """End the reply to a side question; `broken` says why it broke off. No key means whichever waits."""
        for name, sheet in self._host.sheets():
            if key in (NONE, name):
                sheet.side_question.ended(broken)

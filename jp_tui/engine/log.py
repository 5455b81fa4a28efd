"""One conversation's log, open for writing: stamps events, appends them durable, then says so.

Nothing is published before it is on the disk (traps.md T14, inquiries.md R205).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.reading import read_event
from jp_tui.engine.entries import entry, stored_event
from jp_tui.engine.setup import Setup
from jp_tui.journal.port import Stored
from jp_tui.protocol.events import Event, EventAppended

Publish = Callable[[Event], None]


@dataclass(slots=True)
class Log:
    """The conversation `id`. `exists` is false until something is said in a new one; `turn` is the current turn."""

    setup: Setup
    publish: Publish
    id: str
    model: str
    title: str = ""
    exists: bool = False
    turn: int = 0
    known: list[tuple[int, ev.Event]] | None = field(default=None, repr=False)

    async def append(self, events: Sequence[ev.Event], parts: Sequence[str] = (), forget: Sequence[str] = ()) -> None:
        """Add events to the current turn, durable, and report each; `parts[i]` names what event i closes.

        `forget` names streamed parts that end without an event.

        Raises JournalError; then nothing was written.
        """
        if not self.exists:
            await self._create()
        at = timestamp(self.setup.now())
        stamped = [event if isinstance(event, ev.Unknown) else replace(event, timestamp=at) for event in events]
        entries = [entry(event, self.turn, at) for event in stamped]
        closes = [*(part for part in parts if part), *forget]
        numbers = await self.setup.journal.append(self.id, entries, closes_parts=closes)
        for place, (number, event, row) in enumerate(zip(numbers, stamped, entries, strict=True)):
            if self.known is not None:
                self.known.append((self.turn, event))
            part = parts[place] if place < len(parts) else ""
            stored = stored_event(Stored(self.id, number, row))
            self.publish(EventAppended(conversation=self.id, stored=stored, closes=part))

    async def _create(self) -> None:
        journal, at = self.setup.journal, timestamp(self.setup.now())
        workspace = str(self.setup.workspace)
        await journal.create(self.id, workspace=workspace, model=self.model, at=at, title=self.title)
        self.exists = True

    def events(self) -> list[tuple[int, ev.Event]]:
        """All events with their turns, read once and kept up to date."""
        if self.known is None:
            self.known = []
            after = 0
            while page := self.setup.journal.read(self.id, after, 1000) if self.exists else []:
                self.known.extend((item.entry.turn, read_event(stored_event(item).event)) for item in page)
                after = page[-1].seq
        return self.known

    def turn_so_far(self, turn: int) -> list[ev.Event]:
        """The events of one turn."""
        if not self.exists:
            return []
        return [read_event(stored_event(item).event) for item in self.setup.journal.turn_events(self.id, turn)]

"""A conversation's log, open for writing: stamp events, append them durably, then report them.

Nothing is published before it is on the disk (traps.md T14, inquiries.md R205).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.model import Message
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.context_settings import UNTOLD, Briefing, ContextSettings
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.context_facts import ContextFacts
from jp_tui.engine.record.event_codec import IMPORTED_DELTA, entry, stored_event
from jp_tui.engine.record.model_context import History, Standing, spoke
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.protocol.events import Event, EventAppended, TitleChanged
from jp_tui.protocol.values import AgentInfo, StoredEvent, UsageTotals

Publish = Callable[[Event], None]
PAGE = 200
"""Events read at once: a read blocks the engine's loop."""
PIECE = 32
"""The same for events already in memory."""


@dataclass(slots=True)
class Log:
    """The conversation `id`.

    `exists` is false until the first message; `turn` is the current turn. `total` counts the tokens of all finished
    turns. `setup` changes when the settings are loaded again; `secrets` must never appear in output; `uses` counts how
    often a setting answered or permitted since the engine started, by ledger key, for all conversations; `agent` is set
    in a sub-agent's conversation.
    """

    setup: EngineDependencies
    publish: Publish
    id: str
    model: str
    title: str = ""
    exists: bool = False
    turn: int = 0
    total: UsageTotals = field(default_factory=UsageTotals)
    secrets: Secrets = field(default_factory=Secrets, repr=False)
    uses: Counter[str] = field(default_factory=Counter, repr=False)
    agent: AgentInfo | None = None
    attached: tuple[JsonObject, ...] = field(default=(), repr=False)
    """Images for the next message (`image_reading.py`)."""
    briefing: Briefing = UNTOLD
    """System text of this turn's requests after the system prompt (K1, K10)."""
    context: ContextSettings | None = None
    """The settings it was made with; None: no instruction files."""
    _facts: ContextFacts = field(default_factory=ContextFacts, repr=False)
    _deltas: list[JsonObject] = field(default_factory=list, repr=False)
    _history: History | None = field(default=None, repr=False)
    _calls: set[str] = field(default_factory=set, repr=False)
    _spoke: int = -1
    _resumes: bool = False

    async def append(
        self,
        events: Sequence[ev.Event],
        parts: Sequence[str] = (),
        forget: Sequence[str] = (),
        *,
        quiet: bool = False,
    ) -> None:
        """Append events to the current turn durably, and report each; `parts[i]` is the part that event i closes.

        `forget` names streamed parts that end without an event. With `quiet` nothing is reported, for events before a
        front end loads the conversation, and never a settings change. Raises JournalError; nothing was written then.
        """
        if not self.exists:
            await self._create()
        at = timestamp(self.setup.now())
        stamped = [event if isinstance(event, ev.Unknown) else replace(event, timestamp=at) for event in events]
        if self._resumes and stamped:
            stamped[0] = _marked(stamped[0])
        made = [entry(event, self.turn, at) for event in stamped]
        closes = [*(part for part in parts if part), *forget]
        numbers = await self.setup.journal.append(self.id, [row for row, _ in made], closes_parts=closes)
        self._resumes = self._resumes and not stamped
        if spoke(events):
            self._spoke = self.turn
        for place, (number, (_, event)) in enumerate(zip(numbers, made, strict=True)):
            delta = _delta(event)
            if isinstance(event, ev.ToolCallRequest):
                self._calls.add(event.id)
            if self._history is not None:
                self._history.add(self.turn, event)
                self._facts.add(self.turn, event)
                self._deltas += [delta] if delta is not None else []
            if not quiet:
                part = parts[place] if place < len(parts) else ""
                stored = StoredEvent(seq=number, turn=self.turn, event=event.wire())
                self.publish(EventAppended(conversation=self.id, stored=stored, closes=part))

    async def _create(self) -> None:
        journal, at = self.setup.journal, timestamp(self.setup.now())
        workspace, parent = str(self.setup.workspace), self.agent.parent if self.agent is not None else None
        await journal.create(self.id, workspace=workspace, model=self.model, at=at, title=self.title, parent=parent)
        self.exists = True
        self.publish(TitleChanged(conversation=self.id, title=Foreign(self.title)))

    def held_with(self, model: str) -> None:
        """Switch to this model: it may read other parts of the reasoning."""
        if model != self.model:
            self.model, self._history, self._deltas = model, None, []
            self._facts = ContextFacts()

    @property
    def spoke(self) -> bool:
        """True if the current turn has a record of the model's output."""
        return self._spoke == self.turn

    async def told(self, standing: Standing | None = None) -> tuple[Message, ...]:
        """Return what the model reads, `standing` as in History. The log is read once, in pieces, and then followed."""
        if self._history is None:
            history, facts, deltas, after = History(self.model), ContextFacts(), list[JsonObject](), 0
            while page := self.setup.journal.read(self.id, after, PAGE) if self.exists else []:
                for item in page:
                    event = read_event(stored_event(item).event)
                    history.add(item.entry.turn, event)
                    facts.add(item.entry.turn, event)
                    if isinstance(event, ev.ToolCallRequest):
                        self._calls.add(event.id)
                    ours = item.entry.kind != IMPORTED_DELTA
                    deltas += [delta] if ours and (delta := _delta(event)) is not None else []
                after = page[-1].seq
                await asyncio.sleep(0)
            self._history, self._facts, self._deltas = history, facts, deltas
        return self._history.messages(standing)

    def has_call(self, id_: str) -> bool:
        """True if a call of this conversation has this id (Z1). Await `told` first."""
        return id_ in self._calls

    async def facts(self) -> ContextFacts:
        """What the log says of plan, environment and instruction files."""
        await self.told()
        return self._facts

    async def deltas(self) -> list[JsonObject]:
        """Return the settings changes in the log, in order (R67)."""
        await self.told()
        return list(self._deltas)

    def take_up(self) -> None:
        """Resume the current turn, which has output of the model. The next event is marked (R207)."""
        self._spoke, self._resumes = self.turn, True

    def last_kind(self) -> str:
        """Return the type of the last event; empty if there is none."""
        rows = self.setup.journal.tail(self.id, 1) if self.exists else []
        return rows[0].entry.kind if rows else ""

    def turn_so_far(self, turn: int) -> list[ev.Event]:
        """Return the events of one turn."""
        if not self.exists:
            return []
        return [read_event(stored_event(item).event) for item in self.setup.journal.turn_events(self.id, turn)]

    async def turn_in_pieces(self, turn: int) -> list[ev.Event]:
        """Return the same in pieces, so that a long turn doesn't block other work."""
        stored = self.setup.journal.turn_events(self.id, turn) if self.exists else []
        found: list[ev.Event] = []
        for at in range(0, len(stored), PIECE):
            found += [read_event(stored_event(item).event) for item in stored[at : at + PIECE]]
            await asyncio.sleep(0)
        return found


def _delta(event: ev.Event) -> JsonObject | None:
    """Return the nested settings of a settings change; None for any other event."""
    raw = event.wire()
    found = raw.get("delta")
    return found if raw.get("type") == "config_delta" and isinstance(found, dict) else None


def _marked(event: ev.Event) -> ev.Event:
    """Mark the first event of a resumed turn: a reloaded conversation shows the interruption there."""
    if isinstance(event, ev.Unknown):
        return ev.Unknown({**event.raw, "metadata": {**event.metadata, "resumed": True}}, event.problem)
    return replace(event, metadata={**event.metadata, "resumed": True})

"""One conversation's log, open for writing: stamps events, appends them durable, then says so.

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
"""Events that are read in one go: the engine's loop does nothing else meanwhile."""
PIECE = 32
"""The same for those that are already in memory."""


@dataclass(slots=True)
class Log:
    """The conversation `id`. `exists` is false until something is said in a new one; `turn` is the current turn.

    `total` counts the tokens of all finished turns. `setup` changes when the settings are read anew; `secrets` holds
    what nothing of this conversation may show; `uses` how often a setting answered or let a tool run since the engine
    started, by the ledger's keys, of all conversations; `agent` is set for the conversation of a sub-agent.
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
    """Images that go with what is said next (`image_reading.py`)."""
    briefing: Briefing = UNTOLD
    """What the system text of this turn's requests holds behind the system prompt (K1, K10)."""
    context: ContextSettings | None = None
    """The settings it was made with; None: the model is told of no files."""
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
        """Add events to the current turn, durable, and report each; `parts[i]` names what event i closes.

        `forget` names streamed parts that end without an event. With `quiet` nothing is reported: what is appended
        before a face sees the conversation comes to it with the page. A change of configuration never is.

        Raises JournalError; then nothing was written.
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
        """From now on the conversation is held with this model: what it is told of the thoughts of others differs."""
        if model != self.model:
            self.model, self._history, self._deltas = model, None, []
            self._facts = ContextFacts()

    @property
    def spoke(self) -> bool:
        """Whether something of the model was recorded in the current turn."""
        return self._spoke == self.turn

    async def told(self, standing: Standing | None = None) -> tuple[Message, ...]:
        """What the model is told, `standing` as in History. The log is read once, in pieces, and then followed."""
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
        """The changes of configuration that the log holds, in order (R67)."""
        await self.told()
        return list(self._deltas)

    def take_up(self) -> None:
        """The current turn goes on, and something of the model stands in it. The next event says so (R207)."""
        self._spoke, self._resumes = self.turn, True

    def last_kind(self) -> str:
        """The type of the last event; empty when there is none."""
        rows = self.setup.journal.tail(self.id, 1) if self.exists else []
        return rows[0].entry.kind if rows else ""

    def turn_so_far(self, turn: int) -> list[ev.Event]:
        """The events of one turn."""
        if not self.exists:
            return []
        return [read_event(stored_event(item).event) for item in self.setup.journal.turn_events(self.id, turn)]

    async def turn_in_pieces(self, turn: int) -> list[ev.Event]:
        """The same, where the engine's other work and the keys have their turn meanwhile: a turn may be long."""
        stored = self.setup.journal.turn_events(self.id, turn) if self.exists else []
        found: list[ev.Event] = []
        for at in range(0, len(stored), PIECE):
            found += [read_event(stored_event(item).event) for item in stored[at : at + PIECE]]
            await asyncio.sleep(0)
        return found


def _delta(event: ev.Event) -> JsonObject | None:
    """The nested settings of a change of configuration; None for everything else."""
    raw = event.wire()
    found = raw.get("delta")
    return found if raw.get("type") == "config_delta" and isinstance(found, dict) else None


def _marked(event: ev.Event) -> ev.Event:
    """The first event after a turn was taken up: a reloaded conversation says there that it was cut off."""
    if isinstance(event, ev.Unknown):
        return ev.Unknown({**event.raw, "metadata": {**event.metadata, "resumed": True}}, event.problem)
    return replace(event, metadata={**event.metadata, "resumed": True})

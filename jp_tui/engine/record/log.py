"""A conversation's log, open for writing: stamp events, append them durably, then report them.

Nothing is published before it is on the disk (traps.md T14, inquiries.md R205).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.model import EFFORTS, Effort, EffortChoice, Message
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.context_settings import UNTOLD, Briefing, CommandText, ContextSettings
from jp_tui.engine.base.dependencies import EngineDependencies, ModelSetup, ToolSetup
from jp_tui.engine.record.answer_record import Logged
from jp_tui.engine.record.context_facts import ContextFacts
from jp_tui.engine.record.estimate import Estimate
from jp_tui.engine.record.event_codec import IMPORTED_DELTA, entry, signed, stored_event
from jp_tui.engine.record.model_context import History, Standing, has_model_output
from jp_tui.engine.record.overlay import NONE, Numbered, StandingOverlay, standing
from jp_tui.engine.record.rules.record import RuleRecord
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.journal.port import JournalError, Stored
from jp_tui.protocol.events import Event, EventAppended, TitleChanged
from jp_tui.protocol.values import AgentInfo, StoredEvent, UsageTotals
from jp_tui.tools.port import by_agent, loads_skills, submits

Publish = Callable[[Event], None]
SCHEDULE = "schedule"
"""Key of a turn's start: `{name, due}` of the schedule that began it (store.md D23)."""
PAGE = 200
"""Events read at once: a read blocks the engine's loop."""
LOST_SECONDS = 0.5
"""Seconds between two tries to read from a store that is out of reach."""
PIECE = 32
"""The same for events already in memory."""


@dataclass(slots=True)
class Log:
    """The conversation `id`.

    `exists` is false until the first message; `turn` is the current turn. `total` counts the tokens of all finished
    turns. `setup` changes when the settings are loaded again; `secrets` must never appear in output; `uses` counts how
    often a setting answered or permitted since the engine started, by ledger key, for all conversations; `rules` is the
    record of approval rules, for all of them as well; `agent` is set in a sub-agent's conversation. `window` is the
    model's in tokens, if known; `overlay` is what is compacted and `estimate` the server's last count, both right once
    `told` was awaited.
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
    rules: RuleRecord = field(default_factory=lambda: RuleRecord(), repr=False)
    agent: AgentInfo | None = None
    window: int | None = None
    overlay: StandingOverlay = field(default=NONE, repr=False)
    estimate: Estimate = field(default_factory=Estimate, repr=False)
    attached: tuple[JsonObject, ...] = field(default=(), repr=False)
    """Images for the next message (`image_reading.py`)."""
    briefing: Briefing = UNTOLD
    """System text of this turn's requests after the system prompt (K1, K10)."""
    context: ContextSettings | None = None
    """The settings it was made with; None: no instruction files."""
    has_skills: bool = False
    """True if the system text lists skills: then the model has the tool that loads them (K51)."""
    command: CommandText | None = field(default=None, repr=False)
    """The own command that the next message is (K50)."""
    schedule: JsonObject | None = field(default=None, repr=False)
    """The schedule that begins the next turn, as its start records it (store.md D23)."""
    wants_plan: bool | None = None
    """Plan mode that is to begin, or to end, with the next turn: nothing was said here yet."""
    asked: dict[str, list[str]] = field(default_factory=dict, repr=False)
    """The questions of each call of this turn, by their names, in the order of their requests."""
    _facts: ContextFacts = field(default_factory=ContextFacts, repr=False)
    _deltas: list[JsonObject] = field(default_factory=list, repr=False)
    _history: History | None = field(default=None, repr=False)
    _calls: set[str] = field(default_factory=set, repr=False)
    _compactions: list[Numbered] = field(default_factory=list, repr=False)
    _known: bool = False
    _spoke: int = -1
    _asked: int = -1
    _resumes: bool = False

    async def append(
        self,
        events: Sequence[ev.Event],
        parts: Sequence[str] = (),
        forget: Sequence[str] = (),
        *,
        quiet: bool = False,
        accepts: Sequence[int] = (),
    ) -> None:
        """Append events to the current turn durably, and report each; `parts[i]` is the part that event i closes.

        `forget` names streamed parts that end without an event; `accepts` are offers of other processes that these
        events accept. With `quiet` nothing is reported, for events before a
        front end loads the conversation, and never a settings change. Raises JournalError; nothing was written then.
        """
        if not self.exists:
            await self._create()
        at = timestamp(self.setup.now())
        who, machine = self.setup.journal.me(), self.setup.machine
        stamped = [
            event if isinstance(event, ev.Unknown) else signed(replace(event, timestamp=at), who, machine)
            for event in events
        ]
        if self._resumes and stamped:
            stamped[0] = _marked(stamped[0])
        made = [entry(event, self.turn, at) for event in stamped]
        closes = [*(part for part in parts if part), *forget]
        rows = [row for row, _ in made]
        numbers = await self.setup.journal.append(self.id, rows, closes_parts=closes, accepts=accepts)
        self._resumes = self._resumes and not stamped
        if has_model_output(events):
            self._spoke = self.turn
        if any(isinstance(event, ev.ChatRequest) for event in events):
            self._asked = self.turn
        for place, (number, (_, event)) in enumerate(zip(numbers, made, strict=True)):
            delta = _delta(event)
            if isinstance(event, ev.ToolCallRequest):
                self._calls.add(event.id)
            elif isinstance(event, ev.InquiryRequest):
                note_asked(self.asked, event)
            if self._known:
                self._facts.add(self.turn, event)
                self._deltas += [delta] if delta is not None else []
                self._follow(number, event)
            if not quiet:
                part = parts[place] if place < len(parts) else ""
                stored = StoredEvent(seq=number, turn=self.turn, event=event.wire())
                self.publish(EventAppended(conversation=self.id, stored=stored, closes=part))

    def owner(self) -> str:
        """Return the role that owns this conversation in a shared store (store.md D13). Raises JournalError."""
        row = self.setup.journal.conversation(self.id) if self.exists else None
        return row.owner if row is not None and row.owner else self.setup.journal.me()

    async def _create(self) -> None:
        journal, at = self.setup.journal, timestamp(self.setup.now())
        workspace, parent = str(self.setup.workspace), self.agent.parent if self.agent is not None else None
        await journal.create(self.id, workspace=workspace, model=self.model, at=at, title=self.title, parent=parent)
        self.exists = True
        self.publish(TitleChanged(conversation=self.id, title=Foreign(self.title)))

    def _follow(self, number: int, event: ev.Event) -> None:
        """The next event of a log that was read. After a compaction the messages are made again from its place on."""
        if isinstance(event, ev.Compaction | ev.CompactionUndone):
            self._compactions.append((number, event))
            self.overlay, self._history = standing(self._compactions), None
        elif self._history is not None:
            self._history.add(self.turn, event, number)

    def held_with(self, model: str, window: int | None = None) -> None:
        """Switch to this model: it may read other parts of the reasoning, and results of another length."""
        if model != self.model:
            self.estimate = Estimate()
        if (model, window) != (self.model, self.window):
            self.model, self.window, self._history = model, window, None

    @property
    def has_output(self) -> bool:
        """True if the current turn has a record of the model's output."""
        return self._spoke == self.turn

    async def model_messages(self, standing: Standing | None = None) -> tuple[Message, ...]:
        """Return what the model reads, `standing` as in History. The log is read once, in pieces, and then followed."""
        if not self._known:
            await self._read()
        while self._history is None:
            overlay = self.overlay
            history = History(self.model, overlay, self.window)
            for seq, turn, event in self._own():
                history.add(turn, event, seq)
            async for seq, turn, event, _ in self._pieces(overlay.through):
                history.add(turn, event, seq)
            if overlay is self.overlay:
                self._history = history
        return self._history.messages(standing)

    async def _read(self) -> None:
        """All of the log once. Messages are made on the way, as long as no compaction replaces them."""
        history: History | None = History(self.model, NONE, self.window)
        facts, deltas, compactions = ContextFacts(), list[JsonObject](), list[Numbered]()
        async for seq, turn, event, kind in self._pieces(0):
            facts.add(turn, event)
            if isinstance(event, ev.ToolCallRequest):
                self._calls.add(event.id)
            elif isinstance(event, ev.Compaction | ev.CompactionUndone):
                compactions.append((seq, event))
                history = None
            elif kind != IMPORTED_DELTA and (delta := _delta(event)) is not None:
                deltas.append(delta)
            if history is not None:
                history.add(turn, event, seq)
        self._facts, self._deltas, self._compactions, self._history = facts, deltas, compactions, history
        self.overlay, self._known = standing(compactions), True

    async def _patiently(self, read: Callable[..., list[Stored]], *values: int) -> list[Stored]:
        """Read. Where the program waits for a store that is out of reach (store.md D12), the turn waits with it."""
        while self.exists:
            try:
                return read(self.id, *values)
            except JournalError as problem:
                if problem.kind != "offline" or self.setup.spool is None:
                    raise
            await asyncio.sleep(LOST_SECONDS)
        return []

    def _own(self) -> list[Logged]:
        """The user's words of the turn that was compacted within."""
        through = self.overlay.through
        after = self.setup.journal.read(self.id, through, 1) if through else []
        turn = [logged(item) for item in self.setup.journal.turn_events(self.id, after[0].entry.turn)] if after else []
        return [one for one in turn if one[0] <= through and isinstance(one[2], ev.ChatRequest)][:1]

    async def _pieces(self, after: int) -> AsyncIterator[tuple[int, int, ev.Event, str]]:
        """The events after a number, with their turn and the kind under which they are stored."""
        while page := await self._patiently(self.setup.journal.read, after, PAGE):
            for item in page:
                yield *logged(item), item.entry.kind
            after = page[-1].seq
            await asyncio.sleep(0)

    async def each(self) -> AsyncIterator[tuple[int, ev.Event]]:
        """Each event with its number, read in pieces."""
        async for seq, _, event, _ in self._pieces(0):
            yield seq, event

    async def events(self) -> list[Logged]:
        """All of the log, read in pieces."""
        return [(seq, turn, event) async for seq, turn, event, _ in self._pieces(0)]

    def has_call(self, id_: str) -> bool:
        """True if a call of this conversation has this id (Z1). Await `told` first."""
        return id_ in self._calls

    async def facts(self) -> ContextFacts:
        """Return the log's facts about environment and instruction files."""
        if not self._known:
            await self._read()
        return self._facts

    @property
    def planning(self) -> bool:
        """True in plan mode (K41). Await `told` first."""
        return self._facts.planning

    def offered(self, has_skills: bool | None = None) -> tuple[ToolSetup, ...]:
        """Return the tools that the model knows now (K41), or would know with skills (K51). Await `told` first."""
        skills = self.has_skills if has_skills is None else has_skills
        tools = [tool for tool in self.setup.tools.values() if skills or not loads_skills(tool.tool)]
        tools = [tool for tool in tools if not by_agent(tool.tool)]
        if self.planning:
            return tuple(tool for tool in tools if tool.read_only)
        return tuple(tool for tool in tools if not submits(tool.tool))

    async def deltas(self) -> list[JsonObject]:
        """Return the settings changes in the log, in order (R67)."""
        if not self._known:
            await self._read()
        return list(self._deltas)

    def effort_choice(self) -> EffortChoice | None:
        """Return the effort that was chosen for this conversation (W8), None for none. Await `deltas` first."""
        for delta in (self.setup.config_delta, *reversed(self._deltas)):
            assistant = delta.get("assistant")
            model = assistant.get("model") if isinstance(assistant, dict) else None
            chosen = model.get("effort") if isinstance(model, dict) else None
            if chosen is not None:
                return next((one for one in EFFORTS if one == chosen), None)
        return None

    def effort_for(self, model: ModelSetup) -> Effort | None:
        """Return the effort of a request to this model. Await `deltas` first."""
        chosen = None if model.for_once else self.effort_choice()
        return model.effort if chosen is None else model.thinking(chosen)

    @property
    def has_request(self) -> bool:
        """True if the current turn has a record of the user's message, or resumes one that has."""
        return self.turn in (self._asked, self._spoke) or self._resumes

    def resume_turn(self) -> None:
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
        stored = await self._patiently(self.setup.journal.turn_events, turn)
        found: list[ev.Event] = []
        for at in range(0, len(stored), PIECE):
            found += [read_event(stored_event(item).event) for item in stored[at : at + PIECE]]
            await asyncio.sleep(0)
        return found


def note_asked(asked: dict[str, list[str]], request: ev.InquiryRequest) -> None:
    """Add a request to the questions of its call."""
    asked.setdefault(str(request.metadata.get("call")), []).append(str(request.metadata.get("question")))


def logged(item: Stored) -> Logged:
    """A stored event with its number and its turn."""
    return item.seq, item.entry.turn, read_event(stored_event(item).event)


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


def window_of(log: Log, model: ModelSetup) -> int | None:
    """The model's context in tokens: what its server named (context.md K27), else what is known of it."""
    return log.setup.windows.get(model.id, model.window)

"""Reducer from events to blocks, for live and stored events, so that a resumed conversation looks identical.

Input are stored events of pages in any order, and the engine's live events; it stores the blocks and reports which
changed. The log takes precedence over live events. It reads no clock, requests and paints nothing; `loaded_ranges.py`
tracks the loaded pages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from jp_tui.conversation import events as stored
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import Foreign
from jp_tui.protocol import events as ev
from jp_tui.protocol.values import StoredEvent
from jp_tui.view.activity.turn_summary import undone
from jp_tui.view.questions.inquiry import InquiryView, foreign
from jp_tui.view.questions.inquiry_index import InquiryIndex
from jp_tui.view.questions.side_questions import SideExchangesView
from jp_tui.view.transcript.blocks import (
    LIVE,
    Block,
    Header,
    Note,
    Odd,
    QuestionBlock,
    ReasoningBlock,
    Resumed,
    TextBlock,
    User,
    live_key,
)
from jp_tui.view.transcript.calls import CallRecord, tool_block
from jp_tui.view.transcript.events import compaction_block, ending_blocks, response_block
from jp_tui.view.wording.context import context_note
from jp_tui.view.wording.retries import Retries

GREETING, GREETING_HEADER = "greeting", "greeting:header"
"""Part of a scripted model's greeting, until the log has it."""


@dataclass(slots=True)
class _Turn:
    """Known facts of a turn: its model from its start, the rest from its end."""

    model: str = ""
    ms: int | None = None
    ended: bool = False
    deferred: bool = False
    headers: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BlockChanges:
    """Result of an event: `changed` keys have a new block, `renamed` ones have a new key (old, new)."""

    changed: frozenset[str] = frozenset()
    renamed: tuple[tuple[str, str], ...] = ()


class TranscriptReducer:
    """Blocks of all received events. Logged blocks are stored by event number, growing parts in `live`."""

    def __init__(self) -> None:
        self._by_event: dict[int, list[Block]] = {}
        self._calls: dict[tuple[int, str], CallRecord] = {}
        self._turns: dict[int, _Turn] = {}
        self._pairs, self._asides, self.retries = InquiryIndex(), SideExchangesView(), Retries()
        self._model = ""
        self.held = False
        """True if another process writes this conversation."""
        self._parts: dict[str, Block] = {}
        self._fresh: dict[str, list[str]] = {}
        """Text received for growing parts and not taken yet."""
        self._asking: frozenset[tuple[int, str]] = frozenset()
        self._in_sheet: tuple[int, str] | None = None
        self._last = 0
        self._resumptions: set[int] = set()
        """The events after which a turn went on that was cut off."""
        self._changed: set[str] = set()
        self._renamed: list[tuple[str, str]] = []

    # --- output ------------------------------------------------------------------------------------------------

    def of_event(self, seq: int) -> Sequence[Block]:
        """Return the blocks of one event: none, one or two."""
        return self._by_event.get(seq, ())

    @property
    def live(self) -> list[Block]:
        """Return growing parts in order of their start, then waits for retries."""
        return [*self._parts.values(), *self.retries.blocks]

    def drain(self) -> dict[str, str]:
        """Return the text received for growing parts since the last call, by the part's key."""
        found = {key: "".join(texts) for key, texts in self._fresh.items() if texts}
        self._fresh.clear()
        return found

    @property
    def has_fresh(self) -> bool:
        """True if `drain` would return text."""
        return bool(self._fresh)

    # --- input -------------------------------------------------------------------------------------------------

    def show_greeting(self, greeting: Foreign, model: str) -> BlockChanges:
        """Show a scripted model's greeting; the first event of the log becomes the same blocks."""
        self._model = model
        header, said = live_key(GREETING_HEADER), live_key(GREETING)
        self._parts[GREETING_HEADER] = Header(key=header, place=(0, 0), model=Foreign(model))
        self._parts[GREETING] = TextBlock(key=said, place=(0, 1), text=greeting, greeting=True)
        self._changed |= {header, said}
        return self._apply_arrived()

    def load(self, events: Iterable[StoredEvent]) -> BlockChanges:
        """Add stored events, in order within the call."""
        for one in events:
            self._fact(one)
        return self._apply_arrived()

    def forget(self, first: int, last: int) -> None:
        """Drop the events of a released page."""
        for seq in range(first, last + 1):
            self._by_event.pop(seq, None)
        gone = [key for key, call in self._calls.items() if call.drop_events(first, last)]
        for turn, call in gone:
            self._pairs.forget(turn, self._calls.pop((turn, call)).asked.values())
            self._asides.forget(turn, call)

    def apply(self, event: ev.Event) -> BlockChanges:
        """Apply a live event; those without effect on the transcript change nothing."""
        self._changed |= self.retries.apply(event)
        match event:
            case ev.EventAppended(stored=one, closes=part):
                self._close(one, part)
                self._fact(one)
            case ev.PartDelta():
                self._grow(event)
            case ev.PartDropped(part=part):
                self._drop(part)
            case ev.TurnStarted(turn=turn, model=model, resumed=resumed):
                self._started(turn, model, resumed)
            case ev.TurnCompleted(turn=turn):
                for part in list(self._parts):
                    self._drop(part)
                self._turn(turn).ended = True
                self._end_turn(turn)
            case ev.CallChanged(turn=turn, call=call, tool=tool):
                known = self._call(turn, call)
                before, known.live, known.name = known.live, event, known.name or tool
                if not _only_output_changed(before, event):  # output of a running call is shown elsewhere
                    self._show(turn, call)
            case ev.ReviewStarted(turn=turn, call=call, inquiry=inquiry, model=model):
                self._pairs.reviewed(turn, inquiry, model)
                self._show(turn, call)
            case ev.ReviewDelta(inquiry=inquiry, kind="reason", text=text, fresh=fresh):
                if (home := self._pairs.add_reason(inquiry, text.raw, fresh=fresh)) is not None:
                    self._show(*home)
            case _:
                pass
        return self._apply_arrived()

    def asking(self, calls: frozenset[tuple[int, str]]) -> BlockChanges:
        """Set the calls, by turn and id, whose sub-agents wait for the user."""
        changed, self._asking = self._asking ^ calls, calls
        for turn, call in changed:
            self._show(turn, call)
        return self._apply_arrived()

    def in_sheet(self, call: tuple[int, str] | None) -> BlockChanges:
        """The call, by turn and id, whose question is open as a sheet; None while none is."""
        before, self._in_sheet = self._in_sheet, call
        for one in {before, call} - {None} if before != call else ():
            if one is not None:
                self._show(*one)
        return self._apply_arrived()

    def _started(self, turn: int, model: str, resumed: bool) -> None:
        """A turn started; a resumed one shows where."""
        known = self._turn(turn)
        known.model, known.ended, known.deferred = model, False, False
        self._headers(turn)
        if resumed:
            self._resumed(self._last)
            self._end_turn(turn)

    def _resumed(self, last: int) -> None:
        """The turn was interrupted after event `last`; the log reports that with the next event."""
        self._put(Resumed(key=f"r{last}", place=(last, 9)))
        self._resumptions.add(last)

    # --- facts ---------------------------------------------------------------------------------------------

    def _apply_arrived(self) -> BlockChanges:
        found = BlockChanges(frozenset(self._changed), tuple(self._renamed))
        self._changed, self._renamed = set(), []
        return found

    def _turn(self, turn: int) -> _Turn:
        return self._turns.setdefault(turn, _Turn())

    def _call(self, turn: int, call: str) -> CallRecord:
        if (turn, call) not in self._calls:
            self._calls[turn, call] = CallRecord()
            self._turn(turn).calls.append(call)
        return self._calls[turn, call]

    def _put(self, block: Block) -> None:
        """Put the block in its place among those of its event."""
        held = self._by_event.setdefault(block.place[0], [])
        at = bisect_left(held, block.place, key=lambda other: other.place)
        if at < len(held) and held[at].place == block.place:
            if held[at] == block:
                return
            held[at] = block
        else:
            held.insert(at, block)
        self._changed.add(block.key)

    def _fact(self, one: StoredEvent) -> None:
        seq, turn, event = one.seq, one.turn, read_event(one.event)
        key = f"e{seq}"
        self._last = max(self._last, seq)
        if event.metadata.get("resumed") is True:
            self._resumed(seq - 1)
        match event:
            case stored.ChatRequest(content=text, metadata=metadata):
                self._put(
                    User(
                        key=key,
                        place=(seq, 0),
                        text=Foreign(text),
                        aside="asides" in metadata,
                        command=_command(metadata),
                    )
                )
                self._header(turn, seq, 1)
            case stored.ChatResponse():
                self._response(event, seq)
            case stored.ToolCallRequest(id=call):
                known = self._call(turn, call)
                known.request, known.name, known.place = event, event.name, seq
                known.seen.add(seq)
                self._show(turn, call)
            case stored.ToolCallResponse(id=call):
                known = self._call(turn, call)
                known.response = event
                known.seen.add(seq)
                self._show(turn, call)
            case stored.InquiryRequest():
                self._question(event, turn, seq)
            case (
                stored.InquiryAnswered()
                | stored.InquiryCancelled()
                | stored.InquiryRedacted()
                | stored.InquiryVote()
                | stored.InquiryAssigned()
            ):
                self._answer(event, turn, seq)
            case stored.TurnOutcome():
                self._outcome(event, turn, seq)
            case stored.TurnStart(metadata={"model": str() as model}):
                self._turn(turn).model = model
            case stored.TurnStart() | stored.ConfigDelta() | stored.Unknown(raw={"type": "agent_started"}):
                pass  # its call shows the sub-agent
            case stored.Compaction() | stored.CompactionUndone():
                self._put(compaction_block(event, seq))
            case stored.Unknown() if undone(event):
                self._put(Note(key=key, place=(seq, 0), about="undone", text=Foreign(undone(event))))
            case stored.Unknown() if (said := context_note(event)) is not None:
                if said:
                    self._put(Note(key=key, place=(seq, 0), about="context", text=Foreign(said)))
            case stored.Unknown(raw=raw, problem=problem):
                home = self._asides.add(turn, seq, event)
                if home is None:
                    self._put(Odd(key=key, place=(seq, 0), name=foreign(raw.get("type")), problem=Foreign(problem)))
                elif home:
                    self._call(turn, home).seen.add(seq)
                    self._show(turn, home)

    def _response(self, event: stored.ChatResponse, seq: int) -> None:
        block = response_block(event, seq)
        if isinstance(block, TextBlock) and block.greeting:
            self._header(0, seq, 0)
        if block is not None:
            self._put(block)

    def _outcome(self, event: stored.TurnOutcome, turn: int, seq: int) -> None:
        known = self._turn(turn)
        known.model, known.ms, known.ended = event.model or known.model, event.ms or None, True
        known.deferred = event.outcome == "deferred"
        self._headers(turn)
        self._end_turn(turn)
        for block in ending_blocks(event, seq):
            self._put(block)

    # --- headers -------------------------------------------------------------------------------------------

    def _header(self, turn: int, seq: int, order: int) -> None:
        known = self._turn(turn)
        if seq not in known.headers:
            known.headers.append(seq)
            known.headers.sort()
        if turn == 0:
            known.model = self._model
        self._put(Header(key=f"h{seq}", place=(seq, order), model=Foreign(known.model)))
        self._headers(turn)

    def _headers(self, turn: int) -> None:
        """Set the model in all headers of a turn, its duration in the last."""
        known = self._turn(turn)
        for seq in known.headers:
            for block in self._by_event.get(seq, ()):
                if isinstance(block, Header):
                    ms = known.ms if seq == known.headers[-1] else None
                    self._put(replace(block, model=Foreign(known.model), ms=ms))

    # --- calls ---------------------------------------------------------------------------------------------

    def _end_turn(self, turn: int) -> None:
        """End the turn: a call without a result is unfinished."""
        for call in self._turn(turn).calls:
            self._show(turn, call)

    def _show(self, turn: int, call: str) -> None:
        """Build the block of a call again from everything known about it."""
        known = self._calls.get((turn, call))
        if known is None or (known.request is None and not known.part):
            return
        whole = self._turn(turn)
        asked = self._pairs.listed(turn, known.asked)
        if self._resumptions and any(one.how == "redacted" for one in asked):
            asked = lost_secrets(asked, sorted(known.asked), self._resumptions)
        said = self._asides.of(turn, call)
        asks = (turn, call) in self._asking
        ended = {"over": whole.ended, "held": self.held, "deferred": whole.deferred}
        here = (turn, call) == self._in_sheet
        block = tool_block(known, call, asked, asides=said, asks=asks, in_sheet=here, **ended)
        if known.request is not None:
            if block is None:
                self._remove(known.place)
            else:
                self._put(block)
        elif self._parts.get(known.part) != block:
            if block is None:
                self._parts.pop(known.part, None)
            else:
                self._parts[known.part] = block
            self._changed.add(live_key(known.part))

    def _remove(self, seq: int) -> None:
        self._changed.update(block.key for block in self._by_event.pop(seq, ()))

    def _question(self, event: stored.InquiryRequest, turn: int, seq: int) -> None:
        if home := self._pairs.ask(turn, seq, event):
            known = self._call(turn, home)
            known.seen.add(seq)
            known.asked[seq] = event.id
        self._show_inquiry(turn, event.id, home)

    def _answer(
        self, event: stored.InquiryResponse | stored.InquiryVote | stored.InquiryAssigned, turn: int, seq: int
    ) -> None:
        if home := self._pairs.answer(turn, seq, event):
            self._call(turn, home).seen.add(seq)
        self._show_inquiry(turn, event.id, home)

    def _show_inquiry(self, turn: int, inquiry: str, home: str) -> None:
        """Show an inquiry, in its call or alone."""
        if home:
            self._show(turn, home)
            return
        for seq, asked in self._pairs.of(turn, inquiry).items():
            self._put(QuestionBlock(key=f"e{seq}", place=(seq, 0), asked=asked))

    # --- growing parts -------------------------------------------------------------------------------------

    def _grow(self, event: ev.PartDelta) -> None:
        part = event.part
        if event.kind == "tool":
            known = self._call(event.turn, event.call)
            known.part, known.name = part, event.tool or known.name
            self._show(event.turn, event.call)
            return
        if part not in self._parts:
            made = TextBlock if event.kind == "message" else ReasoningBlock
            self._parts[part] = made(key=live_key(part), place=(LIVE, len(self._parts)), growing=True)
            self._changed.add(live_key(part))
        if event.text:
            self._fresh.setdefault(live_key(part), []).append(event.text.raw)

    def _drop(self, part: str) -> None:
        if self._parts.pop(part, None) is not None:
            self._changed.add(live_key(part))
        self._fresh.pop(live_key(part), None)
        for known in self._calls.values():
            if known.part == part:
                known.part = ""

    def _close(self, one: StoredEvent, part: str) -> None:
        """Convert a part to an event: its painted text stays until the event is shown."""
        if part and self._parts.pop(part, None) is not None:
            self._renamed.append((live_key(part), f"e{one.seq}"))
            self._fresh.pop(live_key(part), None)
            if part == GREETING and self._parts.pop(GREETING_HEADER, None) is not None:
                self._renamed.append((live_key(GREETING_HEADER), f"h{one.seq}"))


def _only_output_changed(before: ev.CallChanged | None, now: ev.CallChanged) -> bool:
    """True if only the call's output changed."""
    return (
        before is not None
        and bool(now.said)
        and (now.state, now.end, now.ms, now.hidden) == (before.state, before.end, before.ms, before.hidden)
        and (now.title, now.agent) == (before.title, before.agent)
    )


def blocks_of(events: Sequence[StoredEvent]) -> Iterator[Block]:
    """Return the blocks of whole turns, as the workspace shows them."""
    story = TranscriptReducer()
    story.load(list(events))
    for one in events:
        yield from story.of_event(one.seq)


def lost_secrets(
    asked: tuple[InquiryView, ...], numbers: Sequence[int], resumptions: set[int]
) -> tuple[InquiryView, ...]:
    """The inquiries of a call, whose events have these numbers, with those marked that were asked again because the
    turn went on in another process: a secret is never stored (R12)."""
    found = list(asked)
    for at, one in enumerate(asked):
        again = next(
            (
                number
                for other, number in zip(asked[at + 1 :], numbers[at + 1 :], strict=True)
                if other.text == one.text and other.asker == one.asker
            ),
            None,
        )
        if one.how == "redacted" and again is not None and any(numbers[at] <= end < again for end in resumptions):
            found[at] = replace(one, lost=True)
    return tuple(found)


def _command(metadata: JsonObject) -> Foreign:
    """The own command of a message, as typed; empty for any other."""
    name, arguments = metadata.get("command"), metadata.get("arguments")
    return Foreign(f"/{name} {arguments or ''}".rstrip() if isinstance(name, str) and name else "")

"""One open conversation: its log, its model, its lock and the turn that runs in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jp_tui.conversation import events as ev
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine import closing
from jp_tui.engine.drafts import COMPOSER, Drafts
from jp_tui.engine.entries import event_span, storable, stored_event, totals
from jp_tui.engine.log import Log
from jp_tui.engine.setup import HeldBy, Lock, ModelSetup
from jp_tui.engine.turn import Turn
from jp_tui.inquiry import values as v
from jp_tui.journal.port import JournalError, Stored
from jp_tui.protocol import commands as c
from jp_tui.protocol.events import AnswerRefused, ConversationOpened, EventAppended, Refused, StorageFailed
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Replied, UsageTotals

GREETING = "greeting"
"""The name of the part that a scripted model's greeting is shown as."""
LOOK_SECONDS = 0.2
"""How far a looker may be behind: surface S12 allows 250 ms."""
LOOK_BACK = 3
"""How many turns are searched for the last one that ended: the last may have been cut off."""


class Session:
    """`lock` is None for a new conversation, until something is said in it, and for one that somebody else writes."""

    def __init__(
        self,
        log: Log,
        model: ModelSetup,
        lock: Lock | None,
        held_by: str,
        *,
        greet: bool,
        failed: Callable[[BaseException], None],
    ) -> None:
        self._log, self._model, self._lock, self.held_by = log, model, lock, held_by
        self._greeting = model.provider.greeting if greet and not log.exists else None
        self._failed = failed
        self._drafts = Drafts(log)
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._leaving = False

    @property
    def id(self) -> str:
        return self._log.id

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._task is not None and not self._task.done()

    # --- opening ------------------------------------------------------------------------------------------

    async def open(self, page: int, *, new: bool) -> None:
        """Mend what a killed program left, then report the last page; a turn that runs is announced again."""
        log, journal = self._log, self._log.setup.journal
        mine = log.exists and not self.held_by and not self.busy
        try:
            if mine:
                await self._mend()
        except JournalError as problem:  # it can still be read
            log.publish(StorageFailed(message=str(problem), advice="What is there is shown. Make room, or fix it."))
        rows = journal.tail(log.id, page) if log.exists else []
        if log.exists and not self.busy:
            log.total = self._total(rows)
        log.publish(
            ConversationOpened(
                conversation=log.id,
                title=Foreign(log.title),
                workspace=str(log.setup.workspace),
                model=log.model,
                new=new,
                held_by=self.held_by,
                greeting=Foreign(self._greeting) if self._greeting else None,
                page=tuple(stored_event(row) for row in rows),
                spans=tuple(event_span(span) for span in journal.spans(log.id)) if log.exists else (),
                last_seq=rows[-1].seq if rows else 0,
                turns=log.turn,
                usage=log.total,
                drafts=self._drafts.all(),
            )
        )
        if self.held_by and self._looking is None:
            self._looking = asyncio.create_task(self._look(rows[-1].seq if rows else 0))
        if self.busy and self._turn is not None:
            self._turn.announce()

    async def _mend(self) -> None:
        """A reply that was streaming is kept as incomplete; a turn that cannot be resumed is closed (R204, R207)."""
        log = self._log
        partials = log.setup.journal.partials(log.id)
        if not partials and log.last_kind() == "turn_outcome":
            return
        turn = log.turn_so_far(log.turn)
        events, parts = closing.remains(turn, partials)
        now = [*turn, *events]
        if turn and not closing.ended(turn) and not closing.resumable(now):
            events = [*events, *closing.debts(now, log.model, self._total([]).model_dump())]
        if events or parts:
            await log.append(events, (), parts, quiet=True)

    def _total(self, page: list[Stored]) -> UsageTotals:
        """The tokens of the conversation so far, as its last finished turn holds them."""
        for row in reversed(page):
            if row.entry.kind == "turn_outcome":
                return _counted(stored_event(row).event.get("metadata"), stored_event(row).event.get("usage"))
        for turn in range(self._log.turn, max(self._log.turn - LOOK_BACK, 0), -1):
            for event in reversed(self._log.turn_so_far(turn)):
                if isinstance(event, ev.TurnOutcome):
                    return _counted(event.metadata, event.usage)
        return UsageTotals()

    async def _look(self, seen: int) -> None:
        """Somebody else writes: show what they append."""
        log, journal = self._log, self._log.setup.journal
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                while rows := journal.read(log.id, seen, 256) if journal.last_seq(log.id) > seen else []:
                    for row in rows:
                        seen = row.seq
                        log.publish(EventAppended(conversation=log.id, stored=stored_event(row)))
                    await asyncio.sleep(0)
            except JournalError as problem:
                if problem.kind != "busy":
                    log.publish(StorageFailed(message=str(problem), advice="Open the conversation again."))
                    return

    # --- turns --------------------------------------------------------------------------------------------

    async def start(self, text: str) -> None:
        """Begin a turn with the user's words."""
        log = self._log
        if self.held_by:
            self._refuse(f"This conversation is being written by {self.held_by}.", "Look on, or open another.")
            return
        if self.busy:
            self._refuse("The model is still working.", "Wait, or press Esc to interrupt it.")
            return
        if not text.strip():
            self._refuse("There is nothing to send.", "Type a message first.")
            return
        try:
            self._hold()
            await self._settle_old()
            if not log.exists:
                log.title = _title(text)
                if self._greeting is not None:
                    greeting = ev.ChatResponse(kind="message", content=self._greeting, metadata={"greeting": True})
                    await log.append([greeting], [GREETING])
        except JournalError as problem:
            self._refuse(str(problem), "Make room or fix the folder, then send it again.")
            return
        self._begin(text)

    def _hold(self) -> None:
        """A new conversation is nobody's before something is said in it. Raises JournalError."""
        if self._lock is None:
            held = self._log.setup.lock(self.id)
            if isinstance(held, HeldBy):
                raise JournalError("busy", f"this conversation is being written by {held.words}")
            self._lock = held

    def _begin(self, text: str) -> None:
        self._drafts.begun()
        self._log.turn += 1
        self._turn = Turn(self._log, self._model, text)
        self._task = asyncio.create_task(self._run(self._turn))

    async def _run(self, turn: Turn) -> None:
        try:
            await turn.run()
        except Exception as bug:
            self._failed(bug)
            return
        if self._leaving:
            self._drafts.keep_words(turn.given_back, turn.follow_up)
            return
        if turn.follow_up:
            self._begin(turn.follow_up)

    async def _settle_old(self) -> None:
        """A turn that was left open is closed before the next one (R207: discard)."""
        log = self._log
        if log.last_kind() in ("", "turn_outcome"):
            return
        turn = log.turn_so_far(log.turn)
        if turn and not closing.ended(turn) and any(isinstance(event, ev.TurnStart) for event in turn):
            error = self._turn.error if self._turn is not None else None
            for asked in closing.open_inquiries(turn):
                log.setup.journal.clear_draft(log.id, asked.id)
            await log.append(closing.debts(turn, log.model, log.total.model_dump(), error))

    def interrupt(self, action: c.Interrupt, text: str) -> None:
        """R211; without a running turn there is nothing to interrupt."""
        if self.busy and self._turn is not None:
            self._turn.interrupt(action, text)

    def answer(self, command: c.AnswerQuestion) -> None:
        """Hand a human's answer to the coordinator."""
        inquiry, shown = command.inquiry, command.digest
        if self._turn is None:
            log = self._log
            reason = "nothing waits for an answer"
            log.publish(AnswerRefused(conversation=log.id, inquiry=inquiry, reason=reason, gone=True))
            return
        coordinator = self._turn.coordinator
        match command.response:
            case Answered(value=value, remember=remember, note=note):
                via, ms = self._log.setup.via, coordinator.answered_after(inquiry)
                coordinator.human(inquiry, v.HumanAnswered(inquiry, shown, value, remember, note, via, ms))
            case Cancelled():
                coordinator.human(inquiry, v.HumanCancelled(inquiry, shown))
            case Replied(text=text):
                coordinator.human(inquiry, v.HumanReplied(inquiry, shown, text))
            case EndTurn():
                coordinator.human(inquiry, v.HumanEndedTurn(inquiry, shown))

    def save_draft(self, key: str, text: str) -> None:
        """Keep unsent text, or forget it; an answer's only as long as its question waits (E24)."""
        waits = self._turn is not None and self._turn.coordinator.asks(key)
        if key == COMPOSER or waits or not text:
            self._drafts.save(key, text)

    def _refuse(self, message: str, advice: str) -> None:
        self._log.publish(Refused(command="start_turn", message=message, advice=advice, conversation=self._log.id))

    # --- leaving ------------------------------------------------------------------------------------------

    async def close(self, patience: float) -> None:
        """End the turn in good order, or, when a question waits, leave it for the next start (R248, R207)."""
        self._leaving = True
        if self._looking is not None:
            self._looking.cancel()
        try:
            if self._turn is not None and self._task is not None and not self._task.done():
                self._turn.leave()
                await asyncio.wait([self._task], timeout=patience)
                self._task.cancel()
                await asyncio.wait([self._task], timeout=patience)
            await self._model.provider.close()
        finally:
            if self._lock is not None:
                self._lock.release()


def _counted(metadata: object, usage: object) -> UsageTotals:
    """The running total that a turn's end holds; logs of other programs have its own count only."""
    total = metadata.get("total") if isinstance(metadata, dict) else None
    return totals(usage if total is None else total)  # type: ignore[arg-type]


def _title(text: str) -> str:
    """The first line that says something, at most 80 characters (surface S4)."""
    line = first_line(storable(text))
    return line if len(line) <= 80 else f"{line[:79]}…"

"""One open conversation: its log, its model, its lock and the turn that runs in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jp_tui.conversation import events as ev
from jp_tui.conversation.text import Foreign
from jp_tui.engine import closing
from jp_tui.engine.entries import event_span, stored_event
from jp_tui.engine.log import Log
from jp_tui.engine.setup import Lock, ModelSetup
from jp_tui.engine.turn import Turn
from jp_tui.inquiry import values as v
from jp_tui.journal.port import JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol.events import AnswerRefused, ConversationOpened, EventAppended, Refused
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Replied, UsageTotals

GREETING = "greeting"
"""The name of the part that a scripted model's greeting is shown as."""
LOOK_SECONDS = 0.2
"""How far a looker may be behind: surface S12 allows 250 ms."""


class Session:
    """`lock` is None for a new conversation (nobody knows its id) and for one that somebody else writes."""

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
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        return self._log.id

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._task is not None and not self._task.done()

    # --- opening ------------------------------------------------------------------------------------------

    async def open(self, page: int, *, new: bool) -> None:
        """Mend what a killed program left, then report the last page."""
        log, journal = self._log, self._log.setup.journal
        if log.exists and not self.held_by:
            await self._mend()
        rows = journal.tail(log.id, page) if log.exists else []
        usage = UsageTotals()
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
                usage=usage,
                drafts=journal.drafts(log.id),
            )
        )
        if self.held_by:
            self._looking = asyncio.create_task(self._look(rows[-1].seq if rows else 0))

    async def _mend(self) -> None:
        """A reply that was streaming is kept as incomplete; a turn that cannot be resumed is closed (R204, R207)."""
        log = self._log
        turn = log.turn_so_far(log.turn)
        events, parts = closing.remains(log.setup.journal.partials(log.id))
        if turn and not closing.ended(turn) and not closing.resumable([*turn, *events]):
            events = [*events, *closing.debts(turn, log.model)]
        if events or parts:
            await log.append(events, (), parts)

    async def _look(self, seen: int) -> None:
        """Somebody else writes: show what they append."""
        log, journal = self._log, self._log.setup.journal
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not journal.changed():
                continue
            for row in journal.read(log.id, seen, 256):
                seen = row.seq
                log.publish(EventAppended(conversation=log.id, stored=stored_event(row)))

    # --- turns --------------------------------------------------------------------------------------------

    async def start(self, text: str) -> None:
        """Begin a turn with the user's words."""
        log = self._log
        if self.held_by:
            self._refuse(
                "start_turn", f"This conversation is being written by {self.held_by}.", "Look on, or open another."
            )
            return
        if self.busy:
            self._refuse("start_turn", "The model is still working.", "Wait, or press Esc to interrupt it.")
            return
        if not text.strip():
            self._refuse("start_turn", "There is nothing to send.", "Type a message first.")
            return
        try:
            await self._settle_old()
            if not log.exists:
                log.title = _title(text)
                if self._greeting is not None:
                    greeting = ev.ChatResponse(kind="message", content=self._greeting, metadata={"greeting": True})
                    await log.append([greeting], [GREETING])
        except JournalError as problem:
            self._refuse("start_turn", str(problem), "Make room or fix the folder, then send it again.")
            return
        self._begin(text)

    def _begin(self, text: str) -> None:
        self._log.turn += 1
        self._turn = Turn(self._log, self._model, text)
        self._task = asyncio.create_task(self._run(self._turn))

    async def _run(self, turn: Turn) -> None:
        try:
            await turn.run()
        except asyncio.CancelledError:
            raise
        except Exception as bug:
            self._failed(bug)
            return
        self._turn = None
        if turn.follow_up.strip():
            self._begin(turn.follow_up)

    async def _settle_old(self) -> None:
        """A turn that was left open is closed before the next one (R207: discard)."""
        log = self._log
        turn = log.turn_so_far(log.turn)
        if turn and not closing.ended(turn) and any(isinstance(event, ev.TurnStart) for event in turn):
            await log.append(closing.debts(turn, log.model))

    def interrupt(self, action: c.Interrupt, text: str) -> None:
        """R211; without a running turn there is nothing to interrupt."""
        if self._turn is not None:
            self._turn.interrupt(action, text)

    def answer(self, command: c.AnswerQuestion) -> None:
        """Hand a human's answer to the coordinator."""
        if self._turn is None:
            log = self._log
            reason = "nothing waits for an answer"
            log.publish(AnswerRefused(conversation=log.id, inquiry=command.inquiry, reason=reason, gone=True))
            return
        coordinator = self._turn.coordinator
        inquiry, shown = command.inquiry, command.digest
        match command.response:
            case Answered(value=value, remember=remember, note=note):
                via, ms = self._log.setup.via, coordinator.answered_after(inquiry)
                coordinator.human(v.HumanAnswered(inquiry, shown, value, remember, note, via, ms))
            case Cancelled():
                coordinator.human(v.HumanCancelled(inquiry, shown))
            case Replied(text=text):
                coordinator.human(v.HumanReplied(inquiry, shown, text))
            case EndTurn():
                coordinator.human(v.HumanEndedTurn(inquiry, shown))

    def _refuse(self, command: str, message: str, advice: str) -> None:
        self._log.publish(Refused(command=command, message=message, advice=advice, conversation=self._log.id))

    # --- leaving ------------------------------------------------------------------------------------------

    async def close(self, patience: float) -> None:
        """End the turn in good order, or, when a question waits, leave it for the next start (R248, R207)."""
        if self._looking is not None:
            self._looking.cancel()
        if self._turn is not None and self._task is not None:
            if not self._turn.coordinator.waiting:
                self._turn.interrupt("stop", "")
                await asyncio.wait([self._task], timeout=patience)
            self._task.cancel()
            await asyncio.wait([self._task], timeout=patience)
        await self._model.provider.close()
        if self._lock is not None:
            self._lock.release()


def _title(text: str) -> str:
    """The first line that says something, at most 80 characters (surface S4)."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= 80 else f"{line[:79]}…"

"""One open conversation: its log, its model, its lock and its running turn.

An unfinished turn with a question resumes when the conversation is opened with a client attached, or when all its
questions were answered meanwhile (inquiries.md R207); until then no new message is accepted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.asking.coordinator import Coordinator
from jp_tui.engine.asking.human_input import parse_response
from jp_tui.engine.asking.permission_entries import Remembered
from jp_tui.engine.asking.session_rules import SessionRules, without_walls
from jp_tui.engine.asking.side_questions import SideQuestions
from jp_tui.engine.base.dependencies import ConversationLock, HeldBy, ModelSetup
from jp_tui.engine.record import config_changes
from jp_tui.engine.record.drafts import COMPOSER, FOLDS, ConversationDrafts
from jp_tui.engine.record.event_codec import event_span, storable, stored_event
from jp_tui.engine.record.live_snapshot import LiveSnapshot
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery import repair_log
from jp_tui.engine.recovery.answer_stored import answer_recorded, assign_recorded
from jp_tui.engine.recovery.close_turn import scheduled
from jp_tui.engine.recovery.follow_writer import follow_writer
from jp_tui.engine.recovery.offered_answers import Settled
from jp_tui.engine.recovery.resume_turn import ResumableTurn, still_waits
from jp_tui.engine.recovery.unattended import waiting_calls
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.session.earlier_plan import find_plan
from jp_tui.engine.session.hand_compaction import LATER, HandCompaction
from jp_tui.engine.turn.model_selection import ModelSelection
from jp_tui.engine.turn.plan import mode_event
from jp_tui.engine.turn.subagent_context import SubagentContext
from jp_tui.engine.turn.subagent_spawner import Runs
from jp_tui.engine.turn.turn import Turn, TurnContext
from jp_tui.journal.port import STORAGE, JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol.events import (
    AnswerRefused,
    ApprovalModeSet,
    ConversationOpened,
    PlanModeSet,
    Refused,
    StorageFailed,
)
from jp_tui.protocol.mode import ApprovalMode
from jp_tui.protocol.store import DraftsFound
from jp_tui.protocol.values import PromptRequest
from jp_tui.questions.types import SecretAnswer

NOT_SENT = "Your message wasn't sent. It is saved as a draft."
AGAIN = "Free disk space or fix the folder, then send it again."
GREETING = "greeting"
"""Name of the part that shows a scripted model's greeting."""


class Session:
    """`lock` is None for a new conversation until its first message, and for one that another process writes. `agents`
    runs its sub-agents; with a `child` it is a sub-agent's (`subagent_session.py`)."""

    def __init__(
        self,
        log: Log,
        model: ModelSetup,
        checks: Checks,
        lock: ConversationLock | None,
        held_by: str,
        *,
        greet: bool,
        failed: Callable[[BaseException], None],
        agents: Runs | None = None,
        child: SubagentContext | None = None,
    ) -> None:
        self._log, self._checks, self._lock, self.held_by = log, checks, lock, held_by
        self.models = ModelSelection(log, model)
        if log.setup.plan:
            log.wants_plan = True
        self.rules = SessionRules.of(log)
        log.setup = replace(log.setup, approval_rules=self.rules)
        self._greeting = model.provider.greeting if greet and not log.exists else None
        self._failed, self._agents, self._child = failed, agents, child
        log.publish = self.live = LiveSnapshot(log.publish, log.setup.monotonic, watched=child is None)
        self._drafts = _drafts_of(log)
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._finding: asyncio.Task[None] | None = None
        self._next: list[str] = []
        self._current = config_changes.Current(log)
        self._ledger = Remembered(log, self._current, self._remembers)
        self._by_hand = HandCompaction(log)
        self._leaving = self.starting = False

    @property
    def id(self) -> str:
        return self._log.id

    @property
    def log(self) -> Log:
        """Return the log, if it is written here."""
        return self._log

    @property
    def mine(self) -> bool:
        """True if this engine owns the conversation."""
        return self._lock is not None

    @property
    def busy(self) -> bool:
        """True if a turn runs, or is about to."""
        return self.starting or (self._task is not None and not self._task.done())

    # --- opening ------------------------------------------------------------------------------------------

    async def open(self, page: int, *, new: bool) -> None:
        """Repair what a killed program left, then report the last page; a running turn is announced again, an
        unfinished one resumes."""
        log, journal = self._log, self._log.setup.journal
        self.live.watched = True
        mine = log.exists and not self.held_by and not self.busy
        try:
            if mine:
                await repair_log.repair(log)
        except JournalError as problem:  # it can still be read
            mine = False
            log.publish(
                StorageFailed(
                    message=str(problem), advice="Only the saved part is shown. Free disk space or fix the folder."
                )
            )
        rows = journal.tail(log.id, page) if log.exists else []
        if log.exists and not self.busy:
            log.total = repair_log.count(log, rows)
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
                window=self.models.window,
                drafts=self._drafts.all(),
                agent=log.agent,
            )
        )
        if log.wants_plan is not None:
            log.publish(PlanModeSet(conversation=log.id, on=log.wants_plan))
        if self.rules is not None and self.rules.mode != "ask" and not self.held_by:
            await self._tell_mode(self.rules)
        if rows and rows[0].seq > 1:
            self._finding = asyncio.create_task(find_plan(log, rows))
        if self.held_by and self._looking is None:
            self._looking = asyncio.create_task(follow_writer(log, rows[-1].seq if rows else 0))
        if self.busy and self._turn is not None:
            self._turn.announce()
            self.live.again()
        elif mine:
            with suppress(ValueError):  # a settings error; the next message reports it
                await self._resume_turn()

    async def _resume_turn(self) -> bool:
        """Resume an unfinished turn, as far as possible with the present client. Raises ValueError, JournalError."""
        return (cut := repair_log.resumable(self._log)) is not None and await self._resume_cut(cut)

    async def _resume_cut(self, cut: ResumableTurn) -> bool:
        if not self._log.setup.client:
            await self._current.reload()
        stays = await waiting_calls(cut, self._log.setup, self._checks)
        if cut.order and stays.issuperset(cut.order):
            return False
        self._run_turn(cut.text, replace(cut, stays=stays))
        return True

    async def finished(self, patience: float | None = None) -> None:
        """Wait until nothing runs here, at most `patience` seconds."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task], timeout=patience)
            if patience is not None:
                return

    @property
    def outcome(self) -> str:
        """Return how its last turn ended, also `deferred` (R230); empty if none did."""
        return (self._turn.outcome or "") if self._turn is not None else ""

    async def carry_on(self) -> bool:
        """Resume an unfinished turn; return False if there is none. One that a schedule began goes on wherever it was
        cut off: no one else would resume it. Raises ValueError, JournalError."""
        if self._log.exists and scheduled(self._log.turn_so_far(self._log.turn)):
            cut = await repair_log.unfinished(self._log)
            return cut is not None and await self._resume_cut(cut)
        await repair_log.repair(self._log)
        return await self._resume_turn()

    async def plan_mode(self, on: bool) -> None:
        """Begin plan mode or end it (K41); in a new conversation with its first turn. Raises JournalError."""
        if self._log.exists and self.mine:
            if (await self._log.facts()).planning != on:
                await self._log.append([mode_event(self._log, planning=on)])
        else:
            self._log.wants_plan = on
            self._log.publish(PlanModeSet(conversation=self.id, on=on))

    async def set_mode(self, mode: ApprovalMode) -> None:
        """Change what runs without asking, for this conversation and its sub-agents (AR30). Raises ValueError."""
        if self.rules is None or self.held_by:
            raise ValueError("The mode can't be changed here.")
        self.rules.mode = mode
        await self._tell_mode(self.rules)

    async def _tell_mode(self, rules: SessionRules) -> None:
        mode, why = rules.holding()
        if mode == "unattended" and (lacks := await without_walls(self._log.setup)):
            mode, why = "edits", lacks
        self._log.publish(ApprovalModeSet(conversation=self.id, mode=mode, chosen=rules.mode, why=why))

    # --- turns --------------------------------------------------------------------------------------------

    async def start(self, text: str) -> None:
        """Start a turn with the user's message, after the unfinished one, if there is one."""
        log = self._log
        if self.held_by:
            self._refuse(f"This conversation is being written by {self.held_by}.", "Read it, or open another one.")
            return
        if not text.strip():
            self._refuse("The message is empty.", "Type a message first.")
            return
        if self._task is not None and self._turn is not None and self._turn.outcome is not None:
            await asyncio.wait([self._task])  # it has ended, and cleans up
        if self.busy:
            # A front end with a single message sends it at once: it follows the turn resumed at the opening.
            if self._turn is not None and self._turn.resumed and (log.setup.via or not log.setup.client):
                self._next.append(text)
            else:
                self._refuse("The model is still working.", "Wait, or press Esc to interrupt it.")
            return
        try:
            self._hold()
            error = self._turn.error if self._turn is not None else None
            cut = repair_log.resumable(log) if error is None else None
            if cut is not None:
                self._next.append(text)
                if not await self._resume_turn():
                    self._not_sent(*still_waits(cut, self.id))
                return
            await repair_log.close_old_turn(log, error)
            if not log.exists:
                log.title = log.title or _title(text)
                if self._greeting is not None:
                    greeting = ev.ChatResponse(kind="message", content=self._greeting, metadata={"greeting": True})
                    await log.append([greeting], [GREETING])
            self._begin(text)
        except (JournalError, ValueError) as problem:
            self._next = [] if log.setup.client else [text]  # the screen still has the text
            advice = AGAIN if isinstance(problem, JournalError) else config_changes.CORRECT
            self._not_sent(str(problem), advice, storage=getattr(problem, "kind", "") in STORAGE)

    def _hold(self) -> None:
        """Lock a new conversation at its first message. Raises JournalError."""
        if self._lock is None:
            held = self._log.setup.lock(self.id)
            if isinstance(held, HeldBy):
                raise JournalError("held", f"this conversation is being written by {held.words}")
            self._lock = held

    def _not_sent(self, message: str, advice: str, pending: tuple[str, ...] = (), *, storage: bool = False) -> None:
        """Report that the message can't be sent; it stays in the composer, and nothing else changes."""
        words, self._next = self._next, []
        self._drafts.keep_words(*words)
        self._refuse(message, f"{NOT_SENT} {advice}" if words else advice, pending, storage=storage)

    def _begin(self, text: str) -> None:
        self._drafts.begun()
        self._log.turn += 1
        self._run_turn(text)

    def _run_turn(self, text: str, cut: ResumableTurn | None = None) -> None:
        model = self.models.next()
        around = TurnContext(
            self._ledger.changed, self._current.ready, self.models.side, self._agents, self._child, self._current.hurry
        )
        self._turn = Turn(self._log, model, self._checks, text, around=around, cut=cut)
        self._task = asyncio.create_task(self._run(self._turn))
        self._ledger.changed()

    async def _run(self, turn: Turn) -> None:
        try:
            await turn.run()
            self.models.ended()
            if self._leaving:
                self._keep_words(turn)
                return
            self._ledger.changed()
            if (focus := turn.room.wanted) is not None:  # no cycle came after it was wanted
                await self._by_hand.run(self.models.held, focus)
            self._next = [text for text in (turn.follow_up, *self._next) if text]
            if not self._next:
                return
            if turn.outcome == "deferred" and (cut := repair_log.resumable(self._log)) is not None:
                self._not_sent(*still_waits(cut, self.id))
                return
            words, self._next = "\n\n".join(self._next), []
            self._begin(words)
        except JournalError as problem:
            self._not_sent(str(problem), AGAIN, storage=problem.kind in STORAGE)
        except Exception as bug:
            self._keep_words(turn)
            self._failed(bug)

    def _keep_words(self, turn: Turn) -> None:
        """Return unsent messages to the composer."""
        self._drafts.keep_words(turn.given_back, turn.follow_up, *self._next)

    def interrupt(self, action: c.Interrupt, text: str, *, after_calls: bool = False) -> None:
        """R211; without a running turn there is a compaction to end, or nothing."""
        if self._by_hand.stop():
            return
        if self.busy and self._turn is not None:
            self._turn.interrupt(action, text, after_calls=after_calls)

    async def compact(self, focus: str, *, undo: bool) -> None:
        """Compact by hand, between two cycles where a turn runs; or undo what was compacted last (context.md K23)."""
        if self.held_by:
            self._by_hand.refuse(f"This conversation is being written by {self.held_by}.")
        elif self._turn is not None and self.busy and self._turn.outcome is None and not undo:
            self._turn.room.wanted = focus
            self._by_hand.refuse(LATER, waits=True)
        elif self.busy:
            self._by_hand.refuse("The model is still working. Wait, or press Esc to interrupt it.")
        else:
            self._task = asyncio.create_task(self._compact(focus, undo=undo))
            await asyncio.wait([self._task])

    async def _compact(self, focus: str, *, undo: bool) -> None:
        try:
            await self._by_hand.run(self.models.held, focus, undo=undo)
        except Exception as bug:
            self._failed(bug)

    def client_gone(self) -> None:
        """The client left (Z9); nothing new starts here."""
        self._leaving = True
        if self.busy and self._turn is not None:
            self._turn.client_gone()

    # --- answers ------------------------------------------------------------------------------------------

    def answer(self, command: c.AnswerQuestion) -> None:
        """Pass a user's answer to the coordinator."""
        inquiry, setup = command.inquiry, self._log.setup
        if (coordinator := self._questions(inquiry, "no question is open")) is not None:
            at, ms = timestamp(setup.now()), coordinator.showing.since(inquiry)
            coordinator.human(inquiry, parse_response(command, via=setup.via, ms=ms, at=at))

    def take_over(self, inquiry: str) -> None:
        """Let the user decide a question that a reviewer is deciding (R156)."""
        if (coordinator := self._questions(inquiry, "no reviewer decides it")) is not None:
            coordinator.take_over(inquiry)

    def _questions(self, inquiry: str, reason: str) -> Coordinator | None:
        if self._turn is None:
            self._log.publish(AnswerRefused(conversation=self.id, inquiry=inquiry, reason=reason, gone=True))
        return self._turn.coordinator if self._turn is not None else None

    async def offered(
        self, request: ev.InquiryRequest, turn: int, text: str, note: str = "", *, decline: bool = False, to: str = ""
    ) -> Settled:
        """Apply an answer from another place, for a conversation owned here; with `to`, hand the question over (D16).
        Raises JournalError."""
        if self.busy and self._turn is not None:
            if to:
                return await self._turn.offers.assign(request.id, to)
            return await self._turn.offers.apply(request.id, text, note=note, decline=decline)
        assert turn == self._log.turn
        if to:
            return await assign_recorded(self._log, request, to)
        return await answer_recorded(self._log, self._checks, request, text, note, decline=decline)

    def prompt(self, inquiry: str) -> PromptRequest | None:
        """Return the open prompt with this id."""
        return next((shown for shown in self.prompts() if shown.inquiry == inquiry), None)

    def prompts(self) -> list[PromptRequest]:
        """Return all open prompts."""
        return list(self._turn.coordinator.showing) if self.busy and self._turn is not None else []

    async def keep_draft(self, key: str, text: str) -> None:
        """Save text of the engine's own, and return once it is kept. Raises JournalError."""
        await self._drafts.keep(key, text)

    def draft(self, key: str) -> str:
        """Return unsent text. Raises JournalError."""
        return self._drafts.get(key)

    def store_lost(self) -> None:
        """The store's server is out of reach: keep what isn't in it on this machine."""
        turn = self._turn if self.busy and not self._log.has_request else None
        self._drafts.store_lost(turn.text if turn is not None else "")

    async def store_back(self) -> None:
        """The store answers again: join the drafts. Raises JournalError."""
        if not self.held_by and (found := await self._drafts.store_back()):
            self._log.publish(DraftsFound(conversation=self.id, drafts=found))

    def save_draft(self, key: str, text: str) -> None:
        """Save or delete unsent text; an answer's only while its question waits, a secret's never (E24)."""
        shown = self.prompt(key)
        waits = shown is not None and not isinstance(shown.question.answer_type, SecretAnswer)
        if key in (COMPOSER, FOLDS) or waits or not text:
            self._drafts.save(key, text)

    @property
    def asides(self) -> SideQuestions:
        """Return the side questions of the running turn (E30). Raises ValueError with a message."""
        if self._turn is None or not self.busy:
            raise ValueError("No question is open here.")
        return self._turn.asides

    @property
    def ledger(self) -> Remembered:
        """Return the permission ledger (E43)."""
        return self._ledger

    def _remembers(self) -> Coordinator | None:
        return self._turn.coordinator if self.busy and self._turn is not None and self._turn.outcome is None else None

    def _refuse(self, message: str, advice: str, pending: tuple[str, ...] = (), *, storage: bool = False) -> None:
        said = {"message": message, "advice": advice, "pending": pending, "storage": storage}
        self._log.publish(Refused.model_validate({"command": "start_turn", "conversation": self._log.id, **said}))

    async def close(self, patience: float, *, cut: bool = False) -> None:
        """End the turn cleanly, or, if a question waits, leave it for the next start (R248, R207); `cut` as in
        `Turn.leave`."""
        self._leaving = True
        self._by_hand.stop()
        for task in (self._looking, self._finding):
            if task is not None:
                task.cancel()
        try:
            if self._turn is not None and self._task is not None and not self._task.done():
                self._turn.leave(cut=cut)
                await asyncio.wait([self._task], timeout=patience)
                if self._task.cancel():
                    await asyncio.wait([self._task], timeout=patience)
                    self._keep_words(self._turn)
            await self.models.close()
        finally:
            if self._lock is not None:
                self._lock.release()


def _drafts_of(log: Log) -> ConversationDrafts:
    if (spool := log.setup.spool) is None:
        return ConversationDrafts(log)
    from jp_tui.engine.session.spooled_drafts import SpooledDrafts  # only where a store is named

    return SpooledDrafts(log, spool)


def _title(text: str) -> str:
    """Return the first line with content, at most 80 characters (surface S4)."""
    line = first_line(storable(text))
    return line if len(line) <= 80 else f"{line[:79]}…"

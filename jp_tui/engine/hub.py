"""The hub: commands in, events out. One instance on one loop; it knows no face and draws nothing."""

from __future__ import annotations

import asyncio
import traceback
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import first_line
from jp_tui.engine.base.dependencies import HeldBy, Lock, ModelSetup, Setup
from jp_tui.engine.desks.image_reading import say
from jp_tui.engine.desks.port import DeskContext
from jp_tui.engine.desks.registry import IN_ORDER, desks
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.inquiries import draft_allowed, listed
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.rows import conversation_info
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.engine.record.store_notices import Heeding
from jp_tui.engine.reviewer.statistics import figures
from jp_tui.engine.schema_check.validation import LazyChecks
from jp_tui.engine.session.answer_router import Offering
from jp_tui.engine.session.background import Carrying, NotResumed
from jp_tui.engine.session.inbox import Watching
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.subagents import Agents
from jp_tui.engine.turn import subagent_context
from jp_tui.journal.port import STORAGE, ConversationRow, JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.questions.types import SchemaAnswer
from jp_tui.questions.validate import problem
from jp_tui.system.faults import Seen

PATIENCE_SECONDS = 2.0
UNEXPECTED = "This failed unexpectedly; nothing else did."


_InSession = (
    c.StartTurn
    | c.InterruptTurn
    | c.AnswerQuestion
    | c.ReadLedger
    | c.RevokeEntry
    | c.AskAside
    | c.SendAside
    | c.TakeOver
)
"""Commands for a conversation that is open."""


class Engine:
    """Holds conversations and gets questions answered. `greet` lets a scripted model speak first."""

    def __init__(self, setup: Setup, publish: Callable[[e.Event], None], *, greet: bool = False) -> None:
        self._setup, self._tell, self._greet = setup, publish, greet
        self._sessions: dict[str, Session] = {}
        self._heeding = Heeding(setup.journal, self._publish)
        self._watching = Watching(setup, publish, self._sessions)
        self._carrying = Carrying(setup, self._sessions, self._carried)
        self._checks = LazyChecks()
        self._offering = Offering(setup, self._checks, self._sessions.get)
        self._beside: set[asyncio.Task[None]] = set()
        self._secrets: list[Secrets] = []
        self._uses: Counter[str] = Counter()
        self._stopped = False
        self._faults = Seen()
        self._agents = Agents(self._publish, self._checks, self._sessions, self._uses, self.failed)
        self._hears: list[Callable[[e.Event], None]] = []
        self._desks = desks(DeskContext(setup, self._publish, self._sessions, self._agents, self._hears))
        self._desk_of = {kind: desk for desk in self._desks for kind in desk.takes}

    def _publish(self, event: e.Event) -> None:
        self._tell(event)
        self._watching.heard(event)
        for hears in self._hears:
            hears(event)

    async def handle(self, command: c.Command) -> None:
        """Carry out one command; failures are reported, never raised."""
        self._heeding.start()
        await self._guarded(command, self._handle(command))
        if not self._stopped:  # what comes with the end is told by whoever made the journal
            self._heeding.tell()

    async def _guarded(
        self, command: c.Command, work: Coroutine[object, object, None], *, beside: bool = False
    ) -> None:
        """`beside`: what goes on beside the conversation may fail without ending it (Z27)."""
        try:
            await work
        except NotResumed as problem:
            self._publish(
                e.Refused(
                    command=command.type,
                    message=str(problem),
                    advice=problem.advice,
                    conversation=getattr(command, "conversation", ""),
                    pending=problem.pending,
                    code="waits_for_user" if problem.waits else "nothing_to_resume",
                )
            )
        except (JournalError, ModelError, ValueError) as problem:
            advice = problem.advice if isinstance(problem, ModelError) else ""
            id_, storage = getattr(command, "conversation", ""), getattr(problem, "kind", "") in STORAGE
            refused = e.Refused(
                command=command.type, message=str(problem), advice=advice, conversation=id_, storage=storage
            )
            self._publish(refused)
        except Exception as bug:
            if not beside:
                self.failed(bug)
                return
            self.failed_beside(bug)
            id_ = getattr(command, "conversation", "")
            self._publish(e.Refused(command=command.type, message=UNEXPECTED, conversation=id_))

    def _aside(self, command: c.Command, work: Coroutine[object, object, None]) -> None:
        """Carry out what may take seconds beside the other commands."""
        task = asyncio.create_task(self._guarded(command, work, beside=True))
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def stop(self) -> None:
        """Close every conversation and the log; the last event is Stopped. Harmless twice."""
        if self._stopped:
            return
        self._stopped = True
        self._watching.close()
        self._heeding.close()
        await self._carrying.close()
        try:
            for task in (beside := list(self._beside)):
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            for desk in self._desks:
                await desk.close()
            while self._sessions:  # one that is closed takes its sub-agents with it
                await self._sessions.pop(next(iter(self._sessions))).close(PATIENCE_SECONDS)
            await self._agents.close()
            await self._checks.close()
            if self._setup.reviewer is not None:
                await self._setup.reviewer.close()
        except Exception as bug:
            self.failed(bug)
        finally:
            self._sessions.clear()
            self._setup.journal.close()
            self._publish(e.Stopped())

    async def _handle(self, command: c.Command) -> None:
        if (desk := self._desk_of.get(type(command))) is not None:
            if isinstance(command, IN_ORDER):
                await desk.handle(command)
            else:
                self._aside(command, desk.handle(command))
            return
        match command:
            case c.OpenConversation():
                await self._open(command)
            case c.ReadEvents(conversation=id_, around=around, count=count):
                rows = self._setup.journal.around(id_, around, count)
                found = tuple(stored_event(row) for row in rows)
                self._publish(e.EventsRead(conversation=id_, around=around, events=found))
            case _ if isinstance(command, _InSession):
                if (session := self._session(command.conversation, command.type)) is not None:
                    await _in_session(session, command)
            case c.ListConversations(workspace=workspace, limit=limit, agents=agents, which=shown, offset=offset):
                known = self._setup.journal.conversations(
                    workspace or None, limit=limit, offset=max(0, offset), children=agents, shown=shown
                )
                self._publish(e.ConversationsListed(conversations=tuple(conversation_info(row) for row in known)))
            case c.ReadConversation():
                self._read(command)
            case c.ReadHistory(limit=limit):
                asked = self._setup.journal.last_requests(str(self._setup.workspace), limit)
                self._publish(e.HistoryRead(texts=tuple(item.text for item in reversed(asked) if item.text)))
            case c.SaveDraft(conversation=id_, key=key, text=text):
                self._save_draft(id_, key, text)
            case c.SetSetting(key=key, value=value):
                file = self._setup.save_setting(key, value)
                self._publish(e.SettingChanged(key=key, value=value, file=str(file)))
                for session in list(self._sessions.values()):
                    await session.ledger.settings_changed()
            case c.CheckAnswer():
                self._aside(command, self._check(command))
            case c.ListInquiries(conversation=id_, pending=pending):
                self._list(command.type, id_, pending=pending)
            case c.OfferAnswer():
                self._aside(command, self._offer(command))
            case c.CarryOn(conversation=id_):
                self._aside(command, self._carrying.carry_on(id_))
            case c.WatchWaiting(on=on):
                self._watching.watch(on=on)
            case c.ReadReviewers():
                self._aside(command, self._reviewers())
            case c.ClientGone():
                for session in list(self._sessions.values()):
                    session.client_gone()
            case c.Shutdown():
                await self.stop()
            case _:
                raise AssertionError(f"no desk takes {command.type}")

    async def _reviewers(self) -> None:
        self._publish(e.ReviewersRead(reviewers=await figures(self._setup.journal, self._setup.tools)))

    def _save_draft(self, id_: str, key: str, text: str) -> None:
        journal = self._setup.journal
        if (session := self._sessions.get(id_)) is not None:
            session.save_draft(key, text)
        elif not text:
            journal.clear_draft(id_, key)
        elif draft_allowed(journal, id_, key):  # of a conversation that was left a moment ago
            journal.save_draft(id_, key, text)

    async def _check(self, command: c.CheckAnswer) -> None:
        """Does a value fit the question that waits? (HOUSE "The way of an inquiry")"""
        session = self._sessions.get(command.conversation)
        shown = session.prompt(command.inquiry) if session is not None else None
        if shown is None:
            raise ValueError("That question does not wait for an answer any more.")
        kind = shown.question.answer_type
        if isinstance(kind, SchemaAnswer):
            found = await self._checks.problems(kind.schema, command.value)
        else:
            why = problem(kind, command.value)
            found = [] if why is None else [("", why)]
        self._publish(
            e.AnswerChecked(
                conversation=command.conversation,
                inquiry=command.inquiry,
                revision=command.revision,
                problems=tuple(found),
            )
        )

    def _list(self, command: str, conversation: str, *, pending: bool) -> None:
        journal = self._setup.journal
        row = journal.conversation(conversation) if conversation else None
        if conversation and row is None:
            self._unknown(command, conversation)
            return
        found = listed(journal, row.id if row is not None else "", pending=pending)
        self._publish(e.InquiriesListed(inquiries=tuple(found)))

    async def _offer(self, command: c.OfferAnswer) -> None:
        settled = await self._offering.offer(command)
        self._publish(settled)
        if command.carry_on and settled.status == "accepted":
            with suppress(ValueError):  # somebody else holds it, and carries it on
                await self._carrying.carry_on(settled.conversation)

    async def _carried(self, row: ConversationRow) -> Session:
        return await self._resumed(row, await self._setup.open_model(row.model))

    def _session(self, id_: str, command: str) -> Session | None:
        session = self._sessions.get(id_)
        if session is None:
            message, advice = f"Conversation {id_} is not open.", "Open it first."
            self._publish(e.Refused(command=command, message=message, advice=advice, conversation=id_))
        return session

    async def _open(self, command: c.OpenConversation) -> None:
        if self._sessions:  # what was handed over before, drafts too, is read below
            with suppress(JournalError):
                await self._setup.journal.flush()
        row: ConversationRow | None = None
        if command.which == "id":
            row = self._setup.journal.conversation(command.conversation)
            if row is None:
                self._unknown(command.type, command.conversation)
                return
        elif command.which == "latest":
            row = self._setup.journal.latest(str(self._setup.workspace))
        if row is not None and (running := self._sessions.get(row.id)) is not None and running.busy:
            await running.open(command.page, new=False)
            return
        model = await self._setup.open_model(row.model if row is not None else "")
        await self._close_idle()
        session = await self._resumed(row, model) if row is not None else self._new(model)
        self._sessions[session.id] = session
        await session.open(command.page, new=row is None)

    def _read(self, command: c.ReadConversation) -> None:
        journal, named = self._setup.journal, command.conversation
        row = journal.conversation(named) or journal.conversation(named, deleted=True)
        if row is None:
            self._unknown(command.type, command.conversation)
            return
        rows = journal.read(row.id, command.after, command.count)
        found = tuple(stored_event(item) for item in rows)
        more = bool(rows) and rows[-1].seq < row.last_seq
        self._publish(e.ConversationRead(info=conversation_info(row), events=found, more=more))

    def _unknown(self, command: str, conversation: str) -> None:
        message, advice = (
            f"There is no conversation {conversation}.",
            "`jp-tui conversations list` shows those there are.",
        )
        self._publish(e.Refused(command=command, message=message, advice=advice))

    def _new(self, model: ModelSetup) -> Session:
        log = Log(self._setup, self._publish, self._setup.new_id(), model.id, uses=self._uses)
        self._secrets.append(log.secrets)
        return self._session_of(log, model, None, "")

    async def _resumed(self, row: ConversationRow, model: ModelSetup) -> Session:
        held = self._setup.lock(row.id)
        lock, words = (None, held.words) if isinstance(held, HeldBy) else (held, "")
        if lock is not None and model.id != row.model:
            with suppress(JournalError):  # a list shows it; the conversation opens all the same
                await self._setup.journal.set_model(row.id, model.id)
        shown = model.id if lock is not None else row.model
        log = Log(self._setup, self._publish, row.id, shown, row.title, exists=True, turn=row.turns, uses=self._uses)
        if row.parent is not None:  # it goes on as any other, but for its tools
            begins = self._setup.journal.read(row.id, 0, 8)
            log.agent, names = subagent_events.own(read_event(stored_event(item).event) for item in begins)
            log.setup = subagent_context.setup_of(self._setup, names, self._setup.config_delta)
        self._secrets.append(log.secrets)
        return self._session_of(log, model, lock, words)

    def _session_of(self, log: Log, model: ModelSetup, lock: Lock | None, words: str) -> Session:
        agents = self._agents if log.agent is None else None
        return Session(log, model, self._checks, lock, words, greet=self._greet, failed=self.failed, agents=agents)

    async def _close_idle(self) -> None:
        """One conversation is worked in at a time; one with a running turn goes on beside it."""
        for id_, session in list(self._sessions.items()):
            if not session.busy:
                del self._sessions[id_]
                await session.close(PATIENCE_SECONDS)

    def failed(self, bug: BaseException) -> None:
        """Report a bug; nothing secret of a conversation that was open stands in it (R202)."""
        message, report = self._words(bug)
        self._publish(e.EngineFailed(message=message, report=report))

    def failed_beside(self, bug: Exception) -> None:
        """Report a bug of a background task, which ends nothing else (Z27); one that comes again and again, once."""
        if self._faults.new(bug):
            message, file = self._setup.keep_report(*self._words(bug))
            self._publish(e.BackgroundFailed(message=first_line(message), file=file))

    def _words(self, bug: BaseException) -> tuple[str, str]:
        message, report = f"{type(bug).__name__}: {bug}", "".join(traceback.format_exception(bug))
        for secrets in self._secrets:
            message, report = secrets.text(message), secrets.text(report)
        return message, report


async def _in_session(session: Session, command: _InSession) -> None:
    """Raises ValueError with words, JournalError."""
    match command:
        case c.StartTurn(text=text, attachments=attachments):
            await say(session, text, attachments)
        case c.InterruptTurn(action=action, text=text, after_calls=after):
            session.interrupt(action, text, after_calls=after)
        case c.AnswerQuestion():
            session.answer(command)
        case c.ReadLedger():
            await session.ledger.read()
        case c.RevokeEntry(key=key):
            await session.ledger.revoke(key)
        case c.AskAside(inquiry=inquiry, text=text):
            session.asides.ask(session.prompt(inquiry), text)
        case c.SendAside(inquiry=inquiry, send=send):
            await session.asides.send(inquiry, send=send)
        case c.TakeOver(inquiry=inquiry):
            session.take_over(inquiry)

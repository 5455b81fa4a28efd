"""Hub of the engine: commands in, events out. One instance on one loop, independent of front ends."""

from __future__ import annotations

import asyncio
import traceback
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING

from jp_tui.conversation.model import ModelError
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.engine.base.dependencies import ConversationLock, EngineDependencies, HeldBy, ModelSetup
from jp_tui.engine.context.own_commands import CommandRefused, commands_read
from jp_tui.engine.desks.image_reading import send_message
from jp_tui.engine.desks.port import DeskContext
from jp_tui.engine.desks.registry import desks
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.log import Log
from jp_tui.engine.record.rules.record import RuleRecord
from jp_tui.engine.record.secret_redaction import Secrets
from jp_tui.engine.record.store_notices import StoreNotices
from jp_tui.engine.schema_check.validation import LazyChecks
from jp_tui.engine.session.background import NotResumed
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.subagents import Subagents
from jp_tui.engine.turn import subagent_context
from jp_tui.journal.port import STORAGE, ConversationRow, JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.store import RetryStore, TakeBackAnswer
from jp_tui.system.faults import SeenFailures

if TYPE_CHECKING:
    from jp_tui.engine.session.offline import OfflineWork

PATIENCE_SECONDS = 2.0
AGAIN_SECONDS = 0.5
UNEXPECTED = "This action failed unexpectedly. Everything else still works."


class Engine:
    """Opens conversations and routes their questions. `greet` lets a scripted model speak first. `shares_journal`:
    whoever made it heeds the journal and closes it."""

    def __init__(
        self,
        setup: EngineDependencies,
        publish: Callable[[e.Event], None],
        *,
        greet: bool = False,
        shares_journal: bool = False,
    ) -> None:
        self._setup, self._tell, self._greet, self._shares = setup, publish, greet, shares_journal
        self._sessions: dict[str, Session] = {}
        self._heeding = StoreNotices(setup.journal, self._publish, self._store_lost, self._store_back)
        self._offline: OfflineWork | None = None
        self._lost = asyncio.Event()
        self._checks = LazyChecks()
        self._beside: set[asyncio.Task[None]] = set()
        self._secrets: list[Secrets] = []
        self._uses: Counter[str] = Counter()
        self._rules = RuleRecord()
        self._stopped = False
        self._faults = SeenFailures()
        self._agents = Subagents(self._publish, self._checks, self._sessions, self._uses, self._rules, self.failed)
        self._context = DeskContext(
            setup,
            self._publish,
            self._sessions,
            self._agents,
            self._checks,
            resume=self._carried,
            offline=lambda: setup.spool is not None and self._heeding.offline,
        )
        self._desks = desks(self._context)
        self._beside_turns = {kind: work for desk in self._desks for kind, work in desk.beside.items()}
        self._in_order = {kind: work for desk in self._desks for kind, work in desk.in_order.items()}
        self._in_order |= {
            c.OpenConversation: self._open,
            c.ClientGone: self._client_gone,
            RetryStore: self._retry_store,
            TakeBackAnswer: self._take_back,
            c.Shutdown: self._shutdown,
        }

    def _publish(self, event: e.Event) -> None:
        self._tell(event)
        for listener in self._context.listeners:
            listener(event)

    async def handle(self, command: c.Command) -> None:
        """Carry out one command; failures are reported, never raised."""
        if not self._shares:
            self._heeding.start()
        if self._setup.spool is None or isinstance(command, c.Shutdown):
            await self._guarded(command, self._handle(command))
        else:
            await self._until_lost(command)
        if not (self._stopped or self._shares):  # notices at the end are for the owner of the journal
            self._heeding.tell()

    async def _guarded(
        self, command: c.Command, work: Coroutine[object, object, None], *, beside: bool = False
    ) -> None:
        """`beside`: background work may fail without ending the conversation (Z27)."""
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
        except CommandRefused as problem:
            id_, said = getattr(command, "conversation", ""), (str(problem), problem.advice)
            self._publish(
                e.Refused(
                    command=command.type, message=said[0], advice=said[1], conversation=id_, code="command_refused"
                )
            )
        except (JournalError, ModelError, ValueError) as problem:
            if getattr(problem, "kind", "") == "offline" and self._waits(command):
                return
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

    async def carry_on(self, conversation: str) -> None:
        """Resume a conversation's turn as CarryOn does, and wait for its end."""
        await self.handle(c.CarryOn(conversation=conversation))
        await asyncio.gather(*self._beside, return_exceptions=True)
        for session in list(self._sessions.values()):
            await session.finished()

    async def begin(self, conversation: str, title: str, text: str, schedule: JsonObject) -> None:
        """Begin a new conversation with this id and message, without a client, and wait for its end; without effect if
        it has begun before, by any process, even if it was deleted since. `schedule` is stored with its turn."""
        work = self._scheduled(conversation, title, text, schedule)
        await self._guarded(c.CarryOn(conversation=conversation), work)

    async def _scheduled(self, id_: str, title: str, text: str, schedule: JsonObject) -> None:
        setup, journal = self._setup, self._setup.journal
        held = setup.lock(id_)
        if isinstance(held, HeldBy):
            raise ValueError(f"This conversation is being written by {held.words}.")
        session: Session | None = None
        try:
            row = journal.conversation(id_)  # as it is now that no other process can begin it
            if (row is not None and row.turns) or journal.conversation(id_, deleted=True) is not None:
                return
            model = await setup.open_model("")
            log = Log(
                setup, self._publish, id_, model.id, title, exists=row is not None, uses=self._uses, rules=self._rules
            )
            log.schedule = schedule
            self._secrets.append(log.secrets)
            session = self._session_of(log, model, held, "")
        finally:
            if session is None:
                held.release()
        session.live.watched = False
        self._sessions[id_] = session
        await send_message(session, text, (), command=True)
        await session.finished()
        if session.log.exists:
            await journal.set_title(id_, title, "user")  # no model gives it another

    def _aside(self, command: c.Command, work: Coroutine[object, object, None]) -> None:
        """Carry out a command that may take seconds concurrently with the others."""
        self._start_beside(self._guarded(command, work, beside=True))

    async def stop(self) -> None:
        """Close every conversation and the log; the last event is Stopped. May be called twice."""
        if self._stopped:
            return
        self._stopped = True
        if not self._shares:
            self._heeding.close()
        try:
            for task in (beside := list(self._beside)):
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            for desk in self._desks:
                if desk.close is not None:
                    await desk.close()
            while self._sessions:  # closing one also closes its sub-agents
                await self._sessions.pop(next(iter(self._sessions))).close(PATIENCE_SECONDS, cut=self._shares)
            await self._agents.close()
            await self._checks.close()
            if self._setup.servers is not None:
                await self._setup.servers.close()
            if self._setup.reviewer is not None:
                await self._setup.reviewer.close()
        except Exception as bug:
            self.failed(bug)
        finally:
            self._sessions.clear()
            if not self._shares:
                self._setup.journal.close()
            if self._setup.spool is not None:
                self._setup.spool.close()
            self._publish(e.Stopped())

    async def _handle(self, command: c.Command) -> None:
        kind = type(command)
        waiting = self._offline if self._context.offline() else None
        if waiting is not None and waiting.hold(command, self._heeding.problem):
            return
        if (work := self._beside_turns.get(kind)) is not None:
            self._aside(command, work(command))
        elif (work := self._in_order.get(kind)) is not None:
            await work(command)
        else:
            raise AssertionError(f"no desk takes {command.type}")

    async def _client_gone(self, _: c.ClientGone) -> None:
        for session in list(self._sessions.values()):
            session.client_gone()

    async def _shutdown(self, _: c.Shutdown) -> None:
        await self.stop()

    # --- a shared store that is out of reach (store.md D12) -------------------------------------------------

    def _store_lost(self) -> None:
        if self._setup.spool is None:
            return
        if self._offline is None:
            from jp_tui.engine.session.offline import OfflineWork

            self._offline = OfflineWork(self._publish)
        self._lost.set()
        for session in self._sessions.values():
            session.store_lost()

    def _store_back(self) -> None:
        self._lost.clear()
        if self._offline is not None:
            self._start_beside(self._resume_work(self._offline))

    def _start_beside(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return task

    async def _until_lost(self, command: c.Command) -> None:
        """Carry out a command. If the store is lost meanwhile, the next ones don't wait for it."""
        task = self._start_beside(self._guarded(command, self._handle(command)))
        if self._lost.is_set():
            await asyncio.wait((task,))
            return
        lost = asyncio.create_task(self._lost.wait())
        await asyncio.wait((task, lost), return_when=asyncio.FIRST_COMPLETED)
        lost.cancel()

    async def _resume_work(self, waiting: OfflineWork) -> None:
        """Go on with what waited for the store. What fails because it was lost again waits again."""
        try:
            for session in list(self._sessions.values()):
                await session.store_back()
            for command in waiting.take():
                await self.handle(command)
            for returned in self._context.returns:
                await returned()
        except JournalError as problem:
            if problem.kind != "offline":
                self._publish(e.StorageFailed(message=str(problem)))
        except Exception as bug:
            self.failed_beside(bug)

    def _waits(self, command: c.Command) -> bool:
        """Return True if a command is carried out once the store answers again. No other conversation is opened then
        in place of one that is open."""
        reads = (c.OpenConversation, c.ReadHistory, c.ReadEvents)
        if self._setup.spool is None or not isinstance(command, reads):
            return False
        if isinstance(command, c.OpenConversation) and self._sessions:
            return False
        self._heeding.tell()
        if self._offline is not None and self._context.offline():
            self._offline.later(command)
            return True
        self._start_beside(self._again(command))
        return True

    async def _again(self, command: c.Command) -> None:
        """Try a command again that failed before it is known whether the store is lost, or was for a moment."""
        await asyncio.sleep(AGAIN_SECONDS)
        await self.handle(command)

    async def _retry_store(self, _: RetryStore) -> None:
        self._setup.journal.retry()

    async def _take_back(self, command: TakeBackAnswer) -> None:
        if self._offline is not None:
            self._offline.take_back(command.conversation, command.inquiry)

    async def _carried(self, row: ConversationRow) -> Session:
        return await self._resumed(row, await self._setup.open_model(row.model))

    async def _open(self, command: c.OpenConversation) -> None:
        if self._sessions:  # everything submitted before, drafts too, is read below
            with suppress(JournalError):
                await self._setup.journal.flush()
        row: ConversationRow | None = None
        if command.which == "id":
            row = self._setup.journal.conversation(command.conversation)
            if row is None:
                self._context.unknown(command.type, command.conversation)
                return
            if row.outside:
                raise ValueError(f"{row.id} is a question of another program; `jp-tui answer` answers it.")
        elif command.which == "latest":
            row = self._setup.journal.latest(str(self._setup.workspace))
        if (there := commands_read(self._setup.own_commands, self._setup.agent_commands())).commands:
            self._publish(there)
        if row is not None and (running := self._sessions.get(row.id)) is not None and running.busy:
            await running.open(command.page, new=False)
            return
        model = await self._setup.open_model(row.model if row is not None else "")
        await self._close_idle()
        session = await self._resumed(row, model) if row is not None else self._new(model)
        self._sessions[session.id] = session
        await session.open(command.page, new=row is None)

    def _new(self, model: ModelSetup) -> Session:
        log = Log(self._setup, self._publish, self._setup.new_id(), model.id, uses=self._uses, rules=self._rules)
        self._secrets.append(log.secrets)
        return self._session_of(log, model, None, "")

    async def _resumed(self, row: ConversationRow, model: ModelSetup) -> Session:
        held = self._setup.lock(row.id)
        lock, words = (None, held.words) if isinstance(held, HeldBy) else (held, "")
        if lock is not None and model.id != row.model:
            with suppress(JournalError):  # a list reports it; the conversation opens nonetheless
                await self._setup.journal.set_model(row.id, model.id)
        shown = model.id if lock is not None else row.model
        log = Log(
            self._setup,
            self._publish,
            row.id,
            shown,
            row.title,
            exists=True,
            turn=row.turns,
            uses=self._uses,
            rules=self._rules,
        )
        if row.parent is not None:  # like any other, except for its tools
            begins = self._setup.journal.read(row.id, 0, 8)
            log.agent, names = subagent_events.own(read_event(stored_event(item).event) for item in begins)
            log.setup = subagent_context.setup_of(self._setup, names, self._setup.config_delta)
        self._secrets.append(log.secrets)
        return self._session_of(log, model, lock, words)

    def _session_of(self, log: Log, model: ModelSetup, lock: ConversationLock | None, words: str) -> Session:
        agents = self._agents if log.agent is None else None
        return Session(log, model, self._checks, lock, words, greet=self._greet, failed=self.failed, agents=agents)

    async def _close_idle(self) -> None:
        """Close idle conversations: only one is open at a time, and others with a running turn continue."""
        for id_, session in list(self._sessions.items()):
            if not session.busy:
                del self._sessions[id_]
                await session.close(PATIENCE_SECONDS)

    def failed(self, bug: BaseException) -> None:
        """Report a bug without the secrets of open conversations (R202)."""
        message, report = self._words(bug)
        self._publish(e.EngineFailed(message=message, report=report))

    def failed_beside(self, bug: Exception) -> None:
        """Report a bug of a background task, which ends nothing else (Z27); a repeated one, once."""
        if self._faults.new(bug):
            message, file = self._setup.keep_report(*self._words(bug))
            self._publish(e.BackgroundFailed(message=first_line(message), file=file))

    def _words(self, bug: BaseException) -> tuple[str, str]:
        message, report = f"{type(bug).__name__}: {bug}", "".join(traceback.format_exception(bug))
        for secrets in self._secrets:
            message, report = secrets.text(message), secrets.text(report)
        return message, report

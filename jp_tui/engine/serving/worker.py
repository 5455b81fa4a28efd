"""Worker: resumes turns whose questions were answered, each once, by the same path as `query -r` (store.md D20, D21),
and begins what schedules have due (D23).

It looks at the store after a change. Each turn runs in an engine of its own, with the settings of that moment; all of
them share the worker's journal, which this endpoint heeds and closes. Whoever takes a conversation's lock first resumes
it, so any number of workers may look at the same folders.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from jp_tui.conversation import events as ev
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import first_line
from jp_tui.engine.base.dependencies import Commits, ConversationLock, EngineDependencies, HeldBy
from jp_tui.engine.hub import Engine
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.store_notices import StoreNotices
from jp_tui.engine.recovery.close_turn import has_ended, resumable, scheduled
from jp_tui.engine.serving.schedules import FIRST_RETRY, LAST_RETRY, DueTime, Schedules
from jp_tui.engine.session.worker_presence import presence
from jp_tui.journal.port import STORAGE, ConversationRow, Journal, JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.worker import SCHEDULE
from jp_tui.settings.schedules import ScheduledPrompt

_SHOWN = (
    e.TurnStarted,
    e.TurnCompleted,
    e.Refused,
    e.StorageFailed,
    e.BackgroundFailed,
    e.EngineFailed,
)
"""Events of its turns that a worker passes on."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """`folders` are absolute; `machine` is this machine's name in a shared store, empty in one of its own. `look_secs`
    is the time between two looks for changes, `held_secs` between two looks whether a conversation that another process
    has open is free."""

    folders: Sequence[str]
    schedules: Sequence[ScheduledPrompt]
    machine: str
    any_machine: bool
    parallel: int
    look_secs: float
    held_secs: float


@dataclass(frozen=True, slots=True)
class WorkerAccess:
    """Functions of the program for a worker: `setup` returns the dependencies of an engine for a folder, with the
    settings of this moment and a schedule's model, if it names one, and raises ValueError with a message; `lock` and
    `holder` are those of EngineDependencies, `clock` counts seconds, `now` is the time by which schedules are due, and
    `commits` serves the worker as well as its engines."""

    setup: Callable[[str, str], EngineDependencies]
    lock: Callable[[str], ConversationLock | HeldBy]
    holder: Callable[[str], str]
    clock: Callable[[], float]
    now: Callable[[], datetime]
    commits: Commits


@dataclass(slots=True)
class _Known:
    """Facts about a conversation at this number of its last event: when to try to resume it, None if only after a
    change of its log, and how often that failed."""

    seq: int
    again: float | None = 0.0
    failures: int = 0


@dataclass(slots=True)
class _Run:
    """A turn at work. `due`: a schedule's; `began`: it has. `end`: it needs nothing more until its log changes, another
    process has it open, or it is tried again."""

    due: DueTime | None = None
    began: bool = False
    engine: Engine | None = None
    end: Literal["done", "held", "failed"] = "done"


class Worker:
    """An endpoint of a link. It begins to look at once; ClientGone drains it: it begins nothing more, and stops when
    its turns have ended."""

    def __init__(
        self, journal: Journal, access: WorkerAccess, settings: WorkerSettings, publish: Callable[[e.Event], None]
    ) -> None:
        self._journal, self._access, self._settings, self._publish = journal, access, settings, publish
        self._running: dict[str, asyncio.Task[None]] = {}
        self._runs: dict[str, _Run] = {}
        self._known: dict[str, _Known] = {}
        self._gone: set[str] = set()
        self._presence: dict[str, ConversationLock] = {}
        self._draining = self._stopped = False
        self._ending: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._news = asyncio.Event()
        """Set after a commit."""
        access.commits.follow(self._news)
        self._heeding = StoreNotices(journal, publish, self._wake.set, self._wake.set)
        self._heeding.start()
        self._schedules = Schedules(journal, settings.schedules, access.holder, self._say)
        self._again: float | None = 0.0
        self._task = asyncio.create_task(self._live())

    async def handle(self, command: c.Command) -> None:
        """Drain, or end. A worker has no other commands."""
        match command:
            case c.ClientGone():
                self._draining = True
                self._wake.set()
            case c.Shutdown():
                await self.stop()
            case _:
                raise AssertionError(f"a worker doesn't take {command.type}")

    def failed(self, bug: BaseException) -> None:
        """Report a bug of the worker itself, which ends it."""
        report = "".join(traceback.format_exception(bug))
        self._publish(e.EngineFailed(message=f"{type(bug).__name__}: {bug}", report=report))

    def failed_beside(self, bug: Exception) -> None:
        """Report a bug of a background task."""
        self._publish(e.BackgroundFailed(message=first_line(f"{type(bug).__name__}: {bug}"), file=""))

    async def stop(self) -> None:
        """Cut what still runs: its turns stay resumable. Free everything, close the journal. May be called twice."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._stop())
        await self._ending

    async def _stop(self) -> None:
        self._stopped = True
        self._task.cancel()
        self._access.commits.leave(self._news)
        await asyncio.gather(*(run.engine.stop() for run in self._runs.values() if run.engine is not None))
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        for lock in self._presence.values():
            lock.release()
        self._heeding.close()
        self._journal.close()
        self._publish(e.Stopped())

    # --- looking ------------------------------------------------------------------------------------------

    async def _live(self) -> None:
        try:
            while not (self._draining and not self._running):
                if not self._draining and not self._overtaken() and self._due():
                    await self._look()
                self._wake.clear()
                if self._draining and not self._running:
                    break
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._settings.look_secs):
                        await self._wake.wait()
        except Exception as bug:
            self.failed(bug)
            return
        if self._ending is None:
            self._ending = asyncio.create_task(self._stop())  # not in this task, which it cancels

    def _overtaken(self) -> bool:
        """End with 1 once the store's schema is too new for this program (D7, S1); True then."""
        found = self._journal.connection()
        if found is None or not found.newer:
            return False
        self._publish(e.EngineFailed(message=found.problem, report=""))
        self._draining = True
        return True

    def _due(self) -> bool:
        """True if something changed, a schedule is due, or the time for another look has come."""
        changed = self._news.is_set()
        self._news.clear()
        try:
            changed = self._schedules.look(self._access.now()) or changed
        except JournalError:
            return True  # the look reports why
        return changed or (self._again is not None and self._access.clock() >= self._again)

    async def _look(self) -> None:
        self._again = None
        try:
            self._announce_presence()
            rows = self._journal.unfinished(self._settings.folders)
            for row in self._wanted(rows):
                self._begin(row.id, _Run(), self._resume(row))
            self._begin_scheduled()
        except JournalError as problem:
            if problem.kind in STORAGE - {"offline", "busy", "full"}:
                self._publish(e.EngineFailed(message=str(problem), report=""))  # it ends with 1 (S1)
                self._draining = True
                return
            self._later(self._access.clock() + self._settings.look_secs)

    def _announce_presence(self) -> None:
        """Hold a name for each folder, by which others see that a worker serves it. Of several workers one holds it."""
        for folder in self._settings.folders:
            name = presence("" if self._settings.any_machine else self._settings.machine, folder)
            if name not in self._presence:
                held = self._access.lock(name)
                if not isinstance(held, HeldBy):
                    self._presence[name] = held

    def _later(self, at: float) -> None:
        self._again = at if self._again is None else min(self._again, at)

    def _wanted(self, rows: Sequence[ConversationRow]) -> Iterator[ConversationRow]:
        """Yield what can begin now, the oldest answer first."""
        now, waits = self._access.clock(), {row.id for row in rows}
        self._known = {id_: known for id_, known in self._known.items() if id_ in waits or id_ in self._running}
        for row in reversed(rows):
            if len(self._running) >= self._settings.parallel:
                return  # the end of a turn wakes the worker
            mine = row.machine == self._settings.machine or self._settings.any_machine
            if not mine or row.id in self._running or self._is_child(row):
                continue
            known = self._known.get(row.id)
            if known is None or known.seq != row.last_seq:
                known = self._known[row.id] = _Known(row.last_seq)
            if known.again is None:
                continue
            if known.again > now:
                self._later(known.again)
                continue
            if self._access.holder(row.id):
                self._later(now + self._settings.held_secs)
                continue
            if not self._resumable(row):
                known.again = None
            elif self._is_there(row):
                yield row

    def _begin_scheduled(self) -> None:
        clock = self._access.clock()
        for due in self._schedules.ready(clock, self._later, self._settings.held_secs):
            if len(self._running) >= self._settings.parallel:
                return
            if due.conversation not in self._running:
                self._begin(due.conversation, _Run(due), self._run(due))

    def _is_child(self, row: ConversationRow) -> bool:
        """True if a sub-agent's parent, which resumes it, is unfinished itself."""
        parent = self._journal.conversation(row.parent) if row.parent is not None else None
        return parent is not None and not has_ended(self._turn(parent))

    def _resumable(self, row: ConversationRow) -> bool:
        turn = self._turn(row)
        return scheduled(turn) or resumable(turn, self._journal.partials(row.id))

    def _turn(self, row: ConversationRow) -> list[ev.Event]:
        return [read_event(stored_event(item).event) for item in self._journal.turn_events(row.id, row.turns)]

    def _is_there(self, row: ConversationRow) -> bool:
        """True if the folder is there; said once if it isn't."""
        if Path(row.workspace).is_dir():
            self._gone.discard(row.workspace)
            return True
        if row.workspace not in self._gone:
            self._gone.add(row.workspace)
            words = f"The folder {row.workspace} is gone. Its turns wait until it is back."
            self._publish(e.Refused(command="carry_on", message=words, conversation=row.id))
        self._put_off(row.id)
        return False

    # --- one turn -----------------------------------------------------------------------------------------

    def _begin(self, conversation: str, run: _Run, work: Coroutine[object, object, None]) -> None:
        self._runs[conversation] = run
        task = self._running[conversation] = asyncio.create_task(work)
        task.add_done_callback(partial(self._ended, conversation))

    def _ended(self, conversation: str, task: asyncio.Task[None]) -> None:
        self._running.pop(conversation, None)
        self._runs.pop(conversation, None)
        if not task.cancelled() and (bug := task.exception()) is not None:
            self.failed_beside(bug if isinstance(bug, Exception) else RuntimeError(str(bug)))
        self._later(0.0)
        self._wake.set()

    async def _resume(self, row: ConversationRow) -> None:
        run = self._runs[row.id]
        try:
            setup = self._access.setup(row.workspace, "")
        except ValueError as problem:
            self._publish(e.Refused(command="carry_on", message=str(problem), conversation=row.id))
            self._put_off(row.id)
            return
        run.engine = Engine(setup, partial(self._heard, row.id, run), shares_journal=True)
        try:
            await run.engine.carry_on(row.id)
        finally:
            await run.engine.stop()
        match run.end:
            case "held":
                self._later(self._access.clock() + self._settings.held_secs)
            case "failed":
                self._put_off(row.id)
            case "done":
                self._done(row.id)

    async def _run(self, due: DueTime) -> None:
        id_, schedule = due.conversation, due.schedule
        run = self._runs[id_]
        try:
            setup = self._access.setup(schedule.workspace, schedule.model)
        except ValueError as problem:
            self._publish(e.Refused(command=SCHEDULE, message=str(problem), conversation=id_))
            self._schedules.failed(due, self._access.clock(), self._later)
            return
        run.engine = Engine(setup, partial(self._heard, id_, run), shares_journal=True)
        try:
            await run.engine.begin(id_, due.title, schedule.prompt, due.about)
        finally:
            await run.engine.stop()
        if run.began:
            self._schedules.began(due)
            self._done(id_)
        elif run.end == "held":
            self._later(self._access.clock() + self._settings.held_secs)
        elif run.end == "failed":
            self._schedules.failed(due, self._access.clock(), self._later)

    def _say(self, words: str) -> None:
        self._publish(e.UserNotice(message=words))

    def _heard(self, conversation: str, run: _Run, event: e.Event) -> None:
        """Pass on what a worker reports about a turn, but not that another process opened the conversation first."""
        if not isinstance(event, _SHOWN) or getattr(event, "conversation", conversation) != conversation:
            return
        if isinstance(event, e.TurnStarted) and run.due is not None:
            run.began = True
            about = run.due.about
            self._publish(e.ScheduleBegan(name=str(about["name"]), due=str(about["due"]), conversation=conversation))
        if isinstance(event, e.StorageFailed) and run.end == "done":
            run.end = "failed"
        if isinstance(event, e.Refused):
            if event.code in ("waits_for_user", "nothing_to_resume"):
                return
            if self._access.holder(conversation) and not event.storage:
                run.end = "held"
                return
            run.end = "failed"
            event = event if run.due is None else event.model_copy(update={"command": SCHEDULE})
        if isinstance(event, e.EngineFailed):  # the worker itself goes on
            event = e.BackgroundFailed(message=first_line(event.message), file="")
        self._publish(event)

    def _put_off(self, conversation: str) -> None:
        """Try it again later, or when its log has changed."""
        known = self._known.setdefault(conversation, _Known(0))
        known.again = self._access.clock() + min(FIRST_RETRY * 2**known.failures, LAST_RETRY)
        known.failures += 1
        with suppress(JournalError):
            known.seq = self._journal.last_seq(conversation)
        self._later(known.again)

    def _done(self, conversation: str) -> None:
        """Its turn ended, or waits again: it isn't resumed before its log changes."""
        known = self._known.setdefault(conversation, _Known(0))
        known.again = None
        with suppress(JournalError):
            known.seq = self._journal.last_seq(conversation)

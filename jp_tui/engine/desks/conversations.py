"""Service for stored conversations: search, titles, forks, archive, deletion, import.

A command that changes a conversation locks it, or is refused with the name of the owning process. Nothing here appends
to an existing conversation; the log of an open one belongs to its session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.base.dependencies import ConversationLock, HeldBy
from jp_tui.engine.desks.fork import fork
from jp_tui.engine.desks.jp.import_all import import_all
from jp_tui.engine.desks.port import Desk, DeskContext
from jp_tui.engine.desks.search import SearchDesk
from jp_tui.engine.desks.titles import Titles
from jp_tui.engine.desks.upkeep import Progress, Upkeep, remove
from jp_tui.engine.record.event_codec import storable, stored_event
from jp_tui.engine.record.rows import conversation_info
from jp_tui.journal.port import ConversationRow
from jp_tui.protocol import library as p
from jp_tui.protocol.events import ConversationOpened, Event, TitleChanged, TurnCompleted

LONGEST_TITLE = 200
CANCELLED = "Cancelled. Nothing was changed."

_Work = Coroutine[object, object, None]
_J = TypeVar("_J", p.SearchConversations, p.ForkConversation, p.ImportConversations, p.DeleteConversation)


def desk(context: DeskContext) -> Desk:
    """Serves stored conversations, titles and the upkeep of the journal."""
    library = _Library(context)
    return Desk(
        beside={
            p.SearchConversations: library.as_job(library.search),
            p.ForkConversation: library.as_job(library.fork),
            p.ImportConversations: library.as_job(library.import_jp),
            p.DeleteConversation: library.as_job(library.delete),
            p.RenameConversation: library.rename,
            p.ArchiveConversation: library.archive,
            p.RestoreConversation: library.restore,
            p.CancelWork: library.cancel,
        },
        close=library.close,
    )


class _Library:
    def __init__(self, context: DeskContext) -> None:
        self._context, self._setup = context, context.setup
        self._upkeep = Upkeep(context.setup, context.publish)
        self._finding = SearchDesk(context.setup, self._upkeep)
        self._titles = Titles(context)
        self._jobs: dict[str, asyncio.Task[None]] = {}
        if context.setup.client and not context.setup.via:  # a workspace, which stays open: there is time
            context.listeners.append(self._on_event)

    async def close(self) -> None:
        await self._titles.close()
        await self._upkeep.close()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ConversationOpened | TurnCompleted):
            self._upkeep.start()

    def as_job(self, work: Callable[[_J], _Work]) -> Callable[[_J], _Work]:
        """Make a handler that only CancelWork stops."""

        async def handle(command: _J) -> None:
            await self._as_job(command.job, work(command))

        return handle

    async def _as_job(self, job: str, work: _Work) -> None:
        task = asyncio.create_task(work)
        if job:
            self._jobs[job] = task
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:  # the engine stops: unfinished work is undone first
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            if self._jobs.get(job) is task:
                del self._jobs[job]
        if task.cancelled():
            raise ValueError(CANCELLED)
        await task

    # --- the commands -------------------------------------------------------------------------------------

    async def search(self, command: p.SearchConversations) -> None:
        found = await self._finding.search(command)
        if found is not None:
            self._context.publish(found)

    async def cancel(self, command: p.CancelWork) -> None:
        if (task := self._jobs.get(command.job)) is not None:
            task.cancel()

    async def rename(self, command: p.RenameConversation) -> None:
        row = self._row(command.conversation)
        async with self._holding([row.id]):
            title = first_line(storable(command.title))[:LONGEST_TITLE]
            if title:
                await self._setup.journal.set_title(row.id, title, "user")
            else:
                title = self._first_line(row)
                await self._setup.journal.set_title(row.id, title, "first_line")
            if (session := self._context.sessions.get(row.id)) is not None:
                session.log.title = title
            self._changed(row.id)
        self._context.publish(TitleChanged(conversation=row.id, title=Foreign(title)))

    def _first_line(self, row: ConversationRow) -> str:
        for stored in self._setup.journal.read(row.id, 0, 50):
            event = read_event(stored_event(stored).event)
            if isinstance(event, ev.ChatRequest) and (line := first_line(event.content)):
                return line if len(line) <= 80 else f"{line[:79]}…"
        return ""

    async def fork(self, command: p.ForkConversation) -> None:
        row = self._row(command.conversation)
        progress = Progress(self._setup, self._context.publish, command.job, "fork")
        new, text = await fork(self._setup, row, command.at, command.before, progress)
        self._context.publish(p.ConversationForked(info=conversation_info(self._row(new)), text=text))

    async def archive(self, command: p.ArchiveConversation) -> None:
        row = self._row(command.conversation)
        async with self._holding([row.id]):
            await self._setup.journal.set_archived(row.id, command.archived)
            self._changed(row.id)

    async def delete(self, command: p.DeleteConversation) -> None:
        journal = self._setup.journal
        row = journal.conversation(command.conversation)
        if row is None and command.now:
            row = journal.conversation(command.conversation, deleted=True)
        row = row or self._row(command.conversation)
        family = [row.id, *journal.children(row.id)]
        for id_ in family:
            if (session := self._context.sessions.get(id_)) is not None and (session.busy or command.now):
                what = "The model is still working in it" if session.busy else "It is open here"
                raise ValueError(f"{what}; {'stop it' if session.busy else 'open another conversation'} first.")
        async with self._holding(family):
            if not row.deleted:
                await journal.hide(row.id, timestamp(self._setup.now()))
            for id_ in family:
                self._setup.deleted(id_)
            if not command.now:
                self._changed(row.id, deleted=True)
        if command.now:
            told = journal.conversation(row.id, deleted=True) or row
            progress = Progress(self._setup, self._context.publish, command.job, "delete", row.events)
            await remove(self._setup, reversed(family), progress)
            self._context.publish(p.ConversationChanged(info=conversation_info(told), gone=True))

    async def restore(self, command: p.RestoreConversation) -> None:
        row = self._setup.journal.conversation(command.conversation, deleted=True)
        if row is None:
            self._row(command.conversation)
            raise ValueError(f"{command.conversation} is not deleted.")
        async with self._holding([row.id]):
            await self._setup.journal.restore(row.id)
            self._changed(row.id)

    async def import_jp(self, command: p.ImportConversations) -> None:
        progress = Progress(self._setup, self._context.publish, command.job, "import")
        self._context.publish(await import_all(self._setup, command.path, progress))

    # --- helpers ----------------------------------------------------------------------------------------------

    def _row(self, conversation: str) -> ConversationRow:
        """Raises ValueError with a message."""
        row = self._setup.journal.conversation(conversation)
        if row is None:
            known = self._setup.journal.conversation(conversation, deleted=True)
            if known is not None:
                raise ValueError(f"{known.id} is deleted. `jp-tui conversations rm --undo {known.id}` restores it.")
            raise ValueError(
                f"There is no conversation {conversation}. `jp-tui conversations list` lists all conversations."
            )
        return row

    @asynccontextmanager
    async def _holding(self, ids: Sequence[str]) -> AsyncIterator[None]:
        """Lock them, unless this engine already owns them. Raises ValueError with the owner."""
        locks: list[ConversationLock] = []
        try:
            for id_ in ids:
                session = self._context.sessions.get(id_)
                if session is not None and session.mine:
                    continue
                held = self._setup.lock(id_)
                if isinstance(held, HeldBy):
                    raise ValueError(f"This conversation is being written by {held.words}.")
                locks.append(held)
            yield
        finally:
            for lock in locks:
                lock.release()

    def _changed(self, conversation: str, *, deleted: bool = False) -> None:
        if (row := self._setup.journal.conversation(conversation, deleted=deleted)) is not None:
            self._context.publish(p.ConversationChanged(info=conversation_info(row)))

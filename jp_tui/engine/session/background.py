"""Conversations that run in the background (surface S12, asking.md E51): owned by no process, and resumed because their
question was answered or is to be asked here.

They aren't opened for a front end, and close after their turn unless opened meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping

from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery import repair_log
from jp_tui.engine.recovery.resume_turn import still_waits
from jp_tui.engine.session.session import Session
from jp_tui.journal.port import ConversationRow


class NotResumed(ValueError):
    """Why a turn isn't resumed, as text; `pending` are the inquiries that it waits for, `waits`: it waits for a
    person."""

    def __init__(self, message: str, advice: str = "", pending: tuple[str, ...] = (), *, waits: bool = False) -> None:
        super().__init__(message)
        self.advice, self.pending, self.waits = advice, pending, waits


PATIENCE_SECONDS = 2.0
Open = Callable[[ConversationRow], Awaitable[Session]]


class BackgroundSessions:
    """`sessions` are the conversations open in this engine, `opens` opens one more."""

    def __init__(self, setup: EngineDependencies, sessions: MutableMapping[str, Session], opens: Open) -> None:
        self._setup, self._sessions, self._opens = setup, sessions, opens
        self._watched: set[asyncio.Task[None]] = set()

    async def carry_on(self, conversation: str) -> None:
        """Resume its unfinished turn. Raises ValueError with a message, including NotResumed; ModelError,
        JournalError."""
        row = self._setup.journal.conversation(conversation)
        if row is None:
            raise ValueError(f"There is no conversation {conversation}.")
        if row.outside:
            raise ValueError(f"{row.id} is a question of another program; its answer needs no turn.")
        row = self._root(row)
        session = self._sessions.get(row.id)
        if session is not None and session.busy:
            return
        opened = session is None or not session.mine
        if session is None or not session.mine:
            session = await self._opens(row)
        if not session.mine:
            await session.close(PATIENCE_SECONDS)
            raise ValueError(f"This conversation is being written by {session.held_by}.")
        if opened:
            session.live.watched = False
            self._sessions[row.id] = session
        session.starting = True
        try:
            went = await session.carry_on()
        except BaseException:
            await self._close(session)
            raise
        finally:
            session.starting = False
        if not went:
            cut = repair_log.resumable(session.log)
            await self._close(session)
            if cut is None:
                raise NotResumed("This conversation has nothing to resume.")
            raise NotResumed(*still_waits(cut, row.id), waits=True)
        task = asyncio.create_task(self._until(session))
        self._watched.add(task)
        task.add_done_callback(self._watched.discard)

    def _root(self, row: ConversationRow) -> ConversationRow:
        """Return the conversation to resume: a waiting parent resumes its sub-agent; any other runs independently."""
        parent = self._setup.journal.conversation(row.parent) if row.parent is not None else None
        if parent is None:
            return row
        if parent.id in self._sessions:
            return parent if self._sessions[parent.id].busy else row
        log = Log(self._setup, lambda _: None, parent.id, parent.model, exists=True, turn=parent.turns)
        cut = repair_log.resumable(log)
        agents = cut.agents.values() if cut is not None else ()
        return parent if any(agent.conversation == row.id for agent in agents) else row

    async def _until(self, session: Session) -> None:
        await session.finished()
        await self._close(session)

    async def _close(self, session: Session) -> None:
        if not session.live.watched and self._sessions.get(session.id) is session:
            del self._sessions[session.id]
            await session.close(PATIENCE_SECONDS)

    async def close(self) -> None:
        """Stop all of them."""
        for task in self._watched:
            task.cancel()

"""Running sub-agents (inquiries.md 13.2): each is a conversation, open in the engine beside its parent's.

An interrupted one resumes (R237); if a parent ends, its sub-agents end, if it stops to be resumed, so do they.
Questions, tools and model are decided elsewhere (`subagent_spawner.py`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, MutableMapping
from contextlib import suppress

from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.base.call_state import Deferred
from jp_tui.engine.base.dependencies import ConversationLock, EngineDependencies, HeldBy
from jp_tui.engine.record import subagent_events
from jp_tui.engine.record.log import Log, Publish
from jp_tui.engine.record.rules.record import RuleRecord
from jp_tui.engine.recovery import repair_log
from jp_tui.engine.schema_check.validation import Checks
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.subagent_session import SubagentSession
from jp_tui.engine.turn.subagent_context import SubagentTask
from jp_tui.journal.port import JournalError
from jp_tui.protocol.values import AgentInfo

PATIENCE_SECONDS = 1.0
"""Time for a sub-agent to stop for a later resume; shorter than its parent's."""
GRACE_SECONDS = 4.0
"""Time for a sub-agent to end; shorter than its parent's grace of 5 s."""


class Subagents:
    """`sessions` are the conversations open in this engine."""

    def __init__(
        self,
        publish: Publish,
        checks: Checks,
        sessions: MutableMapping[str, Session],
        uses: Counter[str],
        rules: RuleRecord,
        failed: Callable[[BaseException], None],
    ) -> None:
        self._publish, self._checks, self._sessions = publish, checks, sessions
        self._uses, self._rules, self._failed = uses, rules, failed
        self._ending: set[asyncio.Task[None]] = set()

    async def run(self, errand: SubagentTask) -> Success | Failure:
        """Run to the end. Raises Deferred if it waits for an absent user, JournalError, and cancellation."""
        id_ = errand.child.agent.conversation
        session = self._sessions.get(id_)
        if session is None or not session.busy:
            if session is not None:  # a front end shows it, and it has ended
                del self._sessions[id_]
                await session.close(PATIENCE_SECONDS)
            opened = await self._open(errand)
            if isinstance(opened, HeldBy):
                await errand.model.provider.close()
                return Failure(f"The sub-agent's conversation is being written by {opened.words}.")
            opened.starting = True
            session = self._sessions[id_] = opened
        else:
            opened = None
            await errand.model.provider.close()
        try:
            if opened is not None:
                await opened.work(errand.task)
                opened.starting = False
            await session.finished()
        except BaseException:
            session.starting = False
            await self._beside(self._end(session, leaves=errand.leaves()))
            raise
        deferred = session.outcome == "deferred"
        result = subagent_events.result(session.log.turn_so_far(session.log.turn))
        await self._beside(self._close(session))
        if deferred:
            raise Deferred
        return result

    async def abandon(self, agent: AgentInfo, setup: EngineDependencies) -> None:
        """End a sub-agent of an unfinished turn that isn't resumed, and close its questions. Raises JournalError."""
        row = setup.journal.conversation(agent.conversation)
        if row is None or row.id in self._sessions:
            return
        held = setup.lock(row.id)
        if isinstance(held, HeldBy):
            return
        try:
            log = Log(setup, self._publish, row.id, row.model, row.title, exists=True, turn=row.turns, agent=agent)
            await repair_log.repair(log)
            await repair_log.close_old_turn(log, None)
        finally:
            held.release()

    async def close(self) -> None:
        """Wait for those that are ending."""
        if self._ending:
            await asyncio.wait(self._ending)

    async def _open(self, errand: SubagentTask) -> SubagentSession | HeldBy:
        setup, child = errand.setup, errand.child
        id_ = child.agent.conversation
        row = setup.journal.conversation(id_)
        lock: ConversationLock | None = None
        if row is not None:
            held = setup.lock(id_)
            if isinstance(held, HeldBy):
                return held
            lock = held
        log = Log(
            setup,
            self._publish,
            id_,
            errand.model.id,
            row.title if row is not None else child.agent.name.raw or child.agent.task.raw,
            exists=row is not None,
            turn=row.turns if row is not None else 0,
            secrets=errand.secrets,
            uses=self._uses,
            rules=self._rules,
            agent=child.agent,
        )
        return SubagentSession(log, errand.model, self._checks, lock, "", greet=False, failed=self._failed, child=child)

    async def _end(self, session: Session, *, leaves: bool) -> None:
        if not leaves:
            session.abort() if isinstance(session, SubagentSession) else session.interrupt("stop", "")
            await session.finished(GRACE_SECONDS)
            if not session.busy:  # it hadn't resumed yet
                with suppress(JournalError):
                    await session.log.setup.journal.flush()  # a write continues after its writer is cancelled
                    await repair_log.close_old_turn(session.log, None)
        await self._close(session, leaves=leaves)

    async def _close(self, session: Session, *, leaves: bool = False) -> None:
        """Close it, unless a front end shows it: then it stays open like any other conversation."""
        if session.live.watched and not session.busy and not leaves:
            if isinstance(session, SubagentSession):
                session.over()
            return
        if self._sessions.get(session.id) is session:
            del self._sessions[session.id]
        await session.close(PATIENCE_SECONDS)

    async def _beside(self, work: Coroutine[object, object, None]) -> None:
        """Run to the end, even if the waiting task is cancelled: a parent ends after its sub-agents."""
        task, cancelled = asyncio.create_task(work), False
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                cancelled = True
        task.result()
        if cancelled:
            raise asyncio.CancelledError

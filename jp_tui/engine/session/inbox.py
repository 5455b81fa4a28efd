"""Everything that waits for the user in the workspace, as one list (asking.md E51): live questions of this engine, and
recorded ones of conversations that aren't open here, also of other processes.

It answers nothing. Without a watcher it does nothing; with one, it polls the log for changes once per second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.inquiries import Asked, info, waiting
from jp_tui.engine.record.log import Publish
from jp_tui.engine.record.subagent_events import AskerIndex
from jp_tui.engine.session.session import Session
from jp_tui.journal.port import ConversationRow, JournalError
from jp_tui.protocol.events import Event, QuestionAsked, QuestionSettled, TitleChanged, TurnCompleted, WaitingListed
from jp_tui.protocol.values import AgentInfo, PromptRequest, WaitingInfo

LOOK_SECONDS = 1.0
PAUSE_SECONDS = 0.2


class InboxFeed:
    """The list for its watchers; `sessions` are the conversations open in this engine."""

    def __init__(self, setup: EngineDependencies, publish: Publish, sessions: Mapping[str, Session]) -> None:
        self._setup, self._publish, self._sessions = setup, publish, sessions
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._last: tuple[WaitingInfo, ...] | None = None

    def watch(self, *, on: bool) -> None:
        """Start or stop watching."""
        self.close()
        if on:
            self._last = None
            self._changed.set()
            self._task = asyncio.create_task(self._watch())

    def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def heard(self, event: Event) -> None:
        """Receive an event of the engine."""
        if isinstance(event, QuestionAsked | QuestionSettled | TurnCompleted | TitleChanged):
            self._changed.set()

    async def _watch(self) -> None:
        while True:
            if await self._news():
                self._changed.clear()
                with suppress(JournalError):
                    found = tuple(self._found())
                    if found != self._last:
                        self._last = found
                        self._publish(WaitingListed(waiting=found))
                await asyncio.sleep(PAUSE_SECONDS)

    async def _news(self) -> bool:
        """True if the list may have changed."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await self._changed.wait()
        except TimeoutError:
            with suppress(JournalError):
                return self._setup.journal.changed()
            return False

    def _found(self) -> list[WaitingInfo]:
        journal, rows = self._setup.journal, dict[str, ConversationRow | None]()
        agents, found = AskerIndex(journal), list[WaitingInfo]()
        holders: dict[str, str] = {}
        held = {id_ for id_, session in self._sessions.items() if session.mine and session.busy}
        for session in self._sessions.values():
            found += [_here(session, prompt) for prompt in session.prompts()]
        first: dict[tuple[str, str], str] = {}
        for asked in waiting(journal, None):
            id_ = asked[0].conversation
            if id_ in held:
                first.setdefault((id_, asked[1].id), asked[1].timestamp)
                continue
            row = rows[id_] = rows[id_] if id_ in rows else journal.conversation(id_)
            if row is not None and row.workspace == str(self._setup.workspace):
                if id_ not in holders:
                    own = id_ in self._sessions and self._sessions[id_].mine
                    holders[id_] = "" if own else self._setup.holder(id_)
                found.append(_recorded(row, asked, agents.asking(id_, asked[1]), holders[id_]))
        return sorted((_since(one, first) for one in found), key=lambda one: one.since)


def _since(one: WaitingInfo, first: Mapping[tuple[str, str], str]) -> WaitingInfo:
    """Set the time since when it waits: for a question asked again after a restart, its first record (E51, E52)."""
    since = first.get((one.conversation, one.inquiry), one.since)
    return one.model_copy(update={"since": since}) if one.here and since < one.since else one


def _here(session: Session, prompt: PromptRequest) -> WaitingInfo:
    words = prompt.question.text if prompt.kind == "question" else prompt.subject.raw
    return WaitingInfo(
        conversation=prompt.conversation,
        title=Foreign(session.log.title),
        inquiry=prompt.inquiry,
        kind=prompt.kind,
        tool=prompt.tool,
        source=prompt.source,
        label=prompt.label,
        text=Foreign(first_line(words)),
        digest=prompt.digest,
        since=prompt.asked_at,
        here=True,
        agent=prompt.agent,
    )


def _recorded(row: ConversationRow, asked: Asked, agent: AgentInfo | None, held_by: str) -> WaitingInfo:
    known = info(*asked)
    return WaitingInfo(
        conversation=row.id,
        title=Foreign(row.title),
        inquiry=known.id,
        tool=known.tool,
        source=known.asked_as or known.source,
        text=Foreign(first_line(str(known.question.get("text", "")))),
        digest=known.digest,
        since=known.asked_at,
        held_by=held_by,
        agent=agent,
        question=known.question,
        why=known.why,
    )

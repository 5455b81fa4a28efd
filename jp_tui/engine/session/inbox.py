"""Everything that waits for the user in the workspace, as one list (asking.md E51): live questions of this engine, and
recorded ones of conversations that aren't open here, also of other processes.

It answers nothing. Without a watcher it does nothing. Once there was one, it reads the list after each commit, so that
a question of another program is there within 250 ms (intake.md N6), and closes those whose asker has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress

from jp_tui.conversation.text import Foreign, first_line
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.asked_people import OpenInquiryPeople, asked_people
from jp_tui.engine.record.inquiries import Asked, info, waiting_with_rows
from jp_tui.engine.record.log import Publish
from jp_tui.engine.record.subagent_events import AskerIndex
from jp_tui.engine.session.outside import close_ended
from jp_tui.engine.session.session import Session
from jp_tui.journal.port import ConversationRow, JournalError
from jp_tui.protocol.events import Event, QuestionAsked, QuestionSettled, TitleChanged, TurnCompleted, WaitingListed
from jp_tui.protocol.values import AgentInfo, PromptRequest, WaitingInfo

PAUSE_SECONDS, BURST = 0.2, 4
"""Least time between two readings of the list, which a streaming reply would change many times a second; and readings
that may follow each other at once, so that a question isn't late because something else changed just before."""
ALIVE_SECONDS = 1.0
"""Interval between looks whether askers outside still run."""


class InboxFeed:
    """The list for its watchers; `sessions` are the conversations open in this engine."""

    def __init__(self, setup: EngineDependencies, publish: Publish, sessions: Mapping[str, Session]) -> None:
        self._setup, self._publish, self._sessions = setup, publish, sessions
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._last: tuple[WaitingInfo, ...] | None = None
        self._all = False
        self._paused = 0.0
        """Time up to which the pauses of all readings reach."""
        self._looked = 0.0
        """Time of the last look whether askers outside still run."""

    def watch(self, *, on: bool) -> None:
        """Start watching everything, or go on with questions of other programs only."""
        self.close()
        self._all = on
        if on:
            self._last = None
            self._changed.set()
        self._task = asyncio.create_task(self._watch())

    def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def handle(self, event: Event) -> None:
        """Receive an event of the engine."""
        if isinstance(event, QuestionAsked | QuestionSettled | TurnCompleted | TitleChanged):
            self._changed.set()

    async def _watch(self) -> None:
        self._setup.commits.follow(self._changed)
        try:
            while True:
                if await self._news():
                    self._changed.clear()
                    with suppress(JournalError):
                        found = tuple(await self._found())
                        if found != self._last if self._all else _outside(found) != _outside(self._last or ()):
                            self._last = found
                            self._publish(WaitingListed(waiting=found, arrive=self._setup.outside_arrive))
                    await asyncio.sleep(self._pause())
                await self._withdraw_ended()
        finally:
            self._setup.commits.leave(self._changed)

    def _pause(self) -> float:
        """Return the seconds until the next reading, after one."""
        now = self._setup.monotonic()
        self._paused = max(self._paused, now - BURST * PAUSE_SECONDS) + PAUSE_SECONDS
        return max(0.0, self._paused - now)

    async def _withdraw_ended(self) -> None:
        """Close questions of other programs whose asker has ended (N6)."""
        now = self._setup.monotonic()
        if not _outside(self._last or ()) or now - self._looked < ALIVE_SECONDS:
            return
        self._looked = now
        with suppress(JournalError):
            if await close_ended(self._setup):
                self._changed.set()

    async def _news(self) -> bool:
        """True if the list may have changed; False when it is time to look whether askers still run."""
        try:
            async with asyncio.timeout(ALIVE_SECONDS if _outside(self._last or ()) else None):
                return await self._changed.wait()
        except TimeoutError:
            return False

    async def _found(self) -> list[WaitingInfo]:
        """Read the list. Between two queries others go first: an answer that is on its way waits for the same commits,
        and its result is wanted sooner than the list."""
        await asyncio.sleep(0)
        journal, found = self._setup.journal, list[WaitingInfo]()
        waits, rows = waiting_with_rows(journal, None)
        await asyncio.sleep(0)
        agents, folder = AskerIndex(journal, rows), str(self._setup.workspace)
        mine = {id_ for id_, session in self._sessions.items() if session.mine}
        shared = bool(self._setup.machine)  # then it is the inbox of the whole store
        listed = [id_ for id_ in rows if (shared or rows[id_].workspace == folder) and id_ not in mine]
        holders = self._setup.holders(listed)
        await asyncio.sleep(0)
        asked_of = asked_people(self._setup, waits, rows) if shared else {}
        held = {id_ for id_, session in self._sessions.items() if session.mine and session.busy}
        for session in self._sessions.values():
            found += [_here(session, prompt) for prompt in session.prompts()]
        first: dict[tuple[str, str], str] = {}
        for asked in waits:
            id_ = asked[0].conversation
            if id_ in held:
                first.setdefault((id_, asked[1].id), asked[1].timestamp)
                continue
            row = rows.get(id_)
            if row is not None and row.outside:
                here = row.workspace == folder
                if not here and self._setup.outside_show == "folder":
                    continue
                one = _of_program(row, asked, "" if here else row.workspace)
                found.append(self._with_people(one, asked_of))
            elif row is not None and (shared or row.workspace == folder):
                one = _recorded(row, asked, agents.asking(id_, asked[1]), holders.get(id_, ""))
                there = {"folder": row.workspace} if row.workspace != folder else {}
                if row.machine != self._setup.machine:
                    there["machine"] = row.machine
                found.append(self._with_people(one.model_copy(update=there) if there else one, asked_of))
        return sorted((_since(one, first) for one in found), key=lambda one: (bool(one.folder), one.since))

    def _with_people(self, one: WaitingInfo, asked_of: Mapping[tuple[str, str], OpenInquiryPeople]) -> WaitingInfo:
        """Say which people it asks, in a shared store (store.md D19)."""
        known = asked_of.get((one.conversation, one.inquiry))
        if known is None:
            return one
        me, told = self._setup.journal.me(), known.fields("to", "approvals", "yours", "share")
        if known.owner != me:
            told["owner"] = known.owner
        if known.claimed_by != me:
            told["claimed_by"] = known.claimed_by
        return one.model_copy(update=told)


def _outside(found: Iterable[WaitingInfo]) -> list[tuple[str, str]]:
    return [(one.conversation, one.inquiry) for one in found if one.asker is not None]


def _of_program(row: ConversationRow, asked: Asked, folder: str) -> WaitingInfo:
    return _recorded(row, asked, None, "").model_copy(update={"title": Foreign(""), "folder": folder})


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
        to=prompt.to,
        claimed_by=prompt.claimed_by,
        approvals=prompt.approvals,
        yours=prompt.yours,
        share="mine" if prompt.yours else "asked",
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
        asker=known.asker,
        covers=known.covers,
        scopes=known.scopes,
        arguments=known.arguments,
        claimed=known.claimed,
    )

"""List who works here (intake.md N24): open conversations of ours, and programs of other makers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from jp_tui.conversation.text import Foreign
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record.inquiries import asker_of, claimed_in, waiting
from jp_tui.engine.session.session import Session
from jp_tui.engine.session.worker_presence import worker_of
from jp_tui.journal.port import JournalReading
from jp_tui.protocol.outside import AgentsRead, Asker, Claimed, WorkingConversation, WorkingProgram
from jp_tui.protocol.worker import by_worker
from jp_tui.system.processes import same_start

RECENT = 30
"""Latest conversations of the workspace that are looked at for another process that has them open."""
Doing = Literal["works", "waits", "idle", "open"]
_ORDER = ("waits", "works", "open", "idle")


def agents_at_work(setup: EngineDependencies, sessions: Mapping[str, Session]) -> AgentsRead:
    """Return who works, waits or idles. Raises JournalError."""
    ours = [*_here(sessions.values()), *_elsewhere(setup, sessions)]
    return AgentsRead(
        conversations=tuple(sorted(ours, key=lambda one: _ORDER.index(one.doing))),
        programs=tuple(sorted(_programs(setup), key=lambda one: (_ORDER.index(one.doing), one.since))),
        worker=worker_of(setup.machine, str(setup.workspace), setup.holders),
    )


def _here(sessions: Iterable[Session]) -> Iterable[WorkingConversation]:
    for session in sessions:
        log = session.log
        if log.agent is not None or not (log.exists and session.mine):
            continue  # a sub-agent is its parent's; one that is only shown is found below
        doing: Doing = "waits" if session.prompts() else "works" if session.busy else "idle"
        yield WorkingConversation(conversation=session.id, title=Foreign(log.title), doing=doing)


def _elsewhere(setup: EngineDependencies, sessions: Mapping[str, Session]) -> Iterable[WorkingConversation]:
    journal = setup.journal
    for row in journal.conversations(str(setup.workspace), limit=RECENT, children=False):
        mine = row.id in sessions and sessions[row.id].mine
        if mine or not (held_by := setup.holder(row.id)):
            continue
        busy: Doing = "works" if by_worker(held_by) else "open"
        doing: Doing = "waits" if journal.open_inquiries(row.id) else busy
        yield WorkingConversation(conversation=row.id, title=Foreign(row.title), doing=doing, held_by=held_by)


def _programs(setup: EngineDependencies) -> list[WorkingProgram]:
    """Return the programs with a session, then those that only wait for an answer."""
    asked = _asked(setup.journal)
    found = []
    for one in setup.agent_sessions():
        if one.way == "acp":
            continue  # its conversation is in the list
        asker = Asker(program=one.program, pid=one.pid, started=one.started, folder=one.folder, host=one.host)
        mine = [each for each in asked if _same(each.asker, asker)]
        since = min((each.since for each in mine), default=one.since)
        claimed = Claimed(session=one.session if one.way == "hook" else "", model=one.model, title=one.title)
        said = next((each.claimed for each in mine if each.claimed != Claimed()), claimed)
        doing = "waits" if mine else one.doing
        opened = sum(each.open for each in mine)
        found.append(WorkingProgram(asker=asker, way=one.way, doing=doing, since=since, open=opened, claimed=said))
        asked = [each for each in asked if each not in mine]
    return [*found, *asked]


def _asked(journal: JournalReading) -> list[WorkingProgram]:
    """Return the programs whose questions are open, each once."""
    found: dict[tuple[str, int, str], WorkingProgram] = {}
    for _, request in waiting(journal, None):
        if (asker := asker_of(request)) is None:
            continue
        key = asker.host, asker.pid, asker.started
        before = found.get(key)
        since = min(request.timestamp, before.since) if before else request.timestamp
        count = before.open + 1 if before else 1
        claimed = before.claimed if before else claimed_in(request)
        found[key] = WorkingProgram(asker=asker, way="ask", doing="waits", since=since, open=count, claimed=claimed)
    return list(found.values())


def _same(one: Asker, other: Asker) -> bool:
    return (one.host, one.pid) == (other.host, other.pid) and same_start(one.started, other.started)

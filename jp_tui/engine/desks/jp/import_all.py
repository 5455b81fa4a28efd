"""Import conversations of jp, each whole or not at all, and none twice.

Events are kept as written, with their base64 decoded; settings in them are stored as a record but never take effect,
and approvals there approve nothing here. An unfinished last turn is closed, so that nothing waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from jp_tui.conversation import events as ev
from jp_tui.conversation import pairing
from jp_tui.conversation.ids import read_timestamp, timestamp
from jp_tui.conversation.reading import read_event
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.conversation.text import first_line
from jp_tui.engine.base.dependencies import EngineDependencies, HeldBy
from jp_tui.engine.desks.copy_events import BATCH, add, close, making
from jp_tui.engine.desks.jp.jp_format import Folder, JpConversation, Unreadable, folders, read
from jp_tui.engine.desks.upkeep import Progress
from jp_tui.engine.record.event_codec import kept
from jp_tui.engine.record.rows import conversation_info
from jp_tui.journal.port import ConversationRow, Copied, NewEvent
from jp_tui.protocol.library import ConversationsImported, ImportProblem

UNKNOWN = "unknown/unknown"
TITLE = 200


async def import_all(setup: EngineDependencies, path: str, progress: Progress) -> ConversationsImported:
    """Import all; return the result. Raises ValueError with a message if there is nothing to import, and
    JournalError."""
    try:
        found = folders(path, setup.jp_data)
    except Unreadable as problem:
        raise ValueError(str(problem)) from problem
    progress.total = len(found)
    imported: list[ConversationRow] = []
    problems: list[ImportProblem] = []
    before = 0
    for number, folder in enumerate(found):
        progress.at(number, folder.path.name)
        held = setup.lock(f"import-{folder.id}")  # concurrent imports copy it once
        if isinstance(held, HeldBy):
            problems.append(ImportProblem(path=str(folder.path), reason=f"{held.words} is importing it"))
            continue
        try:
            row = await _one(setup, folder, problems, partial(progress.at, number, folder.path.name))
        finally:
            held.release()
        before += row is None
        imported += [row] if isinstance(row, ConversationRow) else []
        await asyncio.sleep(0)
    infos = tuple(conversation_info(row) for row in imported)
    return ConversationsImported(imported=infos, before=before, problems=tuple(problems))


async def _one(
    setup: EngineDependencies, folder: Folder, problems: list[ImportProblem], tick: Callable[[], None]
) -> ConversationRow | bool | None:
    """Import one; return the new conversation, None if it already exists, False if it is unreadable; `tick` is called
    for progress. Raises JournalError."""
    try:
        read_in = await read(folder, tick)
    except Unreadable as problem:
        problems.append(ImportProblem(path=str(problem.path), reason=problem.reason))
        return False
    if there := setup.journal.imports(folder.id):
        grown = len(read_in.events) - there[0].copied
        if grown > 0:
            words = f"it is already imported as {there[0].id}; its newer events ({grown}) aren't imported"
            problems.append(ImportProblem(path=str(folder.path), reason=words))
        return None
    if read_in.unread:
        words = f"{read_in.problem}; it is imported as it is"
        problems.append(ImportProblem(path=str(folder.path), reason=words, events=read_in.unread))
    return await _bring(setup, read_in, tick)


async def _bring(setup: EngineDependencies, read_in: JpConversation, tick: Callable[[], None]) -> ConversationRow:
    entries = list(_entries(read_in, timestamp(setup.now())))
    copied = Copied(
        id=setup.new_id(),
        workspace=str(setup.workspace),
        model=read_in.model or UNKNOWN,
        at=entries[0].at if entries else timestamp(setup.now()),
        title=first_line(read_in.title or _asked(read_in.events))[:TITLE],
        titled="user" if read_in.title else "first_line",
        imported=read_in.id,
        copied=len(entries),
    )
    async with making(setup, copied):
        for start in range(0, len(entries), BATCH):
            tick()
            await add(setup, copied.id, entries[start : start + BATCH])
        if entries:
            await close(setup, copied, entries[-1].turn, max(entry.at for entry in entries))
        if read_in.archived:
            await setup.journal.set_archived(copied.id, True)
    row = setup.journal.conversation(copied.id)
    assert row is not None
    return row


def _entries(read_in: JpConversation, now: str) -> Iterator[NewEvent]:
    """Iterate over the events in stored form with their turns; events before the first turn belong to it, and one
    without a time gets that of the previous one."""
    at, place = "", 0
    turns = pairing.turns(read_event(raw) for raw in read_in.events)
    number, began = 1, False
    for turn in turns:
        number += began
        began = began or any(isinstance(event, ev.TurnStart | ev.ChatRequest) for event in turn)
        for _ in turn:
            raw = read_in.events[place]
            place += 1
            at = _time(raw) or at or now
            yield kept(raw, number, at)


def _time(raw: JsonObject) -> str:
    found = raw.get("timestamp")
    try:
        return timestamp(read_timestamp(found)) if isinstance(found, str) else ""
    except ValueError:
        return ""


def _asked(events: list[JsonObject]) -> str:
    for raw in events:
        if isinstance(event := read_event(raw), ev.ChatRequest) and event.content.strip():
            return event.content
    return ""

"""Follow a conversation that another process writes (surface S12): new events are shown within 250 ms."""

from __future__ import annotations

import asyncio

from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import JournalError
from jp_tui.protocol.events import EventAppended, StorageFailed

LOOK_SECONDS = 0.2


async def follow_writer(log: Log, seen: int) -> None:
    """Report every event after number `seen`, until cancelled or the log becomes unreadable."""
    journal = log.setup.journal
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            while rows := journal.read(log.id, seen, 256) if journal.last_seq(log.id) > seen else []:
                for row in rows:
                    seen = row.seq
                    log.publish(EventAppended(conversation=log.id, stored=stored_event(row)))
                await asyncio.sleep(0)
        except JournalError as problem:
            if problem.kind != "busy":
                log.publish(StorageFailed(message=str(problem), advice="Open the conversation again."))
                return

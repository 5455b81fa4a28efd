"""Compacting a conversation by hand, and undoing that, while no turn of it runs (context.md K21, K23, K28)."""

from __future__ import annotations

import asyncio

from jp_tui.conversation.model import ModelError
from jp_tui.engine.base.dependencies import ModelSetup
from jp_tui.engine.compaction.compactor import Compactor, NothingToDo
from jp_tui.engine.record.event_codec import stored_event, totals
from jp_tui.engine.record.log import Log
from jp_tui.engine.recovery import repair_log
from jp_tui.journal.port import JournalError
from jp_tui.protocol.compaction import Compacted

WAITS = "A question in this conversation is open. Answer it first."
STOPPED = "Compaction stopped. Nothing was compacted."
LATER = "The conversation will be compacted when the running calls end."


class HandCompaction:
    """At most one goes on at a time."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._work: asyncio.Task[None] | None = None

    async def run(self, model: ModelSetup, focus: str = "", *, undo: bool = False) -> None:
        """Do it, and publish what came of it."""
        log = self._log
        before = log.setup.journal.last_seq(log.id) if log.exists else 0
        self._work = asyncio.create_task(self._carry_out(Compactor(log, model), focus, undo=undo))
        message = ""
        try:
            await self._work
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._work.cancelled() or (task is not None and task.cancelling()):
                self._work.cancel()
                raise
            message = STOPPED
        except (NothingToDo, JournalError, ModelError) as problem:
            message = str(problem)
        finally:
            self._work = None
        rows = log.setup.journal.read(log.id, before, 256) if log.exists else []
        wanted = ("compaction", "compaction_undone")
        made = next((stored_event(row) for row in reversed(rows) if row.entry.kind in wanted), None)
        if made is not None:
            log.total = log.total.plus(totals(made.event.get("usage")))
        log.publish(Compacted(conversation=log.id, stored=made, message="" if made is not None else message))

    async def _carry_out(self, room: Compactor, focus: str, *, undo: bool) -> None:
        log = self._log
        if log.exists:
            await repair_log.repair(log)
            if repair_log.resumable(log) is not None:
                raise NothingToDo(WAITS)
        await (room.undo() if undo else room.by_hand(focus))

    def refuse(self, message: str, *, waits: bool = False) -> None:
        """Say why nothing is done, or not yet."""
        self._log.publish(Compacted(conversation=self._log.id, message=message, waits=waits))

    def stop(self) -> bool:
        """End it, if it goes on: nothing was compacted then."""
        return self._work is not None and self._work.cancel()

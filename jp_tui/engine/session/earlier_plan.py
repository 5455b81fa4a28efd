"""The plan of a long conversation that is opened: its last event is perhaps not on the page (context.md K40, K41)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jp_tui.engine.record.context_facts import MODE, PLAN
from jp_tui.engine.record.event_codec import stored_event
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import JournalError, Stored
from jp_tui.protocol.plan import PlanFound

STEP = 2_048
"""Events that are looked at together: a look blocks the engine's loop."""


async def find_plan(log: Log, page: Sequence[Stored]) -> None:
    """Look backwards from the page for the last plan and the last change of plan mode, and report what isn't on it."""
    journal, last = log.setup.journal, page[-1].seq
    missing = {PLAN, MODE} - {row.entry.kind for row in page}
    found: list[Stored] = []
    before = page[0].seq
    try:
        while missing and before > 1:
            after = max(before - 1 - STEP, 0)
            rows = journal.of_kinds(log.id, sorted(missing), after=after, before=before, limit=STEP)
            for row in reversed(rows):
                if row.entry.kind in missing:
                    missing.remove(row.entry.kind)
                    found.append(row)
            before = after + 1
            await asyncio.sleep(0)
        newer = {row.entry.kind for row in journal.of_kinds(log.id, [PLAN, MODE], after=last)} if found else set()
    except JournalError:
        return  # whatever is wrong with the log is reported elsewhere
    if events := tuple(stored_event(row) for row in found if row.entry.kind not in newer):
        log.publish(PlanFound(conversation=log.id, events=events))

"""Building the next request of a compacted conversation: 100,000 events with ten compactions beside 1,000 events of
which as much is still sent (context.md K22). The log is read once before, as in a conversation that is open.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.conversation.model import ModelRequest
from jp_tui.engine.record.event_codec import entry
from jp_tui.engine.record.log import Log
from jp_tui.journal.port import NewEvent
from jp_tui.journal.store import open_journal
from jp_tui.providers.openai_chat.request import OpenAIChat
from tests.bench import store
from tests.bench.report import Row

if TYPE_CHECKING:
    from tests.bench.setting import Bench

SECONDS = 30.0
LONG, SHORT, SENT, COMPACTIONS = 100_000, 1_000, 500, 10
REPS = 60
_TURN = 5
"""Events of a turn of `store.turn`."""


def rows(bench: Bench) -> list[Row]:
    """The same number of events is sent in both."""
    events, reps = (10_000, 10) if bench.quick else (LONG, REPS)
    home = bench.folder / "requests"
    home.mkdir(parents=True, exist_ok=True)
    asyncio.run(filled(home / "long.db", events))
    asyncio.run(filled(home / "short.db", SHORT))
    ours, theirs = asyncio.run(both(home, reps))
    what = f"building a request from {events:,} events, {COMPACTIONS} compactions"
    return [Row(what, ours, theirs, against=f"from {SHORT:,} events", goal=1.3)]


async def filled(path: Path, count: int) -> None:
    """A store with one conversation of so many events; ten compactions, the last of which leaves SENT to be sent."""
    journal = open_journal(path)
    try:
        await journal.create("c", workspace="/w", model="fake/model", at=timestamp(store.BEGAN))
        written = 0
        places = [(count - SENT) * number // COMPACTIONS // _TURN * _TURN for number in range(1, COMPACTIONS + 1)]
        while written < count:
            some: list[NewEvent] = []
            while len(some) < 500 and written + len(some) < count:
                some += store.turn((written + len(some)) // _TURN + 1, last=False)
            await journal.append("c", some, durable=False)
            written += len(some)
        turn = written // _TURN
        for number, place in enumerate(places, 1):
            what = f"summary {number}: " + "what was " * 100
            made = ev.Compaction(trigger="window", method="summary", through=place, summary=what, timestamp="now")
            await journal.append("c", [entry(made, turn, timestamp(store.BEGAN))[0]], durable=False)
    finally:
        journal.close()


async def both(home: Path, reps: int) -> tuple[list[float], list[float]]:
    """Seconds of each request, by turns."""
    opened = [(open_journal(home / name), name) for name in ("long.db", "short.db")]
    try:
        logs = [_log(journal) for journal, _ in opened]
        sizes = [len(await built(log)) for log in logs]
        assert abs(sizes[0] - sizes[1]) < sizes[1] // 5, sizes
        found: list[list[float]] = [[], []]
        for _ in range(reps):
            for log, times in zip(logs, found, strict=True):
                began = time.perf_counter()
                await built(log)
                times.append(time.perf_counter() - began)
        return found[0], found[1]
    finally:
        for journal, _ in opened:
            journal.close()


def _log(journal: Any) -> Log:
    setup: Any = SimpleNamespace(journal=journal, windows={})
    return Log(setup, lambda _: None, "c", "fake/model", exists=True)


async def built(log: Log) -> bytes:
    """The body of the next request."""
    told = await log.model_messages()
    return json.dumps(OpenAIChat("fake").body(ModelRequest("model", told))).encode()

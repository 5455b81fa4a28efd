"""The journal's part of the benchmark: conversations to open, and the cost of an append beside raw SQLite."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.engine.record.event_codec import entry
from jp_tui.journal.port import NewEvent
from jp_tui.journal.store import open_journal
from jp_tui.system.paths import Paths
from tests.bench.model import tokens
from tests.bench.report import Row

if TYPE_CHECKING:
    from tests.bench.setting import Bench

SECONDS = 5.0

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_TURN = 5  # events: start, request, reasoning, message, outcome


def rows(bench: Bench) -> list[Row]:
    """Beside the same transactions, which is the goal, and beside the least that could be written."""
    found = asyncio.run(appends(bench.folder / "append", 40 if bench.quick else 700))
    what = "durable append of an event"
    return [
        Row(what, found["journal"], found["same"], against="SQLite, same transaction", goal=1.25),
        Row(what, found["journal"], found["bare"], against="SQLite, one bare INSERT"),
    ]


def turn(number: int, last: bool) -> list[NewEvent]:
    """One stored turn: a question, some thought, and half a screen of Markdown; the last one ends in `zqend`."""
    at = timestamp(BEGAN + timedelta(seconds=number))
    text = "".join(tokens(150, seed=number)).replace("zqfirst", f"Turn {number}").replace("zqlast", "")
    parts: list[ev.Event] = [
        ev.TurnStart(timestamp=at),
        ev.ChatRequest(timestamp=at, content=f"What about number {number}?"),
        ev.ChatResponse(timestamp=at, kind="reasoning", content="Let me think about that for a moment."),
        ev.ChatResponse(timestamp=at, kind="message", content=text + ("\n\nzqend" if last else "")),
        ev.TurnOutcome(timestamp=at, outcome="done", model="bench/steady", ms=1200),
    ]
    return [entry(part, number, at)[0] for part in parts]


def seed(home: Path, workspace: Path, sizes: dict[str, int]) -> None:
    """Conversations with so many events each, by id, in the database under `JP_TUI_HOME`=`home`."""
    paths = Paths.of({"JP_TUI_HOME": str(home)})
    paths.prepare()
    journal = open_journal(paths.database)
    try:
        for name, events in sizes.items():
            turns = events // _TURN
            journal.create(
                name, workspace=str(workspace), model="bench/steady", at=timestamp(BEGAN), title=f"{events} events"
            ).result()
            for number in range(1, turns + 1):
                journal.append(name, turn(number, number == turns), durable=False)
        journal.flush().result()
    finally:
        journal.close()


_SAME = (
    ("SELECT key, last_seq FROM conversations WHERE id = ?", lambda e, n: ("bench",)),
    ("INSERT INTO events VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
     lambda e, n: (1 << 32 | n, n, e.turn, e.kind, e.inquiry, e.at, e.lines, len(e.text), e.payload, e.text)),
    ("""INSERT INTO spans VALUES (1, ?, ?, ?, 1, ?, ?) ON CONFLICT (conversation, number) DO UPDATE SET
     last_seq = excluded.last_seq, events = events + 1, characters = characters + excluded.characters,
     lines = lines + excluded.lines""", lambda e, n: ((n - 1) // 256, n, n, len(e.text), e.lines)),
    ("UPDATE conversations SET events = events + 1, last_seq = ?, turns = ?, updated = max(updated, ?) WHERE key = 1",
     lambda e, n: (n, e.turn, e.at)),
)  # fmt: skip
"""What one append comes to, in SQL alone."""


async def appends(folder: Path, count: int) -> dict[str, list[float]]:
    """Seconds of each durable append of one event: "journal", awaited as the engine does, "same", the same
    transaction in SQL alone, and "bare", one INSERT of the payload into a table of one column.

    All write to the same folder, in turns, with the same promise: a log ahead, synced at each commit (T14). Who comes
    first is chance: whoever comes behind the same work finds it warm.
    """
    paths = Paths.of({"JP_TUI_HOME": str(folder)})
    paths.prepare()
    journal = open_journal(paths.database)
    open_journal(folder / "same.db").close()  # the tables and nothing in them
    same, bare = (_raw(folder / f"{name}.db") for name in ("same", "bare"))
    bare.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)")
    at, found = timestamp(BEGAN), dict[str, list[float]](journal=[], same=[], bare=[])
    same.execute(
        "INSERT INTO conversations (id, workspace, title, model, created, updated) VALUES ('bench', '/', '', '', ?, ?)",
        (at, at),
    )
    events, chance = turn(1, last=False), random.Random(1)
    try:
        await journal.create("bench", workspace="/", model="", at=at)
        for number in range(1, count + 1):
            event = events[number % len(events)]
            for what in chance.sample(list(found), 3):
                start = time.perf_counter()
                if what == "journal":
                    await journal.append("bench", [event])
                elif what == "same":
                    same.execute("BEGIN IMMEDIATE")
                    for statement, values in _SAME:
                        same.execute(statement, values(event, number))
                    same.execute("COMMIT")
                else:
                    bare.execute("INSERT INTO events (payload) VALUES (?)", (event.payload,))
                found[what].append(time.perf_counter() - start)
    finally:
        for one in (same, bare, journal):
            one.close()
    return found


def _raw(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")  # as the journal has it
    return db


def configure(home: Path, port: int) -> None:
    """A configuration whose only model is the steady one."""
    config = home / "config" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    address = json.dumps(f"http://127.0.0.1:{port}/v1")
    config.write_text(
        f'[assistant.model]\nid = "bench/steady"\n\n[providers.llm.bench]\nwire = "openai-chat"\nbase_url = {address}\n'
    )

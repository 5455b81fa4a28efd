"""The journal's part of the benchmark: conversations to open, and the cost of an append beside raw SQLite."""

from __future__ import annotations

import json
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.engine.entries import entry
from jp_tui.journal.port import Entry
from jp_tui.journal.store import open_journal
from jp_tui.system.paths import Paths
from tests.bench.model import tokens
from tests.bench.report import Row

if TYPE_CHECKING:
    from tests.bench.setting import Bench

SECONDS = 20.0

_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_TURN = 5  # events: start, request, reasoning, message, outcome


def rows(bench: Bench) -> list[Row]:
    """One row."""
    ours, theirs = appends(bench.folder / "append", 40 if bench.quick else 400)
    return [Row("durable append of an event", ours, theirs, against="raw SQLite")]


def turn(number: int, last: bool) -> list[Entry]:
    """One stored turn: a question, some thought, and half a screen of Markdown; the last one ends in `zqend`."""
    at = timestamp(_BEGAN + timedelta(seconds=number))
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
                name, workspace=str(workspace), model="bench/steady", at=timestamp(_BEGAN), title=f"{events} events"
            ).result()
            for number in range(1, turns + 1):
                journal.append(name, turn(number, number == turns), durable=False)
        journal.flush().result()
    finally:
        journal.close()


def appends(folder: Path, count: int) -> tuple[list[float], list[float]]:
    """Seconds of each durable append, by the journal and by SQLite alone, in turns in the same folder.

    Raw SQLite writes the same payload to a table of one column, with the same promise: WAL, and synced at commit.
    """
    paths = Paths.of({"JP_TUI_HOME": str(folder)})
    paths.prepare()
    journal = open_journal(paths.database)
    raw = sqlite3.connect(folder / "raw.db", isolation_level=None)
    try:
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("PRAGMA synchronous = FULL")
        raw.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)")
        journal.create("bench", workspace="/", model="bench/steady", at=timestamp(_BEGAN)).result()
        message = turn(1, last=False)[3]
        ours, theirs = [], []
        for _ in range(count):
            start = time.monotonic()
            journal.append("bench", [message]).result()
            middle = time.monotonic()
            raw.execute("INSERT INTO events (payload) VALUES (?)", (message.payload,))
            ours.append(middle - start)
            theirs.append(time.monotonic() - middle)
    finally:
        raw.close()
        journal.close()
    return ours, theirs


def configure(home: Path, port: int) -> None:
    """A configuration whose only model is the steady one."""
    config = home / "config" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    address = json.dumps(f"http://127.0.0.1:{port}/v1")
    config.write_text(
        f'[assistant.model]\nid = "bench/steady"\n\n[providers.llm.bench]\nwire = "openai-chat"\nbase_url = {address}\n'
    )

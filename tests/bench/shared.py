"""A store on a PostgreSQL server: questions between two machines, the inbox of many, an append; beside psycopg alone.

The server is the tests' own, with fsync on. The inbox is read by two engines at once in turns, from stores with 1,000
and with 1,000,000 inquiries, of which the same 100 wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jp_tui.conversation.ids import timestamp
from tests.bench.program import NotHere
from tests.bench.report import Row
from tests.bench.setting import ROOT
from tests.bench.store import BEGAN, turn

if TYPE_CHECKING:
    from jp_tui.journal.port import NewEvent
    from tests.bench.setting import Bench
    from tests.fakes.postgres import Server

SECONDS = 240.0
OPEN, FEW, MANY, EACH = 100, 1_000, 1_000_000, 10
"""Inquiries that wait; inquiries of both stores; how many a conversation has."""
_REQUEST = (
    '{"type":"inquiry_request","timestamp":"2026-01-01 00:00:00.0","id":"q.%s","source":{"source":"tool","name":"t"},'
    '"question":{"id":"q","text":"Shall it begin?","answer_type":{"type":"boolean"}},'
    '"metadata":{"tool":"t","digest":"d"}}'
)
_RESPONSE = (
    '{"type":"inquiry_response","timestamp":"2026-01-01 00:00:00.0","outcome":"answered","id":"q.%s","answer":true}'
)


def rows(bench: Bench) -> list[Row]:
    try:
        from tests.fakes import postgres

        with postgres.running(("fsync=on", "max_connections=100", "shared_buffers=128MB")) as server:
            return _rows(bench, server)
    except pytest.skip.Exception as reason:
        raise NotHere(str(reason)) from None


def _rows(bench: Bench, server: Server) -> list[Row]:
    from tests.fakes import postgres

    urls = [postgres.emptied(server, name) for name in ("exchange", "exchange_raw")]
    told = exchanges(bench.folder / "exchange", *urls, 3 if bench.quick else 40)
    raw = "psycopg with LISTEN, the same statements"
    appended = asyncio.run(appends(postgres.emptied(server, "append"), 40 if bench.quick else 500))
    few, many = inboxes(server, FEW * 10 if bench.quick else MANY, 5 if bench.quick else 60)
    return [
        Row("question on another machine: seen", told["seen"], told["raw seen"], raw, tail=True, within=0.25),
        Row("question: seen, answered, told", told["told"], told["raw told"], raw, tail=True, goal=3.0),
        Row("durable append of an event, on a server", appended["journal"], appended["same"],
            "psycopg, the same transaction", goal=1.5),
        Row("inbox with 100 of 1,000,000 inquiries", many, few, "with 100 of 1,000", goal=1.2),
    ]  # fmt: skip


def exchanges(folder: Path, url: str, raw_url: str, count: int) -> dict[str, list[float]]:
    """Seconds by what was measured (`exchange.py`)."""
    folder.mkdir()
    command = [sys.executable, "-m", "tests.bench.exchange", str(folder), url, raw_url, str(count)]
    found: dict[str, list[float]] = json.loads(
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    )
    return found


def fill(server: Server, database: str, inquiries: int) -> str:
    """The URL of a store with so many inquiries in conversations of the workspace `/w`; those of the last OPEN
    conversations end with one that waits. Made by the server itself, as the events of a log would have left it."""
    from tests.fakes import postgres

    url = postgres.emptied(server, database)
    conversations = inquiries // EACH
    request, response = (one.replace("%s", "' || (s + 1) / 2 || '") for one in (_REQUEST, _RESPONSE))
    server.sql(
        f"""
        INSERT INTO jp_tui.conversations (id, workspace, title, model, created, updated, machine, events, turns,
            last_seq, ended)
          SELECT 'c' || lpad(n::text, 7, '0'), '/w', 'Conversation ' || n, 'm', a, a, 'm' || n % 3,
            {2 * EACH} - w, {EACH}, {2 * EACH} - w, {EACH} - w
          FROM (SELECT n, '2026-01-01 00:00:00.0' AS a, (n > {conversations - OPEN})::int AS w
            FROM generate_series(1, {conversations}) AS n) AS made;
        INSERT INTO jp_tui.events (conversation, seq, turn, kind, inquiry, at, lines, characters, payload, text)
          SELECT c.key, s, (s + 1) / 2, CASE s % 2 WHEN 1 THEN 'inquiry_request' ELSE 'inquiry_response' END,
            'q.' || (s + 1) / 2, c.created, 0, 0, CASE s % 2 WHEN 1 THEN '{request}' ELSE '{response}' END, ''
          FROM jp_tui.conversations AS c, generate_series(1, {2 * EACH}) AS s WHERE s <= c.last_seq;
        INSERT INTO jp_tui.waiting (conversation, inquiry, missing, seq)
          SELECT key, 'q.{EACH}', 1, last_seq FROM jp_tui.conversations WHERE ended < turns;
        """,
        database,
    )
    return url


def inboxes(server: Server, many: int, count: int) -> tuple[list[float], list[float]]:
    """Seconds from opening the inbox until it lists what waits, with few inquiries and with so many, in turns."""
    from jp_tui.journal.postgres.store import open_store
    from tests.fakes import postgres

    with contextlib.ExitStack() as opened:
        journals = [
            opened.enter_context(contextlib.closing(open_store(postgres.settings_of(fill(server, name, size)))))
            for name, size in (("few", FEW), ("many", many))
        ]
        found: tuple[list[float], list[float]] = ([], [])
        for number in range(-2, count):
            for journal, times in zip(journals, found, strict=True):
                seconds = asyncio.run(_inbox(journal))
                if number >= 0:
                    times.append(seconds)
        return found


async def _inbox(journal: object) -> float:
    from types import SimpleNamespace
    from typing import Any, cast

    from jp_tui.engine.session.inbox import InboxFeed
    from jp_tui.engine.session.store_watch import StoreWatch

    listed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    setup = SimpleNamespace(
        journal=journal, workspace="/w", machine="here", holders=cast("Any", journal).locks().holders,
        monotonic=time.monotonic, now=lambda: datetime.now(UTC), outside_show="all", outside_arrive="inbox",
        commits=StoreWatch(cast("Any", journal)),
    )  # fmt: skip
    feed = InboxFeed(cast("Any", setup), listed.set_result, {})
    began = time.perf_counter()
    feed.watch(on=True)
    event = await listed
    took = time.perf_counter() - began
    feed.close()
    assert len(event.waiting) == OPEN, len(event.waiting)
    return took


_SAME = (
    ("SELECT key, last_seq FROM jp_tui.conversations WHERE id = 'raw' FOR UPDATE", lambda e, n: ()),
    ("SELECT 1 FROM jp_tui.leases WHERE name = 'raw' FOR SHARE", lambda e, n: ()),
    ("""INSERT INTO jp_tui.events (conversation, seq, turn, kind, at, lines, characters, payload, text)
     SELECT key, %s, %s, %s, %s, %s, %s, %s, %s FROM jp_tui.conversations WHERE id = 'raw'""",
     lambda e, n: (n, e.turn, e.kind, e.at, e.lines, len(e.text), e.payload, e.text)),
    ("""INSERT INTO jp_tui.spans SELECT key, %s, %s, %s, 1, %s, %s FROM jp_tui.conversations WHERE id = 'raw'
     ON CONFLICT (conversation, number) DO UPDATE SET last_seq = excluded.last_seq, events = spans.events + 1,
     characters = spans.characters + excluded.characters, lines = spans.lines + excluded.lines""",
     lambda e, n: ((n - 1) // 256, n, n, len(e.text), e.lines)),
    ("UPDATE jp_tui.conversations SET events = events + 1, last_seq = %s, turns = %s WHERE id = 'raw'",
     lambda e, n: (n, e.turn)),
)  # fmt: skip
"""What one append comes to, in SQL alone, statement by statement."""


async def appends(url: str, count: int) -> dict[str, list[float]]:
    """Seconds of each durable append of one event: "journal", awaited as the engine does, and "same", the same
    transaction over psycopg; in turns, by chance who comes first."""
    import psycopg

    from jp_tui.journal.postgres.store import open_store
    from tests.fakes import postgres

    journal, at = open_store(postgres.settings_of(url)), timestamp(BEGAN)
    events, chance, found = turn(1, last=False), random.Random(1), dict[str, list[float]](journal=[], same=[])
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as raw:
        for name in ("bench", "raw"):
            await journal.create(name, workspace="/", model="", at=at)
        lease = journal.locks().take("bench", "bench", 1)
        raw.execute("INSERT INTO jp_tui.leases SELECT 'raw', 1, 'x', 'r', 'm', 'p', 1, now(), 'infinity'")

        def same(event: NewEvent, number: int) -> None:
            raw.execute("BEGIN")
            for statement, values in _SAME:
                raw.execute(statement.encode(), values(event, number))
            raw.execute("COMMIT")

        for number in range(1, count + 1):
            event = events[number % len(events)]
            for what in chance.sample(list(found), 2):
                start = time.perf_counter()
                if what == "journal":
                    await journal.append("bench", [event])
                else:
                    same(event, number)
                found[what].append(time.perf_counter() - start)
        assert not isinstance(lease, str)
        lease.release()
    journal.close()
    return found

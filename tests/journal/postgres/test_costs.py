"""What looking for open questions costs, and that their arrival wakes who waits (store.md D11)."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jp_tui.conversation.events import InquiryRequest, Source
from jp_tui.engine.base.dependencies import EngineDependencies
from jp_tui.engine.record import event_codec
from jp_tui.engine.record.asked_people import open_inquiries
from jp_tui.journal.port import NewEvent
from jp_tui.journal.postgres import reader
from jp_tui.journal.postgres.driver import Connection
from jp_tui.journal.postgres.store import PostgresJournal, open_store
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.settings.cli.arguments import CommandLine, parse
from jp_tui.startup.engine import link
from jp_tui.startup.parts import RunLocation, parts
from jp_tui.startup.parts import journal as opened_journal
from tests.fakes import postgres
from tests.fakes.postgres_proxy import Proxy
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT

DATABASE, POLL_SECS = "costs", 0.5
CONVERSATIONS, WAIT = 3_000, 5


@pytest.fixture
def journal(postgres_server: postgres.Server) -> Iterator[PostgresJournal]:
    found = open_store(postgres.settings_of(postgres.emptied(postgres_server, DATABASE), poll_secs=60))
    yield found
    found.close()


def read_rows(plan: dict[str, Any], table: str) -> float:
    """The rows of a table that a plan looked at."""
    below = sum(read_rows(one, table) for one in plan.get("Plans", ()))
    if plan.get("Relation Name") != table:
        return below
    seen: float = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return below + seen * plan["Actual Loops"]


@pytest.mark.parametrize("statistics", [False, True])
def test_the_inbox_looks_only_at_what_waits(
    journal: PostgresJournal, postgres_server: postgres.Server, *, statistics: bool
) -> None:
    """However many conversations there are, and also before the server has statistics about them."""
    begin(journal, "first")
    postgres_server.sql(
        "INSERT INTO jp_tui.conversations (id, workspace, title, model, created, updated)"
        f" SELECT 'c' || n, '/w', '', '', '', '' FROM generate_series(1, {CONVERSATIONS}) AS n",
        DATABASE,
    )
    for number in range(WAIT):
        asked = [entry(1, kind="inquiry_request", inquiry=f"a.q.{number}")]
        journal.append(f"c{number + 1}", asked).result(LIMIT)
    if statistics:
        postgres_server.sql("ANALYZE", DATABASE)
    assert len(journal.open_inquiries()) == WAIT
    ((plan,),) = journal._all(f"EXPLAIN (ANALYZE, FORMAT JSON) {reader._WAITING.format(own=reader.OWN)}")
    for table in ("conversations", "events"):
        assert read_rows(plan[0]["Plan"], table) <= 4 * WAIT, table


def test_the_inbox_takes_as_many_queries_for_many_as_for_few(
    journal: PostgresJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a round trip to the server, during which nothing else of the engine goes on."""
    queries: list[str] = []
    asks = journal._all

    def counted(statement: str, *values: object) -> list[tuple[Any, ...]]:
        queries.append(statement)
        return asks(statement, *values)

    monkeypatch.setattr(journal, "_all", counted)
    setup = cast(EngineDependencies, SimpleNamespace(journal=journal, machine="here", now=lambda: datetime.now(UTC)))
    taken = []
    for count in (1, 12):
        for number in range(count):
            begin(journal, f"n{count}.{number}", workspace="/w")
            journal.append(f"n{count}.{number}", [request(number)]).result(LIMIT)
        queries.clear()
        assert len(open_inquiries(setup, "", every=True)) >= count
        taken.append(len(queries))
    assert taken[0] == taken[1] <= 4, queries


def request(number: int) -> NewEvent:
    asked = InquiryRequest(id=f"q.{number}", source=Source("tool", "t"), question={"id": "q", "text": "Go?"})
    return event_codec.entry(asked, 1, at(number))[0]


def test_d11_a_commit_elsewhere_wakes_by_a_descriptor(
    journal: PostgresJournal, postgres_server: postgres.Server
) -> None:
    begin(journal)
    events = journal.write_events()
    assert events is not None and journal.write_events() == events
    journal.changed()
    while not journal._health.listening:  # its own thread connects first
        postgres_server.sql("NOTIFY jp_tui, 'other'", DATABASE)
        select.select([events], [], [], 0.05)
    other = open_store(postgres.settings_of(postgres_server.url(DATABASE), poll_secs=60))
    while select.select([events], [], [], 0.2)[0]:
        os.read(events, 1 << 16)
    journal.changed()
    other.append("c1", [entry(1, kind="inquiry_request", inquiry="a.q.1")]).result(LIMIT)
    assert select.select([events], [], [], LIMIT)[0] == [events]
    assert journal.changed() and len(journal.open_inquiries()) == 1
    assert journal.make_offer("c1", "a.q.1", "{}", at(1)).result(LIMIT)
    other.close()
    journal.close()
    assert journal.write_events() is None


def test_an_idle_workspace_asks_the_server_once_each_poll_secs(
    postgres_server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the inbox watched and a conversation open; other machines' questions may be anywhere."""
    postgres.emptied(postgres_server, DATABASE)
    proxy = Proxy(postgres_server)
    monkeypatch.setenv("JP_TUI_HOME", str(tmp_path))
    monkeypatch.setenv("JP_TUI_STORE", proxy.url(DATABASE))
    monkeypatch.setenv("JP_TUI_STORE__POLL_SECS", str(POLL_SECS))
    arguments = parse(["--workspace", str(tmp_path), "begin"])
    assert isinstance(arguments, CommandLine)
    place = RunLocation(arguments)
    made = parts(arguments, place.sources.load(), place)
    engine = link(made, opened_journal(made, waits=True), client=True, command="jp-tui")
    engine.start(lambda: None)
    engine.send(c.OpenConversation(which="new"))
    engine.send(c.WatchWaiting())
    until, arrived, asked, polls = time.monotonic() + LIMIT, False, 0, 0.0
    while not arrived or not 3 <= asked <= polls + 1:  # what the start still asks ends at some time; a poll never does
        assert time.monotonic() < until, (asked, polls)
        before, began = proxy.statements, time.monotonic()
        time.sleep(POLL_SECS * 6)
        asked, polls = proxy.statements - before, (time.monotonic() - began) / POLL_SECS
        arrived = arrived or any(isinstance(event, e.WaitingListed) for event in engine.collect())
    engine.close(5)
    proxy.close()


def touched(db: Connection) -> int:
    """Rows of the store's tables that this connection read; within a transaction they only grow."""
    ((count,),) = db.execute(
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int FROM pg_stat_xact_user_tables"
        " WHERE schemaname = 'jp_tui'"
    ).fetchall()
    return int(count)


def test_the_inbox_costs_by_what_waits_for_this_person(postgres_server: postgres.Server) -> None:
    """Row security included: neither the conversations nor the questions of others are gone through (D11, D18)."""
    server = postgres_server
    postgres.peopled(server, "crowd")
    server.sql(
        f"""
        INSERT INTO jp_tui.conversations (id, owner, workspace, title, model, created, updated, last_seq, turns)
          SELECT 'c' || n, CASE WHEN n <= 3 THEN 'lead' ELSE 'ada' END, '/w', '', '', '', n::text, 1, 1
          FROM generate_series(1, {CONVERSATIONS}) AS n;
        INSERT INTO jp_tui.events (conversation, seq, turn, kind, inquiry, at, lines, characters, payload, text)
          SELECT key, 1, 1, 'inquiry_request', 'q', '', 0, 0, '{{}}', '' FROM jp_tui.conversations;
        INSERT INTO jp_tui.waiting (conversation, inquiry, missing, seq, owner, asks)
          SELECT key, 'q', 1, 1, owner, CASE WHEN substr(id, 2)::int % 1000 = 0 THEN 'role:ops' ELSE owner END
          FROM jp_tui.conversations;
        ANALYZE
        """,
        "crowd",
    )
    lead = open_store(postgres.settings_of(server.url("crowd", "lead"), poll_secs=60))
    db = lead._ready()
    for run, found in (
        (lead.open_inquiries, 6),
        (lambda: lead.conversations(limit=50), 3),
        (lambda: lead._leases.poll(db, False), None),
        (lambda: lead.rows(["c1", "c1000", "c7"]), 2),
    ):
        for _ in range(6):  # a function's plans are made anew for its first calls
            got = run()
        assert found is None or len(got) == found, got
        db.execute("BEGIN")
        before = touched(db)
        run()
        assert touched(db) - before < 150, (found, touched(db) - before)
        db.execute("ROLLBACK")
    lead.close()

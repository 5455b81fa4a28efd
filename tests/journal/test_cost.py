"""Opening is quick and stays so: every question is answered from an index, in work that the answer's size decides."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from jp_tui.journal.reader import JournalReader
from jp_tui.journal.store import open_journal
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT

READS: dict[str, Callable[[JournalReader, str], object]] = {
    "read": lambda reader, name: reader.read(name, 40, 20),
    "around": lambda reader, name: reader.around(name, 50, 20),
    "tail": lambda reader, name: reader.tail(name, 20),
    "turn_events": lambda reader, name: reader.turn_events(name, 3),
    "inquiry_events": lambda reader, name: reader.inquiry_events(name),
    "one inquiry": lambda reader, name: reader.inquiry_events(name, "c.q.5"),
    "spans": lambda reader, name: reader.spans(name),
    "last_seq": lambda reader, name: reader.last_seq(name),
    "partials": lambda reader, name: reader.partials(name),
    "conversations": lambda reader, name: reader.conversations(limit=1),
    "conversation": lambda reader, name: reader.conversation(name),
    "prefix": lambda reader, name: reader.conversation(name[:-1]),
    "latest": lambda reader, name: reader.latest(f"/{name}"),
    "last_requests": lambda reader, name: reader.last_requests(f"/{name}", 5),
    "drafts": lambda reader, name: reader.drafts(name),
    "open_inquiries": lambda reader, name: reader.open_inquiries(name),
    "all open_inquiries": lambda reader, name: reader.open_inquiries(),
    "offers": lambda reader, name: reader.offers(name),
    "offer": lambda reader, name: reader.offer(7),
}
SCANS = ("conversations_recent", "SCAN w")
"""What may be gone through from its start: an index in the wanted order, and the rows of what waits, all wanted."""
SIZES = {"short": 100, "long": 10_000}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cost") / "c.db"
    journal = open_journal(path)
    for name, size in SIZES.items():
        begin(journal, name, f"/{name}")
        entries = [
            entry(
                number,
                turn=1 + number // 10,
                kind="chat_response" if number % 10 else "chat_request",
                inquiry=f"c.q.{number}" if number < 10 else None,
            )
            for number in range(size)
        ]
        journal.append(name, entries).result(LIMIT)
        waits = entry(size, turn=1 + size // 10, kind="inquiry_request", inquiry="c.waits.1")
        journal.append(name, [waits]).result(LIMIT)
        for number in range(size // 10):
            offered = journal.make_offer(name, "c.waits.1", "{}", at(number)).result(LIMIT)
            if number > 3:
                journal.settle_offer(offered, "stale")
    for number in range(300):
        begin(journal, f"other{number}", f"/other{number % 3}")
    journal.close()
    return path


def looking(database: Path) -> tuple[JournalReader, sqlite3.Connection]:
    connection = sqlite3.connect(database, isolation_level=None)
    return JournalReader(connection, database), connection


@pytest.mark.parametrize("name", READS)
def test_every_question_is_answered_from_an_index(database: Path, name: str) -> None:
    reader, connection = looking(database)
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    READS[name](reader, "long")
    connection.set_trace_callback(None)
    assert asked
    for statement in asked:
        for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
            plan = str(row[3])
            assert "TEMP B-TREE" not in plan, (statement, plan)
            assert not plan.startswith("SCAN") or any(name in plan for name in SCANS), (statement, plan)
    reader.close()


def steps(connection: sqlite3.Connection, work: Callable[[], object]) -> int:
    """What SQLite's machine did for it, in hundreds of instructions: the same on any machine."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    connection.set_progress_handler(tick, 10)
    work()
    connection.set_progress_handler(None, 10)
    return count


@pytest.mark.parametrize("name", [name for name in READS if name != "spans"])
def test_a_long_conversation_costs_what_a_short_one_does(database: Path, name: str) -> None:
    """Issue 3: 10,000 events open as quickly as 100."""
    reader, connection = looking(database)
    costs = {size: steps(connection, lambda size=size: READS[name](reader, size)) for size in SIZES}
    assert costs["long"] <= costs["short"] * 1.1 + 2, costs
    reader.close()


def test_spans_cost_one_row_for_256_events(database: Path) -> None:
    reader, connection = looking(database)
    assert len(reader.spans("long")) == 40 and len(reader.spans("short")) == 1
    assert steps(connection, lambda: reader.spans("long")) < 100
    reader.close()


def test_looking_needs_neither_threads_nor_a_loop() -> None:
    """`conversations list` imports no writer (T23)."""
    import subprocess
    import sys

    code = "import sys, jp_tui.journal.reader; print([m for m in ('asyncio', 'queue', 'logging') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stderr

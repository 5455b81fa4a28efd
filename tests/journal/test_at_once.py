"""What a loop commits by itself (issue 9, durable append): only where nothing waits, the disk is quick and nobody else
writes; the promises of the log are the same (T14)."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from jp_tui.journal import writer
from jp_tui.journal.port import JournalError
from jp_tui.journal.store import SqliteJournal
from tests.journal.made import entry
from tests.limits import LIMIT

THREAD = "journal"


@pytest.fixture
def quick(journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch) -> SqliteJournal:
    """On a disk that was quick so far, however busy the machine is."""
    monkeypatch.setattr(writer, "QUICK", 60.0)
    journal._writer._usual = 0.0
    return journal


async def who(journal: SqliteJournal) -> str:
    """The thread in which a job of now runs."""
    return await journal._writer.write(lambda db: threading.current_thread().name)


async def test_a_loop_with_nothing_else_to_do_commits_by_itself(quick: SqliteJournal) -> None:
    assert await quick.append("c1", [entry(1)]) == [1]
    mine = threading.current_thread().name
    names = [await who(quick) for _ in range(2 * writer.IN_A_ROW)]
    assert set(names) == {mine, THREAD} and names.count(THREAD) == 2


async def test_what_many_write_is_committed_together_by_the_thread(quick: SqliteJournal) -> None:
    await who(quick)
    names = await asyncio.gather(*(who(quick) for _ in range(50)))
    assert names == [THREAD] * 50


def test_without_a_loop_the_thread_commits(quick: SqliteJournal) -> None:
    assert quick._writer.write(lambda db: threading.current_thread().name).result(LIMIT) == THREAD


async def test_nothing_overtakes_what_waits(quick: SqliteJournal) -> None:
    """A piece lingers for others; what closes its part comes after it."""
    for number in range(1, 6):
        quick.partial("c1", "part", "message", "half a ")
        assert await quick.append("c1", [entry(number)], closes_parts=["part"]) == [number]
        assert quick.partials("c1") == []


async def test_a_slow_disk_is_left_to_the_thread_until_it_is_quick_again(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "QUICK", 0.5)
    journal._writer._usual = 0.0
    mine = threading.current_thread().name
    assert await who(journal) == mine
    await journal._writer.write(lambda db: time.sleep(0.8))
    assert await who(journal) == THREAD
    names = [await who(journal) for _ in range(40)]
    assert mine in names and names[:3] == [THREAD] * 3


async def test_another_process_that_writes_holds_no_loop(quick: SqliteJournal, database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    await who(quick)
    other.execute("BEGIN IMMEDIATE")
    receipt = quick.append("c1", [entry(1)])
    assert not receipt.done(), "whoever waits for the other process would come back with an error: it is held on"
    await asyncio.sleep(0.05)
    assert not receipt.done()
    other.execute("COMMIT")
    other.close()
    assert await receipt == [1]
    assert [one.entry for one in quick.read("c1")] == [entry(1)]


async def test_what_fails_is_told_and_leaves_nothing(quick: SqliteJournal) -> None:
    await who(quick)
    with pytest.raises(JournalError, match="no conversation none"):
        await quick.append("none", [entry(1)])
    with pytest.raises(JournalError, match="can't store this"):
        await quick.append("c1", [entry(1), dataclasses.replace(entry(2), payload="\ud800")])
    with pytest.raises(ZeroDivisionError):
        await quick._writer.write(lambda db: 1 // 0)
    assert await quick.append("c1", [entry(3)]) == [1]


async def test_the_log_beside_the_database_stays_small(quick: SqliteJournal, database: Path) -> None:
    for number in range(1, 1_000):
        await quick.append("c1", [entry(number)])
    log = database.with_name(f"{database.name}-wal")
    assert log.stat().st_size < 4096 * (1_000 + 20 * writer.IN_A_ROW)


async def test_after_the_end_nothing_is_written(quick: SqliteJournal, database: Path) -> None:
    await who(quick)
    quick.close()
    with pytest.raises(JournalError, match="closed"):
        await quick.append("c1", [entry(1)])
    assert not database.with_name(f"{database.name}-wal").exists()


async def test_a_loop_waits_for_nobody_and_moves_nothing_the_thread_does_both(quick: SqliteJournal) -> None:
    """What SQLite is told at each commit, in any order: milliseconds to wait, pages until it moves them."""

    def told(db: sqlite3.Connection) -> tuple[int, int, str]:
        waits, moves = (
            int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("busy_timeout", "wal_autocheckpoint")
        )
        return waits, moves, threading.current_thread().name

    async def here() -> tuple[int, int, str]:
        quick._writer._turns = 0
        await asyncio.sleep(0)
        return await quick._writer.write(told)

    async def there() -> tuple[int, int, str]:
        return await quick._writer.submit(writer.WriteJob(told))

    await who(quick)
    for at_once in (True, False, False, True, True, False):
        found = await (here() if at_once else there())
        mine = threading.current_thread().name
        assert found == ((0, 0, mine) if at_once else (5_000, 1_000, THREAD))

"""Appending and reading back: numbers, order, whole pages, sums (HOUSE "The way of a page")."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from pathlib import Path
from typing import Any

import pytest

from jp_tui.journal.port import JournalError, NewEvent
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


def test_a_loop_that_ended_before_the_write_is_no_trouble(
    journal: SqliteJournal, caplog: pytest.LogCaptureFixture
) -> None:
    hold = threading.Event()
    journal._writer.submit(_holding(hold))

    async def give_up() -> None:
        task = asyncio.ensure_future(_wait(journal, entry(1)))
        await asyncio.sleep(0)
        assert not task.done()

    asyncio.run(give_up())
    hold.set()
    journal.flush().result(LIMIT)
    assert journal.last_seq("c1") == 1 and not caplog.records


async def _wait(journal: SqliteJournal, one: NewEvent) -> list[int]:
    return await journal.append("c1", [one])


def test_one_that_fails_takes_nobody_elses_with_it(journal: SqliteJournal) -> None:
    """Whatever was committed together is tried one by one when one of them is at fault."""
    hold = threading.Event()
    journal._writer.submit(_holding(hold))
    good = [journal.append("c1", [entry(1)])]
    bad = [
        (journal.append("none", [entry(2)]), "unknown"),
        (journal.append("c1", [entry(3), dataclasses.replace(entry(4), payload="\ud800")]), "invalid"),
        (journal.append("c1", [dataclasses.replace(entry(5), turn=1 << 70)]), "invalid"),
        (journal.append("c1", [dataclasses.replace(entry(5), kind=None)]), "invalid"),  # type: ignore[arg-type]
        (journal.append("c1", [dataclasses.replace(entry(5), kind=object())]), "invalid"),  # type: ignore[arg-type]
        (journal.create("c1", workspace="/w", model="m", at=at(1)), "exists"),
    ]
    good.append(journal.append("c1", [entry(6)]))
    hold.set()
    assert [receipt.result(LIMIT) for receipt in good] == [[1], [2]]
    for receipt, kind in bad:
        with pytest.raises(JournalError) as trouble:
            receipt.result(LIMIT)
        assert trouble.value.kind == kind
    assert [one.entry for one in journal.read("c1")] == [entry(1), entry(6)]


def _holding(hold: threading.Event) -> Any:
    from jp_tui.journal.writer import WriteJob

    return WriteJob(lambda db: hold.wait(LIMIT))


def test_a_reloaded_journal_goes_on_where_it_stopped(database: Path) -> None:
    first = open_journal(database)
    begin(first)
    first.append("c1", [entry(1)]).result(LIMIT)
    first.close()
    first.close()
    with pytest.raises(JournalError, match="closed"):
        first.append("c1", [entry(2)])
    with pytest.raises(JournalError, match="closed"):
        first.read("c1")
    assert not Path(f"{database}-wal").exists()
    second = open_journal(database)
    assert second.append("c1", [entry(2)]).result(LIMIT) == [2]
    second.close()
    looker = open_reader(database)
    assert [one.entry for one in looker.read("c1")] == [entry(1), entry(2)]
    looker.close()


def test_closing_writes_what_is_still_queued(database: Path) -> None:
    journal = open_journal(database)
    begin(journal)
    for number in range(200):
        journal.append("c1", [entry(number)], durable=False)
    journal.partial("c1", "p", "message", "tail")
    journal.close()
    looker = open_reader(database)
    assert looker.last_seq("c1") == 200 and looker.partials("c1")[0].text == "tail"
    looker.close()

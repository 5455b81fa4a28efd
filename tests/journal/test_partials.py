"""A streaming reply: what is there survives, what is finished takes its pieces away (issue 3, bones 2)."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from jp_tui.journal.port import JournalError, Partial
from jp_tui.journal.store import SqliteJournal, open_journal
from jp_tui.journal.writer import WriteJob
from tests.journal.made import begin, entry
from tests.limits import LIMIT


def test_pieces_wait_for_more_but_not_for_long(journal: SqliteJournal, database: Path) -> None:
    """T14: not a transaction per delta. Alone they arrive by themselves; anything else takes them along."""
    receipts = [journal.partial("c1", "p", "message", f"{number} ") for number in range(500)]
    for receipt in receipts:
        receipt.result(LIMIT)
    looker = sqlite3.connect(database)
    assert looker.execute("SELECT count(*) FROM partials").fetchone()[0] < 50
    looker.close()
    assert journal.partials("c1")[0].text == "".join(f"{number} " for number in range(500))
    journal.partial("c1", "q", "message", "x")
    journal.append("c1", [entry(1)]).result(LIMIT)
    assert [one.part for one in journal.partials("c1")] == ["p", "q"]


def test_pieces_that_wait_are_stored_as_one(database: Path) -> None:
    journal = open_journal(database)
    begin(journal)
    hold = threading.Event()
    journal._writer.submit(WriteJob(lambda db: hold.wait(LIMIT)))
    receipts = [journal.partial("c1", "p", "message", "ab") for _ in range(400)]
    receipts.append(journal.partial("none", "p", "message", "lost"))
    hold.set()
    for receipt in receipts[:-1]:
        receipt.result(LIMIT)
    with pytest.raises(JournalError, match="no conversation none"):
        receipts[-1].result(LIMIT)
    looker = sqlite3.connect(database)
    assert looker.execute("SELECT count(*) FROM partials").fetchone()[0] <= 2  # with the job that held, and after it
    looker.close()
    assert journal.partials("c1") == [Partial("p", "message", "ab" * 400)]
    journal.close()

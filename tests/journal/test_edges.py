"""What the mutation sampler found untested in the journal (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from jp_tui.journal import changes, writer
from jp_tui.journal.checkup import find_problem
from jp_tui.journal.connect import _no_space
from jp_tui.journal.port import JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


def test_a_conversation_that_cannot_be_made_is_not_said_to_be_there(journal: SqliteJournal) -> None:
    """Two of one id is one error, a value that cannot stand there is another."""
    with pytest.raises(JournalError) as there:
        begin(journal)
    assert there.value.kind == "exists"
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE conversations (id UNIQUE, workspace NOT NULL, title, model, created, updated, parent)")
    with pytest.raises(sqlite3.IntegrityError, match="NOT NULL"):
        changes.create(db, "c9", None, "", "m", at(1), None)  # type: ignore[arg-type]


def test_a_folder_that_cannot_be_looked_at_is_no_full_disk(tmp_path: Path) -> None:
    assert _no_space(tmp_path / "not" / "there" / "c.db") is False
    assert _no_space(tmp_path / "c.db") is False


def test_a_sound_database_has_nothing_wrong(journal: SqliteJournal, database: Path) -> None:
    assert find_problem(database) == "" == find_problem(database.parent / "none.db")


def test_a_database_of_another_version_leaves_no_file_open(database: Path) -> None:
    open_journal(database).close()
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()
    before = sorted(os.listdir("/dev/fd"))
    kept: list[JournalError] = []
    for _ in range(3):
        with pytest.raises(JournalError) as refused:
            open_reader(database)
        kept.append(refused.value)  # holds the frames, and so whatever was not closed
    assert sorted(os.listdir("/dev/fd")) == before and {one.kind for one in kept} == {"unusable"}


def test_what_waits_for_more_holds_nothing_up(journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece may wait for others; whatever comes behind it is written at once, and the piece with it."""
    monkeypatch.setattr(writer, "LINGER", 60.0)
    piece = journal.partial("c1", "p", "message", "a piece")
    assert journal.append("c1", [entry(1)]).result(LIMIT) == [1]
    assert piece.done()


def test_a_receipt_is_waited_for_no_longer_than_that() -> None:
    receipt: writer.PendingReceipt[int] = writer.PendingReceipt()
    with pytest.raises(TimeoutError):
        receipt.result(0.01)
    receipt.complete(7, None)
    assert receipt.result(0.01) == 7


def test_nothing_is_written_after_the_farewell(journal: SqliteJournal) -> None:
    """A commit that was on its way when the journal was closed is refused, and opens nothing again."""
    journal._writer.close()
    with pytest.raises(JournalError) as refused:
        journal._writer._commit(lambda db: db.execute("SELECT 1")).result(LIMIT)
    assert refused.value.kind == "closed" and journal._writer._db is None

"""What the mutation sampler found untested in the journal (`python -m tests.mutants`): small rules, each by itself."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from jp_tui.journal import changes
from jp_tui.journal.checkup import wrong
from jp_tui.journal.connect import _no_space
from jp_tui.journal.port import JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, begin


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
    assert wrong(database) == "" == wrong(database.parent / "none.db")


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

"""A real database in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import begin


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data/conversations.db"


@pytest.fixture
def journal(database: Path) -> Iterator[SqliteJournal]:
    """An open journal with one empty conversation, c1."""
    found = open_journal(database)
    begin(found)
    yield found
    found.close()

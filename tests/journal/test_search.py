"""Issue 8, conversations: the index follows the log, a search is quick and safe, whatever the user types."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from jp_tui.journal import fts_query, search
from jp_tui.journal.port import JournalError
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.contract.test_search import index, look, places, says
from tests.journal.made import at, begin
from tests.limits import LIMIT

T = TypeVar("T")


def sound(journal: SqliteJournal, asks: Callable[[], T]) -> T:
    try:
        return asks()
    except JournalError as problem:
        assert problem.kind == "index"
    journal.renew_index().result(LIMIT)
    index(journal)
    return asks()


def test_what_is_removed_leaves_the_index_as_well(journal: SqliteJournal, database: Path) -> None:
    begin(journal, "c2", number=2)
    journal.append("c2", [says("vanishes") for _ in range(1000)]).result(LIMIT)
    journal.append("c1", [says("stays")]).result(LIMIT)
    index(journal)
    journal.hide("c2", at(9)).result(LIMIT)
    removed = [journal.remove("c2").result(LIMIT) for _ in range(4)]
    assert removed == [400, 400, 200, 0]
    assert look(journal, "vanishes", shown="deleted") == [] and places(look(journal, "stays")) == [("c1", (1,))]
    begin(journal, "c3", number=3)  # its key, and so its places, are taken by another
    journal.append("c3", [says("new")]).result(LIMIT)
    index(journal)
    assert look(journal, "vanishes") == [] and places(look(journal, "new")) == [("c3", (1,))]
    journal.close()
    raw = sqlite3.connect(database)
    assert raw.execute("SELECT count(*) FROM search WHERE search MATCH 'vanishes'").fetchone() == (0,)
    raw.execute("INSERT INTO search (search) VALUES ('integrity-check')")


@pytest.mark.parametrize(
    "damage",
    ["DROP TABLE search", "DROP TABLE search; CREATE TABLE search (text)",
     "DROP TABLE search; CREATE VIRTUAL TABLE search USING fts5 (x, y)",
     "DELETE FROM search_data", "DELETE FROM search_data WHERE id > 10", "UPDATE search_data SET block = NULL",
     "UPDATE search_data SET block = randomblob(200)",
     "UPDATE search_data SET block = x'b2b725541252f10e4ee8b3fb'",  # a length for which there is not enough memory
     "DELETE FROM search_config", "UPDATE search_config SET v = 99",
     "DROP TABLE search; CREATE INDEX search ON events (at)",
     "DROP TABLE search; CREATE TABLE search_data (x); CREATE TABLE Search (y)",
     "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'search'",
     *(f"DROP TABLE search_{name}" for name in ("data", "idx", "docsize", "config")),
     "; ".join(f"DROP TABLE search_{name}" for name in ("data", "idx", "docsize", "config"))],
)  # fmt: skip
@pytest.mark.parametrize("first", ["append", "search", "remove"])
def test_an_index_that_another_program_damaged_is_made_anew_from_the_log(
    database: Path, damage: str, first: str
) -> None:
    """Whichever comes first: an event more, a search, or a conversation that goes for good."""
    journal = open_journal(database)
    for number in (1, 2):
        begin(journal, f"c{number}", number=number)
        journal.append(f"c{number}", [says(f"tea number {one}") for one in range(300)]).result(LIMIT)
    index(journal)
    journal.close()
    raw = sqlite3.connect(database)
    raw.executescript(damage)
    raw.close()
    journal = open_journal(database)
    if first == "append":
        journal.append("c1", [says("tea at last")]).result(LIMIT)
    elif first == "remove":
        journal.hide("c2", at(9)).result(LIMIT)
        assert [sound(journal, lambda: journal.remove("c2").result(LIMIT)) for _ in range(2)] == [300, 0]
    sound(journal, lambda: index(journal))
    found = sound(journal, lambda: look(journal, "tea", hits=1))
    wanted = {"append": [("c2", (300,)), ("c1", (301,))], "remove": [("c1", (300,))]}
    assert places(found) == wanted.get(first, [("c2", (300,)), ("c1", (300,))])
    journal.close()
    raw = sqlite3.connect(database)
    raw.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    raw.close()


def test_a_table_of_another_program_in_the_place_of_the_index_is_kept(journal: SqliteJournal, database: Path) -> None:
    raw = sqlite3.connect(database)
    for number, table in enumerate(["TABLE search (theirs)", "VIRTUAL TABLE search USING fts5(theirs)"], 1):
        raw.executescript(f"DROP TABLE IF EXISTS search; CREATE {table}; INSERT INTO search VALUES ('a pear')")
        journal.append("c1", [says("tea")]).result(LIMIT)
        index(journal)
        assert places(look(journal, "tea", hits=1)) == [("c1", (number,))]
        kept = f"SELECT theirs FROM search_of_another_program_{number}"
        assert raw.execute(kept).fetchall() == [("a pear",)]
    raw.close()


def test_without_fts5_everything_else_works(
    journal: SqliteJournal, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MODULE", "fts5_that_is_not_there")
    journal.append("c1", [says("words")]).result(LIMIT)
    assert not journal.can_search() and index(journal) == 0 and look(journal, "words") == []
    journal.hide("c1", at(2)).result(LIMIT)
    assert journal.remove("c1").result(LIMIT) == 1
    monkeypatch.undo()
    assert journal.can_search()


def test_a_database_of_before_is_open_at_once_and_indexed_later(database: Path) -> None:
    """Existing databases are migrated: the step adds columns and touches no event."""
    from jp_tui.journal import schema
    from jp_tui.journal.connect import open_writing
    from jp_tui.journal.migrate import migrate

    connection = open_writing(database)
    migrate(connection, database, schema.STEPS[:2])
    connection.execute(
        "INSERT INTO conversations (id, workspace, title, model, created, updated, archived, events, turns, last_seq)"
        " VALUES ('old', '/w', 't', 'm', '', '', 1, 1, 1, 1)"
    )
    connection.execute(
        "INSERT INTO events VALUES ((1 << 32) | 1, 1, 1, 1, 'chat_request', NULL, '', 0, 5, '{}', 'ancient words')"
    )
    connection.close()
    journal = open_journal(database)
    assert journal.unindexed() == 1 and journal.conversation("old") is not None
    index(journal)
    assert places(look(journal, "ancient", shown="archived")) == [("old", (1,))]
    journal.close()


def test_terms() -> None:
    assert fts_query.terms('Fuß "In Quotes" a-b') == [
        fts_query.Term(("fuß",), True),
        fts_query.Term(("in", "quotes"), False),
        fts_query.Term(("a", "b"), True),
    ]
    assert fts_query.expression(fts_query.terms('x "y z"')) == '"x" * AND "y z"'

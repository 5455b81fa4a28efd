"""Issue 8, conversations: the index follows the log, a search is quick and safe, whatever the user types."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from jp_tui.journal import fts_query, search
from jp_tui.journal.port import Hits, JournalError, NewEvent
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, begin

T = TypeVar("T")


def says(text: str, number: int = 1) -> NewEvent:
    return NewEvent(
        "chat_response", 1, json.dumps({"type": "chat_response", "message": text}), at=at(number), text=text
    )


def index(journal: SqliteJournal) -> int:
    done = 0
    while some := journal.index().result(10):
        done += some
    return done


def sound(journal: SqliteJournal, asks: Callable[[], T]) -> T:
    try:
        return asks()
    except JournalError as problem:
        assert problem.kind == "index"
    journal.renew_index().result(10)
    index(journal)
    return asks()


def look(journal: SqliteJournal, text: str, limit: int = 9, hits: int = 3, shown: str = "active") -> list[Hits]:
    found = journal.search(text, limit=limit, hits=hits, shown=shown, workspace=None)  # type: ignore[arg-type]
    while not found.go_on(1.0):
        pass
    return found.found()


def places(found: list[Hits]) -> list[tuple[str, tuple[int, ...]]]:
    return [(hit.row.id, hit.places) for hit in found]


@pytest.mark.parametrize(
    ("text", "finds"),
    [
        ("config", True), ("CONFIG", True), ("conf", True), ("onfig", False), ("conf val", True), ("val conf", True),
        ('"config value"', True), ('"value config"', False), ('"conf value"', False), ("cafe", True), ("Café", True),
        ("foo.bar", True), ("foo.ba", True), ("bar.foo", False), ("config missing", False), ("", False), ("  ", False),
        ("...", False), ("größe", True), ("GRÖSSE", False), ("grosse", False), ("groß", True), ("日本", True),
    ],
)  # fmt: skip
def test_words_are_found_by_their_beginning_and_quoted_ones_as_they_are(
    journal: SqliteJournal, text: str, finds: bool
) -> None:
    journal.append("c1", [says("The Config value of foo.bar in the café, Größe 日本語")]).result(10)
    index(journal)
    assert bool(look(journal, text)) is finds


@pytest.mark.parametrize(
    "text",
    ['"', '""', 'a"b', "a OR b", "NOT a", "NEAR(a b)", "text:a", "a*", "-a", "^a", "(", "a AND", "{a}:b", "a\x00b", "'",
     "\ud800x", "; DROP TABLE events", "%", "_", "*", "+a", "a " * 5000, "a" * 100_000],
)  # fmt: skip
def test_what_a_user_types_is_never_syntax(journal: SqliteJournal, text: str) -> None:
    journal.append("c1", [says("nothing of it")]).result(10)
    index(journal)
    assert look(journal, text) == []  # and no error
    assert places(look(journal, "nothing")) == [("c1", (1,))]


def test_operators_are_words_like_any_other(journal: SqliteJournal) -> None:
    journal.append("c1", [says("this or that"), says("only this"), says("not near")]).result(10)
    index(journal)
    assert places(look(journal, "this OR that")) == [("c1", (1,))]
    assert places(look(journal, "NOT near")) == [("c1", (3,))]


def test_the_index_follows_the_log_and_a_search_tells_what_it_misses(journal: SqliteJournal) -> None:
    journal.append("c1", [says(f"word{number}") for number in range(search.SLICE_EVENTS * 2 + 5)]).result(10)
    assert journal.unindexed() == search.SLICE_EVENTS * 2 + 5
    assert look(journal, "word3") == []
    assert journal.index().result(10) == search.SLICE_EVENTS
    assert journal.unindexed() == search.SLICE_EVENTS + 5
    assert index(journal) == search.SLICE_EVENTS + 5 and journal.unindexed() == 0
    assert places(look(journal, "word804")) == [("c1", (805,))]
    journal.append("c1", [says("later")]).result(10)
    assert journal.unindexed() == 1 and index(journal) == 1
    assert places(look(journal, "later")) == [("c1", (806,))]


def test_a_slice_is_bounded_by_characters_too(journal: SqliteJournal) -> None:
    """An append that comes meanwhile waits for one slice."""
    journal.append("c1", [says("x" * search.LONGEST) for _ in range(6)]).result(10)
    assert journal.index().result(10) == 2


def test_the_newest_conversations_come_first_each_with_a_few_places(journal: SqliteJournal) -> None:
    for number in range(2, 6):
        begin(journal, f"c{number}", number=number)
    for number in range(1, 6):
        many = 1000 if number == 4 else 2
        journal.append(f"c{number}", [says("common") for _ in range(many)]).result(10)
    index(journal)
    found = journal.search("common", limit=3, hits=2, shown="active", workspace=None)
    rounds = 0
    while not found.go_on(1.0):
        rounds += 1
    assert places(found.found()) == [("c5", (2, 1)), ("c4", (1000, 999)), ("c3", (2, 1))]
    assert [hit.more for hit in found.found()] == [False, True, False]
    assert found.more and rounds <= 3 * 3, "each round finds a place or leaves a conversation"


def test_hidden_and_archived_ones_are_found_only_where_they_belong(journal: SqliteJournal) -> None:
    for number in (2, 3):
        begin(journal, f"c{number}", number=number)
    for number in (1, 2, 3):
        journal.append(f"c{number}", [says("thing")]).result(10)
    index(journal)
    journal.set_archived("c2", True).result(10)
    journal.hide("c3", at(9)).result(10)
    assert places(look(journal, "thing")) == [("c1", (1,))]
    assert places(look(journal, "thing", shown="all")) == [("c2", (1,)), ("c1", (1,))]
    assert places(look(journal, "thing", shown="deleted")) == [("c3", (1,))]


def test_what_is_removed_leaves_the_index_as_well(journal: SqliteJournal, database: Path) -> None:
    begin(journal, "c2", number=2)
    journal.append("c2", [says("vanishes") for _ in range(1000)]).result(10)
    journal.append("c1", [says("stays")]).result(10)
    index(journal)
    journal.hide("c2", at(9)).result(10)
    removed = [journal.remove("c2").result(10) for _ in range(4)]
    assert removed == [400, 400, 200, 0]
    assert look(journal, "vanishes", shown="deleted") == [] and places(look(journal, "stays")) == [("c1", (1,))]
    begin(journal, "c3", number=3)  # its key, and so its places, are taken by another
    journal.append("c3", [says("new")]).result(10)
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
        journal.append(f"c{number}", [says(f"tea number {one}") for one in range(300)]).result(10)
    index(journal)
    journal.close()
    raw = sqlite3.connect(database)
    raw.executescript(damage)
    raw.close()
    journal = open_journal(database)
    if first == "append":
        journal.append("c1", [says("tea at last")]).result(10)
    elif first == "remove":
        journal.hide("c2", at(9)).result(10)
        assert [sound(journal, lambda: journal.remove("c2").result(10)) for _ in range(2)] == [300, 0]
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
        journal.append("c1", [says("tea")]).result(10)
        index(journal)
        assert places(look(journal, "tea", hits=1)) == [("c1", (number,))]
        kept = f"SELECT theirs FROM search_of_another_program_{number}"
        assert raw.execute(kept).fetchall() == [("a pear",)]
    raw.close()


def test_without_fts5_everything_else_works(
    journal: SqliteJournal, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MODULE", "fts5_that_is_not_there")
    journal.append("c1", [says("words")]).result(10)
    assert not journal.can_search() and index(journal) == 0 and look(journal, "words") == []
    journal.hide("c1", at(2)).result(10)
    assert journal.remove("c1").result(10) == 1
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

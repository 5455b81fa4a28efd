"""Issue 8, conversations: the index follows the log, a search is quick and safe, whatever the user types, on each
store."""

from __future__ import annotations

import json

import pytest

from jp_tui.journal import search
from jp_tui.journal.port import Hits, Journal, NewEvent
from tests.journal.made import at, begin
from tests.limits import LIMIT


def says(text: str, number: int = 1) -> NewEvent:
    return NewEvent(
        "chat_response", 1, json.dumps({"type": "chat_response", "message": text}), at=at(number), text=text
    )


def index(journal: Journal) -> int:
    done = 0
    while some := journal.index().result(LIMIT):
        done += some
    return done


def look(journal: Journal, text: str, limit: int = 9, hits: int = 3, shown: str = "active") -> list[Hits]:
    found = journal.search(text, limit=limit, hits=hits, shown=shown, workspace=None)  # type: ignore[arg-type]
    while not found.run_for(1.0):
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
    journal: Journal, text: str, finds: bool
) -> None:
    journal.append("c1", [says("The Config value of foo.bar in the café, Größe 日本語")]).result(LIMIT)
    index(journal)
    assert bool(look(journal, text)) is finds


@pytest.mark.parametrize(
    "text",
    ['"', '""', 'a"b', "a OR b", "NOT a", "NEAR(a b)", "text:a", "a*", "-a", "^a", "(", "a AND", "{a}:b", "a\x00b", "'",
     "\ud800x", "; DROP TABLE events", "%", "_", "*", "+a", "a " * 5000, "a" * 100_000],
)  # fmt: skip
def test_what_a_user_types_is_never_syntax(journal: Journal, text: str) -> None:
    journal.append("c1", [says("nothing of it")]).result(LIMIT)
    index(journal)
    assert look(journal, text) == []  # and no error
    assert places(look(journal, "nothing")) == [("c1", (1,))]


def test_operators_are_words_like_any_other(journal: Journal) -> None:
    journal.append("c1", [says("this or that"), says("only this"), says("not near")]).result(LIMIT)
    index(journal)
    assert places(look(journal, "this OR that")) == [("c1", (1,))]
    assert places(look(journal, "NOT near")) == [("c1", (3,))]


def test_the_index_follows_the_log_and_a_search_tells_what_it_misses(journal: Journal) -> None:
    journal.append("c1", [says(f"word{number}") for number in range(search.SLICE_EVENTS * 2 + 5)]).result(LIMIT)
    assert journal.unindexed() == search.SLICE_EVENTS * 2 + 5
    assert look(journal, "word3") == []
    assert journal.index().result(LIMIT) == search.SLICE_EVENTS
    assert journal.unindexed() == search.SLICE_EVENTS + 5
    assert index(journal) == search.SLICE_EVENTS + 5 and journal.unindexed() == 0
    assert places(look(journal, "word804")) == [("c1", (805,))]
    journal.append("c1", [says("later")]).result(LIMIT)
    assert journal.unindexed() == 1 and index(journal) == 1
    assert places(look(journal, "later")) == [("c1", (806,))]


def test_a_slice_is_bounded_by_characters_too(journal: Journal) -> None:
    """An append that comes meanwhile waits for one slice."""
    journal.append("c1", [says("x" * search.LONGEST) for _ in range(6)]).result(LIMIT)
    assert journal.index().result(LIMIT) == 2


def test_the_newest_conversations_come_first_each_with_a_few_places(journal: Journal) -> None:
    for number in range(2, 6):
        begin(journal, f"c{number}", number=number)
    for number in range(1, 6):
        many = 1000 if number == 4 else 2
        journal.append(f"c{number}", [says("common") for _ in range(many)]).result(LIMIT)
    index(journal)
    found = journal.search("common", limit=3, hits=2, shown="active", workspace=None)
    rounds = 0
    while not found.run_for(1.0):
        rounds += 1
    assert places(found.found()) == [("c5", (2, 1)), ("c4", (1000, 999)), ("c3", (2, 1))]
    assert [hit.more for hit in found.found()] == [False, True, False]
    assert found.more and rounds <= 3 * 3, "each round finds a place or leaves a conversation"


def test_hidden_and_archived_ones_are_found_only_where_they_belong(journal: Journal) -> None:
    for number in (2, 3):
        begin(journal, f"c{number}", number=number)
    for number in (1, 2, 3):
        journal.append(f"c{number}", [says("thing")]).result(LIMIT)
    index(journal)
    journal.set_archived("c2", True).result(LIMIT)
    journal.hide("c3", at(9)).result(LIMIT)
    assert places(look(journal, "thing")) == [("c1", (1,))]
    assert places(look(journal, "thing", shown="all")) == [("c2", (1,)), ("c1", (1,))]
    assert places(look(journal, "thing", shown="deleted")) == [("c3", (1,))]


def test_what_is_removed_is_found_no_longer(journal: Journal) -> None:
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

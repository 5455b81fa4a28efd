"""Lists of conversations, what was asked before, drafts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jp_tui.journal.port import JournalError, NewEvent, SentPrompt
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, begin, entry


def ids(found: list[object]) -> list[str]:
    return [one.id for one in found]  # type: ignore[attr-defined]


def test_a_row_says_what_lists_show(journal: SqliteJournal) -> None:
    journal.create("c2", workspace="/v", model="m", title="old", parent="c1", at=at(5)).result(10)
    journal.append("c2", [entry(7, turn=2), entry(9, turn=3)]).result(10)
    journal.set_title("c2", "[red]new").result(10)
    journal.set_model("c2", "n").result(10)
    row = journal.conversation("c2")
    assert row is not None
    assert (row.id, row.title, row.workspace, row.model, row.parent) == ("c2", "[red]new", "/v", "n", "c1")
    assert (row.created, row.updated, row.events, row.turns, row.last_seq) == (at(5), at(9), 2, 3, 2)
    assert row.archived is False
    for change in (journal.set_title, journal.set_model):
        with pytest.raises(JournalError, match="no conversation"):
            change("none", "x").result(10)


def test_the_most_recent_come_first_and_archived_ones_not(journal: SqliteJournal) -> None:
    for number, name in enumerate(("a", "b", "c", "d"), 10):
        begin(journal, name, "/w" if name != "c" else "/v", number)
    journal.append("a", [entry(100)]).result(10)
    assert ids(journal.conversations()) == ["a", "d", "c", "b", "c1"]
    assert ids(journal.conversations("/w", limit=2)) == ["a", "d"]
    assert ids(journal.conversations("/w", limit=2, offset=2)) == ["b", "c1"]
    assert journal.latest("/w").id == "a" and journal.latest("/none") is None  # type: ignore[union-attr]
    journal.set_archived("a", True).result(10)
    assert ids(journal.conversations()) == ["d", "c", "b", "c1"]
    assert ids(journal.conversations("/w", include_archived=True))[0] == "a"
    assert journal.latest("/w").id == "d"  # type: ignore[union-attr]
    journal.set_archived("a", False).result(10)
    assert journal.latest("/w").id == "a"  # type: ignore[union-attr]


def test_an_id_may_be_shortened_while_it_is_clear(journal: SqliteJournal) -> None:
    for name in ("abc", "abd", "ab", "x_1", "x%"):
        begin(journal, name)

    def found(prefix: str) -> str | None:
        row = journal.conversation(prefix)
        return row.id if row else None

    assert [found(one) for one in ("abc", "ab", "x_", "x%", "abd")] == ["abc", "ab", "x_1", "x%", "abd"]
    assert [found(one) for one in ("", "zz", "abcd", "%", "_", "A")] == [None] * 6
    with pytest.raises(JournalError, match="begin with a: ab, abc, abd") as trouble:
        found("a")
    assert trouble.value.kind == "ambiguous"


PROMPT = st.tuples(st.sampled_from(["c1", "c2", "c3", "elsewhere"]), st.integers(0, 30), st.booleans())


@settings(max_examples=60, deadline=None)
@given(events=st.lists(PROMPT, max_size=30), limit=st.integers(0, 12))
def test_what_was_asked_is_what_a_full_search_gives(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, int, bool]], limit: int
) -> None:
    journal = open_journal(tmp_path_factory.mktemp("asked") / "c.db")
    try:
        for name in ("c1", "c2", "c3"):
            begin(journal, name)
        begin(journal, "elsewhere", "/v")
        times: list[str] = []
        clock: dict[str, int] = {}
        for number, (name, second, asked) in enumerate(events):
            second = clock[name] = max(second, clock.get(name, 0))  # within a conversation time does not run back
            kind = "chat_request" if asked else "chat_response"
            one = NewEvent(kind, 1, "{}", at=at(second), text=f"p{number}")
            journal.append(name, [one], durable=False)
            if asked and name != "elsewhere":
                times.append(at(second))
        journal.flush().result(10)
        found = journal.last_requests("/w", limit)
        assert [one.at for one in found] == sorted(times, reverse=True)[:limit]
        for one in found:
            assert events[int(one.text[1:])][0] == one.conversation
    finally:
        journal.close()


def test_what_was_asked_last_comes_first(journal: SqliteJournal) -> None:
    journal.append("c1", [entry(1, kind="chat_request"), entry(2), entry(3, kind="chat_request")]).result(10)
    assert journal.last_requests("/w") == [
        SentPrompt("c1", 3, entry(3).text, at(3)),
        SentPrompt("c1", 1, entry(1).text, at(1)),
    ]


def test_drafts_are_kept_by_key_even_before_there_is_a_conversation(journal: SqliteJournal) -> None:
    journal.save_draft("new", "composer", "half a")
    journal.save_draft("new", "composer", "half a thought\n")
    journal.save_draft("new", "inquiry/call_1.confirm.1", "no, because").result(10)
    assert journal.drafts("new") == {
        "composer": "half a thought\n",
        "inquiry/call_1.confirm.1": "no, because",
    }
    journal.clear_draft("new", "composer").result(10)
    journal.clear_draft("new", "none").result(10)
    assert list(journal.drafts("new")) == ["inquiry/call_1.confirm.1"] and journal.drafts("c1") == {}


def test_conversations_of_sub_agents_are_their_parents(journal: SqliteJournal) -> None:
    """Nobody goes on with one by `-c`, what stands in it was typed by nobody, and a list may leave it out."""
    journal.append("c1", [NewEvent("chat_request", 1, "{}", at=at(20), text="typed")]).result(10)
    journal.create("child", workspace="/w", model="m", parent="c1", at=at(30)).result(10)
    journal.append("child", [NewEvent("chat_request", 1, "{}", at=at(40), text="a task")]).result(10)
    assert ids(journal.conversations("/w")) == ["child", "c1"]
    assert ids(journal.conversations("/w", children=False)) == ["c1"]
    assert journal.latest("/w").id == "c1"  # type: ignore[union-attr]
    assert [asked.text for asked in journal.last_requests("/w")] == ["typed"]

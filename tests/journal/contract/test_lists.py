"""Lists of conversations, what was asked before, drafts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jp_tui.journal.port import Copied, Journal, JournalError, NewEvent, SentPrompt
from tests.journal.contract.conftest import Opens
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


def ids(found: list[object]) -> list[str]:
    return [one.id for one in found]  # type: ignore[attr-defined]


def test_a_row_says_what_lists_show(journal: Journal) -> None:
    journal.create("c2", workspace="/v", model="m", title="old", parent="c1", at=at(5)).result(LIMIT)
    journal.append("c2", [entry(7, turn=2), entry(9, turn=3)]).result(LIMIT)
    journal.set_title("c2", "[red]new").result(LIMIT)
    journal.set_model("c2", "n").result(LIMIT)
    row = journal.conversation("c2")
    assert row is not None
    assert (row.id, row.title, row.workspace, row.model, row.parent) == ("c2", "[red]new", "/v", "n", "c1")
    assert (row.created, row.updated, row.events, row.turns, row.last_seq) == (at(5), at(9), 2, 3, 2)
    assert row.archived is False
    for change in (journal.set_title, journal.set_model):
        with pytest.raises(JournalError, match="no conversation"):
            change("none", "x").result(LIMIT)


def test_the_most_recent_come_first_and_archived_ones_not(journal: Journal) -> None:
    for number, name in enumerate(("a", "b", "c", "d"), 10):
        begin(journal, name, "/w" if name != "c" else "/v", number)
    journal.append("a", [entry(100)]).result(LIMIT)
    assert ids(journal.conversations()) == ["a", "d", "c", "b", "c1"]
    assert ids(journal.conversations("/w", limit=2)) == ["a", "d"]
    assert ids(journal.conversations("/w", limit=2, offset=2)) == ["b", "c1"]
    assert journal.latest("/w").id == "a" and journal.latest("/none") is None  # type: ignore[union-attr]
    journal.set_archived("a", True).result(LIMIT)
    assert ids(journal.conversations()) == ["d", "c", "b", "c1"]
    assert ids(journal.conversations("/w", include_archived=True))[0] == "a"
    assert journal.latest("/w").id == "d"  # type: ignore[union-attr]
    journal.set_archived("a", False).result(LIMIT)
    assert journal.latest("/w").id == "a"  # type: ignore[union-attr]


def test_an_id_may_be_shortened_while_it_is_clear(journal: Journal) -> None:
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


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(PROMPT, max_size=30), limit=st.integers(0, 12))
def test_what_was_asked_is_what_a_full_search_gives(
    opens: Opens, events: list[tuple[str, int, bool]], limit: int
) -> None:
    journal = opens()
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
        journal.flush().result(LIMIT)
        found = journal.last_requests("/w", limit)
        assert [one.at for one in found] == sorted(times, reverse=True)[:limit]
        for one in found:
            assert events[int(one.text[1:])][0] == one.conversation
    finally:
        journal.close()


def test_what_was_asked_last_comes_first(journal: Journal) -> None:
    journal.append("c1", [entry(1, kind="chat_request"), entry(2), entry(3, kind="chat_request")]).result(LIMIT)
    assert journal.last_requests("/w") == [
        SentPrompt("c1", 3, entry(3).text, at(3)),
        SentPrompt("c1", 1, entry(1).text, at(1)),
    ]


def test_drafts_are_kept_by_key_even_before_there_is_a_conversation(journal: Journal) -> None:
    journal.save_draft("new", "composer", "half a")
    journal.save_draft("new", "composer", "half a thought\n")
    journal.save_draft("new", "inquiry/call_1.confirm.1", "no, because").result(LIMIT)
    assert journal.drafts("new") == {
        "composer": "half a thought\n",
        "inquiry/call_1.confirm.1": "no, because",
    }
    journal.clear_draft("new", "composer").result(LIMIT)
    journal.clear_draft("new", "none").result(LIMIT)
    assert list(journal.drafts("new")) == ["inquiry/call_1.confirm.1"] and journal.drafts("c1") == {}


def test_conversations_of_sub_agents_are_their_parents(journal: Journal) -> None:
    """Nobody goes on with one by `-c`, what stands in it was typed by nobody, and a list may leave it out."""
    journal.append("c1", [NewEvent("chat_request", 1, "{}", at=at(20), text="typed")]).result(LIMIT)
    journal.create("child", workspace="/w", model="m", parent="c1", at=at(30)).result(LIMIT)
    journal.append("child", [NewEvent("chat_request", 1, "{}", at=at(40), text="a task")]).result(LIMIT)
    assert ids(journal.conversations("/w")) == ["child", "c1"]
    assert ids(journal.conversations("/w", children=False)) == ["c1"]
    assert journal.latest("/w").id == "c1"  # type: ignore[union-attr]
    assert [asked.text for asked in journal.last_requests("/w")] == ["typed"]


def test_some_conversations_by_their_ids(journal: Journal) -> None:
    for number in range(3):
        begin(journal, f"d{number}")
    journal.hide("d2", at(9)).result(LIMIT)
    found = journal.rows(["d1", "d2", "d", "none"])
    assert list(found) == ["d1"] and found["d1"] == journal.conversation("d1")
    assert journal.rows([]) == {}


def test_the_newest_of_a_schedule_is_found_by_its_ids_beginning(journal: Journal) -> None:
    """D23: the greatest id, deleted ones too; neither a longer name nor one that only looks like it."""
    for name in ("a.1", "a.3", "a.2", "a-b.9", "ab.9", "a_1", "a.%"):
        begin(journal, name)
    journal.make(Copied("a.4", "/w", "m", at(1), "t")).result(LIMIT)

    def newest(prefix: str) -> str:
        found = journal.newest_of(prefix)
        return found.id if found is not None else ""

    assert (newest("a.2"), newest("a-b."), newest("none."), newest("a.%")) == ("a.2", "a-b.9", "", "a.%")
    assert newest("a.") == "a.3"
    journal.hide("a.3", at(9)).result(LIMIT)
    assert newest("a.") == "a.3" and journal.newest_of("a.").deleted == at(9)  # type: ignore[union-attr]

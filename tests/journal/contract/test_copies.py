"""Whole conversations: copied, hidden, restored, removed; what other programs ask (N1, N7), on each store."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jp_tui.journal.port import MAKING, OUTSIDE, Copied, Journal, JournalError
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


def ids(journal: Journal, shown: str = "active") -> list[str]:
    return [one.id for one in journal.conversations(shown=shown)]  # type: ignore[arg-type]


def test_a_copy_is_seen_once_it_is_whole(journal: Journal) -> None:
    copied = Copied("c2", "/w", "m", at(3), "title", "user", origin="c1", copied=1)
    journal.make(copied).result(LIMIT)
    journal.append("c2", [entry(4)]).result(LIMIT)
    assert ids(journal) == ["c1"] and journal.conversation("c2") is None and journal.hidden() == [("c2", MAKING)]
    with pytest.raises(JournalError) as trouble:
        journal.restore("c2").result(LIMIT)
    assert trouble.value.kind == "unknown"
    journal.reveal("c2").result(LIMIT)
    row = journal.conversation("c2")
    assert row is not None and (row.origin, row.copied, row.titled, row.events) == ("c1", 1, "user", 1)
    with pytest.raises(JournalError) as trouble:
        journal.make(copied).result(LIMIT)
    assert trouble.value.kind == "exists"
    journal.make(Copied("c3", "/w", "m", at(3), "t", imported="jp-c1")).result(LIMIT)
    assert journal.imports("jp-c1") == []
    journal.reveal("c3").result(LIMIT)
    assert [one.id for one in journal.imports("jp-c1")] == ["c3"]


def test_what_works_for_a_conversation_is_deleted_and_restored_with_it(journal: Journal) -> None:
    journal.create("child", workspace="/w", model="m", parent="c1", at=at(1)).result(LIMIT)
    journal.create("grandchild", workspace="/w", model="m", parent="child", at=at(2)).result(LIMIT)
    begin(journal, "other", number=3)
    assert sorted(journal.children("c1")) == ["child", "grandchild"] and journal.children("other") == []
    journal.hide("grandchild", at(5)).result(LIMIT)
    journal.hide("c1", at(6)).result(LIMIT)
    assert ids(journal) == ["other"] and sorted(ids(journal, "deleted")) == ["c1", "child", "grandchild"]
    row = journal.conversation("c1", deleted=True)
    assert row is not None and row.deleted == at(6) and journal.conversation("c1") is None
    journal.restore("c1").result(LIMIT)
    assert sorted(ids(journal)) == ["c1", "child", "other"]
    journal.append("grandchild", [entry(9)]).result(LIMIT)
    assert "grandchild" in ids(journal), "an append restores it"


def test_everything_that_is_there(journal: Journal) -> None:
    """Deleted ones and those of other programs too, in the order in which they were made."""
    ask(journal, "b")
    begin(journal, "a")
    journal.hide("a", at(1)).result(LIMIT)
    journal.make(Copied("z", "/w", "m", at(1), "t", parent="c1")).result(LIMIT)
    assert journal.everything() == ["c1", "b", "a"]
    journal.reveal("z").result(LIMIT)
    assert journal.everything()[-1] == "z" and journal.children("c1") == ["z"]


def test_a_title_that_the_user_made_stays(journal: Journal) -> None:
    assert journal.set_title("c1", "model's", "model", "first_line").result(LIMIT)
    assert journal.set_title("c1", "mine").result(LIMIT)
    assert not journal.set_title("c1", "model's again", "model", "first_line").result(LIMIT)
    row = journal.conversation("c1")
    assert row is not None and (row.title, row.titled) == ("mine", "user")


def test_removed_for_good(journal: Journal) -> None:
    begin(journal, "c2")
    journal.append("c2", [entry(number, turn=1 + number // 100) for number in range(900)]).result(LIMIT)
    assert journal.remove("c2").result(LIMIT) == 0, "only what is hidden"
    journal.partial("c2", "p", "message", "x", durable=True).result(LIMIT)
    journal.save_draft("c2", "composer", "x").result(LIMIT)
    journal.hide("c2", at(9)).result(LIMIT)
    removed = []
    while some := journal.remove("c2").result(LIMIT):
        removed.append(some)
    assert sum(removed) == 900 and journal.read("c2") == [] and journal.drafts("c2") == {} and journal.spans("c2") == []
    begin(journal, "c2")
    assert journal.append("c2", [entry(1)]).result(LIMIT) == [1] and journal.partials("c2") == []


def ask(journal: Journal, name: str, most: int = 2) -> None:
    def admits(payloads: Sequence[str]) -> None:
        if len(payloads) >= most:
            raise JournalError("invalid", "too many")

    asked = [entry(1, kind=OUTSIDE), entry(2, kind="inquiry_request", inquiry="ask.a.1")]
    journal.ask_outside(name, asked, workspace="/w", at=at(1), title="t", admits=admits).result(LIMIT)


def test_a_question_of_another_program_is_answered_once(journal: Journal) -> None:
    """N1, N7: it is left out of lists, at most so many wait, and the first answer wins."""
    ask(journal, "o1")
    ask(journal, "o2")
    with pytest.raises(JournalError, match="too many"):
        ask(journal, "o3")
    assert journal.conversation("o3") is None and ids(journal) == ["c1"]
    row = journal.conversation("o1")
    assert row is not None and row.outside
    answer = [entry(3, kind="inquiry_response", inquiry="ask.a.1"), entry(4, kind="turn_outcome")]
    assert journal.settle_outside("o1", "ask.a.1", answer).result(LIMIT)
    assert not journal.settle_outside("o1", "ask.a.1", answer).result(LIMIT)
    assert [one.seq for one in journal.read("o1")] == [1, 2, 3, 4]
    assert [one.conversation for one in journal.open_inquiries()] == ["o2"]
    ask(journal, "o3")
    with pytest.raises(JournalError) as trouble:
        journal.settle_outside("none", "ask.a.1", answer).result(LIMIT)
    assert trouble.value.kind == "unknown"


def test_questions_of_one_session_share_a_conversation(journal: Journal) -> None:
    """N1: another question joins a conversation that is there; a conversation of jp-tui's own is never joined."""
    for number in (1, 2):
        asked = [entry(1, kind=OUTSIDE), entry(number, kind="inquiry_request", inquiry=f"ask.a.{number}")]
        journal.ask_outside("o1", asked, workspace="/w", at=at(1), title="t", admits=lambda _: None, joins=True).result(
            LIMIT
        )
    assert [one.seq for one in journal.read("o1")] == [1, 2, 3] and len(journal.open_inquiries("o1")) == 2
    with pytest.raises(JournalError) as trouble:
        journal.ask_outside("c1", asked, workspace="/w", at=at(1), title="t", admits=lambda _: None, joins=True).result(
            LIMIT
        )
    assert trouble.value.kind == "exists"


def test_kinds_and_texts_of_events(journal: Journal) -> None:
    journal.append("c1", [entry(number, kind="a" if number % 2 else "b") for number in range(1, 11)]).result(LIMIT)
    journal.append("c1", [entry(11, kind="a", turn=2)]).result(LIMIT)
    assert [one.seq for one in journal.of_kinds("c1", ["a"])] == [1, 3, 5, 7, 9, 11]
    assert [one.seq for one in journal.of_kinds("c1", ["a"], after=3, before=9)] == [5, 7]
    assert [one.seq for one in journal.of_kinds("c1", ["a", "b"], "words of 1\\", limit=2)] == [1]
    assert journal.of_kinds("c1", []) == [] and journal.of_kinds("none", ["a"]) == []
    assert journal.of_kinds("c1", ["a"], limit=-1) == []

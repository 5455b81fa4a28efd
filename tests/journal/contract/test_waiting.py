"""What waits for an answer, kept at append: `port.open_inquiries` against a plain recount (R29, R203), on both."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jp_tui.journal.port import Journal
from tests.journal.contract.conftest import Opens
from tests.journal.made import begin
from tests.journal.test_waiting import STEP, answer, ask, at, entry, expected, made, over
from tests.limits import LIMIT


def test_a_request_waits_until_its_response(journal: Journal) -> None:
    begin(journal, "c2")
    journal.append("c1", [ask(1, "a.q.1"), ask(5, "b.q.1")]).result(LIMIT)
    journal.append("c2", [ask(3, "a.q.1")]).result(LIMIT)
    assert [one.entry for one in journal.open_inquiries("c1")] == [ask(1, "a.q.1"), ask(5, "b.q.1")]
    assert [(one.conversation, one.seq) for one in journal.open_inquiries()] == [("c1", 1), ("c2", 1), ("c1", 2)]
    journal.append("c1", [answer(6, "a.q.1")]).result(LIMIT)
    assert [one.entry for one in journal.open_inquiries("c1")] == [ask(5, "b.q.1")]
    assert [one.conversation for one in journal.open_inquiries()] == ["c2", "c1"]
    assert journal.open_inquiries("none") == journal.open_inquiries("") == []


def test_what_a_later_turn_or_an_outcome_left_behind_does_not_wait(journal: Journal) -> None:
    """R203, R207: only the last turn, and only while it goes on; a response of a later turn closes nothing."""
    journal.append("c1", [ask(1, "a.q.1"), ask(2, "a.q.2")]).result(LIMIT)
    journal.append("c1", [entry(3, turn=2, kind="turn_start"), answer(4, "a.q.1", 2)]).result(LIMIT)
    assert journal.open_inquiries("c1") == []
    journal.append("c1", [ask(5, "a.q.1", 2), ask(7, "b.q.1", 2)]).result(LIMIT)
    assert [one.entry.at for one in journal.open_inquiries("c1")] == [at(7)]  # one answer came before its request
    journal.append("c1", [over(8, 2), ask(9, "b.q.2", 2)]).result(LIMIT)
    assert journal.open_inquiries("c1") == journal.open_inquiries() == []


def test_an_id_that_repeats_waits_as_often_as_it_was_asked_and_shows_the_latest(journal: Journal) -> None:
    """R29: two-segment ids of old streams may repeat within a turn."""
    journal.append("c1", [ask(1, "c.q"), answer(2, "c.q"), ask(3, "c.q"), ask(4, "c.q")]).result(LIMIT)
    assert [one.entry.at for one in journal.open_inquiries("c1")] == [at(4)]
    journal.append("c1", [answer(5, "c.q")]).result(LIMIT)
    assert [one.entry.at for one in journal.open_inquiries("c1")] == [at(4)]
    journal.append("c1", [answer(6, "c.q")]).result(LIMIT)
    assert journal.open_inquiries("c1") == []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(STEP, max_size=6), max_size=6))
def test_what_waits_is_what_a_recount_gives(opens: Opens, batches: list[list[tuple[str, str, int]]]) -> None:
    journal = opens()
    begin(journal)
    entries, done = made([step for batch in batches for step in batch]), 0
    for batch in batches:
        journal.append("c1", entries[done : done + len(batch)], durable=False)
        done += len(batch)
    journal.flush().result(LIMIT)
    assert [one.entry for one in journal.open_inquiries("c1")] == expected(entries)
    journal.close()


def test_d20_unfinished_turns_that_wait_for_nobody(opens: Opens) -> None:
    """Answered or cut off, not ended; of the folders that are named, the last updated ones."""
    journal = opens()
    for number, (name, folder) in enumerate([("a", "/w"), ("b", "/w"), ("c", "/v"), ("d", "/w"), ("e", "/x")], 1):
        journal.create(name, workspace=folder, model="m", at=at(number)).result(LIMIT)
        journal.append(name, [entry(number, kind="turn_start"), ask(number, "q")]).result(LIMIT)
    assert journal.unfinished(["/w", "/v", "/x"]) == []
    for number, name in enumerate("abcd", 11):
        journal.append(name, [answer(number, "q")]).result(LIMIT)
    journal.append("b", [over(20)]).result(LIMIT)
    assert [row.id for row in journal.unfinished(["/w", "/v", "/w"])] == ["d", "c", "a"]
    assert [row.id for row in journal.unfinished(["/w"])] == ["d", "a"] and journal.unfinished([]) == []
    assert [row.id for row in journal.unfinished(["/w"], among=2)] == ["d"]
    journal.append("d", [ask(21, "r")]).result(LIMIT)
    journal.hide("c", at(30)).result(LIMIT)
    journal.set_archived("a", True).result(LIMIT)
    assert [row.id for row in journal.unfinished(["/w", "/v"])] == ["a"]
    journal.hide("d", at(31)).result(LIMIT)
    journal.hide("b", at(31)).result(LIMIT)
    assert [row.id for row in journal.unfinished(["/w"], among=1)] == ["a"], "deleted ones are none of the last"

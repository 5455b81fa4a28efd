"""Answers that another process offers to the holder of a conversation (surface.md S12), on each store."""

from __future__ import annotations

import pytest

from jp_tui.journal.port import Journal, JournalError, Offer, OfferState
from tests.fakes import postgres
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


def test_an_offer_waits_until_it_is_settled_and_the_first_word_stands(journal: Journal) -> None:
    begin(journal, "c2")
    first = journal.make_offer("c1", "a.q.1", '{"value":"\\u0000\u202e"}', at(1)).result(LIMIT)
    second = journal.make_offer("c1", "a.q.1", "{}", at(2)).result(LIMIT)
    other = journal.make_offer("c2", "a.q.1", "{}", at(3)).result(LIMIT)
    by = {"who": postgres.OWNER, "machine": "here"} if journal.me() else {}
    assert journal.offers("c1") == [
        Offer(first, "c1", "a.q.1", '{"value":"\\u0000\u202e"}', at(1), **by),
        Offer(second, "c1", "a.q.1", "{}", at(2), **by),
    ]
    assert [one.id for one in journal.offers("c2")] == [other] and journal.offers("none") == []
    journal.settle_offer(first, "answered", "answered by you").result(LIMIT)
    journal.settle_offer(first, "accepted").result(LIMIT)
    assert journal.offer(first) == Offer(
        first, "c1", "a.q.1", '{"value":"\\u0000\u202e"}', at(1), "answered", "answered by you", **by
    )
    assert [one.id for one in journal.offers("c1")] == [second]
    assert journal.offer(99) is None
    journal.settle_offer(99, "accepted").result(LIMIT)


def test_an_offer_can_be_withdrawn_while_it_is_open(journal: Journal) -> None:
    """Its number never stands for another offer: whoever looks for it finds nothing."""
    gone = journal.make_offer("c1", "a.q.1", "{}", at(1)).result(LIMIT)
    journal.withdraw_offer(gone).result(LIMIT)
    assert journal.offer(gone) is None and journal.offers("c1") == []
    taken = journal.make_offer("c1", "a.q.1", "{}", at(1)).result(LIMIT)
    assert taken > gone
    journal.settle_offer(taken, "accepted").result(LIMIT)
    journal.withdraw_offer(taken).result(LIMIT)
    found = journal.offer(taken)
    assert found is not None and found.state == "accepted"


def test_s12_an_offer_is_accepted_with_the_answer_or_neither(journal: Journal) -> None:
    """In one transaction; one that was withdrawn, or has a result, refuses it all."""
    first, second, gone = (journal.make_offer("c1", "a.q.1", "{}", at(1)).result(LIMIT) for _ in range(3))
    journal.withdraw_offer(gone).result(LIMIT)
    journal.partial("c1", "p", "message", "x", durable=True).result(LIMIT)
    assert journal.append("c1", [entry(1)], accepts=[first]).result(LIMIT) == [1]
    found = journal.offer(first)
    assert found is not None and (found.state, found.words) == ("accepted", "")
    for late in ([first], [gone], [second, gone]):
        with pytest.raises(JournalError) as trouble:
            journal.append("c1", [entry(2)], closes_parts=["p"], accepts=late).result(LIMIT)
        assert trouble.value.kind == "withdrawn"
    assert journal.last_seq("c1") == 1 and len(journal.partials("c1")) == 1
    assert [one.id for one in journal.offers("c1")] == [second]


def test_an_offer_needs_a_conversation(journal: Journal) -> None:
    with pytest.raises(JournalError, match="no conversation none") as trouble:
        journal.make_offer("none", "a.q.1", "{}", at(1)).result(LIMIT)
    assert trouble.value.kind == "unknown"


@pytest.mark.parametrize("state", ["open", "accepted", "answered", "invalid", "stale"])
def test_offers_of_the_day_before_yesterday_are_forgotten(journal: Journal, state: OfferState) -> None:
    old = journal.make_offer("c1", "a.q.1", "{}", "2026-03-03 10:00:00.0").result(LIMIT)
    kept = journal.make_offer("c1", "a.q.1", "{}", "2026-03-04 09:00:00.5").result(LIMIT)
    if state != "open":
        journal.settle_offer(old, state)
    journal.make_offer("c1", "a.q.1", "{}", "whenever").result(LIMIT)
    assert journal.offer(old) is not None
    journal.make_offer("c1", "a.q.1", "{}", "2026-03-05 08:00:00.25").result(LIMIT)
    assert journal.offer(old) is None and journal.offer(kept) is not None

"""A streaming reply: what is there survives, what is finished takes its pieces away (issue 3), on each store."""

from __future__ import annotations

import pytest

from jp_tui.journal.port import Journal, JournalError, Partial
from tests.journal.made import begin, entry
from tests.limits import LIMIT


def test_pieces_are_joined_by_part_in_the_order_they_began(journal: Journal) -> None:
    for part, kind, chunk in (
        ("p1", "reasoning", "I th"),
        ("p2", "message", "Hel"),
        ("p1", "reasoning", "ink"),
        ("p2", "message", "lo\0\n"),
    ):
        journal.partial("c1", part, kind, chunk)
    journal.flush().result(LIMIT)
    assert journal.partials("c1") == [Partial("p1", "reasoning", "I think"), Partial("p2", "message", "Hello\0\n")]
    assert journal.partials("none") == []


def test_the_finished_event_takes_its_pieces_away_in_the_same_step(journal: Journal) -> None:
    begin(journal, "c2")
    for conversation in ("c1", "c2"):
        for part in ("p1", "p2"):
            journal.partial(conversation, part, "message", "abc")
    assert journal.append("c1", [entry(1)], closes_parts=["p1", "none"]).result(LIMIT) == [1]
    assert [one.part for one in journal.partials("c1")] == ["p2"]
    assert [one.part for one in journal.partials("c2")] == ["p1", "p2"]
    with pytest.raises(JournalError):
        journal.append("none", [entry(1)], closes_parts=["p2"]).result(LIMIT)
    assert journal.append("c1", [], closes_parts=["p2"]).result(LIMIT) == []
    assert journal.partials("c1") == []

"""Answers that another process offers to the holder of a conversation (surface.md S12)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jp_tui.journal.port import JournalError, Offer, OfferState
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.made import at, begin

PROJECT = Path(__file__).parents[2]

OFFERER = """
import sys
from pathlib import Path
from jp_tui.journal.store import open_journal
journal = open_journal(Path(sys.argv[1]))
number = journal.make_offer("c1", "a.q.1", '{"value":true}', "2026-03-05 00:00:01.0").result(10)
print(number, flush=True)
while True:
    sys.stdin.readline()
    offer = journal.offer(number)
    print(offer.state if offer else "gone", offer.words if offer else "", flush=True)
"""


def test_an_offer_waits_until_it_is_settled_and_the_first_word_stands(journal: SqliteJournal) -> None:
    begin(journal, "c2")
    first = journal.make_offer("c1", "a.q.1", '{"value":"\\u0000\u202e"}', at(1)).result(10)
    second = journal.make_offer("c1", "a.q.1", "{}", at(2)).result(10)
    other = journal.make_offer("c2", "a.q.1", "{}", at(3)).result(10)
    assert journal.offers("c1") == [
        Offer(first, "c1", "a.q.1", '{"value":"\\u0000\u202e"}', at(1)),
        Offer(second, "c1", "a.q.1", "{}", at(2)),
    ]
    assert [one.id for one in journal.offers("c2")] == [other] and journal.offers("none") == []
    journal.settle_offer(first, "answered", "answered by you").result(10)
    journal.settle_offer(first, "accepted").result(10)
    assert journal.offer(first) == Offer(
        first, "c1", "a.q.1", '{"value":"\\u0000\u202e"}', at(1), "answered", "answered by you"
    )
    assert [one.id for one in journal.offers("c1")] == [second]
    assert journal.offer(99) is None
    journal.settle_offer(99, "accepted").result(10)


def test_an_offer_can_be_withdrawn_while_it_is_open(journal: SqliteJournal) -> None:
    """Its number never stands for another offer: whoever looks for it finds nothing."""
    gone = journal.make_offer("c1", "a.q.1", "{}", at(1)).result(10)
    journal.withdraw_offer(gone).result(10)
    assert journal.offer(gone) is None and journal.offers("c1") == []
    taken = journal.make_offer("c1", "a.q.1", "{}", at(1)).result(10)
    assert taken > gone
    journal.settle_offer(taken, "accepted").result(10)
    journal.withdraw_offer(taken).result(10)
    found = journal.offer(taken)
    assert found is not None and found.state == "accepted"


def test_an_offer_needs_a_conversation(journal: SqliteJournal) -> None:
    with pytest.raises(JournalError, match="no conversation none") as trouble:
        journal.make_offer("none", "a.q.1", "{}", at(1)).result(10)
    assert trouble.value.kind == "unknown"


@pytest.mark.parametrize("state", ["open", "accepted", "answered", "invalid", "stale"])
def test_offers_of_the_day_before_yesterday_are_forgotten(journal: SqliteJournal, state: OfferState) -> None:
    old = journal.make_offer("c1", "a.q.1", "{}", "2026-03-03 10:00:00.0").result(10)
    kept = journal.make_offer("c1", "a.q.1", "{}", "2026-03-04 09:00:00.5").result(10)
    if state != "open":
        journal.settle_offer(old, state)
    journal.make_offer("c1", "a.q.1", "{}", "whenever").result(10)
    assert journal.offer(old) is not None
    journal.make_offer("c1", "a.q.1", "{}", "2026-03-05 08:00:00.25").result(10)
    assert journal.offer(old) is None and journal.offer(kept) is not None


def test_two_processes_and_a_death_between(database: Path) -> None:
    """What was offered stands when the offerer dies; what the holder says reaches it at its next look."""
    journal = open_journal(database)
    begin(journal)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OFFERER, database],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    numbers = []
    for child in children:
        assert child.stdout is not None
        numbers.append(int(child.stdout.readline()))
    assert sorted(one.id for one in journal.offers("c1")) == sorted(numbers)
    children[0].kill()
    children[0].wait(10)
    assert len(journal.offers("c1")) == 2
    for number in numbers:
        journal.settle_offer(number, "stale", "the question has changed").result(10)
    journal.close()
    assert children[1].stdin is not None and children[1].stdout is not None
    children[1].stdin.write("\n")
    children[1].stdin.flush()
    assert children[1].stdout.readline() == "stale the question has changed\n"
    children[1].kill()
    for child in children:
        child.communicate(timeout=10)
    looker = open_reader(database)
    assert looker.offers("c1") == [] and all(looker.offer(number) is not None for number in numbers)
    looker.close()


def test_a_holder_killed_before_it_settled_leaves_the_offer_to_the_next(database: Path) -> None:
    """S12: the holder's death frees the lock; the offer is still there for whoever takes it."""
    journal = open_journal(database)
    begin(journal)
    number = journal.make_offer("c1", "a.q.1", "{}", at(1)).result(10)
    holder = (
        "import os, sys; from pathlib import Path; from jp_tui.journal.store import open_journal;"
        "j = open_journal(Path(sys.argv[1])); assert j.offers('c1'); os.kill(os.getpid(), 9)"
    )
    run = subprocess.run([sys.executable, "-c", holder, database], cwd=PROJECT, capture_output=True)
    assert run.returncode == -9
    assert [one.id for one in journal.offers("c1")] == [number]
    journal.close()

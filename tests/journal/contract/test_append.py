"""Appending and reading back: numbers, order, whole pages, sums (HOUSE "The way of a page"), on each store."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jp_tui.journal.port import SPAN, Journal, JournalError, NewEvent, Span
from tests.journal.contract.conftest import Opens
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT


def test_numbers_count_from_one_without_gaps_in_each_conversation(journal: Journal) -> None:
    begin(journal, "c2")
    assert journal.append("c1", [entry(1), entry(2)]).result(LIMIT) == [1, 2]
    assert journal.append("c2", [entry(3)]).result(LIMIT) == [1]
    assert journal.append("c1", []).result(LIMIT) == []
    assert journal.append("c1", [entry(4)], durable=False).result(LIMIT) == [3]
    assert [one.seq for one in journal.read("c1")] == [1, 2, 3]
    assert journal.last_seq("c1") == 3 and journal.last_seq("none") == 0


def test_what_is_read_is_what_was_stored(journal: Journal) -> None:
    """R56, STORE-007: unknown kinds and odd payloads are kept byte for byte."""
    odd = [
        NewEvent("v99", 7, '{"type":"v99",  "x":1.0,"x":2}', at="2026-01-01T00:00:00Z", inquiry="call.q.1", lines=3),
        NewEvent("x", 1, '{"nul":"\0","far":"\U0010ffff\u202e"}', at="", text="\0 a", characters=12),
        NewEvent("", 0, "", at=""),
    ]
    journal.append("c1", odd).result(LIMIT)
    assert [one.entry for one in journal.read("c1")] == odd


def test_everything_handed_over_arrives_in_order_from_many_threads(journal: Journal) -> None:
    receipts = []
    gate = threading.Barrier(4)

    def hand_over(first: int) -> None:
        gate.wait()
        for number in range(first, first + 100):
            receipts.append((number, journal.append("c1", [entry(number)], durable=number % 7 == 0)))

    threads = [threading.Thread(target=hand_over, args=(first,)) for first in (0, 1000, 2000, 3000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    places = {number: receipt.result(LIMIT)[0] for number, receipt in receipts}
    assert sorted(places.values()) == list(range(1, 401))
    stored = journal.read("c1", limit=1000)
    assert {one.seq: one.entry for one in stored} == {place: entry(number) for number, place in places.items()}
    for first in (0, 1000, 2000, 3000):
        assert [places[number] for number in range(first, first + 100)] == sorted(
            places[number] for number in range(first, first + 100)
        )


async def test_awaited_on_a_loop_and_not_called_off_with_its_waiter(journal: Journal) -> None:
    assert await journal.append("c1", [entry(1)]) == [1]
    waiting = asyncio.ensure_future(_wait(journal, entry(2)))
    await asyncio.sleep(0)
    waiting.cancel()
    await journal.flush()
    assert journal.last_seq("c1") == 2
    with pytest.raises(JournalError, match="no conversation none"):
        await journal.append("none", [entry(1)])


async def _wait(journal: Journal, one: NewEvent) -> list[int]:
    return await journal.append("c1", [one])


def test_one_that_fails_takes_nobody_elses_with_it(journal: Journal) -> None:
    """Whatever was committed together is tried one by one when one of them is at fault."""
    good = [journal.append("c1", [entry(1)])]
    bad = [
        (journal.append("none", [entry(2)]), "unknown"),
        (journal.append("c1", [entry(3), dataclasses.replace(entry(4), payload="\ud800")]), "invalid"),
        (journal.append("c1", [dataclasses.replace(entry(5), turn=1 << 70)]), "invalid"),
        (journal.append("c1", [dataclasses.replace(entry(5), kind=None)]), "invalid"),  # type: ignore[arg-type]
        (journal.append("c1", [dataclasses.replace(entry(5), kind=object())]), "invalid"),  # type: ignore[arg-type]
        (journal.create("c1", workspace="/w", model="m", at=at(1)), "exists"),
    ]
    good.append(journal.append("c1", [entry(6)]))
    assert [receipt.result(LIMIT) for receipt in good] == [[1], [2]]
    for receipt, kind in bad:
        with pytest.raises(JournalError) as trouble:
            receipt.result(LIMIT)
        assert trouble.value.kind == kind
    assert [one.entry for one in journal.read("c1")] == [entry(1), entry(6)]


def test_pages(journal: Journal) -> None:
    begin(journal, "c0")
    begin(journal, "c2")
    for other in ("c0", "c2"):
        journal.append(other, [entry(number) for number in range(50)]).result(LIMIT)
    journal.append("c1", [entry(number, turn=1 + number // 10) for number in range(100)]).result(LIMIT)

    def numbers(found: list[Any]) -> list[int]:
        assert all(one.conversation == "c1" for one in found)
        return [one.seq for one in found]

    assert numbers(journal.read("c1", 10, 3)) == [11, 12, 13]
    assert numbers(journal.read("c1", 98)) == [99, 100]
    assert numbers(journal.read("c1", 100)) == numbers(journal.read("c1", 1 << 40)) == []
    assert numbers(journal.read("c1", -5, 2)) == [1, 2]
    assert journal.read("c1", 0, 0) == journal.read("c1", 0, -1) == journal.tail("c1", -1) == []
    assert numbers(journal.tail("c1", 3)) == [98, 99, 100]
    assert numbers(journal.tail("c1", 1000)) == list(range(1, 101))
    assert numbers(journal.around("c1", 50, 4)) == [48, 49, 50, 51]
    assert numbers(journal.around("c1", 1, 4)) == [1, 2, 3, 4]
    assert numbers(journal.around("c1", 100, 4)) == [97, 98, 99, 100]
    assert numbers(journal.around("c1", 10**6, 4)) == [97, 98, 99, 100]
    assert numbers(journal.turn_events("c1", 2)) == list(range(11, 21))
    assert journal.turn_events("c1", 99) == journal.tail("none", 5) == journal.spans("none") == []


def test_the_events_of_an_inquiry(journal: Journal) -> None:
    ask, answer = (entry(number, inquiry="call_1.confirm.1") for number in (1, 3))
    other = entry(2, inquiry="call_2.x.1")
    journal.append("c1", [ask, other, answer, entry(4)]).result(LIMIT)
    assert [one.entry for one in journal.inquiry_events("c1", "call_1.confirm.1")] == [ask, answer]
    assert [one.seq for one in journal.inquiry_events("c1")] == [1, 2, 3]


SIZES = st.tuples(st.integers(0, 50), st.integers(0, 9), st.none() | st.integers(0, 10**6))
BATCH = st.lists(SIZES, max_size=4) | st.integers(1, 3 * SPAN).map(lambda count: [(3, 1, None)] * count)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(BATCH, max_size=8))
def test_spans_are_what_a_recount_gives(opens: Opens, batches: list[list[tuple[int, int, int | None]]]) -> None:
    journal = opens()
    try:
        begin(journal)
        expected: list[Span] = []
        seq = 0
        for batch in batches:
            entries = [
                NewEvent("k", 1, "{}", at=at(0), text="x" * letters, lines=lines, characters=characters)
                for letters, lines, characters in batch
            ]
            journal.append("c1", entries, durable=False)
            for letters, lines, characters in batch:
                seq += 1
                if (seq - 1) % SPAN == 0:
                    expected.append(Span(seq, seq, 0, 0, 0))
                was = expected[-1]
                size = letters if characters is None else characters
                expected[-1] = Span(was.first_seq, seq, was.events + 1, was.characters + size, was.lines + lines)
        journal.flush().result(LIMIT)
        assert journal.spans("c1") == expected
        row = journal.conversation("c1")
        assert row is not None and (row.events, row.last_seq) == (seq, seq)
    finally:
        journal.close()


def test_what_was_written_is_there_for_the_next(twice: Opens) -> None:
    """Closing writes what is still queued, twice is fine, and nothing goes on after it."""
    first = twice()
    begin(first)
    for number in range(200):
        first.append("c1", [entry(number)], durable=False)
    first.partial("c1", "p", "message", "tail")
    first.close()
    first.close()
    with pytest.raises(JournalError, match="closed"):
        first.append("c1", [entry(2)])
    with pytest.raises(JournalError, match="closed"):
        first.read("c1")
    second = twice()
    assert second.last_seq("c1") == 200 and second.partials("c1")[0].text == "tail"
    assert second.append("c1", [entry(200)]).result(LIMIT) == [201]
    third = twice()
    assert [one.entry for one in third.read("c1", limit=999)] == [entry(number) for number in range(201)]
    second.close()
    third.close()


def test_another_client_sees_what_was_committed(twice: Opens) -> None:
    """Durable is committed: whoever looks after the receipt finds it, and learns that something changed."""
    here, there = twice(), twice()
    begin(here)
    there.changed()
    while there.changed():
        pass
    here.append("c1", [entry(1, kind="inquiry_request", inquiry="a.q.1")]).result(LIMIT)
    assert [one.seq for one in there.read("c1")] == [1] and len(there.open_inquiries()) == 1
    until = time.monotonic() + 10
    while not there.changed():
        assert time.monotonic() < until
    here.close()
    there.close()

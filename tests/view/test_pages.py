"""Runs of events that are held or not, and rows found among estimated heights (HOUSE "The way of a page")."""

from __future__ import annotations

import random

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol.values import EventSpan, StoredEvent
from jp_tui.view.transcript import heights
from jp_tui.view.transcript.blocks import TextBlock, User
from jp_tui.view.transcript.heights import HeightIndex
from jp_tui.view.transcript.loaded_ranges import RUN, LoadedRange, LoadedRanges


def spans(last: int) -> list[EventSpan]:
    """A row per 256 events, as the journal keeps them."""
    firsts = range(1, last + 1, 256)
    ends = [min(first + 255, last) for first in firsts]
    return [
        EventSpan(first=first, last=end, events=end - first + 1, characters=100 * (end - first + 1), lines=end - first)
        for first, end in zip(firsts, ends, strict=True)
    ]


def page(first: int, last: int) -> list[StoredEvent]:
    return [StoredEvent(seq=seq, turn=1, event={}) for seq in range(first, last + 1)]


@pytest.mark.parametrize("seed", range(40))
def test_runs_cover_every_number_once_whatever_comes(seed: int) -> None:
    """Pages from anywhere, new events, runs let go: no number is lost or held twice, no held run grows too long."""
    rng = random.Random(seed)
    last = rng.randint(0, 3000)
    pages, held = LoadedRanges(), set[int]()
    pages.cover(spans(max(last - rng.randint(0, 60), 0)), last)
    for _ in range(30):
        kind = rng.random()
        if kind < 0.5 and last:
            first = rng.randint(1, last)
            wanted = set(range(first, min(last, first + rng.randint(0, 500)) + 1))
            fresh = pages.hold(page(min(wanted), max(wanted)))
            assert {event.seq for event in fresh} == wanted - held
            held |= wanted
        elif kind < 0.8:
            last += 1 + (rng.random() < 0.1) * 3
            assert pages.grow(last) and not pages.grow(last)
            held.add(last)
        elif runs := [run for run in pages.runs if run.held]:
            gone = rng.choice(runs)
            pages.release(gone, 10, 5)
            held -= set(range(gone.first, gone.last + 1))
        before = 0
        for run in pages.runs:
            assert run.first == before + 1
            assert all((seq in held) == run.held for seq in range(run.first, run.last + 1))
            assert not run.held or run.events <= RUN
            before = run.last
        assert before == last == pages.last


def test_a_gap_that_is_split_keeps_its_sums() -> None:
    pages = LoadedRanges()
    pages.cover(spans(256), 256)
    pages.hold(page(100, 110))
    gaps = [run for run in pages.runs if not run.held]
    assert [(run.first, run.last) for run in gaps] == [(1, 99), (111, 256)]
    assert abs(sum(run.characters for run in gaps) - 25_600 * 245 / 256) < 10


def test_estimates_shrink_with_width_and_are_exact_where_they_were_measured() -> None:
    run = LoadedRange(1, 256, False, characters=80_000, lines=900)
    assert heights.of_run(run, 40) > heights.of_run(run, 80) > heights.of_run(run, 160) > 256
    run.rows = 1234
    assert heights.of_run(run, 80) == 1234
    let_go = LoadedRange(1, 100, False, characters=heights.characters(LoadedRange(1, 100, True), 700, 80))
    assert abs(heights.of_run(let_go, 80) - 700) <= 1


def test_estimates_of_blocks_follow_their_lines() -> None:
    text = Foreign("short\n" + "x" * 200 + "\n\nend")
    assert heights.of_block(User(key="e1", place=(1, 0), text=text), 106) == 1 + 2 + 1 + 1
    assert heights.of_block(TextBlock(key="e1", place=(1, 0), text=Foreign("y" * 1000)), 106) == 10


def test_sums_find_rows_and_starts() -> None:
    sums = HeightIndex([3, 0, 2])
    assert [sums.find(row) for row in range(-1, 6)] == [None, (0, 0), (0, 1), (0, 2), (2, 0), (2, 1), None]
    assert (sums.start(2), sums.total) == (3, 5)
    sums.replace_last(4)
    assert sums.total == 7 and sums.find(6) == (2, 3)
    assert HeightIndex([]).find(0) is None

"""Garbage is collected in small pieces while something happens, and all of it in a moment that nobody notices (T28)."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from jp_tui.ui import gc_schedule
from jp_tui.ui.gc_schedule import ENOUGH, OFTEN, QUIET, GarbageSchedule
from tests.limits import LIMIT


class Cycle:
    """Something that only a collection frees."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def _as_in_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of the face look for garbage more seldom."""
    monkeypatch.setattr(gc_schedule, "OFTEN", OFTEN)


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """When all was collected, by the clock `now[0]`."""
    monkeypatch.setattr(gc_schedule, "QUIET", 0.0005)
    found: list[float] = []
    before = gc.get_threshold()
    yield found
    assert gc.get_threshold() == before, "what Python does by itself is as it was"


async def rest(tidy: GarbageSchedule) -> None:
    """An event, and then none until nothing is looked at any more."""
    tidy.event()
    while tidy._later is not None:  # noqa: ASYNC110 - a timer has no event
        await asyncio.sleep(0)


async def test_all_is_collected_once_after_enough_small_looks_and_never_at_rest(moments: list[float]) -> None:
    collected = asyncio.Event()
    tidy = GarbageSchedule(collect=lambda: (moments.append(1.0), collected.set()))
    tidy.begin()
    try:
        assert gc.get_threshold() == OFTEN
        await rest(tidy)
        assert moments == [], "nothing to collect"
        for _ in range(ENOUGH):
            gc.collect(0)
        await rest(tidy)
        assert collected.is_set()
        await rest(tidy)
        assert moments == [1.0]
    finally:
        tidy.end()


async def test_what_comes_of_the_last_event_is_collected_without_another(moments: list[float]) -> None:
    """A thousand sheets that go: what is painted then makes the garbage, when nothing is reported any more."""
    collected = asyncio.Event()
    tidy = GarbageSchedule(collect=lambda: (moments.append(1.0), collected.set()))
    tidy.begin()
    try:
        tidy.event()
        for _ in range(ENOUGH):
            gc.collect(0)
        await asyncio.wait_for(collected.wait(), LIMIT)
        assert tidy._later is None and moments == [1.0]
    finally:
        tidy.end()


def test_what_was_collected_goes_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 9, "a day of work": in this order."""
    found = []
    thing = Cycle()
    gone = weakref.ref(thing)
    monkeypatch.setattr(gc_schedule, "release_free_memory", lambda: found.append(gone()))
    del thing
    GarbageSchedule()._collect()
    assert found == [None]


def test_garbage_that_outlived_a_look_goes_without_a_pause() -> None:
    """Issue 9, "a day of work": a turn's cycles live longer than one look; nothing of what it makes is held for it."""
    tidy, kept = GarbageSchedule(), list[object]()
    tidy.begin()
    try:
        thing = Cycle()
        gone = weakref.ref(thing)
        gc.collect(0)
        del thing
        for _ in range(15 * OFTEN[0]):
            kept.append([])
        assert gone() is None and kept
    finally:
        tidy.end()


async def test_a_key_puts_it_off(moments: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_schedule, "QUIET", 5.0)
    now = [100.0]
    tidy = GarbageSchedule(clock=lambda: now[0], collect=lambda: moments.append(now[0]))
    tidy.begin()
    try:
        for _ in range(ENOUGH):
            gc.collect(0)
        tidy.event()
        now[0] += 4.0
        tidy.key()
        now[0] += 4.0
        tidy._look()
        assert moments == []
        now[0] += 1.5
        tidy._look()
        assert moments == [109.5]
    finally:
        tidy.end()


async def test_what_nothing_interrupts_for_a_minute_is_enough_between_two_keys(moments: list[float]) -> None:
    now = [100.0]
    tidy = GarbageSchedule(clock=lambda: now[0], collect=lambda: moments.append(now[0]))
    tidy.begin()
    try:
        for _ in range(ENOUGH):
            gc.collect(0)
        tidy.event()
        now[0] += gc_schedule.MOST + 1
        tidy.event()
        tidy.key()
        tidy._look()
        assert moments == [], "not while a key is painted"
        now[0] += gc_schedule.PAUSE
        tidy.event()
        tidy._event = now[0]
        tidy._look()
        assert moments == [now[0]]
    finally:
        tidy.end()


def test_nothing_is_changed_where_collections_are_off() -> None:
    """Before the first frame."""
    before = gc.get_threshold()
    gc.disable()
    try:
        tidy = GarbageSchedule()
        tidy.begin()
        assert gc.get_threshold() == before
        tidy.end()
    finally:
        gc.enable()
    assert QUIET > 1

"""The hop from the engine to the screen: in order, nothing lost, and never so much at once that a key waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.message import Message

from jp_tui.protocol.commands import Command
from jp_tui.protocol.events import Event, HistoryRead
from jp_tui.ui import bridge
from jp_tui.ui.bridge import Bridge
from tests.limits import LIMIT


class Box:
    """A link that holds what is put into it."""

    def __init__(self) -> None:
        self.held: list[Event] = []
        self.ready: Callable[[], None] = lambda: None
        self.hurried = self.relaxed = 0

    def start(self, ready: Callable[[], None]) -> None:
        self.ready = ready

    def collect(self) -> list[Event]:
        found, self.held = self.held, []
        return found

    def send(self, command: Command) -> None:
        raise AssertionError

    def wait(self, timeout: float | None = None) -> bool:
        raise AssertionError

    def relax(self) -> None:
        self.relaxed += 1

    def hurry(self) -> None:
        self.hurried += 1

    def close(self, timeout: float) -> bool:
        return True

    def put(self, first: int, last: int) -> None:
        self.held += [HistoryRead(texts=(str(n),)) for n in range(first, last)]
        self.ready()


async def test_a_burst_comes_in_portions_in_order_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7, "Reliability": the keys' turn is between two portions, and what comes meanwhile is behind the rest."""
    box, woken = Box(), asyncio.Queue[Message]()
    clock = iter(range(1_000_000))
    monkeypatch.setattr(bridge, "PORTION", 1e-5)
    monkeypatch.setattr(bridge, "PAUSE", 0.0)
    monkeypatch.setattr(bridge, "monotonic", lambda: next(clock) * bridge.PORTION * 2)
    made = Bridge(lambda: box, lambda message: woken.put_nowait(message) is None)
    made.start()
    box.put(0, 3000)
    portions: list[list[Event]] = []
    while sum(map(len, portions)) < 3100:
        await asyncio.wait_for(woken.get(), LIMIT)
        with made.portion() as reported:
            portions.append(reported)
        if len(portions) == 1:
            box.put(3000, 3100)
            with made.portion() as too_soon:
                assert too_soon == [], "it is the keys' turn"
    assert [event.texts[0] for one in portions for event in one if isinstance(event, HistoryRead)] == [
        str(n) for n in range(3100)
    ]
    sizes = [len(one) for one in portions if one]
    assert len(sizes) > 10 and sizes[1] < sizes[0] <= bridge.MOST, "each took too long, so the next is smaller"
    assert woken.empty(), "nothing is left, and nobody is woken for it"
    assert made.close(1)


async def test_a_few_events_are_one_portion() -> None:
    box, woken = Box(), list[Message]()
    made = Bridge(lambda: box, lambda message: not woken.append(message))
    made.start()
    box.put(0, 20)
    with made.portion() as reported:
        assert len(reported) == 20
    with made.portion() as nothing:
        assert nothing == []
    assert len(woken) == 1
    assert made.close(1)


async def test_events_wait_for_a_key_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7, "Reliability": a key is painted first, whatever was reported before it; the engine hears of it too."""
    box, woken, now = Box(), asyncio.Queue[Message](), 50.0
    monkeypatch.setattr(bridge, "monotonic", lambda: now)
    made = Bridge(lambda: box, lambda message: woken.put_nowait(message) is None)
    made.start()
    box.put(0, 3)
    await asyncio.wait_for(woken.get(), LIMIT)
    made.hurry()
    with made.portion() as reported:
        assert reported == [] and box.hurried == 1
    await asyncio.wait_for(woken.get(), LIMIT)  # it looks again by itself
    made.hurry()  # somebody types without an end
    with made.portion() as reported:
        assert len(reported) == 3
    assert woken.empty()
    assert made.close(1)


async def test_a_key_before_there_is_an_engine_or_anything_to_report_holds_nothing_up() -> None:
    box, woken = Box(), list[Message]()
    made = Bridge(lambda: box, lambda message: not woken.append(message))
    made.hurry()
    made.start()
    with made.portion() as reported:
        assert reported == []
    assert woken == [] and box.hurried == 0
    assert made.close(1)


async def test_what_waited_for_a_key_goes_on_when_it_is_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The events' and the engine's turn comes then, not only when the time for a key is over; never for another key."""
    monkeypatch.setattr(bridge, "KEY", 600.0)
    box, woken = Box(), asyncio.Queue[Message]()
    made = Bridge(lambda: box, lambda message: woken.put_nowait(message) is None)
    made.start()
    box.put(0, 3)
    await asyncio.wait_for(woken.get(), LIMIT)
    made.hurry()
    with made.portion() as reported:
        assert reported == [] and made.seconds_left > 500
    made.painted()
    made.hurry()  # the next, before the first is written
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(bridge.WRITTEN, later.set)
    await later.wait()
    assert woken.empty() and made.seconds_left > 500 and box.relaxed == 0
    made.painted()
    await asyncio.wait_for(woken.get(), LIMIT)
    assert box.relaxed == 1 and made.seconds_left <= 0
    with made.portion() as reported:
        assert len(reported) == 3
    assert made.close(1)

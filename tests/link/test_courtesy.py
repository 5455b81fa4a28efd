"""The engine gives way to keys and still gets its work done (issue 7 "Reliability")."""

from __future__ import annotations

import asyncio

from jp_tui.link.ui_priority import WINDOW, UiPriority, YieldingLoop


class Clock:
    """Seconds that pass only in sleep; `typing` asks again after each sleep."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_it_sleeps_for_what_is_left_of_the_window_and_only_once() -> None:
    clock = Clock()
    courtesy = UiPriority(clock, clock.sleep)
    courtesy.yield_to_keys()
    assert clock.slept == []
    courtesy.ask()
    clock.now += WINDOW / 4
    courtesy.yield_to_keys()
    courtesy.yield_to_keys()
    assert [round(one, 6) for one in clock.slept] == [round(WINDOW * 3 / 4, 6)]


def test_a_key_that_was_long_ago_costs_nothing() -> None:
    clock = Clock()
    courtesy = UiPriority(clock, clock.sleep)
    courtesy.ask()
    clock.now += WINDOW * 2
    courtesy.yield_to_keys()
    assert clock.slept == []


def test_it_wakes_and_goes_on_when_the_key_is_painted() -> None:
    clock = Clock()

    def painted_meanwhile(seconds: float) -> None:
        clock.sleep(WINDOW / 10)
        courtesy.release()

    courtesy = UiPriority(clock, painted_meanwhile)
    courtesy.ask()
    courtesy.yield_to_keys()
    assert clock.slept == [WINDOW / 10], "it was woken before the end"
    clock.now += WINDOW / 10
    courtesy.yield_to_keys()
    assert len(clock.slept) == 1, "and does not sleep for that key again"
    courtesy.ask()
    courtesy.yield_to_keys()
    assert len(clock.slept) == 2, "but for the next, once it has worked for as long"


def test_keys_without_an_end_leave_the_engine_half_of_the_time() -> None:
    clock = Clock()
    courtesy = UiPriority(clock, clock.sleep)
    began, worked = clock.now, 0.0
    while clock.now - began < 1.0:
        courtesy.ask()
        courtesy.yield_to_keys()
        clock.now += 0.001  # a callback
        worked += 0.001
    assert 0.4 < worked < 0.6


def test_the_loop_gives_way_before_what_is_called_soon_and_keeps_the_order() -> None:
    """What a callback raises, its context and its cancelling are as in any loop."""
    clock = Clock()
    courtesy = UiPriority(clock, clock.sleep)
    seen: list[int] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        courtesy.ask()
        for number in range(4):
            handle = loop.call_soon(seen.append, number)
        handle.cancel()
        await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=lambda: YieldingLoop(courtesy)) as runner:
        runner.run(work())
    assert seen == [0, 1, 2] and len(clock.slept) == 1

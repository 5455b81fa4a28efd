"""Waits before a retry: how long, and that every one is reported (Z21)."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.engine.base.dependencies import RetryPolicy
from jp_tui.engine.model import response_retry
from jp_tui.engine.model.response_retry import retry_delay
from jp_tui.engine.record.live_snapshot import LiveSnapshot
from jp_tui.protocol import events as e
from jp_tui.settings.layers.bounds import LEAST_BACKOFF_SECS
from tests.engine.cast import begin, ends, main_turn, spawn
from tests.engine.conftest import Bench
from tests.engine.subagents import YES, Review, native
from tests.fakes.models import Script, call, end, text

BUSY = m.ModelError("rate_limited", "Busy. It asks to wait 9 s.", transient=True, cause="Busy (429).")
SPREADS = (0.0, 0.5, 1.0)
"""Parts of the way from the lower to the upper end of a spread."""


def waits(
    monkeypatch: pytest.MonkeyPatch, spread: float, retry: RetryPolicy, asked: float | None
) -> list[float | None]:
    """The wait after each of eight failures in a row."""
    monkeypatch.setattr(response_retry.random, "uniform", lambda low, high: low + spread * (high - low))
    error = m.ModelError("overloaded", "Busy.", transient=True, retry_after=asked)
    return [retry_delay(retry, error, failures) for failures in range(1, 9)]


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("asked", [None, 0.0, 0.001, 0.4])
@pytest.mark.parametrize("base", [0, 1, 1000])
def test_a_wait_is_half_a_second_at_least_and_grows(
    monkeypatch: pytest.MonkeyPatch, spread: float, asked: float | None, base: int
) -> None:
    """Whatever Retry-After says, and whatever is configured (Z21, W13)."""
    found = waits(monkeypatch, spread, RetryPolicy(8, base, 30.0), asked)
    assert all(one is not None and one >= LEAST_BACKOFF_SECS for one in found)
    growing = [one for one in found if one is not None]
    assert growing == sorted(growing) and growing[4] > 4 * growing[0], "it grows"
    assert growing[-1] <= 30.0, "to its limit"


@pytest.mark.parametrize("most", [0.0, 0.2])
def test_no_setting_makes_it_shorter(monkeypatch: pytest.MonkeyPatch, most: float) -> None:
    """(Z21)"""
    assert all(one == LEAST_BACKOFF_SECS for one in waits(monkeypatch, 0.0, RetryPolicy(8, 0, most), None))


def test_it_is_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that failed together come back apart, also when the server named the time (Z21)."""
    for asked in (None, 0.0, 20.0):
        low, high = (waits(monkeypatch, spread, RetryPolicy(8, 0, 60.0), asked)[0] for spread in (0.0, 1.0))
        assert low is not None and high is not None and low < high
        assert asked is None or low >= asked, "never before the server wants it"


@pytest.mark.parametrize("asked", [31.0, 1e9, float("inf")])
def test_a_server_that_asks_for_too_much_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, asked: float) -> None:
    """(Z21)"""
    assert waits(monkeypatch, 0.0, RetryPolicy(8, 1000, 30.0), asked) == [None] * 8


def test_a_server_that_fails_at_once_with_retry_after_0_is_not_hammered(bench: Bench) -> None:
    """The real waits of a turn, as they are reported (Z21)."""
    hurried = m.ModelError("overloaded", "Busy (529).", transient=True, retry_after=0.0)
    bench.retry = RetryPolicy(1, 0, 60.0)
    bench.script = Script([hurried], [*text("There."), *end()])
    bench.start()
    bench.say("hi")
    assert bench.turn().outcome == "done"
    (wait,) = [one for one in bench.events if isinstance(one, e.TurnPhase) and one.phase == "retrying"]
    assert wait.retry_in is not None and wait.retry_in >= LEAST_BACKOFF_SECS and wait.detail == "Busy (529)."


def test_the_cause_stands_without_the_servers_wish(bench: Bench) -> None:
    bench.script = Script([BUSY], [*text("There."), *end()])
    bench.start()
    bench.say("hi")
    bench.turn()
    (wait,) = [one for one in bench.events if isinstance(one, e.TurnPhase) and one.phase == "retrying"]
    assert wait.detail == "Busy (429)."


def retrying(bench: Bench, who: str) -> list[e.Retrying]:
    return [one for one in bench.events if isinstance(one, e.Retrying) and one.who == who]


def test_a_sub_agents_wait_is_reported_with_its_name(bench: Bench) -> None:
    """(Z21)"""
    begin(
        bench,
        go=[[*spawn("look", name="scout"), *end("tools")], ends("Thanks.")],
        look=[[BUSY], ends("There.")],
    )
    assert main_turn(bench).outcome == "done"
    began, over = retrying(bench, "agent")
    assert began.name.raw == "scout" and began.detail == "Busy (429)." and began.id == began.conversation
    assert began.retry_in is not None and over.retry_in is None and over.id == began.id != bench.conversation


async def test_a_reviewers_wait_is_reported() -> None:
    """(Z21)"""
    review = Review([BUSY], native(YES))
    await review.yes()
    assert review.heard.waited == [("Busy (429).", review.slept[0]), ("", None)]


def test_a_side_questions_wait_is_reported(bench: Bench) -> None:
    """(Z21)"""
    from jp_tui.protocol import commands as c

    ask: dict[str, Any] = {"question": "Which?", "answer_type": "text"}
    bench.script = Script([*call("ask_user", ask), *end("tools")], [BUSY], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    bench.send(c.AskAside(conversation=bench.conversation, inquiry=prompt.inquiry, text="Why?"))
    assert bench.until(e.AsideEnded).error is None
    began, over = retrying(bench, "aside")
    assert (began.id, began.detail) == (prompt.inquiry, "Busy (429).") and began.retry_in is not None
    assert over.retry_in is None


def test_a_face_that_comes_later_is_told_what_is_left_of_a_wait() -> None:
    """(Z21)"""
    now, said = [10.0], list[e.Event]()
    live = LiveSnapshot(said.append, lambda: now[0], watched=True)
    live(e.TurnPhase(conversation="c", turn=1, phase="retrying", retry_in=20.0))
    for at, left in ((13.0, 17.0), (99.0, 0.0)):
        now[0] = at
        live.again()
        again = said[-1]
        assert isinstance(again, e.TurnPhase) and again.retry_in == left

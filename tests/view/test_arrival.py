"""E10 and E11 as arithmetic: when a question opens, when it listens, which single key may answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.view.questions.arming import DEAF, PATIENCE, QUIET, REPEAT, SILENCE, Arrival, Guard


def armed_at(arrival: Arrival, start: float, until: float = 60.0) -> float | None:
    """The first moment, in steps of 10 ms, at which it listens."""
    for step in range(int((until - start) * 100)):
        now = start + step / 100
        arrival = arrival.at(now)
        if arrival.phase == "armed":
            return now
    return None


def test_e10_opens_at_once_when_nobody_types_and_listens_after_half_a_second() -> None:
    opened = Arrival().arrived(10.0)
    assert opened.phase == "deaf"
    assert opened.at(10.49).phase == "deaf"
    assert opened.at(10.5).phase == "armed"


def test_e10_waits_for_a_second_of_silence() -> None:
    waiting = Arrival().noted_typing(9.5).arrived(10.0)
    assert waiting.phase == "hesitating" and not waiting.open
    assert waiting.at(10.4).phase == "hesitating"
    assert waiting.noted_typing(10.4).at(11.3).phase == "hesitating"
    assert waiting.noted_typing(10.4).at(11.4).phase == "deaf"


def test_e10_after_thirty_seconds_of_typing_it_stays_folded_and_is_held() -> None:
    arrival = Arrival().noted_typing(9.9).arrived(10.0)
    for tenth in range(1, 301):
        arrival = arrival.noted_typing(10.0 + tenth / 10).at(10.0 + tenth / 10)
    assert arrival.phase == "held"
    assert arrival.at(1000.0).phase == "held", "silence does not open it any more: the user does"


def test_e10_stays_deaf_until_the_keyboard_is_quiet() -> None:
    arrival = Arrival().arrived(10.0)
    for key in (10.2, 10.4, 10.6, 10.8):
        arrival = arrival.at(key).noted_key(key)
    assert arrival.at(11.0).phase == "deaf"
    assert arrival.at(11.11).phase == "armed"


@given(st.lists(st.floats(0, 20), max_size=12), st.floats(0, 5))
def test_e10_never_listens_too_early(keys: list[float], start: float) -> None:
    """Whatever is typed when: it listens no earlier than 0.5 s after it opened and 0.3 s after the last key."""
    arrival, opened = Arrival().arrived(start), start
    events = sorted([key for key in keys if key >= start])
    for step in range(2500):
        now = start + step / 100
        while events and events[0] <= now:
            arrival = arrival.noted_key(events.pop(0))
        arrival = arrival.at(now)
        if arrival.phase == "armed":
            heard = [key for key in keys if start <= key <= now]
            assert now - opened >= DEAF
            assert not heard or now - max(heard) >= QUIET
            return
    pytest.fail("it never listened")


def test_a_key_pressed_before_it_was_seen_to_listen_does_not_answer() -> None:
    armed = Arrival().arrived(10.0).at(12.0)
    assert armed.phase == "armed"
    assert not armed.listens(11.99), "pressed while the screen still showed it deaf"
    assert armed.listens(12.0)


def test_due_says_when_time_changes_something() -> None:
    assert Arrival().due is None
    assert Arrival().arrived(10.0).due == 10.0 + DEAF
    assert Arrival().arrived(10.0).noted_key(10.4).due == pytest.approx(10.4 + QUIET)
    hesitating = Arrival().noted_typing(9.5).arrived(10.0)
    assert hesitating.due == 9.5 + SILENCE
    assert hesitating.noted_typing(39.5).due == 10.0 + PATIENCE
    assert Arrival().arrived(10.0).at(11.0).due is None


def test_e12_a_second_question_changes_nothing_that_is_open_or_folded() -> None:
    for arrival in (Arrival().arrived(1.0), Arrival().arrived(1.0).at(2.0), Arrival().arrived(1.0).folded(2.0)):
        assert arrival.arrived(3.0) == arrival


def test_e11_the_same_key_within_80_ms_is_a_repeat() -> None:
    guard, fresh = Guard().pressed("enter", 1.0)
    assert fresh
    guard, fresh = guard.pressed("enter", 1.0 + REPEAT - 0.01)
    assert not fresh
    guard, fresh = guard.pressed("enter", 1.0 + 2 * REPEAT - 0.02)
    assert not fresh, "a held key goes on repeating from its last repeat"
    guard, fresh = guard.pressed("enter", 1.0 + 3 * REPEAT)
    assert fresh
    _, fresh = guard.pressed("y", 1.0 + 3 * REPEAT + 0.01)
    assert fresh, "another key is another press"


def test_e11_keys_close_behind_a_paste_belong_to_it() -> None:
    """APUI-004: the paste's end may have been forged."""
    guard = Guard().pasted(1.0)
    assert not guard.pressed("enter", 1.04)[1]
    assert guard.pressed("enter", 1.06)[1]


def test_e11_the_click_that_gave_the_focus_does_not_answer() -> None:
    guard = Guard().focused(1.0)
    assert not guard.click_counts(1.1)
    assert guard.click_counts(1.21)
    assert Guard().click_counts(0.0), "a terminal that never says when it has the focus"


def test_e10_one_that_the_user_asked_for_opens_also_over_a_fold_but_not_into_typing() -> None:
    assert Arrival().folded(0.0).wished(5.0).phase == "deaf"
    typed = Arrival().folded(0.0).noted_typing(4.5).wished(5.0)
    assert typed.phase == "hesitating" and typed.at(5.5).phase == "deaf"
    armed = Arrival().opened(0.0).at(1.0)
    assert armed.wished(5.0) is armed, "what stands open is not disturbed (E12)"

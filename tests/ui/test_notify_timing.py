"""E50, E13: when somebody is called, and when nobody is, as arithmetic on times."""

from __future__ import annotations

import random

from jp_tui.ui.notify.timing import AWAY, MOMENT, PAUSE, TURN, Key, Presence, Schedule

A, B, C = (("c1", name) for name in "abc")
AWAY_NOW = {"reports": True, "focused": False}


def test_a_question_is_told_once_it_has_waited_a_moment_and_never_again() -> None:
    schedule = Schedule(Presence(**AWAY_NOW))
    schedule.asked(A, 100)
    assert schedule.take_due(100) == [] and schedule.due == 100 + MOMENT
    assert schedule.take_due(100 + MOMENT) == [A] and schedule.due is None
    schedule.asked(A, 200)
    assert schedule.due is None and schedule.take_due(300) == []
    schedule.closed(A)
    assert schedule.known == set() and schedule.pending == {}, "what is over takes no room"


def test_what_is_over_within_the_moment_is_not_told() -> None:
    schedule = Schedule(Presence(**AWAY_NOW))
    schedule.asked(A, 100)
    schedule.closed(A)
    assert schedule.due is None and schedule.take_due(200) == []


def test_with_the_focus_nothing_is_told_not_even_when_it_goes_later() -> None:
    schedule = Schedule(Presence(reports=True))
    schedule.asked(A, 100)
    assert schedule.take_due(100 + MOMENT) == [] and schedule.due is None
    schedule.presence.focus_reported(False)
    assert schedule.due is None
    schedule.asked(B, 200)
    schedule.presence.focus_reported(True)
    assert schedule.take_due(200 + MOMENT) == []


def test_who_leaves_within_the_moment_is_called() -> None:
    schedule = Schedule(Presence(reports=True))
    schedule.asked(A, 100)
    schedule.presence.focus_reported(False)
    assert schedule.take_due(100 + MOMENT) == [A]


def test_at_most_once_a_second_and_then_all_together() -> None:
    schedule = Schedule(Presence(**AWAY_NOW))
    schedule.asked(A, 100)
    assert schedule.take_due(100.4) == [A]
    schedule.asked(B, 100.5)
    schedule.asked(C, 100.6)
    assert schedule.take_due(101.3) == [] and schedule.due == 100.4 + PAUSE
    assert schedule.take_due(101.4) == [B, C]


def test_without_reports_the_last_key_decides() -> None:
    """A key after the question was there: it was seen. None: it is told once nobody has typed for a while."""
    schedule = Schedule(Presence(last_input=100))
    schedule.asked(A, 103)
    assert schedule.take_due(104) == [] and schedule.due == 100 + AWAY
    assert schedule.take_due(100 + AWAY) == [A]
    schedule.asked(B, 200)
    assert schedule.due == 200 + MOMENT
    assert schedule.take_due(200.4) == [B], "nobody was there for long"
    schedule.asked(C, 300)
    schedule.presence.active(300.1)
    assert schedule.take_due(300.5) == [] and schedule.due is None


def test_a_key_is_the_focus() -> None:
    """Only who has the focus gets keys, whatever was reported before."""
    schedule = Schedule(Presence(**AWAY_NOW))
    schedule.presence.active(99)
    schedule.asked(A, 100)
    assert schedule.take_due(101) == []


def test_always_is_always() -> None:
    schedule = Schedule(Presence(always=True, reports=True, last_input=100))
    schedule.asked(A, 100)
    assert schedule.take_due(100.4) == [A]


def test_what_was_put_off_is_told_again_when_it_comes_due() -> None:
    schedule = Schedule(Presence(**AWAY_NOW))
    schedule.asked(A, 100)
    schedule.take_due(101)
    schedule.asked_again(A, 700)
    assert schedule.take_due(700 + MOMENT) == [A]


def test_the_end_of_a_turn_is_told_unless_the_next_has_begun() -> None:
    schedule = Schedule(Presence(**AWAY_NOW))
    schedule.turn_ended(100)
    assert schedule.take_due(100.4) == [TURN]
    schedule.turn_ended(200)
    schedule.turn_started()
    assert schedule.due is None
    schedule.turn_ended(300)
    assert schedule.take_due(300.4) == [TURN], "another turn is another end"


def test_e13_nothing_is_forgotten_by_time_alone() -> None:
    schedule = Schedule(Presence(last_input=100))
    schedule.asked(A, 100)
    assert schedule.take_due(1e9) == [A] and schedule.known == {A}


def test_in_any_order_of_things_it_keeps_to_its_rules() -> None:
    """20,000 random steps: never twice for one question, never while it is looked at, a second between two calls, and
    whatever is missed is told as soon as it is due."""
    dice = random.Random(50)
    now, last, calls, told, asked = 0.0, -9.0, 0, set[Key](), dict[Key, float]()
    schedule = Schedule(Presence(reports=True))
    for number in range(20_000):
        now += dice.choice((0.0, 0.05, 0.3, 2.0))
        match dice.randrange(5):
            case 0:
                key = ("c", str(dice.randrange(number + 1)))
                schedule.asked(key, now)
                asked.setdefault(key, now)
            case 1 if asked:
                gone = dice.choice(list(asked))
                schedule.closed(gone)
                del asked[gone]
                told.discard(gone)
            case 2:
                schedule.presence.focus_reported(dice.random() < 0.3)
            case _:
                taken = schedule.take_due(now)
                assert not taken or now - last >= PAUSE
                assert not taken or not schedule.presence.focused
                for key in taken:
                    assert key in asked and key not in told and now - asked[key] >= MOMENT
                    told.add(key)
                calls += bool(taken)
                last = now if taken else last
                assert schedule.due is None or schedule.due > now
    assert calls > 200 and schedule.known == set(asked)

"""E50, E13: when somebody is called, and when nobody is, as arithmetic on times."""

from __future__ import annotations

import random

from jp_tui.ui.notify.timing import AWAY, MOMENT, PAUSE, TURN, Key, Pace, Presence

A, B, C = (("c1", name) for name in "abc")
AWAY_NOW = {"reports": True, "focused": False}


def test_a_question_is_told_once_it_has_waited_a_moment_and_never_again() -> None:
    pace = Pace(Presence(**AWAY_NOW))
    pace.asked(A, 100)
    assert pace.take(100) == [] and pace.due == 100 + MOMENT
    assert pace.take(100 + MOMENT) == [A] and pace.due is None
    pace.asked(A, 200)
    assert pace.due is None and pace.take(300) == []
    pace.settled(A)
    assert pace.known == set() and pace.untold == {}, "what is over takes no room"


def test_what_is_over_within_the_moment_is_not_told() -> None:
    pace = Pace(Presence(**AWAY_NOW))
    pace.asked(A, 100)
    pace.settled(A)
    assert pace.due is None and pace.take(200) == []


def test_with_the_focus_nothing_is_told_not_even_when_it_goes_later() -> None:
    pace = Pace(Presence(reports=True))
    pace.asked(A, 100)
    assert pace.take(100 + MOMENT) == [] and pace.due is None
    pace.presence.told(False)
    assert pace.due is None
    pace.asked(B, 200)
    pace.presence.told(True)
    assert pace.take(200 + MOMENT) == []


def test_who_leaves_within_the_moment_is_called() -> None:
    pace = Pace(Presence(reports=True))
    pace.asked(A, 100)
    pace.presence.told(False)
    assert pace.take(100 + MOMENT) == [A]


def test_at_most_once_a_second_and_then_all_together() -> None:
    pace = Pace(Presence(**AWAY_NOW))
    pace.asked(A, 100)
    assert pace.take(100.4) == [A]
    pace.asked(B, 100.5)
    pace.asked(C, 100.6)
    assert pace.take(101.3) == [] and pace.due == 100.4 + PAUSE
    assert pace.take(101.4) == [B, C]


def test_without_reports_the_last_key_decides() -> None:
    """A key after the question was there: it was seen. None: it is told once nobody has typed for a while."""
    pace = Pace(Presence(touched=100))
    pace.asked(A, 103)
    assert pace.take(104) == [] and pace.due == 100 + AWAY
    assert pace.take(100 + AWAY) == [A]
    pace.asked(B, 200)
    assert pace.due == 200 + MOMENT
    assert pace.take(200.4) == [B], "nobody was there for long"
    pace.asked(C, 300)
    pace.presence.key(300.1)
    assert pace.take(300.5) == [] and pace.due is None


def test_a_key_is_the_focus() -> None:
    """Only who has the focus gets keys, whatever was reported before."""
    pace = Pace(Presence(**AWAY_NOW))
    pace.presence.key(99)
    pace.asked(A, 100)
    assert pace.take(101) == []


def test_always_is_always() -> None:
    pace = Pace(Presence(always=True, reports=True, touched=100))
    pace.asked(A, 100)
    assert pace.take(100.4) == [A]


def test_what_was_put_off_is_told_again_when_it_comes_due() -> None:
    pace = Pace(Presence(**AWAY_NOW))
    pace.asked(A, 100)
    pace.take(101)
    pace.comes_due(A, 700)
    assert pace.take(700 + MOMENT) == [A]


def test_the_end_of_a_turn_is_told_unless_the_next_has_begun() -> None:
    pace = Pace(Presence(**AWAY_NOW))
    pace.turn_ended(100)
    assert pace.take(100.4) == [TURN]
    pace.turn_ended(200)
    pace.turn_started()
    assert pace.due is None
    pace.turn_ended(300)
    assert pace.take(300.4) == [TURN], "another turn is another end"


def test_e13_nothing_is_forgotten_by_time_alone() -> None:
    pace = Pace(Presence(touched=100))
    pace.asked(A, 100)
    assert pace.take(1e9) == [A] and pace.known == {A}


def test_in_any_order_of_things_it_keeps_to_its_rules() -> None:
    """20,000 random steps: never twice for one question, never while it is looked at, a second between two calls, and
    whatever is missed is told as soon as it is due."""
    dice = random.Random(50)
    now, last, calls, told, asked = 0.0, -9.0, 0, set[Key](), dict[Key, float]()
    pace = Pace(Presence(reports=True))
    for number in range(20_000):
        now += dice.choice((0.0, 0.05, 0.3, 2.0))
        match dice.randrange(5):
            case 0:
                key = ("c", str(dice.randrange(number + 1)))
                pace.asked(key, now)
                asked.setdefault(key, now)
            case 1 if asked:
                gone = dice.choice(list(asked))
                pace.settled(gone)
                del asked[gone]
                told.discard(gone)
            case 2:
                pace.presence.told(dice.random() < 0.3)
            case _:
                taken = pace.take(now)
                assert not taken or now - last >= PAUSE
                assert not taken or not pace.presence.focused
                for key in taken:
                    assert key in asked and key not in told and now - asked[key] >= MOMENT
                    told.add(key)
                calls += bool(taken)
                last = now if taken else last
                assert pace.due is None or pace.due > now
    assert calls > 200 and pace.known == set(asked)

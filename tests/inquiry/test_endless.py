"""A tool that never comes to an end is ended (inquiries.md R98 and what it leaves open), and an honest form is not."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.inquiry import effects as s
from jp_tui.questions.types import Question
from tests.inquiry.play import APPLY, CHOICE, MODEL, Play, begun, of, only, pinned


def alternate(play: Play, first: Question, second: Question, most: int, **more: object) -> int:
    """How many questions were answered until the call ended."""
    for count in range(most):
        steps = play.ask("c1", (first, second)[count % 2], **more)  # type: ignore[arg-type]
        if done := of(s.Complete, steps):
            assert done[0].is_error and "did not come to an end" in done[0].content
            assert str(count) in done[0].content and "tool" in done[0].content
            return count
        assert of(s.RunAgain, steps)
    return most


def test_questions_that_take_turns_without_a_person_come_to_an_end() -> None:
    """R98 counts one question in a row; this counts what settings, memory, defaults and reviewers answer in a row."""
    other = replace(APPLY, id="other")
    assert alternate(Play(begun("c1", most=20)), APPLY, other, 1000, rule=pinned(True)) == 200
    assert alternate(Play(begun("c1", most=40)), APPLY, other, 1000, rule=pinned(True)) == 400
    alone = Play(begun("c1", most=20, client=False))
    assert alternate(alone, APPLY, other, 1000, policy="defaults") == 200
    assert not alone.unanswered


def test_a_reviewer_that_answers_in_turns_comes_to_an_end() -> None:
    play, asked = Play(begun("c1", most=3)), 0
    while steps := play.ask("c1", replace(APPLY, id=f"q{asked % 2}"), rule=MODEL):
        if of(s.Complete, steps):
            break
        play.verdict(only(s.AskReviewer, steps).open.inquiry, True)
        asked += 1
    assert asked == 200


def test_a_long_form_is_no_loop_however_low_the_limit() -> None:
    play = Play(begun("c1", most=1))
    for number in range(150):
        assert of(s.RunAgain, play.ask("c1", replace(APPLY, id=f"q{number}"), rule=pinned(True)))


def test_whoever_is_asked_in_between_ends_the_count() -> None:
    """A human who goes back and forth in a form, most of which settings answer, is no loop."""
    play = Play(begun("c1", most=1))
    for _ in range(20):
        for number in range(40):
            assert of(s.RunAgain, play.ask("c1", replace(APPLY, id=f"q{number}"), rule=pinned(True)))
        assert of(s.AskHuman, play.ask("c1", CHOICE))
        play.answer("c1", "a")

"""Questions one at a time, and what the engine says about them meanwhile (inquiries.md R116, R180, R235; E53)."""

from __future__ import annotations

import io
from typing import Any

from jp_tui.headless.forms.lines import Lines
from jp_tui.headless.question_loop import QuestionLoop
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn
from jp_tui.questions.types import BooleanAnswer
from tests.fakes.link import FakeLink
from tests.headless.asked import prompt

FIRST = prompt(BooleanAnswer())
SECOND = prompt(BooleanAnswer(), inquiry="k2.q.1", tool="brush", digest="d2")


class Desk:
    """An interview with a human who types `typed`."""

    def __init__(self, *typed: str) -> None:
        self.out, self.link, self.typed = io.StringIO(), FakeLink(), list(typed)
        self.interview = QuestionLoop(self.link, Lines(self.out, lambda: self.typed.pop(0)))
        self.interview.asked(FIRST)
        self.interview.asked(SECOND)
        self.interview.present()

    def types(self) -> None:
        lines = self.interview._lines
        assert lines is not None
        lines.source.fill()
        assert self.interview.read_lines()

    def settled(self, inquiry: str, how: Any = "answered", by: str = "user") -> None:
        self.interview.remove_settled(e.QuestionSettled(conversation="c1", inquiry=inquiry, how=how, by=by))

    def refused(self, inquiry: str, reason: str, *, gone: bool) -> None:
        self.interview.refused(e.AnswerRefused(conversation="c1", inquiry=inquiry, reason=reason, gone=gone))

    def shows(self, words: str) -> bool:
        return words in self.out.getvalue()


def test_the_next_comes_when_it_is_known_what_became_of_the_one_before() -> None:
    """R116; an answer names the digest of what was shown (R235)."""
    desk = Desk("y")
    desk.types()
    assert [(one.digest, one.response) for one in desk.link.of(c.AnswerQuestion)] == [("d", Answered(value=True))]
    assert not desk.interview.asking and not desk.interview.due and not desk.shows("? brush")
    desk.settled(FIRST.inquiry)
    assert desk.interview.due and not desk.shows("no longer waits"), "our own answer is no news"
    desk.interview.present()
    assert desk.shows("? brush")


def test_ending_the_turn_asks_nothing_more() -> None:
    """R180: what waited behind is settled a moment later, and not shown meanwhile; another turn asks again."""
    desk = Desk(":s")
    desk.types()
    assert [one.response for one in desk.link.of(c.AnswerQuestion)] == [EndTurn()]
    desk.settled(FIRST.inquiry, "cancelled")
    assert not desk.interview.due
    desk.settled(SECOND.inquiry, "cancelled")
    desk.interview.over()
    desk.interview.asked(FIRST)
    assert desk.interview.due


def test_an_end_that_was_not_taken_ends_nothing() -> None:
    """The question was gone when the word came; the others are asked."""
    desk = Desk(":s")
    desk.types()
    desk.refused(FIRST.inquiry, "already answered", gone=True)
    assert desk.shows("This question is closed: already answered") and desk.interview.due


def test_a_refused_answer_asks_again_and_one_that_is_gone_does_not() -> None:
    desk = Desk("y", "n")
    desk.types()
    desk.refused(FIRST.inquiry, "it changed", gone=False)
    assert desk.interview.asking and desk.shows("Not accepted: it changed")
    desk.types()
    assert [one.response for one in desk.link.of(c.AnswerQuestion)] == [Answered(value=True), Answered(value=False)]
    desk.refused(FIRST.inquiry, "already answered", gone=True)
    assert desk.interview.due and [one.inquiry for one in desk.interview.waiting] == [SECOND.inquiry]


def test_one_that_waits_behind_goes_without_a_word() -> None:
    """E53: only what is on the screen is spoken of."""
    desk = Desk()
    desk.settled(SECOND.inquiry, by="static")
    assert desk.interview.asking and not desk.shows("no longer waits")
    desk.settled(FIRST.inquiry, by="static")
    assert desk.shows("it was answered elsewhere (pinned setting).") and not desk.interview.waiting

"""What a reviewing model decides, in lines (R139, R150, R154, R156, E40-E42): announced, taken over, told whole."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.headless.forms.prompt import Prompt
from jp_tui.headless.forms.registry import prompt_in_lines
from jp_tui.headless.review_progress import ReviewProgress, soonest
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Escalation, StoredEvent, Verdict
from jp_tui.questions.types import BooleanAnswer, TextAnswer
from tests.fakes.link import FakeLink
from tests.headless.asked import ask, prompt
from tests.headless.test_plain import QUESTION, Talk, asked

MODEL = "anthropic/haiku"
ID = "k.apply.1"


def started(inquiry: str = ID, **more: Any) -> e.Event:
    fields = {"conversation": "c1", "turn": 1, "call": "k", "inquiry": inquiry, "tool": "paint", "model": MODEL}
    return e.ReviewStarted(**{**fields, **more})


def request(inquiry: str = ID, text: str = "Apply\x1b[2J?") -> dict[str, Any]:
    source = {"source": "tool", "name": "paint"}
    question = {"text": text, "answer_type": {"type": "boolean"}}
    return {"type": "inquiry_request", "id": inquiry, "source": source, "question": question}


def verdict(answer: bool, reason: str = "It breaks.", inquiry: str = ID, **more: Any) -> dict[str, Any]:
    usage = {"input": 8100, "output": 90, "cost_usd": 0.0042}
    by = {"kind": "assistant", "model": MODEL, "ms": 7100, "usage": usage}
    said = {"type": "inquiry_response", "outcome": "answered", "id": inquiry, "answer": answer, "reason": reason}
    return {**said, "responder": by, **more}


class Heard:
    """Reviews on their own, and what they said."""

    def __init__(self, *, typed: bool = True) -> None:
        self.now, self.said, self.link, self.asks = 100.0, list[str](), FakeLink(), False
        self.reviews = ReviewProgress(
            self.link, self.said.append, lambda: self.now, typed=typed, asking=lambda: self.asks
        )

    def fact(self, event: dict[str, Any]) -> None:
        self.reviews.fact(StoredEvent(seq=1, turn=1, event=event))

    def begin(self, inquiry: str = ID, **more: Any) -> None:
        self.fact(request(inquiry))
        event = started(inquiry, **more)
        assert isinstance(event, e.ReviewStarted)
        self.reviews.started(event)

    def taken(self) -> list[str]:
        return [one.inquiry for one in self.link.of(c.TakeOver)]


def test_it_is_said_that_a_reviewer_decides_and_how_to_decide_oneself() -> None:
    """R139, E40: tool, question, model without its provider; foreign words do nothing. Nobody types into a pipe."""
    heard = Heard()
    heard.begin()
    assert heard.said == ["paint: Apply? – reviewer haiku decides. t and Enter to decide yourself."]
    heard.asks = True
    heard.begin("k.apply.2", again=True)
    assert heard.said[1].endswith("is asked again, with the assistant's intent. :t 2 and Enter to decide yourself.")
    piped = Heard(typed=False)
    piped.begin()
    assert piped.said == ["paint: Apply? – reviewer haiku decides."] and not piped.reviews.handle_line("t")


def test_it_is_said_after_five_seconds_that_it_still_decides() -> None:
    """R139, C41: recorded reviews take seven seconds at the median. Then every thirty; never after its end."""
    heard = Heard()
    heard.begin()
    assert soonest(heard.reviews) == 5.0
    heard.now += 4.5
    heard.reviews.tick()
    assert len(heard.said) == 1
    heard.now += 0.5
    heard.reviews.tick()
    heard.reviews.tick()
    assert heard.said[1:] == [
        "paint: Apply? – reviewer haiku still decides, 5 s. t and Enter to decide yourself."
    ]  # fmt: skip
    assert heard.reviews.timeout == 30.0
    heard.now += 30
    heard.reviews.tick()
    assert "still decides, 35 s." in heard.said[2]
    heard.fact(verdict(True))
    heard.now += 100
    heard.reviews.tick()
    assert len(heard.said) == 3 and heard.reviews.timeout is None


def test_the_word_takes_over_the_oldest_or_the_one_with_its_number() -> None:
    """R156; once each, and nothing else is a word."""
    heard = Heard()
    for inquiry in ("a", "b", "c"):
        heard.begin(inquiry)
    for other in ("T", "take", "t 9", "t x", "", "yes"):
        assert not heard.reviews.handle_line(other)
    assert heard.reviews.handle_line("t 2") and heard.reviews.handle_line("t") and heard.taken() == ["b", "a"]
    assert heard.reviews.handle_line(":t 1") and heard.taken() == ["b", "a", "c"]
    assert not heard.reviews.listens and not heard.reviews.handle_line("t")
    assert heard.said[-1] == "paint: Apply? – you decide."


@pytest.mark.parametrize("gone", [True, False])
def test_too_late_is_said(gone: bool) -> None:
    heard = Heard()
    heard.begin()
    late = e.AnswerRefused(conversation="c1", inquiry=ID, reason="it was decided", gone=gone)
    assert not heard.reviews.refused(late), "the refusal of an answer is another's"
    assert heard.reviews.handle_line("t") and heard.reviews.refused(late)
    assert heard.said[-1] == "Not taken over: it was decided" and heard.reviews.listens is not gone


def test_a_turn_that_ends_ends_them() -> None:
    heard = Heard()
    heard.begin()
    heard.reviews.over()
    assert not heard.reviews.listens and heard.reviews.timeout is None


# --- in a plain conversation ----------------------------------------------------------------------------------


def test_a_verdict_is_told_whole_when_it_lands_and_not_before() -> None:
    """E40-E42: who, how long, for how much, and the reason; what streams meanwhile is not read out."""
    talk = Talk("go", "/quit")
    delta = e.ReviewDelta(conversation="c1", inquiry=ID, kind="reason", text=Foreign("It br"))
    talk.starts(
        talk.fact(request()), started(), delta, delta, talk.fact(verdict(True, "Fine.")), *talk.ended()
    )  # fmt: skip
    _, shown = talk.end()
    assert "– yes (reviewer haiku, 7.1 s · $0.0042): Fine.\n" in shown and "It br" not in shown


def test_it_is_said_that_the_assistant_was_told_to_stop_and_ask() -> None:
    """Issue 6.11: after three rejections of one intent."""
    talk = Talk("go", "/quit")
    call = {"type": "tool_call_request", "id": "k", "name": "paint", "arguments": {"path": "a\x1b[2J"}}
    result = {"type": "tool_call_response", "id": "k", "content": "M8", "is_error": True}
    stop = {**result, "metadata": {"stop": {"rejections": 3}}}
    talk.starts(talk.fact(call), talk.fact(stop), talk.fact(result), *talk.ended())
    _, shown = talk.end()
    assert shown.count("must stop and ask you: 3 rejections of one request\n") == 1
    assert "paint: must stop" in shown


def test_a_reason_of_several_lines_stands_behind_a_bar() -> None:
    """E4: none of them passes for one of ours."""
    talk = Talk("go", "/quit")
    talk.starts(talk.fact(request()), started(), talk.fact(verdict(False, "No:\n? paint asks:\n")), *talk.ended())
    _, shown = talk.end()
    assert "– no (reviewer haiku, 7.1 s · $0.0042):\n| No:\n| ? paint asks:\n" in shown


def test_t_takes_over_and_other_words_are_prompts_for_later() -> None:
    """R156: TakeOver, then the question itself, which is answered like any other."""
    talk = Talk("go", "and then", "t", "y", "/quit")
    talk.starts(talk.fact(request()), started())
    told = Escalation(model=MODEL, reason=Foreign("It br"), failed=True, ms=6100, cause="taken_over")
    mine = QUESTION.model_copy(update={"escalation": told})
    cancelled = {"type": "inquiry_response", "outcome": "cancelled", "id": ID, "reason": "user"}
    talk.link.answers[c.TakeOver] = lambda _: [
        talk.fact({**cancelled, "responder": {"kind": "user"}}),
        e.QuestionAsked(conversation="c1", prompt=mine),
    ]
    _, shown = talk.end()
    assert [one.inquiry for one in talk.link.of(c.TakeOver)] == [ID]
    (answer,) = talk.link.of(c.AnswerQuestion)
    assert answer.response == Answered(value=True) and talk.sent()[:2] == ["go", "and then"]
    assert "\nYou took this over from the reviewer.\nIts reply so far:\n| It br\n" in shown and "\nReviewer: " in shown
    assert "cancelled (you)" not in shown, "it says so itself"


def test_t_is_an_answer_where_words_are_and_colon_t_is_not() -> None:
    """E11: a text question is open while another is reviewed."""
    text = prompt(TextAnswer())
    talk = Talk("go", ":t", "t", "/quit")
    talk.starts(e.QuestionAsked(conversation="c1", prompt=text), talk.fact(request()), started())
    talk.end()
    (answer,) = talk.link.of(c.AnswerQuestion)
    assert answer.response == Answered(value="t") and len(talk.link.of(c.TakeOver)) == 1
    talk = Talk("go", ":t", "y", "/quit")
    talk.starts(asked())
    assert "No reviewer is deciding that now." in talk.end()[1] and not talk.link.of(c.TakeOver)


# --- the banner -----------------------------------------------------------------------------------------------

SAW = "the whole change, 60 bytes, and 2 messages before it"


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        (
            {"reason": "it\nbreaks", "ms": 1200, "saw": SAW},
            [f"Reviewer: {MODEL} · 1.2 s", "The assistant recommended rejecting this change:", '| "it',
             '| breaks"', f"It read {SAW}.", "You decide."],
        ),
        (
            {"reason": "", "ms": None},
            [f"Reviewer: {MODEL}", "The assistant recommended rejecting this change:", '| "(no reason given)"',
             "You decide."],
        ),
        (
            {"reason": "still no", "before": (Verdict(model=MODEL, reason=Foreign("no")),)},
            [f"Reviewer: {MODEL}", "The assistant recommended rejecting this change:", '| "still no"',
             "Before it knew the assistant's intent, it said:", '| "no"', "You decide."],
        ),
        (
            {"reason": "no route", "failed": True, "ms": 40},
            [f"Reviewer: {MODEL} · 40 ms", "The reviewer couldn't decide, so you decide:", "| no route", "You decide."],
        ),
        (
            {"reason": "no route", "failed": True, "before": (Verdict(model=MODEL, reason=Foreign("no")),)},
            [f"Reviewer: {MODEL}", "The assistant recommended rejecting this change:", '| "no"',
             "The reviewer couldn't decide, so you decide:", "| no route", "You decide."],
        ),
        (
            {"reason": "900,000 bytes", "failed": True, "cause": "too_long", "model": ""},
            ["Too long for the reviewer, so you decide:", "| 900,000 bytes", "You decide."],
        ),
        (
            {"reason": "", "failed": True, "cause": "taken_over", "ms": 3000},
            [f"Reviewer: {MODEL} · 3.0 s", "You took this over from the reviewer.", "You decide."],
        ),
    ],
)  # fmt: skip
def test_the_banner_stands_above_the_question_in_the_words_of_every_face(
    told: dict[str, Any], lines: list[str]
) -> None:
    """R150, R154: the reviewer, then M12 to the letter; the original question is untouched below it."""
    escalation = Escalation(**{"model": MODEL, **told, "reason": Foreign(told["reason"])})
    made: Prompt = prompt_in_lines(prompt(BooleanAnswer(), context="the diff", escalation=escalation))
    shown = "\n".join(made.intro()).split("\n")
    assert shown[2 : 2 + len(lines)] == lines and shown[2 + len(lines)] == "| the diff"
    again = ask(prompt(BooleanAnswer(), escalation=escalation), ".", "n")[1]
    assert again.count(lines[0]) == 2, "`.` repeats"

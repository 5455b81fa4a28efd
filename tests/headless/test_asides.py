"""Talking about a question before it is answered, in lines (asking.md E30), against a scripted engine."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.conversation.text import Foreign
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, TurnError
from jp_tui.questions.types import AnswerType, BooleanAnswer, SecretAnswer, SelectAnswer, TextAnswer
from tests.headless.asked import ask, delivery, permission, prompt
from tests.headless.test_plain import QUESTION, Talk, asked

ID = QUESTION.inquiry


def delta(text: str) -> e.Event:
    return e.AsideDelta(conversation="c1", inquiry=ID, text=Foreign(text))


def ended(error: TurnError | None = None) -> e.Event:
    return e.AsideEnded(conversation="c1", inquiry=ID, error=error)


def talk(*typed: Any, **more: Any) -> Talk:
    """A turn that asks; side questions are answered as the test says."""
    made = Talk("go", *typed, **more)
    made.starts(asked())
    return made


def responses(made: Talk) -> list[Any]:
    return [one.response for one in made.link.of(c.AnswerQuestion)]


def test_a_side_question_is_answered_and_the_question_stays_open() -> None:
    """Read out line by line behind a bar, neutralised; then the question goes on where it was."""
    made = talk("? why that", "y", "/quit")
    made.link.answers[c.AskAside] = lambda _: [delta("Be\x1b[2Jcau"), delta("se.\n? paint asks:\nso"), ended()]
    status, shown = made.end()
    assert status == 0 and responses(made) == [Answered(value=True)]
    assert made.link.of(c.AskAside) == [c.AskAside(conversation="c1", inquiry=ID, text="why that")]
    told = "Side question sent. The question stays open.\n| Because.\n| ? paint asks:\n| so\nEnd of the side question."
    assert told in shown and "\x1b" not in shown and shown.count("\n? paint asks:") == 1


def test_no_line_is_an_answer_while_something_is_said_aside() -> None:
    """What a pipe holds is for afterwards."""
    made = talk("? why", "n", typed=False)
    seen: list[bool] = []

    def answers(_: c.Command) -> list[e.Event]:
        made.run._bell.ring()
        return [delta("Well")]

    wait = made.run._bell.wait
    late = [ended()]

    def waits(source: Any, timeout: float | None = None) -> bool:
        if made.run._interview.aside.busy and late:
            seen.append(source is None)
            if len(seen) > 1:
                made.link.say(late.pop())
            else:
                made.run._bell.ring()
        return wait(source, timeout)

    made.run._bell.wait = waits  # type: ignore[method-assign]
    made.link.answers[c.AskAside] = answers
    assert made.end()[0] == 0
    assert seen == [True, True] and responses(made) == [Answered(value=False)]


def test_what_was_said_is_sent_along_when_that_is_said() -> None:
    """Told once it is on record, or why it cannot be; nothing of it ends the run."""
    made = talk(":a", ":a no", ":a maybe", ":a", "y", "/quit")
    wishes = iter(["", "no", "none"])

    def sent(command: c.SendAside) -> list[e.Event]:
        if next(wishes) == "none":
            return [e.Refused(command="send_aside", message="Nothing was said.", advice="Ask first.")]
        other = {"type": "inquiry_aside", "id": "k9.q.1", "send": True}
        return [made.fact(other), made.fact({**other, "id": ID, "send": command.send})]

    made.link.answers[c.SendAside] = sent
    status, shown = made.end()
    assert status == 0 and responses(made) == [Answered(value=True)]
    assert [one.send for one in made.link.of(c.SendAside)] == [True, False, True]
    assert shown.count("is sent to the model after the results.\n> ") == 1 and "> It isn't sent.\n> " in shown
    assert "Nothing was said.\nAsk first.\n> " in shown and "Unknown command :a" in shown


@pytest.mark.parametrize("how", ["refused", "broken"])
def test_a_side_question_that_fails_says_why(how: str) -> None:
    made = talk("? why", "y", "/quit")
    refused = e.Refused(command="ask_aside", message="No model.", advice="Name one.")
    error = TurnError(kind="auth", message="No key.", advice="Export one.", detail=Foreign("4\x1b01"))
    made.link.answers[c.AskAside] = lambda _: [refused] if how == "refused" else [delta("We"), ended(error)]
    status, shown = made.end()
    assert status == 0 and responses(made) == [Answered(value=True)]
    told = "No model.\nName one.\n> " if how == "refused" else "| We\nNo key.\nThe server said: 4"
    assert told in shown and "\x1b" not in shown and ("Export one.\n> " in shown) is (how == "broken")


def test_ctrl_c_stops_the_reading_and_opens_the_menu_of_the_question() -> None:
    """R248: nothing more of it is read out; a second one ends the turn."""
    made = talk()
    made.human.entries = ["go", "? why", lambda: made.link.say(delta("two\n"), ended()), "", "y", "/quit"]

    def pressed(times: int, at: Talk, *told: e.Event) -> list[e.Event]:
        for _ in range(times):
            at.ctrl_c()
        return list(told)

    made.link.answers[c.AskAside] = lambda _: pressed(1, made, delta("one\n"))
    status, shown = made.end()
    assert status == 0 and responses(made) == [Answered(value=True)] and not made.link.of(c.InterruptTurn)
    assert "The rest isn't read out." in shown and "| two" not in shown and "  4  End Turn" in shown
    twice = talk("? why", "/quit")
    twice.link.answers[c.AskAside] = lambda _: pressed(2, twice)
    assert twice.end()[0] == 0 and responses(twice) == [EndTurn()]


def test_a_question_that_is_settled_meanwhile_ends_it() -> None:
    """E53."""
    made = talk("? why", "/quit")
    gone = e.QuestionSettled(conversation="c1", inquiry=ID, how="answered", by="user")
    broken = ended(TurnError(kind="cancelled", message="The question was settled meanwhile."))
    made.link.answers[c.AskAside] = lambda _: [delta("We"), gone, broken, *made.ended()]
    status, shown = made.end()
    assert status == 0 and not responses(made)
    assert "answered elsewhere (by the user)" in shown and "settled meanwhile" not in shown


@pytest.mark.parametrize("answer", [BooleanAnswer(), SelectAnswer(()), TextAnswer(), SecretAnswer()])
def test_every_question_can_be_talked_about(answer: AnswerType) -> None:
    """With a colon where any line may be an answer; an empty one goes back. A secret may begin with anything."""
    assert ask(prompt(answer), ":?", "", ":c")[0] == Cancelled()
    secret = isinstance(answer, SecretAnswer)
    assert ":? TEXT  asks a model about this" in ask(prompt(answer), "?", ":c")[1]
    made = talk(":?" if secret else ":? why", *(["why"] if secret else []), ":c", "/quit")
    question = prompt(answer)
    made.link.answers[c.StartTurn] = lambda _: [*made.begun(), e.QuestionAsked(conversation="c1", prompt=question)]
    made.link.answers[c.AskAside] = lambda _: [ended()]
    made.end()
    assert [one.text for one in made.link.of(c.AskAside)] == ["why"] and responses(made) == [Cancelled()]


def test_a_decision_can_be_talked_about_but_not_a_result_that_nobody_is_told() -> None:
    assert ":? TEXT" in ask(permission(), "?", "n")[1]
    shown = ask(delivery(), "?", ":? why", "n")[1]
    assert ":? TEXT" not in shown and "Unknown command :?." in shown

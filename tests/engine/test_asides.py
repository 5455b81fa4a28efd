"""Asking back (E30): a side question about what waits, answered by a model, kept, never sent unasked."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.conversation.strict_json import JsonObject
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn, Permitted, PromptRequest, Response, Submitted
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer
from tests.engine.conftest import Bench, tool_setup
from tests.engine.wires import accepted
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, Reviews, asks, at_once, forever, series

OK: list[Item] = [*text("Ok."), *end()]
TELLS: list[Item] = [
    m.PartOpened(0, "reasoning"),
    m.PartGrew(0, "hmm"),
    m.PartEnded(0),
    *text("It replaces three commits.", 1),
    *end(),
]
ASK: JsonObject = {
    "question": "Force push?",
    "context": "three commits",
    "answer_type": "select",
    "options": ["yes", "no"],
}


def go(bench: Bench, *responses: list[Item], calls: list[Item] | None = None) -> PromptRequest:
    """To the first prompt."""
    bench.script = Script([*(calls or call("ask_user", ASK)), *end("tools")], *responses)
    bench.start()
    bench.say("push it")
    return bench.prompt()


def aside(bench: Bench, prompt: PromptRequest, words: str) -> None:
    bench.send(c.AskAside(conversation=bench.conversation, inquiry=prompt.inquiry, text=words))


def kept(bench: Bench) -> list[dict[str, Any]]:
    return [event for event in bench.log() if event["type"] == "inquiry_aside"]


def told(request: m.ModelRequest) -> str:
    """Everything that is said to the model in a request."""
    return repr(request.messages)


def test_a_side_question_is_answered_and_the_question_stays(bench: Bench) -> None:
    """R120-R123, M21: the snapshot with the paused call, the question with its context, no tool to call; on record."""
    prompt = go(bench, TELLS, OK)
    aside(bench, prompt, "What would be lost?")
    assert bench.until(e.AsideEnded).error is None
    said = "".join(x.text.raw for x in bench.events if isinstance(x, e.AsideDelta) and x.inquiry == prompt.inquiry)
    assert said == "It replaces three commits."
    (event,) = kept(bench)
    assert (event["id"], event["question"], event["answer"]) == (prompt.inquiry, "What would be lost?", said)
    assert event["model"] == "fake/model" and "error" not in event
    request = bench.script.requests[1]
    assert request.tool_choice == "none" and request.tools
    result, words = request.messages[-1].parts
    assert result == m.Result("c1", "ask_user", "Tool paused: Force push?", False)
    assert isinstance(words, m.TextPart) and words.text.index("three commits") < words.text.index("Force push?")
    assert words.text.endswith("What would be lost?")
    bench.answer(prompt, Answered(value="no"))
    assert bench.turn().outcome == "done"
    assert "What would be lost?" not in told(bench.script.requests[2]), "never sent to the conversation's model"
    assert not any("interrupted" in told(request) for request in bench.script.requests)
    for request in bench.script.requests:
        accepted(request)


def test_it_goes_on_from_what_was_said_before(bench: Bench) -> None:
    prompt = go(bench, TELLS, [*text("Bob's."), *end()], OK)
    aside(bench, prompt, "What would be lost?")
    bench.until(e.AsideEnded)
    aside(bench, prompt, "Whose?")
    bench.until(e.AsideEnded)
    *_, question, answer, again = bench.script.requests[2].messages
    assert "What would be lost?" in repr(question) and answer == m.Message(
        "assistant", (m.TextPart("It replaces three commits."),)
    )
    assert again == m.Message("user", (m.TextPart("Whose?"),))
    accepted(bench.script.requests[2])
    assert [event["question"] for event in kept(bench)] == ["What would be lost?", "Whose?"]


def test_the_inquiry_model_answers_where_one_is_configured(bench: Bench) -> None:
    """E30; reasoning of another model stays at home, and other calls of the cycle are still running (M22)."""
    bench.side = Script(TELLS)
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    thought: list[Item] = [
        m.PartOpened(0, "reasoning"),
        m.PartGrew(0, "secretly"),
        m.PartEnded(0, None, {"signature": "s"}),
    ]
    calls = [*thought, *call("ask_user", ASK, "c1", 1), *call("slow", {}, "c2", 2)]
    prompt = go(bench, OK, calls=calls)
    aside(bench, prompt, "Why?")
    bench.until(e.AsideEnded)
    (request,) = bench.side.requests
    assert request.model == "side" and "secretly" not in told(request)
    results = [part.content for part in request.messages[-1].parts if isinstance(part, m.Result)]
    assert results == ["Tool paused: Force push?", "Tool is still running."]
    accepted(request)
    assert kept(bench)[0]["model"] == "other/side"
    assert len(bench.script.requests) == 1


@pytest.mark.parametrize("keeps", [True, False])
def test_what_is_sent_along_follows_the_results(bench: Bench, keeps: bool) -> None:
    """E30: a user message after the cycle's results, once; or not after all."""
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    prompt = go(bench, TELLS, [*call("quick", {}, "c9"), *end("tools")], OK)
    aside(bench, prompt, "What would be lost?")
    bench.until(e.AsideEnded)
    for send in (True, keeps):
        bench.send(c.SendAside(conversation=bench.conversation, inquiry=prompt.inquiry, send=send))
    bench.send_and_wait()
    bench.answer(prompt, Answered(value="no"))
    assert bench.turn().outcome == "done"
    kinds = bench.kinds()
    assert kinds.count("chat_request") == (2 if keeps else 1)
    message = bench.script.requests[2].messages[-1]
    assert isinstance(message.parts[0], m.Result) and message.role == "user"
    words = [part.text for part in message.parts if isinstance(part, m.TextPart)]
    assert len(words) == keeps
    if keeps:
        assert "Force push?" in words[0] and "What would be lost?" in words[0] and "three commits" in words[0]
    for request in bench.script.requests:
        accepted(request)


def test_settling_the_question_ends_it_and_keeps_what_came(bench: Bench) -> None:
    """The exchange stands in the log, before the turn's end, with what was said until then."""
    never = asyncio.Event()
    half: list[Item] = [m.PartOpened(0, "message"), m.PartGrew(0, "It repl"), never]
    prompt = go(bench, half, OK)
    aside(bench, prompt, "What?")
    bench.until(e.AsideDelta)
    bench.answer(prompt, Answered(value="no"))
    ended = bench.until(e.AsideEnded)
    assert ended.error is not None and ended.error.kind == "cancelled"
    assert bench.turn().outcome == "done"
    (event,) = kept(bench)
    assert event["answer"] == "It repl" and event["error"]["kind"] == "cancelled"
    assert bench.kinds().index("inquiry_aside") < bench.kinds().index("turn_outcome") == len(bench.kinds()) - 1
    assert bench.script.closed == 3, "the stream is closed"


@pytest.mark.parametrize("how", ["end_turn", "stop"])
def test_the_end_of_the_turn_ends_it(bench: Bench, how: str) -> None:
    never = asyncio.Event()
    prompt = go(bench, [m.PartOpened(0, "message"), m.PartGrew(0, "It"), never], OK)
    aside(bench, prompt, "What?")
    bench.until(e.AsideDelta)
    bench.send(c.SendAside(conversation=bench.conversation, inquiry=prompt.inquiry))
    if how == "stop":
        bench.interrupt("stop")
    else:
        bench.answer(prompt, EndTurn())
    assert bench.turn().outcome == "interrupted"
    assert bench.kinds()[-1] == "turn_outcome" and bench.kinds().count("chat_request") == 1
    assert bench.ever(e.AsideEnded).error is not None
    assert len(bench.script.requests) == 2, "and no request follows"


def test_failures_are_told_and_cost_nothing(bench: Bench) -> None:
    """A transient failure is tried again; one that stays, silence and a bug end the side question alone."""
    busy, refused = m.ModelError("overloaded", "Busy.", transient=True), m.ModelError("unauthorised", "No key.")
    calls: list[Item] = [*call("quick", {}), *end("tools")]
    prompt = go(bench, [busy], TELLS, [refused], calls, [m.PartOpened(0, "message"), m.PartGrew(0, "cut")], OK)
    errors: list[str] = []
    for words in ("a", "b", "c", "d"):
        aside(bench, prompt, words)
        error = bench.until(e.AsideEnded).error
        errors.append("" if error is None else error.message)
    assert errors == ["", "No key.", "The model sent an empty reply.", "The response ended early."]
    assert [event["answer"] for event in kept(bench)] == ["It replaces three commits.", "", "", "cut"]
    bench.answer(prompt, Answered(value="yes"))
    assert bench.turn().outcome == "done"
    assert [event["type"] for event in bench.log()].count("tool_call_request") == 1


def refusal(bench: Bench) -> str:
    return bench.until(e.Refused).message


def test_what_cannot_be_asked_is_refused(bench: Bench) -> None:
    never = asyncio.Event()
    bench.tools["tool"] = tool_setup("tool", Made(at_once), result="ask")
    prompt = go(bench, [never], OK, calls=[*call("ask_user", ASK), *call("tool", {}, "c2", 1)])
    shown = {prompt.kind: prompt}
    shown |= {(other := bench.prompt()).kind: other}
    aside(bench, shown["delivery"], "What is it?")
    assert "before it is delivered" in refusal(bench)
    aside(bench, shown["question"], " \n")
    assert "is empty" in refusal(bench)
    aside(bench, shown["question"], "First?")
    aside(bench, shown["question"], "Second?")
    assert "still being answered" in refusal(bench)
    bench.send(c.SendAside(conversation=bench.conversation, inquiry="c9.x.1"))
    assert "no side question to send" in refusal(bench)
    aside(bench, shown["question"].model_copy(update={"inquiry": "c9.x.1"}), "Who?")
    assert "is closed" in refusal(bench)
    bench.answer(shown["question"], EndTurn())
    bench.turn()
    aside(bench, shown["question"], "Too late?")
    assert refusal(bench).startswith(("This question is closed", "No question is open"))  # the turn may be over by then


def test_leave_to_run_and_a_whole_form_can_be_talked_about(bench: Bench) -> None:
    """What is told is what is shown: the arguments, the answers so far, the choices."""
    bench.reviews = True
    bench.tools["tool"] = tool_setup("tool", Made(at_once), run="ask")
    one: JsonObject = {
        "id": "one",
        "text": "Which?",
        "answer_type": "select",
        "options": [{"value": "a", "description": "first"}],
    }
    two: JsonObject = {"id": "two", "text": "Why?", "answer_type": "text"}
    calls = [*call("tool", {"n": 7}), *call("ask_user", {"questions": [one, two]}, "c2", 1)]
    prompt = go(bench, TELLS, TELLS, TELLS, TELLS, OK, calls=calls)
    answers: list[Response] = [Permitted(run=True), Answered(value="a"), Answered(value="because"), Submitted()]
    for number, response in enumerate(answers):
        aside(bench, prompt, "Hm?")
        bench.until(e.AsideEnded)
        bench.answer(prompt, response)
        prompt = bench.prompt() if number < 3 else prompt
    assert prompt.kind == "review" and bench.turn().outcome == "done"
    asked = [repr(request.messages[-1].parts) for request in bench.script.requests[1:5]]
    expected = (('"n": 7',), ("Which?", "a: first"), ("Why?", 'Which? "a"'), ('Which? "a"', 'Why? "because"'))
    for words, wanted in zip(asked, expected, strict=True):
        assert all(repr(one)[1:-1] in words or one in words for one in wanted), words
    for request in bench.script.requests:
        accepted(request)


def test_secrets_never_go_into_it(bench: Bench) -> None:
    """E27, R202: what was typed into a masked field is neither asked, nor told, nor kept."""
    questions = (Question("pass", "Passphrase?", SecretAnswer()), Question("go", "Go on?", BooleanAnswer()))
    bench.tools["form"] = tool_setup("form", Made(series(*questions)))
    prompt = go(bench, TELLS, TELLS, OK, calls=call("form", {}))
    aside(bench, prompt, "What for?")
    bench.until(e.AsideEnded)
    bench.answer(prompt, Answered(value="hunter22"))
    second = bench.prompt()
    aside(bench, second, "Is hunter22 good?")
    bench.until(e.AsideEnded)
    assert "a secret" in told(bench.script.requests[1]) and "<redacted>" in told(bench.script.requests[2])
    assert "hunter22" not in json.dumps(bench.log()) and "hunter22" not in told(bench.script.requests[2])


@pytest.mark.parametrize("how", ["kill", "leave"])
def test_what_was_said_survives(bench: Bench, how: str) -> None:
    """R237, E24: after a restart the talk goes on where it was, and still goes along."""
    bench.reviewer = Reviews(sure=(False, "too wide"))
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules={"sure": Rule(target="assistant_with_escalation")})
    prompt = go(bench, TELLS, [*text("Bob's."), *end()], OK, calls=call("ask", {}))
    aside(bench, prompt, "What would be lost?")
    bench.until(e.AsideEnded)
    assert "judge recommended to say no: too wide" in told(bench.script.requests[1])
    bench.send(c.SendAside(conversation=bench.conversation, inquiry=prompt.inquiry))
    bench.until(e.EventAppended, lambda event: event.stored.event.get("send") is True)
    bench.stop() if how == "leave" else bench.kill()
    bench.start("latest")
    again = bench.prompt()
    assert again.inquiry == prompt.inquiry
    aside(bench, again, "Whose?")
    bench.until(e.AsideEnded)
    assert "What would be lost?" in told(bench.script.requests[2])
    bench.answer(again, Answered(value=True))
    assert bench.turn().outcome == "done"
    assert all(words in told(bench.script.requests[3]) for words in ("What would be lost?", "Whose?", "Bob's."))


def test_what_goes_along_is_in_no_history_of_prompts(bench: Bench) -> None:
    """Nobody typed it: the composer's ↑ brings back only what was."""
    prompt = go(bench, TELLS, OK)
    aside(bench, prompt, "What would be lost?")
    bench.until(e.AsideEnded)
    bench.send(c.SendAside(conversation=bench.conversation, inquiry=prompt.inquiry))
    bench.answer(prompt, Answered(value="no"))
    assert bench.turn().outcome == "done"
    assert sum(event["type"] == "chat_request" for event in bench.log()) == 2
    bench.send(c.ReadHistory())
    assert bench.until(e.HistoryRead).texts == ("push it",)

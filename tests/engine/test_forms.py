"""Forms of the real `ask_user` through the engine: walking, Back, its undo, Reply, review (rows 17 to 20)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jp_tui.conversation.strict_json import Json, JsonObject
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn, PromptRequest, Replied, Response, Restored, Submitted, WentBack
from jp_tui.questions.types import BooleanAnswer, Place, Question
from tests.engine.conftest import Bench, tool_setup
from tests.engine.wires import accepted
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks, forever, formed

OK: list[Item] = [*text("Ok."), *end()]
DEPLOY: JsonObject = {"id": "deploy", "text": "Deploy?", "answer_type": "boolean"}
ENV: JsonObject = {
    "id": "env",
    "text": "Where?",
    "answer_type": "select",
    "options": ["staging", "live"],
    "when": {"question_id": "deploy", "equals": True},
}
NOTE: JsonObject = {"id": "note", "text": "Note?", "answer_type": "text", "default": "none"}
FORM: list[Json] = [DEPLOY, ENV, NOTE]


def go(bench: Bench, questions: list[Json], *more: list[Item]) -> None:
    bench.script = Script([*call("ask_user", {"questions": questions}), *end("tools")], *(more or (OK,)))
    bench.start()
    bench.say("go")


def take(bench: Bench, response: Response, asked: str) -> PromptRequest:
    """The next prompt, which must be for that question, answered so."""
    prompt = bench.prompt()
    assert prompt.question.id == asked
    bench.answer(prompt, response)
    return prompt


def result(bench: Bench) -> Any:
    (found,) = [event for event in bench.log() if event["type"] == "tool_call_response" and event["id"] == "c1"]
    return json.loads(found["content"])


def tags(bench: Bench) -> list[str]:
    """How each showing ended, in order."""
    return [str(event.get("reason", event["outcome"])) for event in bench.log() if event["type"] == "inquiry_response"]


def whole(bench: Bench) -> None:
    """R102, R200, and every wire takes every request."""
    for kind in ("inquiry", "tool_call"):
        asked = [event["id"] for event in bench.log() if event["type"] == f"{kind}_request"]
        assert sorted(asked) == sorted(event["id"] for event in bench.log() if event["type"] == f"{kind}_response")
    for request in bench.script.requests:
        accepted(request)


def test_a_form_is_walked(bench: Bench) -> None:
    """R173-R175, R182b: progress, the whole form with each question, a pair for each, the map in submitted order."""
    go(bench, FORM)
    first = take(bench, Answered(value=True), "deploy")
    assert first.progress == (1, 3) and first.back == "" and "back" not in first.controls
    second = take(bench, Answered(value="live"), "env")
    assert second.progress == (2, 3) and second.back == "deploy" and "back" in second.controls
    assert second.form is not None
    assert second.form.places[:2] == (
        Place("deploy", "Deploy?", "answered", True),
        Place("env", "Where?", "current"),
    )
    third = take(bench, Answered(value=""), "note")
    assert second.form.places[2:] == (Place("note", "Note?", "ahead", question=third.question),)
    bench.turn()
    assert list(result(bench).items()) == [("deploy", True), ("env", "live"), ("note", "")]
    assert tags(bench) == ["answered"] * 3
    whole(bench)


def test_skips_and_one_entry(bench: Bench) -> None:
    """R174, R175, R170, row 20: N jumps over what is skipped; a list of one looks like the flat shape."""
    go(bench, FORM, [*call("ask_user", {"questions": [NOTE]}, "c2"), *end("tools")], OK)
    take(bench, Answered(value=False), "deploy")
    last = take(bench, Answered(value="x"), "note")
    assert last.progress == (3, 3) and last.form is not None and last.form.places[1].because
    alone = bench.prompt()
    assert (alone.progress, alone.form, alone.back) == (None, None, "") and "back" not in alone.controls
    bench.answer(alone, Answered(value="x"))
    bench.turn()
    assert result(bench) == {"deploy": False, "env": None, "note": "x"}


def test_back_discards_and_prefills(bench: Bench) -> None:
    """R176-R178, R181: the target's old answer is its pre-fill, later ones are gone, the record says `user_back`."""
    go(bench, FORM)
    take(bench, Answered(value=True), "deploy")
    take(bench, Answered(value="live"), "env")
    take(bench, WentBack(), "note")
    again = take(bench, WentBack(), "env")
    assert again.prefill == ("live",) and again.undo == ("env",) and again.inquiry == "c1.env.2"
    first = take(bench, Answered(value=False), "deploy")
    assert first.prefill == (True,) and set(first.undo) == {"deploy", "env"} and "back" not in first.controls
    last = bench.prompt()
    assert last.question.id == "note" and last.undo == () and last.prefill == ()
    bench.answer(last, Answered(value="n"))
    bench.turn()
    assert result(bench) == {"deploy": False, "env": None, "note": "n"}
    assert tags(bench) == ["answered", "answered", "user_back", "user_back", "answered", "answered"]
    whole(bench)


def test_what_back_took_away_comes_back(bench: Bench) -> None:
    """E23, R177: until the next submit; afterwards there is nothing to bring back."""
    go(bench, FORM)
    take(bench, Answered(value=True), "deploy")
    take(bench, Answered(value="live"), "env")
    take(bench, WentBack(to="deploy"), "note")
    take(bench, Restored(), "deploy")
    last = bench.prompt()
    assert last.question.id == "note" and last.form is not None and last.form.places[1].answer == "live"
    bench.answer(last, Restored())
    assert "nothing to restore" in bench.until(e.AnswerRefused).reason
    bench.answer(last, Answered(value="n"))
    bench.turn()
    assert result(bench) == {"deploy": True, "env": "live", "note": "n"}
    whole(bench)


def test_review_and_submit(bench: Bench) -> None:
    """R182b: a last look, bound to what it shows and not on record; Back from it; then it counts."""
    bench.reviews = True
    bench.rule("ask_user", "deploy", Rule(prompt_label="Assistant"))
    go(bench, FORM)
    take(bench, Answered(value=True), "deploy")
    take(bench, Answered(value="live"), "env")
    take(bench, Answered(value="n"), "note")
    look = bench.prompt()
    assert look.kind == "review" and look.question.text == "" and look.back == "note" and look.label == "Assistant"
    assert look.controls == {"back", "reply", "end_turn"} and look.progress is None and look.source == "assistant"
    assert look.form is not None and [place.answer for place in look.form.places] == [True, "live", "n"]
    bench.answer(look, WentBack(to="env"))
    env = take(bench, Answered(value="staging"), "env")
    assert env.prefill == ("live",)
    take(bench, Answered(value="n"), "note")
    second = bench.prompt()
    assert second.digest != look.digest
    bench.answer(look.model_copy(update={"inquiry": second.inquiry}), Submitted())
    assert "changed" in bench.until(e.AnswerRefused).reason
    bench.answer(second, Submitted())
    assert bench.until(e.QuestionSettled, lambda event: event.inquiry == second.inquiry).how == "answered"
    bench.turn()
    assert result(bench) == {"deploy": True, "env": "staging", "note": "n"}
    assert not any("__review__" in json.dumps(event) for event in bench.log())
    whole(bench)


def test_no_review_where_nobody_was_asked(bench: Bench) -> None:
    """R172, R182b: a form that settings answer is not looked over, nor gone back in."""
    bench.reviews = True
    tool = bench.tools["ask_user"].tool
    rules = {"deploy": Rule(has_answer=True, answer=False), "note": Rule(has_answer=True, answer="pinned")}
    bench.tools["ask_user"] = tool_setup("ask_user", tool, rules=rules)
    go(bench, FORM, [*call("ask_user", {"questions": [DEPLOY, {**NOTE, "id": "x"}]}, "c2"), *end("tools")], OK)
    asked = bench.prompt()
    assert asked.call == "c2" and asked.question.id == "x" and asked.back == ""
    assert asked.form is not None and asked.form.places[0].fixed
    bench.answer(asked, Answered(value="mine"))
    look = bench.prompt()
    assert look.kind == "review" and look.back == "x"
    bench.answer(look, Submitted())
    bench.turn()
    assert result(bench) == {"deploy": False, "env": None, "note": "pinned"}


@pytest.mark.parametrize("several", [True, False])
def test_the_slots_answer_is_for_a_single_question(bench: Bench, several: bool) -> None:
    """R171, C5: `questions.answer.answer` never answers several questions; its other settings hold for each."""
    slot = Rule(has_answer=True, answer="pinned", slot="answer", prompt_label="Assistant", place="f:1")
    tool = bench.tools["ask_user"].tool
    bench.tools["ask_user"] = tool_setup("ask_user", tool, rules={"one": slot, "two": slot})
    one, two = {**NOTE, "id": "one"}, {**NOTE, "id": "two"}
    go(bench, [one, two] if several else [one])
    if several:
        assert take(bench, Answered(value="a"), "one").label == "Assistant"
        take(bench, Answered(value="b"), "two")
    bench.turn()
    assert result(bench) == ({"one": "a", "two": "b"} if several else {"one": "pinned"})


PLACES = ("first", "middle", "last", "review")


def walk_to(bench: Bench, place: str) -> PromptRequest:
    for asked, value in (("deploy", True), ("env", "live"), ("note", "n"))[: PLACES.index(place)]:
        take(bench, Answered(value=value), asked)
    return bench.prompt()


@pytest.mark.parametrize("words", [None, "rather not"])
@pytest.mark.parametrize("place", PLACES)
def test_reply_at_every_place(bench: Bench, place: str, words: str | None) -> None:
    """R179, row 19: the same turn goes on with the partial answers as data."""
    bench.reviews = True
    go(bench, FORM)
    bench.answer(walk_to(bench, place), Replied(text=words))
    assert bench.turn().outcome == "done"
    answered = dict(list({"deploy": True, "env": "live", "note": "n"}.items())[: PLACES.index(place)])
    assert result(bench) == {"cancelled": True, "answered": answered, **({"reply": words} if words else {})}
    assert tags(bench).count("user_reply") == (place != "review")
    whole(bench)


def test_reply_after_back_reports_nothing_from_there_on(bench: Bench) -> None:
    """R177."""
    go(bench, FORM)
    take(bench, Answered(value=True), "deploy")
    take(bench, Answered(value="live"), "env")
    take(bench, WentBack(), "note")
    take(bench, Replied(), "env")
    bench.turn()
    assert result(bench) == {"cancelled": True, "answered": {"deploy": True}}


@pytest.mark.parametrize("place", PLACES)
def test_end_turn_at_every_place(bench: Bench, place: str) -> None:
    """R180, row 19: other tools are called off, their questions closed, no request follows; the next is accepted."""
    bench.reviews = True
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    bench.tools["other"] = tool_setup("other", Made(asks))
    calls = [*call("ask_user", {"questions": FORM}), *call("slow", {}, "c2", 1), *call("other", {}, "c3", 2)]
    bench.script = Script([*calls, *end("tools")], OK)
    bench.start()
    bench.say("go")
    form: list[PromptRequest] = []
    others: list[PromptRequest] = []
    for _ in range(2):
        prompt = bench.prompt()
        (form if prompt.call == "c1" else others).append(prompt)
    shown = form[0]
    for value in (True, "live", "n")[: PLACES.index(place)]:
        bench.answer(shown, Answered(value=value))
        shown = bench.prompt()
    bench.answer(shown, EndTurn())
    assert bench.turn().outcome == "interrupted" and len(bench.script.requests) == 1
    contents = {event["id"]: event["content"] for event in bench.log() if event["type"] == "tool_call_response"}
    assert set(contents.values()) == {"Turn ended by the user before this tool call completed."} and len(contents) == 3
    assert tags(bench)[PLACES.index(place) :] == ["user"] * (1 if place == "review" else 2)
    bench.say("next")
    bench.turn()
    assert len(bench.script.requests) == 2
    whole(bench)


def test_a_tool_of_its_own_may_show_a_form(bench: Bench) -> None:
    """No branch on a name: any tool may return one; Cancel is there, the arguments may be edited (R182)."""
    bench.reviews = True
    questions = [Question("a", "A?", BooleanAnswer()), Question("b", "B?", BooleanAnswer())]
    bench.tools["deploy"] = tool_setup("deploy", Made(formed(*questions)))
    bench.script = Script([*call("deploy", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    first = take(bench, Answered(value=True), "a")
    assert {"cancel", "edit", "remember"} <= first.controls and first.progress == (1, 2)
    second = take(bench, Answered(value=False), "b")
    assert "back" in second.controls
    look = bench.prompt()
    assert look.kind == "review" and look.source == "tool"
    bench.answer(look, Submitted())
    bench.turn()
    (told,) = [event["content"] for event in bench.log() if event["type"] == "tool_call_response"]
    assert told == "heard True False"

"""A turn that was cut off goes on (R207, R237, R230, E24, E52): acceptance rows 5, 7, 29, killed and left."""

from __future__ import annotations

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.base.dependencies import Policies
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Permitted, UsageTotals
from jp_tui.questions.types import BooleanAnswer, Question, SecretAnswer, TextAnswer
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.engine.wires import accepted
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, Reviews, asks, at_once, series

OK: list[Item] = [*text("Ok."), *end()]
FORM = series(
    Question("one", "One?", TextAnswer()),
    Question("pass", "Secret?", SecretAnswer()),
    Question("two", "Two?", TextAnswer()),
)


def go(bench: Bench, *responses: list[Item]) -> None:
    bench.script = Script(*responses)
    bench.start()
    bench.say("go")


def cut(bench: Bench, how: str, name: str = "after") -> None:
    if how == "leave":
        bench.stop()
    else:
        bench.kill(name)


def whole(bench: Bench) -> None:
    """The turn as it stands: each request has one response, and every wire takes what the model was told."""
    bench.send(c.ReadEvents(conversation=bench.conversation, around=0, count=10_000))
    events = [stored.event for stored in bench.until(e.EventsRead).events]
    for kind in ("inquiry", "tool_call"):
        asked = sorted(str(event["id"]) for event in events if event["type"] == f"{kind}_request")
        assert asked == sorted(str(event["id"]) for event in events if event["type"] == f"{kind}_response")
    assert [event["type"] for event in events].count("turn_outcome") == 1
    for request in bench.script.requests:
        accepted(request)


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_the_question_comes_back_with_its_id_and_its_draft(bench: Bench, how: str) -> None:
    """Answers given before are rebuilt, a secret is asked again, and the model goes on as usual."""
    tool = Made(FORM)
    bench.tools["form"] = tool_setup("form", tool)
    go(bench, [*call("form", {"n": 1}), *end("tools", input_=40, output=2)], OK)
    bench.answer(bench.prompt(), Answered(value="first", note="mind"))
    bench.answer(bench.prompt(), Answered(value="hunter22"))
    last = bench.prompt()
    bench.draft(last.inquiry, "half an")
    cut(bench, how)
    tool.calls.clear()
    opened = bench.start("latest")
    assert opened.drafts == {last.inquiry: "half an"}
    assert bench.until(e.TurnStarted).resumed
    secret = bench.prompt()
    assert secret.question.id == "pass" and secret.inquiry == "c1.pass.2", "a redacted answer is not known (R237)"
    assert dict(tool.calls[0].answers)["one"].value == "first" and dict(tool.calls[0].answers)["one"].note == "mind"
    bench.answer(secret, Answered(value="hunter22"))
    again = bench.prompt()
    assert again.question.id == "two"
    bench.answer(again, Answered(value="second"))
    done = bench.turn()
    assert done.outcome == "done"
    assert done.usage == UsageTotals(input=50, output=7, context=15), "tokens of before count too"
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert result["content"] == "heard first <redacted> second\n\nThe user added: mind"
    whole(bench)


def test_the_same_question_needs_no_second_request(bench: Bench) -> None:
    """R237, twice killed: one request, one response, one id (R200)."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    go(bench, [*call("ask", {}), *end("tools")], OK)
    first = bench.prompt()
    for number in range(3):
        bench.kill(f"life{number}")
        bench.start("latest")
        again = bench.prompt()
        assert (again.inquiry, again.digest) == (first.inquiry, first.digest)
        assert "inquiry_request" not in bench.kinds()
    bench.answer(again, Answered(value=True))
    assert bench.turn().outcome == "done"
    whole(bench)


def test_another_question_closes_the_open_one(bench: Bench) -> None:
    """R237: what it asks now differs, so the old request is cancelled/user and the new one recorded normally."""
    words = ["Before?"]

    async def changes(call: ToolCall) -> Outcome:
        if "sure" in call.answers:
            return Success("ok")
        return NeedsInput(Question("sure", words[-1], BooleanAnswer()))

    bench.tools["ask"] = tool_setup("ask", Made(changes))
    go(bench, [*call("ask", {}), *end("tools")], OK)
    bench.prompt()
    bench.kill()
    words.append("After?")
    bench.start("latest")
    prompt = bench.prompt()
    assert (prompt.inquiry, prompt.question.text) == ("c1.sure.2", "After?")
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    closed = [event for event in bench.log() if event["type"] == "inquiry_response"]
    assert [(event["id"], event["outcome"]) for event in closed] == [
        ("c1.sure.1", "cancelled"),
        ("c1.sure.2", "answered"),
    ]
    whole(bench)


def test_what_has_a_result_is_not_run_again_and_leave_is_asked_again(bench: Bench) -> None:
    """R237: remembered permissions are lost; calls with a result are not run again."""
    quick, slow = Made(at_once), Made(asks)
    bench.tools["quick"] = tool_setup("quick", quick)
    bench.tools["slow"] = tool_setup("slow", slow, run="ask")
    go(bench, [*call("quick", {}, "c1", 0), *call("slow", {}, "c2", 1), *end("tools")], OK)
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    question = bench.prompt()
    bench.ever(e.EventAppended, lambda event: event.stored.event["type"] == "tool_call_response")
    bench.kill()
    bench.start("latest")
    leave = bench.prompt()
    assert leave.kind == "permission" and len(quick.calls) == 1
    bench.answer(leave, Permitted(run=True))
    again = bench.prompt()
    assert again.inquiry == question.inquiry
    bench.answer(again, Answered(value=True))
    bench.turn()
    assert len(quick.calls) == 1
    whole(bench)


def test_leaving_at_the_leave_that_is_asked_again_loses_nothing(bench: Bench) -> None:
    """E52: the question behind it is still open at the start after that, with its draft."""
    bench.tools["slow"] = tool_setup("slow", Made(asks), run="ask")
    go(bench, [*call("slow", {}), *end("tools")], OK)
    bench.answer(bench.prompt(), Permitted(run=True))
    question = bench.prompt()
    bench.send(c.SaveDraft(conversation=bench.conversation, key=question.inquiry, text="half"))
    bench.send_and_wait()
    for _ in range(2):
        bench.stop()
        assert bench.start("latest").drafts == {question.inquiry: "half"}
        leave = bench.prompt()
        assert leave.kind == "permission"
    bench.answer(leave, Permitted(run=True))
    assert bench.prompt().inquiry == question.inquiry
    bench.answer(question, Answered(value=True))
    assert bench.turn().outcome == "done"
    whole(bench)


def test_leaving_at_a_permission_prompt_is_no_refusal(bench: Bench) -> None:
    """E52: nothing was asked that could be taken up; what ended unattended is never told as a no of the user's."""
    bench.tools["slow"] = tool_setup("slow", Made(asks), run="ask")
    go(bench, [*call("slow", {}), *end("tools")])
    prompt = bench.prompt()
    bench.send(c.SaveDraft(conversation=bench.conversation, key=prompt.inquiry, text='{"n": 1'))
    bench.stop()
    bench.script = Script([*call("slow", {}), *end("tools")])
    opened = bench.start("latest")
    (result,) = [one.event for one in opened.page if one.event["type"] == "tool_call_response"]
    assert result["content"].startswith("No one answered: the client went away") and result["is_error"]
    assert result["metadata"]["permission"] == {"choice": "cancel", "by": "system", "reason": "client gone"}
    bench.say("again")
    assert bench.prompt().inquiry != prompt.inquiry
    bench.stop()
    assert bench.start("latest").drafts == {}, "what was typed for one prompt stands in no other"


def test_an_unknown_tool_closes_what_it_left_open(bench: Bench) -> None:
    """M31 for a tool that is gone; nothing stays open."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    go(bench, [*call("ask", {}), *end("tools")], OK)
    bench.prompt()
    bench.kill()
    del bench.tools["ask"]
    bench.start("latest")
    assert bench.turn().outcome == "done"
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert result["is_error"] and "not available" in result["content"]
    whole(bench)


def test_attempts_go_on_counting_across_cycles_and_lives(bench: Bench) -> None:
    """Z1, R27: a call id that is used again in the same turn after a kill, and in the next turn, is another call's."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    ask = [*call("ask", {}), *end("tools")]
    go(bench, ask, [*call("ask", {}, "c2"), *end("tools")], ask, OK, ask, OK)
    bench.answer(bench.prompt(), Answered(value=True))
    bench.prompt()
    bench.kill()
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value=True))
    prompt = bench.prompt()
    assert prompt.inquiry == "c1_2.sure.1"
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    whole(bench)
    bench.say("next")
    assert bench.prompt().inquiry == "c1_3.sure.1"


def test_a_pinned_answer_is_unseen_also_after_a_kill(bench: Bench) -> None:
    """R236: only a remembered or static answer covers what nobody saw."""
    tool = Made(series(Question("a", "A?", BooleanAnswer()), Question("b", "B?", BooleanAnswer())))
    bench.tools["tool"] = tool_setup("tool", tool, rules={"a": Rule(has_answer=True, answer=True)})
    go(bench, [*call("tool", {}), *end("tools")], OK)
    bench.prompt()
    bench.kill()
    bench.start("latest")
    bench.prompt()
    assert tool.calls[-1].answers["a"].unseen and tool.calls[-1].answers["a"] == tool.calls[1].answers["a"]


def test_escalation_survives(bench: Bench) -> None:
    """R149, R153: the reviewer's no is on record, is shown again, and is never taken for the answer."""
    bench.reviewer = Reviews(sure=(False, "too wide"))
    tool = Made(asks)
    rules = {"sure": Rule(target="assistant_with_escalation")}
    bench.tools["ask"] = tool_setup("ask", tool, rules=rules)
    go(bench, [*call("ask", {}), *end("tools")], OK)
    first = bench.prompt()
    assert first.escalation is not None and first.escalation.reason.raw == "too wide"
    bench.kill()
    tool.calls.clear()
    bench.start("latest")
    again = bench.prompt()
    assert again.inquiry == first.inquiry and again.escalation == first.escalation
    assert len(bench.reviewer.seen) == 1, "nobody is asked twice"
    assert not any("sure" in one.answers for one in tool.calls)
    bench.answer(again, Answered(value=True))
    bench.turn()
    whole(bench)


# --- without a client ---------------------------------------------------------------------------------------


def deferred(bench: Bench) -> None:
    bench.client = False
    bench.tools["ask"] = tool_setup("ask", Made(asks), policies=Policies(tool="defer"))
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    go(bench, [*call("ask", {}), *call("quick", {}, "c2", 1), *end("tools")], OK, OK)
    assert bench.turn().outcome == "deferred"


def test_what_is_deferred_waits_while_the_others_finish(bench: Bench) -> None:
    """Row 14, R230, R95: no turn_outcome, the request open, the other result in the log; then a person answers."""
    deferred(bench)
    assert "turn_outcome" not in bench.kinds() and "inquiry_response" not in bench.kinds()
    assert [event["id"] for event in bench.log() if event["type"] == "tool_call_response"] == ["c2"]
    bench.stop()
    bench.client = True
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value=True))
    assert bench.turn().outcome == "done"
    whole(bench)


@pytest.mark.parametrize("same_engine", [True, False])
def test_nothing_new_is_said_while_a_question_waits_for_nobody(bench: Bench, same_engine: bool) -> None:
    """S1: exit code 3 and how to answer it; the turn stays as it is."""
    deferred(bench)
    if not same_engine:
        bench.stop()
        bench.start("latest")
    bench.say("and now?")
    refused = bench.until(e.Refused)
    assert refused.command == "start_turn" and refused.pending == ("c1.sure.1",)
    assert "Sure?" in refused.message and f"jp-tui answer {bench.conversation}/c1.sure.1" in refused.advice
    assert len(bench.script.requests) == 1


def test_what_was_answered_meanwhile_goes_on_first(bench: Bench) -> None:
    """R207: with everything answered it resumes by itself, and then the new turn begins."""
    deferred(bench)
    bench.stop()
    other = bench.other()
    other.run()
    other.send(c.OfferAnswer(inquiry="c1.sure.1", value="yes"))
    settled = other.until(e.OfferSettled)
    other.stop()
    assert settled.status == "accepted"
    bench.start("latest")
    bench.say("and now?")
    assert bench.until(e.TurnStarted).resumed
    assert bench.turn().outcome == "done"
    assert not bench.until(e.TurnStarted).resumed
    assert bench.turn().outcome == "done"
    (result,) = [x for x in bench.log() if x["type"] == "tool_call_response"]
    assert result["content"] == "heard True"


def test_the_engine_that_holds_it_takes_an_answer_too(bench: Bench) -> None:
    """S12: nobody is there to ask, and the conversation is open here: recorded, and nothing is run before it is to."""
    deferred(bench)
    for value, status in (("perhaps", "invalid"), ("yes", "accepted"), ("no", "answered")):
        bench.send(c.OfferAnswer(inquiry="c1.sure.1", value=value))
        assert bench.until(e.OfferSettled).status == status
    assert len(bench.script.requests) == 1
    bench.say("and now?")
    assert bench.until(e.TurnStarted).resumed
    assert [bench.turn().outcome, bench.turn().outcome] == ["done", "done"]


def test_a_face_that_says_one_thing_says_it_after_the_turn_it_took_up(bench: Bench) -> None:
    """`query -c PROMPT` with a terminal: the question first, then the prompt; the workspace is told to wait."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    go(bench, [*call("ask", {}), *end("tools")], OK, OK)
    bench.prompt()
    bench.kill()
    bench.via = "plain"
    bench.start("latest")
    bench.say("and now?")
    bench.answer(bench.prompt(), Answered(value=True))
    assert bench.turn().outcome == "done"
    assert bench.turn().outcome == "done" and len(bench.script.requests) == 3


def test_end_turn_discards_and_a_cancel_goes_on(bench: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    ask = [*call("ask", {}), *end("tools")]
    go(bench, ask, OK, ask)
    for number, response in enumerate((Cancelled(), EndTurn())):
        if number:
            bench.say("more")
        bench.prompt()
        bench.kill(f"life{number}")
        bench.start("latest")
        bench.answer(bench.prompt(), response)
        assert bench.turn().outcome == ("interrupted" if number else "done")


def test_a_turn_is_looked_at_again_as_what_it_is(bench: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    go(bench, [*call("ask", {}), *end("tools")], OK)
    bench.prompt()
    bench.kill()
    bench.start("latest")
    bench.prompt()
    bench.send(c.OpenConversation(which="id", conversation=bench.conversation))
    assert bench.until(e.TurnStarted).resumed
    bench.prompt()

"""Questions of sub-agents: acceptance row 24 (R218-R222, R249), with a handler, without one, and aborted."""

from __future__ import annotations

from typing import Any

import pytest

from jp_tui.engine.base.dependencies import Policies
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import (
    Answered,
    Cancelled,
    Edited,
    EndTurn,
    PromptRequest,
    Replied,
    Restored,
    Submitted,
    Unanswered,
    WentBack,
)
from jp_tui.tools.registry import builtin
from tests.engine.cast import YES_NO, Cast, agent, asked, begin, ends, main_turn, results, spawn, stored
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import call, end
from tests.fakes.tools import Made, Reviews, asks

OK = ends("Ok.")
FORM: list[Any] = [
    {"id": "env", "text": "Where?", "answer_type": "select", "options": ["test", "live"], "context": "Two\nlines."},
    {"id": "sure", "text": "Sure?", "answer_type": "boolean", "when": {"question_id": "env", "equals": "live"}},
    {"id": "why", "text": "Why?", "answer_type": "text", "default": "because"},
]


def one(bench: Bench, question: Any, **more: Any) -> PromptRequest:
    """One sub-agent that asks this; its prompt."""
    begin(
        bench,
        go=[[*spawn("dig", **more), *end("tools")], OK],
        dig=[[*asked(question), *end("tools")], ends("Dug.")],
    )
    return bench.prompt()


def pairs(bench: Bench, conversation: str = "") -> list[tuple[str, Any, str]]:
    """Id, source and how it ended of every inquiry on record."""
    events = stored(bench, conversation or bench.conversation)
    closed = {event["id"]: event for event in events if event["type"] == "inquiry_response"}
    found = []
    for event in events:
        if event["type"] == "inquiry_request":
            response = closed.get(event["id"], {})
            how = response.get("outcome", "open")
            found.append((event["id"], event["source"], response["reason"] if how == "cancelled" else how))
    return found


def test_it_is_put_to_the_human_as_the_parents(bench: Bench) -> None:
    """R220, R222, E4, C51: one prompt, who asks and for what, every field of the question; both are on record."""
    prompt = one(bench, {**YES_NO, "context": "A\nplan.", "default": True}, name="mole")
    child = agent(bench, "mole")
    assert prompt.conversation == bench.conversation and prompt.inquiry == "s1.go.1" and prompt.call == "s1"
    assert prompt.label == "Assistant › mole" and prompt.tool == "ask_user"
    assert prompt.agent is not None and (prompt.agent.conversation, prompt.agent.task.raw) == (child, "dig")
    assert (prompt.source, prompt.source_name) == ("assistant", f"sub_agent:{child}")
    question = prompt.question
    assert (question.text, question.context, question.default) == ("Go on?", "A\nplan.", True)
    assert question.exclusive and question.persistence == "none" and prompt.human_only
    assert prompt.controls == {"reply", "end_turn"}
    bench.ever(e.CallChanged, lambda event: event.call == "s1" and event.state == "awaiting_input")
    bench.answer(prompt, Answered(value=True, note="do"))
    settled = bench.until(e.QuestionSettled, lambda event: event.conversation == bench.conversation)
    assert (settled.inquiry, settled.how, settled.by) == ("s1.go.1", "answered", "user")
    assert main_turn(bench).outcome == "done"
    assert [event.conversation for event in bench.events if isinstance(event, e.QuestionAsked)] == [bench.conversation]
    assert pairs(bench) == [("s1.go.1", {"source": "other", "name": f"sub_agent:{child}"}, "answered")]
    assert pairs(bench, child) == [("a1.go.1", {"source": "assistant"}, "answered")]
    here, there = (
        next(event for event in stored(bench, id_) if event["type"] == "inquiry_response")
        for id_ in (bench.conversation, child)
    )
    assert here["answer"] is there["answer"] is True and here["responder"] == there["responder"]
    assert results(bench, child) == [('{"go": true}\n\nThe user added: do', False)]


def test_its_task_stands_for_a_name(bench: Bench) -> None:
    prompt = one(bench, YES_NO)
    assert prompt.label == "Assistant › dig"


def test_its_name_is_foreign_text(bench: Bench) -> None:
    """R195: a label is one harmless line, whatever a model calls its sub-agents."""
    prompt = one(bench, YES_NO, name="m\x1b[31mo\u202ele")
    assert prompt.label is not None and "\x1b" not in prompt.label and "\u202e" not in prompt.label
    assert prompt.agent is not None and prompt.agent.name.raw == "m\x1b[31mo\u202ele"


def test_a_form_walks_at_the_sub_agents_machine(bench: Bench) -> None:
    """R220: progress, Back, its undo, and the look over all of it; attempts are counted in either record (R249)."""
    bench.reviews = True
    first = one(bench, FORM)
    assert first.progress == (1, 3) and first.form is not None and "back" not in first.controls
    bench.answer(first, Answered(value="live"))
    second = bench.prompt()
    assert (second.question.id, second.back) == ("sure", "env") and "back" in second.controls
    bench.answer(second, WentBack())
    again = bench.prompt()
    assert (again.inquiry, again.prefill, again.undo) == ("s1.env.2", ("live",), ("env",))
    bench.answer(again, Restored())
    bench.answer(bench.prompt(), Answered(value=True))
    bench.answer(third := bench.prompt(), Answered(value="x"))
    assert third.question.default == "because"
    review = bench.prompt()
    assert review.kind == "review" and review.conversation == bench.conversation and review.label == "Assistant › dig"
    assert review.agent is not None
    bench.answer(review, Submitted())
    main_turn(bench)
    child = agent(bench)
    assert results(bench, child) == [('{"env": "live", "sure": true, "why": "x"}', False)]
    ends_ = [
        ("env", "answered"),
        ("sure", "user_back"),
        ("env", "user_back"),
        ("sure", "answered"),
        ("why", "answered"),
    ]
    assert [(id_.split(".")[1], how) for id_, _, how in pairs(bench)] == ends_
    assert [(id_.split(".")[1], how) for id_, _, how in pairs(bench, child)] == ends_
    assert [id_ for id_, _, _ in pairs(bench)] == ["s1.env.1", "s1.sure.1", "s1.env.2", "s1.sure.2", "s1.why.1"]


def test_opals_choices_take_free_text(bench: Bench) -> None:
    """R220, R226, R227: the full typed question, with its mark."""
    begin(
        bench,
        go=[[*spawn("dig"), *end("tools")], OK],
        dig=[[*call("ask_user", {"question": "Which?", "choices": ["a", "b"]}, "a1"), *end("tools")], ends("Dug.")],
    )
    prompt = bench.prompt()
    assert getattr(prompt.question.answer_type, "allow_other", False) is True
    bench.answer(prompt, Answered(value="neither"))
    main_turn(bench)
    assert results(bench, agent(bench)) == [('{"answer_type": "text", "answer": "neither"}', False)]


def test_reply_returns_the_marker_to_the_sub_agent(bench: Bench) -> None:
    """R249, R179: the turn goes on, the child's model reads it."""
    prompt = one(bench, YES_NO)
    bench.answer(prompt, Replied(text="rather not"))
    assert main_turn(bench).outcome == "done"
    assert results(bench, agent(bench)) == [('{"cancelled": true, "answered": {}, "reply": "rather not"}', False)]
    assert results(bench) == [("Dug.", False)]
    assert [how for *_, how in pairs(bench)] == [how for *_, how in pairs(bench, agent(bench))] == ["user_reply"]


@pytest.mark.parametrize("where", ["its question", "a question of its tool"])
def test_end_turn_ends_everything(bench: Bench, where: str) -> None:
    """R249, R180, R221: the top-level turn with all its sub-agents; what they asked fails."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(
        bench,
        go=[[*spawn("one", "s1", 0), *spawn("two", "s2", 1), *end("tools")], OK],
        one=[[*asked(YES_NO), *end("tools")], OK],
        two=[[*call("ask", {}, "t1"), *end("tools")], OK],
    )
    prompts = {prompt.tool: prompt for prompt in (bench.prompt(), bench.prompt())}
    chosen = prompts["ask_user" if where == "its question" else "ask"]
    answer(bench, chosen, EndTurn())
    assert main_turn(bench).outcome == "interrupted"
    assert [words for words, _ in results(bench)] == ["Turn ended by the user before this tool call completed."] * 2
    first, second = (prompts["ask_user"].agent, prompts["ask"].agent)
    assert first is not None and second is not None
    assert results(bench, first.conversation) == [
        ("Question failed: the conversation that it was asked for does not wait any more", True)
    ]
    assert results(bench, second.conversation) == [("Turn ended by the user before this tool call completed.", False)]
    for conversation in (bench.conversation, first.conversation, second.conversation):
        assert stored(bench, conversation)[-1]["outcome"] == "interrupted"
        assert all(how == "user" for *_, how in pairs(bench, conversation))


def answer(bench: Bench, prompt: PromptRequest, response: Any) -> None:
    command = c.AnswerQuestion(
        conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
    )
    bench.send(command)


@pytest.mark.parametrize("action", ["stop", "respond", "restart"])
def test_a_parent_that_is_aborted_fails_the_question(bench: Bench, action: c.Interrupt) -> None:
    """R221, M38: the sub-agent stops; what was asked is withdrawn, and late answers change nothing."""
    bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"])
    begin(
        bench,
        go=[[*spawn("dig"), *end("tools")], OK],
        dig=[[*asked(YES_NO), *end("tools")], [*asked(YES_NO), *end("tools")], OK],
    )
    prompt = bench.prompt()
    child = agent(bench)
    bench.interrupt(action, "no" if action == "respond" else "")
    settled = bench.until(e.QuestionSettled, lambda event: event.conversation == bench.conversation)
    assert (settled.inquiry, settled.how) == (prompt.inquiry, "withdrawn")
    bench.answer(prompt, Answered(value=True))
    refused = bench.until(e.AnswerRefused)
    assert refused.gone
    if action == "restart":
        again = bench.prompt()
        assert again.agent is not None and again.agent.conversation != child, "R213: it begins anew"
        assert again.inquiry == "s1.go.2"
        bench.answer(again, Replied(text=None))
    assert main_turn(bench).outcome == ("interrupted" if action == "stop" else "done")
    assert results(bench, child) == [
        ("Question failed: the conversation that it was asked for does not wait any more", True)
    ]
    assert stored(bench, child)[-1]["outcome"] == "interrupted"
    assert pairs(bench)[0][2] == "user"


def test_without_a_client_it_fails_with_m1(bench: Bench) -> None:
    """R219, R249: neither handler nor client."""
    bench.client = False
    begin(bench, go=[[*spawn("dig"), *end("tools")], OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    main_turn(bench)
    ((words, failed),) = results(bench, agent(bench))
    assert failed and words.startswith("ask_user cannot run because no interactive terminal is available.")
    assert pairs(bench) == [] and pairs(bench, agent(bench))[0][2] == "no_prompt_backend"


def test_a_stand_alone_one_asks_directly(bench: Bench) -> None:
    """R219: its conversation, opened by itself, has no handler; the prompt is its own."""
    one(bench, YES_NO)
    child = agent(bench)
    bench.kill()
    bench.run()
    bench.send(c.OpenConversation(which="id", conversation=child))
    opened = bench.until(e.ConversationOpened)
    assert opened.agent is not None and opened.agent.parent == bench.conversation
    prompt = bench.prompt()
    assert (prompt.conversation, prompt.inquiry, prompt.label) == (child, "a1.go.1", None)
    answer(bench, prompt, Answered(value=True))
    bench.until(e.TurnCompleted)
    assert results(bench, child) == [('{"go": true}', False)]
    bench.send(c.OpenConversation(which="id", conversation=bench.conversation))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("Dug.", False)], "it was done: its parent gets the result at once"
    assert pairs(bench)[0][2] == "answered", "and the answer that was given meanwhile is on record there, too"


def test_an_error_of_the_client_fails_the_question(bench: Bench) -> None:
    """M38 by way of the handler, R242."""
    prompt = one(bench, YES_NO)
    bench.answer(prompt, Unanswered(error="no such method"))
    main_turn(bench)
    assert results(bench, agent(bench)) == [("Question failed: no such method", True)]
    assert pairs(bench)[0][2] == "backend_error"


def test_what_does_not_fit_is_refused_and_may_be_answered_still(bench: Bench) -> None:
    """The sub-agent's machine decides; the refusal names the id that the face knows."""
    prompt = one(bench, FORM[0])
    bench.answer(prompt, Answered(value="moon"))
    refused = bench.until(e.AnswerRefused)
    assert (refused.conversation, refused.inquiry, refused.gone) == (bench.conversation, prompt.inquiry, False)
    bench.answer(prompt, Answered(value="test"))
    bench.answer(prompt, Answered(value="live"))
    late = bench.until(e.AnswerRefused)
    assert late.gone and late.inquiry == prompt.inquiry
    main_turn(bench)
    assert results(bench, agent(bench)) == [('{"env": "test"}', False)]


def test_a_pinned_answer_asks_nobody(bench: Bench) -> None:
    """Its questions go by the same table: what the settings answer is never put to the handler."""
    rules = {"answer": Rule(has_answer=True, answer=True, slot="answer"), "go": Rule(has_answer=True, answer=True)}
    bench.tools["ask_user"] = tool_setup("ask_user", builtin()["ask_user"], hidden=True, rules=rules)
    begin(bench, go=[[*spawn("dig"), *end("tools")], OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    main_turn(bench)
    assert pairs(bench) == [] and pairs(bench, agent(bench))[0][2] == "answered"
    assert not [event for event in bench.events if isinstance(event, e.QuestionAsked)]


def test_a_run_that_defers_leaves_it_for_later(bench: Bench) -> None:
    """R230: the request stays open at the sub-agent, whose call stays open with it; somebody who comes is asked."""
    bench.client = False
    bench.tools["ask_user"] = tool_setup("ask_user", builtin()["ask_user"], policies=Policies(tool="defer"))
    begin(bench, go=[[*spawn("dig"), *end("tools")], OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    assert main_turn(bench).outcome == "deferred"
    child = agent(bench)
    assert pairs(bench, child)[0][2] == "open"
    bench.stop()
    bench.client = True
    bench.start("latest")
    prompt = bench.prompt()
    assert prompt.inquiry == "s1.go.1" and prompt.agent is not None and prompt.agent.conversation == child
    bench.answer(prompt, Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert pairs(bench, child) == [("a1.go.1", {"source": "assistant"}, "answered")]


def test_another_process_may_answer_it(bench: Bench) -> None:
    """S12, E53: the holder hands it on to the sub-agent; the first answer wins, also over one at the sheet."""
    prompt = one(bench, FORM[0])
    other = bench.other()
    other.run()
    for value, status in (("moon", "invalid"), ("live", "accepted"), ("test", "answered")):
        other.send(c.OfferAnswer(inquiry=prompt.inquiry, value=value))
        assert other.until(e.OfferSettled).status == status
    assert main_turn(bench).outcome == "done"
    bench.answer(prompt, Answered(value="test"))
    assert bench.until(e.AnswerRefused).gone
    other.stop()
    for conversation in (bench.conversation, agent(bench)):
        (response,) = [event for event in stored(bench, conversation) if event["type"] == "inquiry_response"]
        assert response["answer"] == "live" and response["responder"]["via"] == "process"


def test_a_side_question_about_it_is_told_who_asks(bench: Bench) -> None:
    """E30, at the parent."""
    prompt = one(bench, YES_NO)
    script = bench.script
    assert isinstance(script, Cast)
    script.of("go")._responses.insert(0, ends("It means well."))
    bench.send(c.AskAside(conversation=prompt.conversation, inquiry=prompt.inquiry, text="why?"))
    bench.until(e.AsideEnded)
    assert "A sub-agent that works for you has asked me this" in str(script.requests[-1].messages)
    bench.answer(prompt, Answered(value=True))
    assert main_turn(bench).outcome == "done"


def test_s30_after_its_calls_a_turn_asks_no_model_any_more(bench: Bench) -> None:
    """A client that goes away: the turns are stopped first, a sub-agent's too, then what waits is cancelled; that is
    on record as the user's, and nobody asks a model in between."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    cast = begin(
        bench,
        go=[[*spawn("dig"), *call("ask", {}, "p1", 1), *end("tools")], ends("Never said.")],
        dig=[[*call("ask", {}), *end("tools")], ends("Never said either.")],
    )
    prompts = [bench.prompt(), bench.prompt()]
    child = agent(bench)
    for conversation in (bench.conversation, child):
        bench.send(c.InterruptTurn(conversation=conversation, action="stop", after_calls=True))
    for one in prompts:
        bench.send(
            c.AnswerQuestion(
                conversation=one.conversation, inquiry=one.inquiry, digest=one.digest, response=Unanswered()
            )
        )
    assert main_turn(bench).outcome == "interrupted"
    assert [len(cast.of(role).requests) for role in ("go", "dig")] == [1, 1]
    for conversation in (bench.conversation, child):
        events = stored(bench, conversation)
        responses = [event for event in events if event["type"] == "inquiry_response"]
        assert len(responses) == (1 if conversation == child else 2), "a child's are in its parent's record, too (Z8)"
        assert all((one["outcome"], one["reason"]) == ("cancelled", "user") for one in responses)
        assert events[-1]["outcome"] == "interrupted"


def test_what_its_tool_asks_is_its_parents_too(bench: Bench) -> None:
    """Z8: one prompt with the label of the sub-agent, on record in both conversations, decided at the sub-agent's."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(
        bench,
        go=[[*spawn("dig", name="mole"), *end("tools")], OK],
        dig=[[*call("ask", {}, "t1"), *end("tools")], [*call("ask", {}, "t2"), *end("tools")], ends("Dug.")],
    )
    prompt = bench.prompt()
    child = agent(bench, "mole")
    assert (prompt.conversation, prompt.inquiry, prompt.call) == (bench.conversation, "s1.sure.1", "s1")
    assert (prompt.label, prompt.tool, prompt.source) == ("Assistant › mole", "ask", "tool")
    assert prompt.controls == {"reply", "end_turn", "cancel", "edit", "remember"}
    bench.answer(prompt, Answered(value=True, remember=True))
    assert main_turn(bench).outcome == "done"
    assert [event.conversation for event in bench.events if isinstance(event, e.QuestionAsked)] == [bench.conversation]
    assert pairs(bench) == [("s1.sure.1", {"source": "other", "name": f"sub_agent:{child}"}, "answered")]
    tool = {"source": "tool", "name": "ask"}
    assert pairs(bench, child) == [("t1.sure.1", tool, "answered"), ("t2.sure.1", tool, "answered")]
    (here,) = [event for event in stored(bench, bench.conversation) if event["type"] == "inquiry_response"]
    there = [event for event in stored(bench, child) if event["type"] == "inquiry_response"]
    assert here["responder"] == there[0]["responder"] and there[1]["responder"]["kind"] == "remembered"
    assert results(bench, child) == [("heard True", False)] * 2


@pytest.mark.parametrize("how", ["cancel", "edit", "reply"])
def test_leaving_a_question_of_its_tool(bench: Bench, how: str) -> None:
    """Z8, R97b, R182: what can be done at a tool's question can be done at a sub-agent's tool's."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(
        bench,
        go=[[*spawn("dig", name="mole"), *end("tools")], OK],
        dig=[[*call("ask", {}, "t1"), *end("tools")], ends("Dug.")],
    )
    prompt = bench.prompt()
    response = {"cancel": Cancelled(), "edit": Edited(arguments={"text": "Really?"}), "reply": Replied(text="no")}[how]
    bench.answer(prompt, response)
    if how == "edit":
        again = bench.prompt()
        assert (again.inquiry, again.question.text) == ("s1.sure.2", "Really?")
        bench.answer(again, Answered(value=False))
    main_turn(bench)
    child = agent(bench, "mole")
    tags = {"cancel": ["user"], "edit": ["user_edit", "answered"], "reply": ["user_reply"]}[how]
    assert [end_ for *_, end_ in pairs(bench)] == [end_ for *_, end_ in pairs(bench, child)] == tags


def test_an_escalated_question_of_its_tool(bench: Bench) -> None:
    """Z7, Z8: the reviewer's no is shown at the parent's, and both records say that it was escalated."""
    bench.reviewer = Reviews(sure=(False, "too wide"))
    rules = {"sure": Rule(target="assistant_with_escalation")}
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules=rules)
    begin(
        bench,
        go=[[*spawn("dig", name="mole"), *end("tools")], OK],
        dig=[[*call("ask", {}, "t1"), *end("tools")], ends("Dug.")],
    )
    prompt = bench.prompt()
    assert prompt.escalation is not None and prompt.escalation.reason.raw == "too wide"
    bench.answer(prompt, Answered(value=True))
    main_turn(bench)
    for conversation in (bench.conversation, agent(bench, "mole")):
        last = [event for event in stored(bench, conversation) if event["type"] == "inquiry_response"][-1]
        assert last["responder"]["escalated"] is True
    (request,) = [event for event in stored(bench, bench.conversation) if event["type"] == "inquiry_request"]
    assert request["metadata"]["escalation"]["reason"] == "too wide"

"""Sub-agents beside their parent: seen live, stopped by themselves, with secrets, reviewers and time limits (issue 7.1,
R139, R202, R224, R243, R249)."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.conversation.model import ModelError
from jp_tui.conversation.outcomes import Success
from jp_tui.engine.session.subagents import Subagents
from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted, PromptRequest
from jp_tui.questions.types import Question, SecretAnswer
from jp_tui.tools.port import NeedsInput, Outcome, ToolCall
from jp_tui.tools.registry import builtin
from tests.engine.cast import YES_NO, Cast, agent, asked, begin, ends, main_turn, results, spawn, stored
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import call, end, text
from tests.fakes.tools import Made, Reviews, asks, at_once, forever, gated
from tests.limits import LIMIT

OK = ends("Ok.")
SPAWNS = [*spawn("dig", name="mole"), *end("tools")]


def answer(bench: Bench, prompt: PromptRequest, response: Any) -> None:
    command = c.AnswerQuestion(
        conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
    )
    bench.send(command)


def look(bench: Bench, conversation: str) -> e.ConversationOpened:
    bench.send(c.OpenConversation(which="id", conversation=conversation))
    return bench.until(e.ConversationOpened)


def test_one_opens_it_live_and_comes_back(bench: Bench) -> None:
    """7.1: what it has done and what it waits for; its parent runs on, and is there again as it was."""
    gate = threading.Event()
    bench.tools["slow"] = tool_setup("slow", slow := Made(gated(gate)))
    begin(bench, go=[SPAWNS, OK], dig=[[*text("On it."), *call("slow", {}, "t1", 1), *end("tools")], ends("Dug.")])
    assert slow.began.wait(LIMIT)
    child, parent = agent(bench, "mole"), bench.conversation
    opened = look(bench, child)
    assert opened.agent is not None and opened.agent.parent == parent and opened.agent.call == "s1"
    assert [one.event["type"] for one in opened.page] == [
        "turn_start", "chat_request", "chat_response", "tool_call_request",
    ]  # fmt: skip
    assert opened.held_by == "" and not opened.new
    assert bench.until(e.TurnStarted).conversation == child
    back = look(bench, parent)
    assert back.agent is None and back.page[-1].event["type"] == "agent_started"
    assert bench.until(e.TurnStarted).conversation == parent
    gate.set()
    assert main_turn(bench).outcome == "done"


def test_one_that_is_looked_at_stays_open_when_it_is_done(bench: Bench) -> None:
    """It is a conversation like any other then: one can go on with it, without its parent."""
    gate = threading.Event()
    bench.tools["slow"] = tool_setup("slow", Made(gated(gate)))
    begin(bench, go=[SPAWNS, OK], dig=[[*call("slow", {}, "t1"), *end("tools")], ends("Dug."), ends("More.")])
    child = agent(bench, "mole")
    look(bench, child)
    gate.set()
    bench.until(e.TurnCompleted, lambda event: event.conversation == bench.conversation)
    bench.send(c.StartTurn(conversation=child, text="and more?"))
    done = bench.until(e.TurnCompleted)
    assert (done.conversation, done.turn, done.outcome) == (child, 2, "done")
    assert results(bench) == [("Dug.", False)], "what was said later is no part of the result"
    assert "agent" not in stored(bench, child)[-4]["metadata"], "nobody's errand"
    look(bench, bench.conversation)
    bench.send(c.StartTurn(conversation=child, text="still there?"))
    assert bench.until(e.Refused).message == f"Conversation {child} is not open."


def test_one_that_is_stopped_by_itself_fails_its_call_only(bench: Bench) -> None:
    bench.tools["runs"] = tool_setup("runs", runs := Made(forever))
    begin(bench, go=[SPAWNS, OK], dig=[[*text("So far."), *call("runs", {}, "t1", 1), *end("tools")], OK])
    assert runs.began.wait(LIMIT)
    bench.send(c.InterruptTurn(conversation=agent(bench, "mole"), action="stop"))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("The sub-agent was stopped before it came to an end.", True)]


def test_words_for_it_are_its_own(bench: Bench) -> None:
    """R211: a reply to the sub-agent is its next message; its result is what it says after that."""
    bench.tools["runs"] = tool_setup("runs", runs := Made(forever))
    cast = begin(bench, go=[SPAWNS, OK], dig=[[*call("runs", {}, "t1"), *end("tools")], ends("Then so.")])
    assert runs.began.wait(LIMIT)
    bench.send(c.InterruptTurn(conversation=agent(bench, "mole"), action="respond", text="leave that"))
    main_turn(bench)
    assert results(bench) == [("Then so.", False)]
    assert "leave that" in str(cast.of("dig").requests[1].messages)


@pytest.mark.parametrize("action", ["stop", "abort"])
def test_cancelling_the_parent_cancels_what_it_runs(bench: Bench, action: c.Interrupt) -> None:
    bench.tools["runs"] = tool_setup("runs", runs := Made(forever))
    begin(bench, go=[SPAWNS, OK], dig=[[*call("runs", {}, "t1"), *end("tools")], OK])
    assert runs.began.wait(LIMIT)
    bench.interrupt(action)
    child = bench.until(e.TurnCompleted)
    assert (child.conversation, child.outcome) == (agent(bench, "mole"), "interrupted")
    assert main_turn(bench).outcome == "interrupted"
    assert runs.calls[0].cancel.called


async def _secret(call: ToolCall) -> Outcome:
    given = call.answers.get("pass")
    return NeedsInput(Question("pass", "Pass?", SecretAnswer())) if given is None else Success(f"heard {given.value}")


async def _leaks(call: ToolCall) -> Outcome:
    return Success("the file says hunter22")


def test_a_secret_of_either_shows_in_neither(bench: Bench) -> None:
    """R202: typed for the sub-agent's tool, it is in no log and in no question, nor in what its parent's tools say."""
    bench.tools["login"] = tool_setup("login", Made(_secret))
    bench.tools["leaks"] = tool_setup("leaks", Made(_leaks))
    begin(
        bench,
        go=[SPAWNS, [*call("leaks", {}, "p1"), *end("tools")], OK],
        dig=[
            [*call("login", {}, "t1"), *end("tools")],
            [*asked({**YES_NO, "context": "It is hunter22"}), *end("tools")],
            ends("Done."),
        ],
    )
    secret = bench.prompt()
    assert secret.conversation == bench.conversation and isinstance(secret.question.answer_type, SecretAnswer)
    child = agent(bench, "mole")
    answer(bench, secret, Answered(value="hunter22"))
    question = bench.prompt()
    assert question.question.context == "It is <redacted>"
    answer(bench, question, Answered(value=True))
    main_turn(bench)
    told = [*stored(bench, bench.conversation), *stored(bench, child)]
    said = [event for event in told if event["type"] != "tool_call_request"]  # the script's model knows it by itself
    assert "hunter22" not in str(said) and str(said).count("<redacted>") >= 3


def test_its_tools_have_the_same_reviewer(bench: Bench) -> None:
    """7.2: by the same table; the reviewer sees the sub-agent's conversation, and its no reaches the human."""
    bench.reviewer = reviews = Reviews(sure=(False, "not that"))
    rules = {"sure": Rule(target="assistant_with_escalation")}
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules=rules)
    begin(bench, go=[SPAWNS, OK], dig=[[*call("ask", {}, "t1"), *end("tools")], ends("Dug.")])
    started = bench.until(e.ReviewStarted)
    child = agent(bench, "mole")
    assert started.conversation == child and started.inquiry == "t1.sure.1"
    prompt = bench.prompt()
    assert prompt.conversation == bench.conversation and prompt.agent is not None
    assert prompt.label == "Assistant › mole" and prompt.tool == "ask"
    assert prompt.escalation is not None and prompt.escalation.reason.raw == "not that"
    answer(bench, prompt, Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert [tool for _, tool, _ in reviews.seen] == ["ask"]


def test_a_reviewer_is_taken_over_there(bench: Bench) -> None:
    """R156."""
    bench.reviewer = reviews = Reviews(sure=(True, "fine"))
    reviews.gate.clear()
    bench.tools["ask"] = tool_setup("ask", Made(asks), rules={"sure": Rule(target="assistant")})
    begin(bench, go=[SPAWNS, OK], dig=[[*call("ask", {}, "t1"), *end("tools")], ends("Dug.")])
    started = bench.until(e.ReviewStarted)
    bench.send(c.TakeOver(conversation=started.conversation, inquiry=started.inquiry))
    prompt = bench.prompt()
    assert prompt.escalation is not None and prompt.escalation.cause == "taken_over"
    answer(bench, prompt, Answered(value=False))
    main_turn(bench)
    assert results(bench, agent(bench, "mole")) == [("heard False", False)]


def test_the_users_time_limit_runs_at_its_machine(bench: Bench) -> None:
    """R243: shown with the question wherever it is; timed out, in either record, and the sub-agent goes on."""
    rules = {"go": Rule(deadline_secs=1)}
    bench.tools["ask_user"] = tool_setup("ask_user", builtin()["ask_user"], hidden=True, rules=rules)
    begin(bench, go=[SPAWNS, OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    prompt = bench.prompt()
    assert prompt.deadline_secs == 1 and prompt.conversation == bench.conversation
    settled = bench.until(e.QuestionSettled, lambda event: event.conversation == bench.conversation)
    assert (settled.how, settled.by) == ("cancelled", "policy")
    main_turn(bench)
    for conversation in (bench.conversation, agent(bench, "mole")):
        (response,) = [event for event in stored(bench, conversation) if event["type"] == "inquiry_response"]
        assert response["reason"] == "timed_out"


def test_one_that_is_not_taken_up_again_is_over(bench: Bench) -> None:
    """R207: its call is not allowed to run the second time; nothing of it waits for anybody then."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(bench, go=[SPAWNS, OK], dig=[[*call("ask", {}, "t1"), *end("tools")], OK])
    bench.prompt()
    child = agent(bench, "mole")
    bench.kill()
    bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"], run="ask")
    bench.start("latest")
    leave = bench.prompt()
    assert leave.kind == "permission" and leave.tool == "spawn_agent"
    bench.answer(leave, Permitted(run=False))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("Tool skipped by user.", False)]
    assert stored(bench, child)[-1]["outcome"] == "interrupted"
    bench.send(c.ListInquiries(pending=True))
    assert bench.until(e.InquiriesListed).inquiries == ()


def test_one_whose_model_is_gone_is_over(bench: Bench) -> None:
    begin(bench, go=[SPAWNS, OK], dig=[[*asked(YES_NO), *end("tools")], OK])
    bench.prompt()
    child = agent(bench, "mole")
    bench.kill()
    gone = ModelError("unknown_model", "There is no such model any more.")

    async def none(name: str) -> Any:
        raise gone

    bench.agent_model = none
    bench.start("latest")
    assert main_turn(bench).outcome == "done"
    ((words, failed),) = results(bench)
    assert failed and words == "The sub-agent was not started: There is no such model any more."
    assert stored(bench, child)[-1]["outcome"] == "interrupted"
    events = stored(bench, bench.conversation)
    assert [event["reason"] for event in events if event["type"] == "inquiry_response"] == ["user"]


def test_it_has_the_changes_of_its_parents_conversation(bench: Bench) -> None:
    """R67: what the command line changed for the parent holds for it, and is kept with it."""
    bench.delta = {"conversation": {"tools": {"*": {"run": "ask"}}}}
    begin(bench, go=[SPAWNS, OK], dig=[ends("Dug.")])
    main_turn(bench)
    deltas = [event["delta"] for event in stored(bench, agent(bench, "mole")) if event["type"] == "config_delta"]
    assert deltas == [bench.delta]


def test_it_works_in_the_folder_of_its_parents_turn(bench: Bench) -> None:
    """The same scratch copy, where the parent's turn has one; it is not taken away before the parent's end."""
    sample = bench.home / "sample"
    sample.mkdir()
    (sample / "a.txt").write_text("x")
    bench.tools["where"] = tool_setup("where", where := Made(at_once))
    cast = Cast(
        go=[[*call("where", {}, "p1"), *end("tools")], SPAWNS, [*call("where", {}, "p2"), *end("tools")], OK],
        dig=[[*call("where", {}, "t1"), *end("tools")], ends("Dug.")],
    )
    type(cast).sample = property(lambda self: sample)  # type: ignore[assignment]
    try:
        bench.script = cast
        bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"])
        bench.start()
        bench.say("go")
        assert main_turn(bench).outcome == "done"
        bench.stop()
    finally:
        type(cast).sample = property(lambda self: None)  # type: ignore[assignment]
    first, second, third = (one.root for one in where.calls)
    assert first == second == third != bench.workspace and not first.exists()


def test_of_one_that_nobody_looks_at_no_text_is_sent(bench: Bench) -> None:
    """7.1, live: who opens it gets what there is so far, then the rest."""
    opened = [m.PartOpened(0, "message"), m.PartGrew(0, "First half, "), 60.0]
    begin(bench, go=[SPAWNS, OK], dig=[opened])
    child = agent(bench, "mole")
    bench.until(e.TurnPhase, lambda event: event.conversation == child and event.phase == "streaming")
    bench.send_and_wait()
    assert not [event for event in bench.events if isinstance(event, e.PartDelta) and event.conversation == child]
    look(bench, child)
    delta = bench.until(e.PartDelta)
    assert (delta.conversation, delta.kind, delta.text.raw) == (child, "message", "First half, ")


def test_who_comes_later_is_told_what_runs(bench: Bench) -> None:
    bench.tools["runs"] = tool_setup("runs", runs := Made(forever))
    begin(bench, go=[SPAWNS, OK], dig=[[*call("runs", {}, "t1"), *end("tools")]])
    assert runs.began.wait(LIMIT)
    child = agent(bench, "mole")
    look(bench, child)
    running = bench.until(e.CallChanged)
    assert (running.conversation, running.call, running.state) == (child, "t1", "running")
    look(bench, bench.conversation)
    works = bench.until(e.CallChanged)
    assert works.call == "s1" and works.agent is not None and works.agent.conversation == child


def test_a_conversation_that_somebody_holds_is_stopped_when_its_parent_ends() -> None:
    """R202: it is a conversation like any other then, and its turn ends as the user's stop would end it."""
    seen: list[tuple[str, str]] = []

    async def finished(seconds: float) -> None:
        seen.append(("finished", ""))

    async def close(session: object, *, leaves: bool) -> None:
        seen.append(("closed", str(leaves)))

    session: Any = SimpleNamespace(
        interrupt=lambda action, text: seen.append((action, text)), finished=finished, busy=True
    )
    agents: Any = SimpleNamespace(_close=close)
    asyncio.run(Subagents._end(agents, session, leaves=False))
    assert seen == [("stop", ""), ("finished", ""), ("closed", "False")]

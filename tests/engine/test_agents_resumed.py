"""Sub-agents of a turn that was cut off (R237, E24, E52): both come back, and each goes on where it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation.strict_json import JsonObject
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted, PromptRequest
from jp_tui.system.lock import Holder, acquire, lock_path
from jp_tui.tools.registry import builtin
from tests.engine.cast import YES_NO, Cast, agent, asked, begin, ends, main_turn, results, spawn, stored
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import call, end
from tests.fakes.tools import Made, asks, at_once, forever
from tests.limits import LIMIT

OK = ends("Ok.")
SPAWNS = [*spawn("dig", name="mole"), *end("tools")]


def cut(bench: Bench, how: str, name: str = "after") -> None:
    bench.stop() if how == "leave" else bench.kill(name)


def answer(bench: Bench, prompt: PromptRequest, response: Any) -> None:
    command = c.AnswerQuestion(
        conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
    )
    bench.send(command)


def children(bench: Bench) -> list[str]:
    bench.send(c.ListConversations(agents=True))
    return [row.id for row in bench.until(e.ConversationsListed).conversations if row.parent]


def whole(bench: Bench, *conversations: str) -> None:
    """Each request has one response, and each turn one end."""
    for id_ in conversations:
        events = stored(bench, id_)
        for kind in ("inquiry", "tool_call"):
            asked_ = sorted(str(event["id"]) for event in events if event["type"] == f"{kind}_request")
            assert asked_ == sorted(str(event["id"]) for event in events if event["type"] == f"{kind}_response")
        assert [event["type"] for event in events].count("turn_outcome") == 1
        assert events[-1]["type"] == "turn_outcome"


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_its_question_comes_back_with_its_id_and_its_draft(bench: Bench, how: str) -> None:
    """Killed while it waits at the handler, twice: the same sub-agent, the same question, one pair in either record."""
    begin(bench, go=[SPAWNS, OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    first = bench.prompt()
    child = agent(bench, "mole")
    bench.draft(first.inquiry, "half an")
    for number in range(2):
        cut(bench, how, f"life{number}")
        opened = bench.start("latest")
        assert opened.conversation == first.conversation and opened.drafts == {first.inquiry: "half an"}
        assert bench.until(e.TurnStarted).resumed
        event = bench.until(e.QuestionAsked)
        again = event.prompt
        assert (again.conversation, again.inquiry, again.digest) == (first.conversation, first.inquiry, first.digest)
        assert again.agent == first.agent and again.label == first.label and event.draft == "half an"
    bench.answer(again, Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert children(bench) == [child]
    assert results(bench) == [("Dug.", False)] and results(bench, child) == [('{"go": true}', False)]
    whole(bench, bench.conversation, child)
    bench.stop()
    assert bench.start("latest").drafts == {}


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_a_question_of_its_tool_comes_back(bench: Bench, how: str) -> None:
    """It stands in its parent's record as well (Z8), and is asked there again under its own id."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(bench, go=[SPAWNS, OK], dig=[[*call("ask", {}, "t1"), *end("tools")], ends("Dug.")])
    first = bench.prompt()
    child = agent(bench, "mole")
    bench.send(c.SaveDraft(conversation=bench.conversation, key=first.inquiry, text="half"))
    bench.send_and_wait()
    bench.journal.flush().result(LIMIT)
    cut(bench, how)
    bench.start("latest")
    event = bench.until(e.QuestionAsked)
    again = event.prompt
    assert (again.conversation, again.inquiry) == (bench.conversation, first.inquiry)
    assert again.inquiry == "s1.sure.1"
    assert event.draft == "half", "nobody has opened that conversation, so the draft comes with the question"
    answer(bench, again, Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert results(bench, child) == [("heard True", False)] and results(bench) == [("Dug.", False)]
    whole(bench, bench.conversation, child)


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_one_that_was_speaking_says_it_again(bench: Bench, how: str) -> None:
    """Cut off in the middle of a response: what it had done stands, and nothing of the half message is left."""
    quick = Made(at_once)
    bench.tools["quick"] = tool_setup("quick", quick)
    half: list[Any] = [*ends("Half of it")[:2], 60.0]
    cast = begin(bench, go=[SPAWNS, OK], dig=[[*call("quick", {}), *end("tools")], half])
    streams = bench.ever(e.TurnPhase, lambda one: one.conversation != bench.conversation and one.phase == "streaming")
    bench.until(e.TurnPhase, lambda one: one.conversation == streams.conversation and one.phase == "streaming")
    child = agent(bench, "mole")
    cut(bench, how)
    bench.script = again = Cast(go=[OK], dig=[ends("All of it.")])
    bench.start("latest")
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("All of it.", False)] and len(quick.calls) == 1
    assert [event["message"] for event in stored(bench, child) if event["type"] == "chat_response"] == ["All of it."]
    assert len(cast.of("dig").requests) == 2 and len(again.of("dig").requests) == 1
    whole(bench, bench.conversation, child)


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_a_tool_of_it_that_was_running_is_not_run_again(bench: Bench, how: str) -> None:
    """It may have done its work: the sub-agent's model is told, and goes on."""
    runs = Made(forever)
    bench.tools["runs"] = tool_setup("runs", runs)
    begin(bench, go=[SPAWNS, OK], dig=[[*call("runs", {}), *end("tools")], ends("So be it.")])
    assert runs.began.wait(LIMIT)
    child = agent(bench, "mole")
    cut(bench, how)
    bench.start("latest")
    assert main_turn(bench).outcome == "done"
    assert len(runs.calls) == 1 and results(bench, child) == [("Tool call was interrupted.", True)]
    assert results(bench) == [("So be it.", False)]


@pytest.mark.parametrize("how", ["leave", "kill"])
def test_leave_that_it_waited_for_is_asked_for_again(bench: Bench, how: str) -> None:
    """E52: an unattended end is no refusal."""
    bench.tools["quick"] = tool_setup("quick", quick := Made(at_once), run="ask")
    begin(bench, go=[SPAWNS, OK], dig=[[*call("quick", {}), *end("tools")], ends("Dug.")])
    first = bench.prompt()
    cut(bench, how)
    bench.start("latest")
    again = bench.prompt()
    assert again.kind == "permission" and again.conversation == first.conversation and quick.calls == []
    answer(bench, again, Permitted(run=True))
    assert main_turn(bench).outcome == "done" and len(quick.calls) == 1


def test_one_that_was_done_gives_its_result_at_once(bench: Bench) -> None:
    """Its result waited for an earlier call's; nothing of it is run again."""
    cast = begin(
        bench,
        go=[[*spawn("one", "s1", 0), *spawn("two", "s2", 1), *end("tools")], OK],
        one=[[*asked(YES_NO), *end("tools")], ends("First.")],
        two=[ends("Second.")],
    )
    bench.prompt()
    bench.ever(e.CallChanged, lambda event: event.call == "s2" and event.state == "completed")
    bench.kill()
    bench.start("latest")
    bench.answer(bench.prompt(), Answered(value=False))
    assert main_turn(bench).outcome == "done"
    assert sorted(results(bench)) == [("First.", False), ("Second.", False)]
    assert len(cast.of("two").requests) == 1 and len(children(bench)) == 2


def test_killed_before_it_began_it_begins(bench: Bench) -> None:
    """That it was started is on record first; with the conversation itself, or without."""
    gate: list[Any] = [60.0]
    begin(bench, go=[SPAWNS, OK], dig=[gate])
    bench.ever(e.TurnStarted, lambda event: event.conversation != bench.conversation)
    child = agent(bench, "mole")
    bench.kill()
    bench.script = Cast(go=[OK], dig=[ends("Dug.")])
    bench.start("latest")
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("Dug.", False)] and children(bench) == [child]


def test_one_that_another_process_writes_is_not_taken_up(bench: Bench) -> None:
    """S12, E52: one writer each; the parent's model is told who writes it."""
    gate: list[Any] = [60.0]
    begin(bench, go=[SPAWNS, OK], dig=[gate])
    bench.ever(e.TurnStarted, lambda event: event.conversation != bench.conversation)
    child = agent(bench, "mole")
    bench.kill()
    held = acquire(lock_path(bench.home / "locks", child), Holder.me("jp-tui elsewhere", "noon"))
    assert not isinstance(held, Holder)
    bench.script = Cast(go=[OK])
    bench.start("latest")
    assert main_turn(bench).outcome == "done"
    ((words, failed),) = results(bench)
    assert failed and words.startswith("The sub-agent's conversation is being written by jp-tui elsewhere")
    held.release()


def test_nobody_there_leaves_it_as_it_is(bench: Bench) -> None:
    """R207, E52: a run without a client does not answer for anybody."""
    begin(bench, go=[SPAWNS, OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    first = bench.prompt()
    bench.kill()
    bench.client = False
    bench.start("latest")
    bench.say("and now?")
    refused = bench.until(e.Refused)
    assert refused.pending == (first.inquiry,)
    bench.stop()
    bench.client = True
    bench.start("latest")
    assert bench.prompt().inquiry == first.inquiry


def test_an_answer_from_elsewhere_reaches_it(bench: Bench) -> None:
    """S12: while nobody holds either conversation; at the next start it is not asked again."""
    begin(bench, go=[SPAWNS, OK], dig=[[*asked(YES_NO), *end("tools")], ends("Dug.")])
    first = bench.prompt()
    child = agent(bench, "mole")
    bench.kill()
    other = bench.other()
    other.run()
    for name in (first.inquiry, f"{bench.conversation}/{first.inquiry}"):
        other.send(c.ListInquiries(pending=True))
        waits = other.until(e.InquiriesListed).inquiries
        wanted = [(bench.conversation, first.inquiry)] if name == first.inquiry else []
        assert [(one.conversation, one.id) for one in waits] == wanted, "once, as the parent's"
        other.send(c.OfferAnswer(inquiry=name, value="yes"))
        assert other.until(e.OfferSettled).status == ("accepted" if name == first.inquiry else "answered")
    other.stop()
    bench.start("latest")
    assert main_turn(bench).outcome == "done"
    assert results(bench, child) == [('{"go": true}', False)] and results(bench) == [("Dug.", False)]
    assert not [event for event in bench.events if isinstance(event, e.QuestionAsked)]
    said = [event for event in bench.events if isinstance(event, e.EventAppended) and event.conversation == child]
    assert said and "inquiry_response" not in [event.stored.event["type"] for event in said], "known before it was seen"
    whole(bench, bench.conversation, child)


FORM: list[JsonObject] = [
    {"id": "a", "text": "A?", "answer_type": "text"},
    {"id": "b", "text": "B?", "answer_type": "text"},
]


def test_a_form_goes_on_where_it_was(bench: Bench) -> None:
    begin(bench, go=[SPAWNS, OK], dig=[[*asked(FORM), *end("tools")], ends("Dug.")])
    bench.answer(bench.prompt(), Answered(value="1"))
    second = bench.prompt()
    bench.kill()
    bench.start("latest")
    again = bench.prompt()
    assert (again.inquiry, again.question.id, again.back) == (second.inquiry, "b", "a")
    bench.answer(again, Answered(value="2"))
    main_turn(bench)
    assert results(bench, agent(bench, "mole")) == [('{"a": "1", "b": "2"}', False)]


HOLDER = """
import sys, threading
from pathlib import Path
from tests.engine.cast import YES_NO, agent, asked, begin, ends, spawn
from tests.engine.conftest import Bench
from tests.fakes.models import end
bench = Bench(Path(sys.argv[1]))
begin(bench, go=[[*spawn("dig"), *end("tools")]], dig=[[*asked(YES_NO), *end("tools")]])
prompt = bench.prompt()
bench.draft(prompt.inquiry, "half an")
print(prompt.conversation, prompt.inquiry, agent(bench), flush=True)
threading.Event().wait()
"""


def test_kill_9_while_it_waits(bench: Bench) -> None:
    """A process of its own, killed by the system: nothing was said, nothing closed, and the locks were its."""
    root = Path(__file__).resolve().parents[2]
    held = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(bench.home)], cwd=root, stdout=subprocess.PIPE, text=True
    )
    try:
        assert held.stdout is not None
        conversation, inquiry, child = held.stdout.readline().split()
        bench.script = Cast(go=[OK], dig=[ends("Dug.")])
        bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"])
        assert bench.start("latest").held_by != ""
        bench.stop()
    finally:
        held.kill()
        held.wait(LIMIT)
    opened = bench.start("latest")
    assert (opened.conversation, opened.drafts) == (conversation, {inquiry: "half an"})
    prompt = bench.prompt()
    assert prompt.inquiry == inquiry and prompt.agent is not None and prompt.agent.conversation == child
    bench.answer(prompt, Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("Dug.", False)]
    whole(bench, conversation, child)

"""Sub-agents: a child conversation on the same engine (issue 7.1, surface S40, inquiries.md R224, R249)."""

from __future__ import annotations

import threading

import pytest

from jp_tui.conversation.model import ModelError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted
from tests.engine.cast import agent, begin, ends, main_turn, results, spawn, stored
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import call, end
from tests.fakes.tools import Made, asks, at_once, gated
from tests.limits import LIMIT


def test_its_last_message_is_the_result(bench: Bench) -> None:
    """A conversation of its own, stored as a child, which begins with the task and knows nothing of the parent's."""
    cast = begin(
        bench,
        go=[[*spawn("look there\nand here", name="scout"), *end("tools")], ends("Thanks.")],
        **{"look there\nand here": [[*call("quick", {"n": 1}), *end("tools")], ends("It is there.")]},
    )
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    assert main_turn(bench).outcome == "done"
    child = agent(bench, "scout")
    assert results(bench) == [("It is there.", False)]
    own = stored(bench, child)
    about = own[0]["metadata"]["agent"]
    assert (about["parent"], about["call"], about["name"]) == (bench.conversation, "s1", "scout")
    assert about["task"] == "look there and here"
    assert [event["type"] for event in own] == [
        "turn_start", "chat_request", "tool_call_request", "tool_call_response", "chat_response", "turn_outcome",
    ]  # fmt: skip
    assert own[1]["content"] == "look there\nand here"
    (response,) = [event for event in stored(bench, bench.conversation) if event["type"] == "tool_call_response"]
    assert response["metadata"]["agent"]["conversation"] == child
    offered = [tool.name for tool in cast.of("look there\nand here").requests[0].tools]
    assert "spawn_agent" not in offered and "ask_user" in offered and offered.count("ask_user") == 1, "R218, R224"
    bench.send(c.ListConversations())
    assert [row.id for row in bench.until(e.ConversationsListed).conversations] == [bench.conversation]
    bench.send(c.ListConversations(agents=True))
    listed = {row.id: row for row in bench.until(e.ConversationsListed).conversations}
    assert listed[child].parent == bench.conversation and listed[child].title.raw == "scout"


def test_several_run_at_the_same_time_and_results_keep_their_order(bench: Bench) -> None:
    """R95: neither waits for the other; the first to be called is the first to be told."""
    gate = threading.Event()
    bench.tools["slow"] = tool_setup("slow", Made(gated(gate)))
    bench.tools["quick"] = tool_setup("quick", quick := Made(at_once))
    begin(
        bench,
        go=[[*spawn("one", "s1", 0), *spawn("two", "s2", 1), *end("tools")], ends("Both.")],
        one=[[*call("slow", {}), *end("tools")], ends("First.")],
        two=[[*call("quick", {}), *end("tools")], ends("Second.")],
    )
    assert quick.began.wait(LIMIT)
    bench.until(e.TurnCompleted, lambda event: event.conversation != bench.conversation)
    gate.set()
    main_turn(bench)
    assert results(bench) == [("First.", False), ("Second.", False)]


def test_a_tool_of_it_asks_for_itself(bench: Bench) -> None:
    """E4: the prompt is the child's, says which agent and what for; what the parent remembers is not the child's."""
    bench.tools["ask"] = tool_setup("ask", Made(asks), run="ask")
    begin(
        bench,
        go=[[*call("ask", {}, "p1", 0), *end("tools")], [*spawn("dig", name="mole"), *end("tools")], ends("Ok.")],
        dig=[[*call("ask", {"text": "Deeper?"}), *end("tools")], ends("Dug.")],
    )
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    bench.answer(first := bench.prompt(), Answered(value=True, remember=True))
    assert first.agent is None
    leave = bench.prompt()
    assert leave.kind == "permission", "R249: nothing remembered passes"
    assert leave.agent is not None and (leave.agent.name.raw, leave.agent.task.raw) == ("mole", "dig")
    assert leave.conversation == leave.agent.conversation == agent(bench, "mole")
    assert (leave.agent.parent, leave.agent.call) == (bench.conversation, "s1")

    def answer(prompt: object, response: object) -> None:
        bench.send(
            c.AnswerQuestion(
                conversation=prompt.conversation,  # type: ignore[attr-defined]
                inquiry=prompt.inquiry,  # type: ignore[attr-defined]
                digest=prompt.digest,  # type: ignore[attr-defined]
                response=response,  # type: ignore[arg-type]
            )
        )

    answer(leave, Permitted(run=True))
    answer(bench.prompt(), Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("heard True", False), ("Dug.", False)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tools": ["quick", "nothing"]}, "cannot get these tools: nothing"),
        ({"tools": ["spawn_agent"]}, "cannot get these tools: spawn_agent"),
        ({"model": "no/such"}, "not started: Unknown provider no."),
    ],
)
def test_what_cannot_be_started_is_an_error_and_leaves_nothing(
    bench: Bench, more: dict[str, object], said: str
) -> None:
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    bench.unknown_models = {"no/such": ModelError("unknown_model", "Unknown provider no.")}
    begin(bench, go=[[*spawn("dig", **more), *end("tools")], ends("Oh.")])
    assert main_turn(bench).outcome == "done"
    ((words, failed),) = results(bench)
    assert failed and said in words
    bench.send(c.ListConversations(agents=True))
    assert len(bench.until(e.ConversationsListed).conversations) == 1


def test_it_gets_the_tools_that_are_named(bench: Bench) -> None:
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    cast = begin(
        bench,
        go=[[*spawn("dig", tools=["quick"]), *end("tools")], ends("Ok.")],
        dig=[[*call("fs_list_files", {}), *end("tools")], ends("Done.")],
    )
    main_turn(bench)
    assert [tool.name for tool in cast.of("dig").requests[0].tools] == ["quick"]
    ((words, failed),) = results(bench, agent(bench))
    assert failed and "is not available" in words, "R101: what it was not given does not run"


def test_p20_it_gets_a_servers_tool_by_its_name_on_the_wire(bench: Bench) -> None:
    """The model knows no other name of it."""
    bench.tools["mcp.docs.search"] = tool_setup("mcp.docs.search", Made(at_once), kind="mcp", server="docs")
    cast = begin(
        bench,
        go=[[*spawn("dig", tools=["mcp__docs__search"]), *end("tools")], ends("Ok.")],
        dig=[ends("Done.")],
    )
    main_turn(bench)
    assert [tool.name for tool in cast.of("dig").requests[0].tools] == ["mcp.docs.search"]


def test_one_that_fails_fails_its_call_and_nothing_else(bench: Bench) -> None:
    begin(
        bench,
        go=[[*spawn("one", "s1", 0), *spawn("two", "s2", 1), *end("tools")], ends("So.")],
        one=[[ModelError("auth", "The key was refused.")]],
        two=[ends("Second.")],
    )
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [("The sub-agent failed: The key was refused.", True), ("Second.", False)]


def test_one_that_says_nothing_has_no_result(bench: Bench) -> None:
    begin(bench, go=[[*spawn("one"), *end("tools")], ends("So.")], one=[[*end()]])
    main_turn(bench)
    assert results(bench) == [("The sub-agent ended without saying anything.", True)]

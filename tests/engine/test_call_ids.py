"""Ids of calls are unique within a conversation, whatever the model sends (Z1, R27, R29)."""

from __future__ import annotations

from typing import Any

from jp_tui.conversation.model import Call, Result
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, at_once

OK = [*text("Ok."), *end()]


def requests(bench: Bench) -> list[dict[str, Any]]:
    return [event for event in bench.log() if event["type"] == "tool_call_request"]


def test_an_id_that_comes_again_gets_a_suffix(bench: Bench) -> None:
    """Z1: in another cycle, in the same response, and in another turn; the id as sent is kept."""
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    twice = [*call("quick", {"n": 2}, "c1", 0), *call("quick", {"n": 3}, "c1", 1), *end("tools")]
    bench.script = Script(
        [*call("quick", {"n": 1}, "c1"), *end("tools")], twice, OK, [*call("quick", {"n": 4}, "c1"), *end("tools")], OK
    )
    bench.start()
    bench.say("go")
    bench.turn()
    bench.say("again")
    bench.turn()
    assert [event["id"] for event in requests(bench)] == ["c1", "c1_2", "c1_3", "c1_4"]
    assert [event.get("metadata", {}).get("sent_id") for event in requests(bench)] == [None, "c1", "c1", "c1"]
    results = {event["id"]: event["content"] for event in bench.log() if event["type"] == "tool_call_response"}
    assert results == {"c1": "done 1", "c1_2": "done 2", "c1_3": "done 3", "c1_4": "done 4"}
    parts = [part for message in bench.script.requests[-1].messages for part in message.parts]
    assert [part.id for part in parts if isinstance(part, Call)] == ["c1", "c1_2", "c1_3", "c1_4"]
    assert [part.id for part in parts if isinstance(part, Result)] == ["c1", "c1_2", "c1_3", "c1_4"]


def test_attempts_are_counted_by_the_stored_id(bench: Bench) -> None:
    """Z1, R26: the inquiry ids of two calls never meet."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    cycle = [*call("ask", {}, "c1"), *end("tools")]
    bench.script = Script(cycle, cycle, OK)
    bench.start()
    bench.say("go")
    ids = []
    for _ in range(2):
        prompt = bench.prompt()
        ids.append(prompt.inquiry)
        bench.answer(prompt, Answered(value=True))
    bench.turn()
    assert ids == ["c1.sure.1", "c1_2.sure.1"]


def test_ids_of_a_conversation_that_is_opened_again_are_known(bench: Bench) -> None:
    """Z1."""
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    cycle = [*call("quick", {"n": 1}, "c1"), *end("tools")]
    bench.script = Script(cycle, OK)
    bench.start()
    bench.say("go")
    bench.turn()
    bench.stop()
    bench.script = Script(cycle, OK)
    bench.start("latest")
    bench.say("again")
    bench.turn()
    assert [event["id"] for event in requests(bench)] == ["c1_2"]


def test_an_id_that_no_server_sent_is_not_kept(bench: Bench) -> None:
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    bench.script = Script([*call("quick", {"n": 1}, ""), *end("tools")], OK)
    bench.start()
    bench.say("go")
    bench.turn()
    (request,) = requests(bench)
    assert request["id"].startswith("call_1_") and "sent_id" not in request.get("metadata", {})

"""A thousand at once: no answer is lost or swapped, and cost grows with the number, not with its square (INQ-018)."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable

from jp_tui.conversation import model as m
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks, at_once


def calls(count: int, name: str, id_: Callable[[int], str]) -> list[Item]:
    found = [item for at in range(count) for item in call(name, {"n": at, "text": f"Sure {at}?"}, id_(at), at)]
    return [*found, *end("tools")]


def test_a_thousand_questions_answered_in_any_order(bench: Bench) -> None:
    """INQ-018: each request one response, and each call hears its own answer."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script(calls(1000, "ask", lambda at: f"c{at}"), [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    prompts = [bench.prompt() for _ in range(1000)]
    random.Random(7).shuffle(prompts)
    for prompt in prompts:
        bench.answer(prompt, Answered(value=int(prompt.call[1:]) % 3 == 0))
    assert bench.turn().outcome == "done"
    results = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert [event["id"] for event in results] == [f"c{at}" for at in range(1000)]
    assert [event["content"] for event in results] == [f"heard {at % 3 == 0}" for at in range(1000)]
    given = {event["id"]: event["answer"] for event in bench.log() if event["type"] == "inquiry_response"}
    assert given == {f"c{at}.sure.1": at % 3 == 0 for at in range(1000)}


def test_calls_cost_in_proportion_to_their_number(bench: Bench) -> None:
    """SIZE-017: eight times as many calls, all with one id, cost about eight times as much work, counted in steps."""

    def took(count: int) -> int:
        work = itertools.count()
        bench.tools["quick"] = tool_setup("quick", Made(at_once))
        bench.script = Script(calls(count, "quick", lambda at: "same"), [*text("Ok."), *end()])
        threading.setprofile(lambda *_: next(work))  # for the engine's thread, which starts now
        try:
            bench.start()
        finally:
            threading.setprofile(None)  # type: ignore[arg-type]
        bench.say("go")
        assert bench.turn().outcome == "done"
        ids = [event["id"] for event in bench.log() if event["type"] == "tool_call_response"]
        assert len(set(ids)) == count
        bench.stop()
        return next(work)

    few, many = took(100), took(800)
    assert 4 * few < many < 12 * few


def test_a_server_that_sends_much_at_once_keeps_nobody_waiting(bench: Bench) -> None:
    """SIZE-002: a million pieces without a pause; a command is heard in the middle."""
    pieces: list[Item] = [m.PartGrew(0, "x" * 16)] * 1_000_000
    bench.script = Script([m.PartOpened(0, "message"), *pieces, m.PartEnded(0), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.PartDelta)
    bench.interrupt("stop")
    assert bench.turn().outcome == "interrupted"
    (kept,) = [event for event in bench.log() if event["type"] == "chat_response"]
    assert 0 < len(kept["message"]) < 16_000_000 and kept["metadata"]["incomplete"]


def test_a_long_conversation_is_read_in_pieces(bench: Bench) -> None:
    """The engine hears commands while the log of a long conversation is read for the first request."""
    bench.script = Script(*[[*text(f"Answer {at}."), *end()] for at in range(60)])
    bench.start()
    for at in range(60):
        bench.say(f"question {at}")
        bench.turn()
    bench.stop()
    bench.script = Script([*text("Last."), *end()])
    bench.start("latest")
    bench.say("last")
    bench.turn()
    told = bench.script.requests[0].messages
    assert [message.parts for message in told[:3]] == [
        (m.TextPart("question 0"),),
        (m.TextPart("Answer 0."),),
        (m.TextPart("question 1"),),
    ]
    assert len(told) == 121

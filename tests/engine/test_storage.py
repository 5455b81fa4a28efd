"""A log that fails or is slow in the middle of a turn: nothing hangs, nothing is shown as done (T13, T14, R205)."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from jp_tui.conversation import model as m
from jp_tui.engine.turn.turn import Turn
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, at_once, forever
from tests.limits import LIMIT

KINDS = (
    "turn_start", "chat_response", "inquiry_request", "inquiry_response", "tool_call_request", "tool_call_response",
    "turn_outcome",
)  # fmt: skip


def stored(bench: Bench) -> list[dict[str, Any]]:
    """What is in the database now, by another connection."""
    with sqlite3.connect(bench.home / "conversations.db") as db:
        rows = db.execute("SELECT payload FROM events ORDER BY place").fetchall()
    db.close()
    return [json.loads(row[0]) for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_that_fails_at_any_point_ends_the_turn_with_words(bench: Bench, kind: str) -> None:
    """Whatever could not be recorded was not reported either; with room again the conversation goes on."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    calls = [*call("ask", {}, "c1", 0), *call("quick", {}, "c2", 1), *text("Let me see.", 2), *end("tools")]
    bench.script = Script(calls, [*text("Done."), *end()], [*text("Fine."), *end()], [*text("Fine."), *end()])
    bench.start()
    bench.journal.refuse = lambda what: what == kind
    bench.say("go")
    while True:
        event = bench.until((e.QuestionAsked, e.StorageFailed))  # type: ignore[arg-type]
        if isinstance(event, e.StorageFailed):
            break
        bench.answer(event.prompt, Answered(value=True))
    done = bench.turn()
    assert done.outcome == "failed" and done.error is not None and done.error.kind == "storage"
    assert done.returned == ("go" if kind in ("turn_start", "chat_response", "tool_call_request") else "")
    asked = {event.prompt.inquiry for event in bench.events if isinstance(event, e.QuestionAsked)}
    settled = {event.inquiry for event in bench.events if isinstance(event, e.QuestionSettled)}
    assert asked <= settled, "nothing is left on the screen that cannot be answered"
    assert bench.log() == stored(bench)
    answered = {event["id"] for event in bench.log() if event["type"] == "tool_call_response"}
    finished = {event.call for event in bench.events if isinstance(event, e.CallChanged) and event.state == "completed"}
    held = {"c2"} if kind in ("inquiry_response", "tool_call_response") else set()
    assert finished - held <= answered, "shown as done only when it is"
    bench.journal.refuse = lambda what: False
    bench.say("again")
    while isinstance(event := bench.until((e.QuestionAsked, e.TurnCompleted)), e.QuestionAsked):  # type: ignore[arg-type]
        bench.answer(event.prompt, Answered(value=True))
    assert event.outcome == "done"
    kinds = [event["type"] for event in bench.log()]
    for request, response in (("tool_call_request", "tool_call_response"), ("inquiry_request", "inquiry_response")):
        assert kinds.count(request) == kinds.count(response)
    assert kinds.count("turn_start") == kinds.count("turn_outcome")


def test_a_prompt_that_was_given_back_is_told_once(bench: Bench) -> None:
    """It stands in the log, but nothing came of it: sent again it is not said twice."""
    bench.script = Script([*text("One."), *end()], [*text("Two."), *end()])
    bench.start()
    bench.journal.refuse = lambda kind: kind == "chat_response"
    bench.say("hello")
    assert bench.turn().returned == "hello"
    bench.journal.refuse = lambda kind: False
    bench.say("hello")
    assert bench.turn().outcome == "done"
    told = [part for message in bench.script.requests[-1].messages for part in message.parts]
    assert told == [m.TextPart("hello")]


def test_a_slow_log_holds_back_the_face_and_nothing_else(bench: Bench) -> None:
    """Commands are taken while an append waits; what waits is not reported before it is there."""
    bench.script = Script([*text("Hello."), *end()])
    bench.start()
    bench.journal.hold = lambda kind: kind == "chat_response"
    bench.say("hi")
    assert bench.journal.asked.wait(LIMIT)
    bench.send_and_wait()
    assert bench.kinds() == ["turn_start", "chat_request"]
    bench.journal.gate.set()
    assert bench.turn().outcome == "done"


def test_leaving_does_not_wait_for_a_log_that_never_comes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jp_tui.engine.hub.PATIENCE_SECONDS", 0.1)
    bench.script = Script([*text("Hello."), *end()])
    bench.start()
    bench.journal.hold = lambda kind: kind == "chat_response"
    bench.say("hi")
    assert bench.journal.asked.wait(LIMIT)
    bench.stop()
    assert isinstance(bench.events[-1], e.Stopped)


def test_a_bug_where_questions_are_decided_is_said_and_holds_nobody(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(state: object, given: object) -> object:
        raise ZeroDivisionError

    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*call("ask", {}), *end("tools")])
    bench.start()
    monkeypatch.setattr("jp_tui.engine.asking.coordinator.decide", broken)
    bench.say("go")
    assert "ZeroDivisionError" in bench.until(e.EngineFailed).message


@pytest.mark.parametrize("end_with", ["leave", "kill"])
def test_a_result_that_waits_for_another_is_not_lost(bench: Bench, end_with: str) -> None:
    """R95 holds it back behind a question; a program that ends meanwhile still has it: the tool did what it did."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    calls = [*call("ask", {}, "c1", 0), *call("quick", {"n": 2}, "c2", 1), *end("tools")]
    bench.script = Script(calls, [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.prompt()
    bench.ever(e.CallChanged, lambda event: event.call == "c2" and event.state == "completed")
    assert "tool_call_response" not in bench.kinds()
    if end_with == "leave":
        bench.stop()
    else:
        bench.kill()
    opened = bench.start("latest")
    last = [event.event for event in opened.page]
    assert [(event.get("id"), event.get("content")) for event in last if event["type"] == "tool_call_response"] == [
        ("c2", "done 2")
    ]
    assert sum(event["type"] == "inquiry_request" for event in last) == 1
    assert not any(event["type"] in ("inquiry_response", "turn_outcome") for event in last), "it stays open (R207)"
    assert bench.log() == [], "what was mended comes with the page"
    bench.answer(bench.prompt(), Answered(value=True))
    assert bench.turn().outcome == "done"
    told = [(event["id"], event["content"]) for event in bench.log() if event["type"] == "tool_call_response"]
    assert told == [("c1", "heard True")], "what has a result is not run again (R237)"


def test_what_was_streaming_when_the_program_was_killed_is_kept_as_incomplete(bench: Bench) -> None:
    bench.script = Script([m.PartOpened(0, "message"), m.PartGrew(0, "so far"), 60.0], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.PartDelta)
    bench.until_kept("so far")
    bench.kill()
    opened = bench.start("latest")
    kinds = [event.event["type"] for event in opened.page]
    assert kinds == ["turn_start", "chat_request", "chat_response", "turn_outcome"]
    assert opened.page[2].event["metadata"] == {"incomplete": True} and opened.page[3].event["outcome"] == "interrupted"
    assert bench.log() == [], "nothing is reported before the conversation is"


def test_a_log_that_cannot_be_mended_can_be_read(bench: Bench) -> None:
    bench.script = Script([*text("Hello."), *end()])
    bench.start()
    bench.say("hi")
    bench.until(e.EventAppended)
    bench.turn()
    bench.stop()
    with sqlite3.connect(bench.home / "conversations.db") as db:
        db.execute("DELETE FROM events WHERE kind = 'turn_outcome'")
    db.close()
    bench.run()
    bench.journal.refuse = lambda kind: True
    bench.send(c.OpenConversation(which="latest"))
    opened = bench.until(e.ConversationOpened)
    bench.conversation = opened.conversation
    types = ["turn_start", "chat_request", "chat_response", "unreadable"]  # the last is marked as missing (Z25)
    assert [event.event["type"] for event in opened.page] == types
    assert any(isinstance(event, e.StorageFailed) for event in bench.events)
    bench.say("more")
    assert bench.until(e.Refused).command == "start_turn"


def test_leaving_in_any_phase_leaves_a_log_to_go_on_with(bench: Bench) -> None:
    """Each phase in turn; the next start opens the same conversation and the model takes what it is told."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    busy = m.ModelError("overloaded", "Busy.", transient=True, retry_after=0.9)
    phases: list[tuple[Any, Any]] = [
        ([60.0], lambda: bench.until(e.TurnPhase)),
        ([m.PartOpened(0, "message"), m.PartGrew(0, "begun"), 60.0], lambda: bench.until(e.PartDelta)),
        ([busy], lambda: bench.until(e.TurnPhase, lambda event: event.phase == "retrying")),
        ([*call("slow", {}), *end("tools")], lambda: bench.until(e.CallChanged, lambda x: x.state == "running")),
        ([*call("ask", {}), *call("slow", {}, "c2", 1), *end("tools")], bench.prompt),
    ]
    bench.script = Script([*text("Begun."), *end()])
    bench.start()
    bench.say("first")
    bench.turn()
    for response, reached in phases:
        bench.script = Script(response)
        bench.stop()
        bench.start("latest")
        bench.say("go on")
        reached()
    bench.stop()
    bench.script = Script([*text("At last."), *end()])
    bench.start("latest")
    bench.answer(bench.prompt(), EndTurn())
    bench.turn()
    bench.say("last")
    assert bench.turn().outcome == "done"
    kinds = [event["type"] for event in stored(bench)]
    assert kinds.count("turn_start") == kinds.count("turn_outcome") == 7
    assert kinds.count("tool_call_request") == kinds.count("tool_call_response") == 3


def test_a_write_that_cannot_be_stored_as_it_is_does_not_end_the_conversation(bench: Bench) -> None:
    """T17: half a character in a prompt becomes a mark; the rest is as it was typed."""
    bench.script = Script([*text("Ok."), *end()])
    bench.start()
    bench.say("caf\udce9 & more")
    assert bench.turn().outcome == "done"
    assert bench.log()[1]["content"] == "caf\ufffd & more"
    assert bench.script.requests[0].messages[0].parts == (m.TextPart("caf\ufffd & more"),)
    bench.send(c.ReadHistory())
    assert bench.until(e.HistoryRead).texts == ("caf\ufffd & more",)


def test_arguments_as_deep_as_the_gate_allows_are_there_after_a_restart(bench: Bench) -> None:
    """What was let in at 64 levels stands deeper in the stored event."""
    deep: Any = 1
    for _ in range(63):
        deep = [deep]
    bench.script = Script([*call("nope", {"deep": deep}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.turn()
    live = [event.stored for event in bench.events if isinstance(event, e.EventAppended)]
    bench.stop()
    assert list(bench.start("latest").page) == live


def test_ending_the_turn_and_leaving_at_once_leaves_nothing_open(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the turn is still being recorded when the program leaves: the user's word counts (R180, R214)."""
    leave = Turn.leave

    def leaving(turn: Turn, **_: bool) -> None:
        leave(turn)
        bench.journal.gate.set()

    monkeypatch.setattr(Turn, "leave", leaving)
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*call("ask", {}), *call("ask", {}, "c2", 1), *end("tools")])
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    bench.prompt()
    bench.journal.hold = lambda kind: kind == "inquiry_response"
    bench.answer(prompt, EndTurn())
    assert bench.journal.asked.wait(LIMIT)
    bench.stop()
    kinds = [event["type"] for event in stored(bench)]
    assert kinds.count("inquiry_request") == kinds.count("inquiry_response") == 2
    assert kinds.count("tool_call_response") == 2 and kinds[-1] == "turn_outcome"

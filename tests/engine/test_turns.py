"""Turns through the link: what is recorded, in which order, and what the model is told (issue: the turn loop)."""

from __future__ import annotations

import asyncio

from jp_tui.conversation import model as m
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench
from tests.fakes.models import Script, call, end, text


def test_a_turn_is_recorded_and_shown(bench: Bench) -> None:
    bench.script = Script([*text("Hello there."), *end()])
    opened = bench.start()
    assert opened.new and not opened.page
    bench.say("hi\nsecond line")
    done = bench.turn()
    assert done.outcome == "done" and done.usage.input == 10 and done.usage.context == 15
    assert bench.kinds() == ["turn_start", "chat_request", "chat_response", "turn_outcome"]
    closes = [event.closes for event in bench.events if isinstance(event, e.EventAppended)]
    assert closes == ["", "", "1.0.0", ""]
    deltas = "".join(event.text.raw for event in bench.events if isinstance(event, e.PartDelta))
    assert deltas == "Hello there."
    numbers = [event.stored.seq for event in bench.events if isinstance(event, e.EventAppended)]
    assert numbers == [1, 2, 3, 4]


def test_the_model_is_told_what_was_said_and_nothing_else(bench: Bench) -> None:
    """R59: only chat and tool events; roles alternate."""
    bench.script = Script([*text("One."), *end()], [*text("Two."), *end()])
    bench.start()
    bench.say("first")
    bench.turn()
    bench.say("second")
    bench.turn()
    second = bench.script.requests[1]
    assert [(message.role, message.parts) for message in second.messages] == [
        ("user", (m.TextPart("first"),)),
        ("assistant", (m.TextPart("One."),)),
        ("user", (m.TextPart("second"),)),
    ]
    # submit_plan is for plan mode (K41)
    assert {tool.name for tool in second.tools} == set(bench.tools) - {"submit_plan", "skill"}


def test_calls_run_together_and_are_committed_in_request_order(bench: Bench) -> None:
    """R95: whatever finishes first, the log has the order of the requests."""
    (bench.workspace / "a.txt").write_text("alpha\n")
    calls = [
        *call("fs_read_file", {"path": "a.txt"}, "c1", 0),
        *call("nope", {}, "c2", 1),
        *call("fs_read_file", {"path": "missing"}, "c3", 2),
    ]
    bench.script = Script([*calls, *end("tools")], [*text("Done."), *end()])
    bench.start()
    bench.say("read")
    assert bench.turn().outcome == "done"
    responses = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert [event["id"] for event in responses] == ["c1", "c2", "c3"]
    assert [event["is_error"] for event in responses] == [False, True, True]
    assert "alpha" in responses[0]["content"]
    assert "'nope' is not available" in responses[1]["content"] and "it it" not in responses[1]["content"]
    told = bench.script.requests[1].messages[-1]
    assert [part.id for part in told.parts if isinstance(part, m.Result)] == ["c1", "c2", "c3"]
    states = [event.state for event in bench.events if isinstance(event, e.CallChanged) and event.call == "c1"]
    assert states == ["receiving_arguments", "running", "completed"]


def test_a_cut_call_never_runs(bench: Bench) -> None:
    """T20: a refused call gets an error that the model can act on; the file is not touched."""
    refused = [
        m.PartOpened(0, "tool", "c1", "fs_create_file"),
        m.PartGrew(0, '{"path": "x'),
        m.CallRefused(0, "c1", "fs_create_file", '{"path": "x', "its arguments were cut off"),
    ]
    bench.script = Script([*refused, *end("length")], [*text("Sorry."), *end()])
    bench.start()
    bench.say("write")
    bench.turn()
    (request,) = [event for event in bench.log() if event["type"] == "tool_call_request"]
    (response,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert request["arguments"] == {} and response["is_error"] and "cut off" in response["content"]
    assert list(bench.workspace.iterdir()) == []


def test_ids_that_a_server_repeats_are_told_apart(bench: Bench) -> None:
    """Each request one response (R102), also when a server sends the same id twice, or none."""
    calls = [*call("nope", {}, "x", 0), *call("nope", {}, "x", 1), *call("nope", {}, "", 2)]
    bench.script = Script([*calls, *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.turn()
    asked = [event["id"] for event in bench.log() if event["type"] == "tool_call_request"]
    answered = [event["id"] for event in bench.log() if event["type"] == "tool_call_response"]
    assert asked == answered and len(set(asked)) == 3


def test_a_failure_is_told_kept_and_gives_the_prompt_back(bench: Bench) -> None:
    error = m.ModelError("unauthorised", "The key was refused (401).", "Check KEY.", detail="no", status=401)
    bench.script = Script([error], [*text("Fine."), *end()])
    bench.start()
    bench.say("hello")
    done = bench.turn()
    assert done.outcome == "failed" and done.returned == "hello"
    assert done.error is not None and done.error.advice == "Check KEY." and done.error.detail.raw == "no"
    assert bench.log()[-1]["error"]["kind"] == "unauthorised"
    bench.say("hello")
    bench.turn()
    assert [part for message in bench.script.requests[1].messages for part in message.parts] == [m.TextPart("hello")]


def test_transient_failures_are_tried_again_before_anything_was_shown(bench: Bench) -> None:
    busy = m.ModelError("overloaded", "Overloaded (529).", "Wait.", transient=True)
    bench.script = Script([busy], [busy], [*text("There."), *end()])
    bench.start()
    bench.say("hi")
    assert bench.turn().outcome == "done"
    retries = [event for event in bench.events if isinstance(event, e.TurnPhase) and event.phase == "retrying"]
    assert len(retries) == 2 and all(event.retry_in is not None for event in retries)


def test_a_cut_stream_keeps_what_came(bench: Bench) -> None:
    """The text is kept, marked incomplete, and the turn says what happened."""
    cut = m.ModelError("cut", "The response broke off.", "Send it again.")
    bench.script = Script([m.PartOpened(0, "message"), m.PartGrew(0, "half an ans"), cut])
    bench.start()
    bench.say("hi")
    done = bench.turn()
    assert done.outcome == "failed" and done.returned == ""
    (kept,) = [event for event in bench.log() if event["type"] == "chat_response"]
    assert kept["message"] == "half an ans" and kept["metadata"]["incomplete"] is True
    assert len(bench.script.requests) == 1


def test_what_was_cut_is_asked_for_again_and_said_once(bench: Bench) -> None:
    """The attempt that was cut stands in the log, marked; no model is told of it, and of its calls none runs."""
    cut = m.ModelError("cut", "The response broke off.", "Send it again.", transient=True)
    first = [m.PartOpened(0, "message"), m.PartGrew(0, "half an ans"), *call("fs_list_files", {}, index=1), cut]
    bench.script = Script(first, [*text("half an answer"), *end()], [*text("ok"), *end()])
    bench.start()
    bench.say("hi")
    assert bench.turn().outcome == "done"
    said = [(event["message"], event.get("metadata")) for event in bench.log() if event["type"] == "chat_response"]
    assert said == [("half an ans", {"incomplete": True, "discarded": True}), ("half an answer", None)]
    assert "tool_call_request" not in bench.kinds()
    bench.say("and now?")
    bench.turn()
    told = [part for message in bench.script.requests[2].messages for part in message.parts]
    assert told == [m.TextPart("hi"), m.TextPart("half an answer"), m.TextPart("and now?")]


def test_what_is_always_cut_is_given_up_and_its_last_attempt_kept(bench: Bench) -> None:
    """As often as is set; what was discarded alone is nothing that the model said."""
    cut = m.ModelError("cut", "The response broke off.", "Send it again.", transient=True)
    half = [m.PartOpened(0, "message"), m.PartGrew(0, "half"), cut]
    refused = m.ModelError("unauthorised", "The key was refused (401).", "Check KEY.")
    bench.script = Script(half, half, half, half, [refused])
    bench.start()
    bench.say("hi")
    assert bench.turn().outcome == "failed" and len(bench.script.requests) == 3
    marks = [event["metadata"] for event in bench.log() if event["type"] == "chat_response"]
    assert marks == [{"incomplete": True, "discarded": True}] * 2 + [{"incomplete": True}]
    bench.say("again")
    done = bench.turn()
    assert done.outcome == "failed" and done.returned == "again"


def test_stopping_keeps_and_aborting_discards(bench: Bench) -> None:
    """R211: stop keeps the partial output and ends the turn; abort discards it and gives the prompt back."""
    never = asyncio.Event()
    streaming = [m.PartOpened(0, "message"), m.PartGrew(0, "partial"), never]
    bench.script = Script(streaming, streaming, [*text("ok"), *end()])
    bench.start()
    for action, kept in (("stop", True), ("abort", False)):
        bench.say("go")
        bench.until(e.PartDelta)
        bench.send(c.InterruptTurn(conversation=bench.conversation, action=action))  # type: ignore[arg-type]
        done = bench.turn()
        assert done.outcome == "interrupted" and done.returned == ("" if kept else "go")
    kinds = [event for event in bench.log() if event["type"] == "chat_response"]
    assert [event["message"] for event in kinds] == ["partial"]
    assert any(isinstance(event, e.PartDropped) for event in bench.events)
    assert bench.script.closed == 2, "the stream is closed, and with it its socket"
    bench.say("again")
    bench.turn()
    said = [
        part.text
        for message in bench.script.requests[2].messages
        for part in message.parts
        if isinstance(part, m.TextPart)
    ]
    assert said == ["go", "partial", "again"]


def test_replying_stops_and_sends_the_words_as_the_next_turn(bench: Bench) -> None:
    """R211: reply (stop and send a message)."""
    never = asyncio.Event()
    bench.script = Script([m.PartOpened(0, "message"), m.PartGrew(0, "long"), never], [*text("Short."), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.PartDelta)
    bench.send(c.InterruptTurn(conversation=bench.conversation, action="reply", text="be brief"))
    assert bench.turn().outcome == "interrupted"
    assert bench.turn().outcome == "done"
    requests = [event["content"] for event in bench.log() if event["type"] == "chat_request"]
    assert requests == ["go", "be brief"]


def test_a_greeting_is_shown_at_once_and_recorded_with_the_first_turn(bench: Bench) -> None:
    bench.script = Script([*text("Ok."), *end()], greeting="Welcome!")
    bench.greet = True
    opened = bench.start()
    assert opened.greeting is not None and opened.greeting.raw == "Welcome!"
    assert bench.kinds() == []
    bench.say("1")
    bench.turn()
    assert bench.log()[0]["message"] == "Welcome!"
    first = next(event for event in bench.events if isinstance(event, e.EventAppended))
    assert first.closes == "greeting"
    assert bench.script.requests[0].messages[0].role == "user"


def test_commands_that_cannot_be_carried_out_are_refused(bench: Bench) -> None:
    bench.start()
    bench.say("   ")
    assert bench.until(e.Refused).command == "start_turn"
    bench.send(c.StartTurn(conversation="elsewhere", text="x"))
    assert "not open" in bench.until(e.Refused).message
    bench.send(c.OpenConversation(which="id", conversation="zzz"))
    assert "zzz" in bench.until(e.Refused).message

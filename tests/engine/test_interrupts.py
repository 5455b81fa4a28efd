"""Every action in every phase, also twice, late, and the stronger after the milder (inquiries.md R211-R214)."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jp_tui.conversation import model as m
from jp_tui.conversation.outcomes import Success
from jp_tui.protocol import events as e
from jp_tui.protocol.commands import Interrupt
from jp_tui.protocol.values import Answered
from jp_tui.tools.port import Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks, at_once, forever, gated
from tests.limits import LIMIT

ACTIONS: tuple[Interrupt, ...] = ("reply", "stop", "abort", "respond", "restart")
BUSY = m.ModelError("overloaded", "Busy.", transient=True, retry_after=0.9)


def results(bench: Bench) -> dict[str, str]:
    return {event["id"]: event["content"] for event in bench.log() if event["type"] == "tool_call_response"}


def whole(bench: Bench) -> None:
    """R102, R200: each request one response."""
    kinds = bench.log()
    for asked, answered in (("tool_call_request", "tool_call_response"), ("inquiry_request", "inquiry_response")):
        ids = [event["id"] for event in kinds if event["type"] == asked]
        assert sorted(ids) == sorted(event["id"] for event in kinds if event["type"] == answered)
    ends = [event for event in kinds if event["type"] == "turn_outcome"]
    assert len(ends) == sum(event["type"] == "turn_start" for event in kinds)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("phase", ["waiting", "streaming", "retrying", "tools", "asking"])
def test_every_action_in_every_phase(bench: Bench, phase: str, action: Interrupt) -> None:
    """The turn ends or goes on, the log is whole, and words that came with it reach the model."""
    never = asyncio.Event()
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    first: dict[str, list[Item]] = {
        "waiting": [never],
        "streaming": [m.PartOpened(0, "message"), m.PartGrew(0, "begun"), never],
        "retrying": [BUSY],
        "tools": [*call("slow", {}), *end("tools")],
        "asking": [*call("ask", {}), *end("tools")],
    }
    bench.script = Script(first[phase], [*text("Next."), *end()])
    bench.start()
    bench.say("go")
    if phase == "streaming":
        bench.until(e.PartDelta)
    elif phase == "asking":
        bench.prompt()
    elif phase == "tools":
        bench.until(e.CallChanged, lambda event: event.state == "running")
    else:
        wanted = {"waiting": "waiting_for_model", "retrying": "retrying"}[phase]
        bench.until(e.TurnPhase, lambda event: event.phase == wanted)
    words = "be brief" if action in ("reply", "respond") else ""
    bench.interrupt(action, words)
    if action == "restart" and phase != "asking":
        bench.interrupt("stop")  # a restart of nothing changes nothing; one of a slow tool runs it again
        assert bench.turn().outcome == "interrupted"
    elif action == "restart":
        bench.answer(bench.prompt(), Answered(value=True))
        assert bench.turn().outcome == "done"
    elif words:
        ends = [bench.turn().outcome] + ([] if phase in ("tools", "asking") else [bench.turn().outcome])
        assert ends[-1] == "done"
        last = bench.script.requests[-1].messages[-1].parts
        assert words in "".join(part.text if isinstance(part, m.TextPart) else part.content for part in last)  # type: ignore[union-attr]
    else:
        assert bench.turn().outcome == "interrupted"
    whole(bench)


@pytest.mark.parametrize("action", ["stop", "reply", "abort"])
def test_stopped_while_the_response_is_recorded_nothing_of_it_runs(bench: Bench, action: Interrupt) -> None:
    """The moment between the last delta and the first tool belongs to the user as well."""
    tool = Made(at_once)
    bench.tools["do"] = tool_setup("do", tool)
    bench.script = Script([*call("do", {}), *end("tools")], [*text("Next."), *end()])
    bench.start()
    bench.journal.hold = lambda kind: kind == "tool_call_request"
    bench.say("go")
    assert bench.journal.asked.wait(LIMIT)
    bench.interrupt(action, "rather not" if action == "reply" else "")
    bench.send_and_wait()
    bench.journal.gate.set()
    assert bench.turn().outcome == "interrupted"
    assert tool.calls == [] and "rejected by the user" in results(bench)["c1"]
    if action == "reply":
        assert bench.turn().outcome == "done"
    whole(bench)


def test_a_milder_choice_never_downgrades_and_its_words_come_back(bench: Bench) -> None:
    """R214 while streaming: stop after reply drops the follow-up; what was typed is given back, not sent, not lost."""
    gate = threading.Event()

    class Held(Script):
        async def stream(self, request: m.ModelRequest):  # type: ignore[no-untyped-def, override]
            async for item in super().stream(request):
                yield item

    never = asyncio.Event()
    bench.script = Held([m.PartOpened(0, "message"), m.PartGrew(0, "long"), never])
    bench.start()
    bench.journal.hold = lambda kind: kind == "chat_response"
    bench.journal.gate = gate
    bench.say("go")
    bench.until(e.PartDelta)
    bench.interrupt("reply", "first words")
    assert bench.journal.asked.wait(LIMIT)
    bench.interrupt("stop")
    bench.interrupt("reply", "second words")
    bench.send_and_wait()
    gate.set()
    done = bench.turn()
    assert done.outcome == "interrupted" and done.returned == "first words\n\nsecond words"
    assert bench.kinds().count("chat_request") == 1


def test_stop_after_restart_answers_every_call(bench: Bench) -> None:
    """R214, R102: a call that was already called off for the restart is not forgotten by the stop."""
    quick, slow = Made(forever), threading.Event()

    async def stubborn(call_: ToolCall) -> Outcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.to_thread(slow.wait)
            raise
        raise AssertionError

    bench.tools["quick"] = tool_setup("quick", quick)
    bench.tools["stubborn"] = tool_setup("stubborn", Made(stubborn))
    bench.script = Script([*call("quick", {}, "c1", 0), *call("stubborn", {}, "c2", 1), *end("tools")])
    bench.start()
    bench.say("go")
    bench.until(e.CallChanged, lambda event: event.call == "c2" and event.state == "running")
    bench.interrupt("restart")
    bench.until(e.CallChanged, lambda event: event.call == "c1" and event.state == "queued")
    bench.interrupt("stop")
    bench.send_and_wait()
    slow.set()
    assert bench.turn().outcome == "interrupted"
    assert sorted(results(bench)) == ["c1", "c2"] and len(quick.calls) == 1
    whole(bench)


def test_restart_after_respond_does_not_swallow_the_words(bench: Bench) -> None:
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    bench.script = Script([*call("slow", {}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.CallChanged, lambda event: event.state == "running")
    bench.interrupt("respond", "use the other file")
    bench.interrupt("restart")
    assert bench.turn().outcome == "done"
    assert results(bench)["c1"].endswith("\n\nuse the other file")


def test_words_that_no_call_could_hear_are_the_next_message(bench: Bench) -> None:
    """Stop & respond a moment too late: the tools had ended, so the model hears the words as a message."""
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    bench.script = Script([*call("quick", {}), *end("tools")], [*text("I heard."), *end()])
    bench.start()
    bench.journal.hold = lambda kind: kind == "tool_call_response"
    bench.say("go")
    assert bench.journal.asked.wait(LIMIT)
    bench.interrupt("respond", "use the other file")
    bench.send_and_wait()
    bench.journal.gate.set()
    assert bench.turn().outcome == "interrupted"
    assert bench.turn().outcome == "done"
    assert [event["content"] for event in bench.log() if event["type"] == "chat_request"][1] == "use the other file"
    assert results(bench)["c1"] == "done"


def test_restart_keeps_what_is_done_and_runs_the_rest_again(bench: Bench) -> None:
    """R213."""
    gate = threading.Event()
    quick, slow = Made(at_once), Made(gated(gate))
    bench.tools["quick"], bench.tools["slow"] = tool_setup("quick", quick), tool_setup("slow", slow)
    bench.script = Script(
        [*call("quick", {}, "c1", 0), *call("slow", {}, "c2", 1), *end("tools")], [*text("Ok."), *end()]
    )
    bench.start()
    bench.say("go")
    bench.until(e.EventAppended, lambda event: event.stored.event["type"] == "tool_call_response")
    bench.interrupt("restart")
    bench.until(e.CallChanged, lambda event: event.call == "c2" and event.state == "queued")
    gate.set()
    assert bench.turn().outcome == "done"
    assert len(quick.calls) == 1 and len(slow.calls) == 2
    assert slow.calls[0].cancel.called and not slow.calls[1].cancel.called
    whole(bench)


def test_aborting_later_keeps_what_was_done_before(bench: Bench) -> None:
    """Files were changed: the model must know of it, and the prompt is not given back as if nothing had been."""
    never = asyncio.Event()
    bench.tools["quick"] = tool_setup("quick", Made(at_once))
    cut: list[Item] = [m.PartOpened(0, "message"), m.PartGrew(0, "half"), never]
    bench.script = Script([*call("quick", {}), *end("tools")], cut, [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.PartDelta, lambda event: event.text.raw == "half")
    bench.interrupt("abort")
    done = bench.turn()
    assert done.outcome == "interrupted" and done.returned == ""
    bench.say("and now?")
    bench.turn()
    said = [type(part).__name__ for message in bench.script.requests[-1].messages for part in message.parts]
    assert said == ["TextPart", "Call", "Result", "TextPart"]


def test_a_tool_that_does_not_end_holds_nobody(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """RUN-017: it was called off; after a while the turn goes on without it."""
    monkeypatch.setattr("jp_tui.engine.turn.call_batch.GRACE_SECONDS", 0.2)
    gate = threading.Event()

    async def deaf(call_: ToolCall) -> Outcome:
        while not gate.is_set():
            try:
                await asyncio.to_thread(gate.wait, 0.05)
            except asyncio.CancelledError:
                continue
        return Success("too late")

    bench.tools["deaf"] = tool_setup("deaf", Made(deaf))
    bench.script = Script([*call("deaf", {}), *end("tools")])
    bench.start()
    bench.say("go")
    bench.until(e.CallChanged, lambda event: event.state == "running")
    bench.interrupt("stop")
    assert bench.turn().outcome == "interrupted"
    assert "rejected by the user" in results(bench)["c1"]
    gate.set()


def test_a_tool_that_cancels_itself_is_not_the_user(bench: Bench) -> None:
    async def gives_up(call_: ToolCall) -> Outcome:
        raise asyncio.CancelledError

    bench.tools["odd"] = tool_setup("odd", Made(gives_up))
    bench.script = Script([*call("odd", {}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    (response,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert response["is_error"] and "user" not in response["content"]


def test_tools_that_raise_end_their_call_only(bench: Bench) -> None:
    async def raises(call_: ToolCall) -> Outcome:
        raise RuntimeError("a name with half a character: \udc80")

    async def nothing(call_: ToolCall) -> Outcome:
        return None  # type: ignore[return-value]

    def no_title(arguments: object) -> str:
        raise KeyError("path")

    bench.tools["raises"] = tool_setup("raises", Made(raises))
    bench.tools["nothing"] = tool_setup("nothing", Made(nothing))
    bench.tools["untitled"] = tool_setup("untitled", Made(at_once, title=no_title))
    names = ("raises", "nothing", "untitled")
    calls = [item for at, name in enumerate(names) for item in call(name, {}, name, at)]
    bench.script = Script([*calls, *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    assert bench.turn().outcome == "done"
    assert all(event["is_error"] for event in bench.log() if event["type"] == "tool_call_response")
    assert "half a character: \ufffd" in results(bench)["raises"], "what no file can hold is replaced, not refused"
    whole(bench)

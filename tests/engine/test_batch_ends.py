"""How the calls of a cycle end together: nothing runs on behind a batch; an end overrules a leaving (R102, R207)."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.base.dependencies import Policies, RunMode
from jp_tui.engine.record.call_response import UNFINISHED
from jp_tui.engine.turn.call_batch import CallBatch
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import CallEnd, Delivered, Edited, EndTurn, Permitted, Response
from jp_tui.tools.port import Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, at_once
from tests.limits import LIMIT

OK = [*text("Ok."), *end()]


class Lasting:
    """A tool that ends only when it is called off, and says when."""

    def __init__(self) -> None:
        self.began, self.called_off = threading.Event(), threading.Event()
        self.tool = Made(self._run)

    async def _run(self, given: ToolCall) -> Outcome:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.called_off.set()
        raise AssertionError


def test_nothing_runs_on_when_the_log_cannot_be_written(bench: Bench) -> None:
    """The turn fails at the first result that cannot be stored; what still ran is called off before it is reported."""
    lasting, gate = Lasting(), threading.Event()

    async def quick(given: ToolCall) -> Outcome:
        await asyncio.to_thread(gate.wait)
        return Success("done")

    bench.tools["quick"] = tool_setup("quick", Made(quick))
    bench.tools["lasting"] = tool_setup("lasting", lasting.tool)
    bench.script = Script([*call("quick", {}, "c1", 0), *call("lasting", {}, "c2", 1), *end("tools")])
    bench.start()
    bench.say("go")
    assert lasting.began.wait(LIMIT)
    bench.journal.refuse = lambda kind: kind == "tool_call_response"
    gate.set()
    bench.until(e.StorageFailed)
    assert lasting.called_off.is_set(), "before anybody is told that the turn failed"
    (given,) = lasting.tool.calls
    assert given.cancel.called, "a tool that looks between its steps is told as well"
    assert bench.turn().outcome == "failed"


def test_the_turn_is_ended_although_its_conversation_is_left(bench: Bench) -> None:
    """R214, R249: the user ends the turn and leaves at once; what leaving would keep open is closed, and on record."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    lasting = Lasting()
    bench.tools["lasting"] = tool_setup("lasting", lasting.tool)
    calls = [*call("ask", {}, "c1", 0), *call("lasting", {}, "c2", 1), *call("ask", {}, "c3", 2)]
    bench.script = Script([*calls, *end("tools")])
    bench.start()
    bench.say("go")
    first = bench.prompt()
    bench.prompt()
    left = bench.conversation
    bench.journal.hold = lambda kind: kind == "inquiry_response"
    bench.answer(first, EndTurn())
    assert bench.journal.asked.wait(LIMIT)
    bench.send(c.Shutdown())
    assert lasting.called_off.wait(LIMIT), "the end is still on its way into the log"
    bench.journal.gate.set()
    assert bench.until(e.TurnCompleted, lambda event: event.conversation == left).outcome == "interrupted"
    kinds = bench.kinds()
    results = [(event["id"], event["content"]) for event in bench.log() if event["type"] == "tool_call_response"]
    assert [call for call, _ in results] == ["c1", "c2", "c3"] and kinds.count("tool_call_request") == 3, "R102"
    assert {content for _, content in results} == {UNFINISHED}, (
        "by the batch, not by what closes a turn that was cut off"
    )
    assert kinds.count("inquiry_response") == 2 == kinds.count("inquiry_request")
    bench.stop()
    opened = bench.start("id", left)
    assert [one.event["type"] for one in opened.page][-1] == "turn_outcome", "nothing is left to go on with"


ENDS: list[tuple[RunMode, RunMode, Response | None, CallEnd, bool]] = [
    ("unattended", "unattended", None, "ok", False),
    ("ask", "unattended", Permitted(run=True), "ok", False),
    ("ask", "unattended", Permitted(run=False), "skipped", False),
    ("ask", "unattended", Permitted(run=False, reason="not now"), "skipped", False),
    ("edit", "unattended", Edited(arguments={"n": 1}), "ok", False),
    ("skip", "unattended", None, "skipped", False),
    ("unattended", "skip", None, "skipped", False),
    ("unattended", "ask", Delivered(deliver=True), "ok", False),
    ("unattended", "ask", Delivered(deliver=False), "skipped", False),
]


def completed(bench: Bench) -> list[CallEnd | None]:
    """How faces were told that each call ended."""
    bench.turn()
    return [event.end for event in bench.events if isinstance(event, e.CallChanged) and event.state == "completed"]


@pytest.mark.parametrize(("run", "result", "response", "ends", "error"), ENDS)
def test_how_a_call_ended_is_told_as_it_was(
    bench: Bench, run: RunMode, result: RunMode, response: Response | None, ends: CallEnd, error: bool
) -> None:
    """R86, R88, R93: what was skipped is no error, and nothing else is called skipped."""
    bench.tools["quick"] = tool_setup("quick", Made(at_once), run=run, result=result)
    bench.script = Script([*call("quick", {"n": 1}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    if response is not None:
        bench.answer(bench.prompt(), response)
    assert completed(bench) == [ends]
    (stored,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert stored["is_error"] is error


@pytest.mark.parametrize(("run", "result"), [("ask", "unattended"), ("unattended", "ask")])
def test_what_a_policy_denies_is_an_error_and_was_not_skipped(bench: Bench, run: RunMode, result: RunMode) -> None:
    """R91, R145: with nobody there."""
    bench.client = False
    named: dict[str, Any] = {"policies": Policies(run="deny", deliver="deny")}
    bench.tools["quick"] = tool_setup("quick", Made(at_once), run=run, result=result, **named)
    bench.script = Script([*call("quick", {}), *end("tools")], OK)
    bench.start()
    bench.say("go")
    assert completed(bench) == ["error"]
    (stored,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert stored["is_error"] is True


async def test_a_call_that_was_left_open_and_then_ended_keeps_its_place_before_those_behind_it() -> None:
    """R95: responses are stored in the order of the requests, also when the user ends a turn that was being left."""
    stored: list[str] = []
    held: list[str] = []

    async def settle() -> None: ...

    async def append(events: list[str], *_: object) -> None:
        stored.extend(events)

    async def keep(kind: str, results: list[str]) -> None:
        held.extend(results)

    batch: Any = SimpleNamespace(
        _ending="end_turn",
        _order=["c1", "c2"],
        _deferred={"c1"},
        _left_open={"c1"},
        _stored=set(),
        _committed=1,
        _done={"c2": SimpleNamespace(end=None)},
        _fresh=["c2"],
        _names={"c2": "tool"},
        _coordinator=SimpleNamespace(wait_processed=settle),
        _log=SimpleNamespace(append=append),
        _keeping=SimpleNamespace(keep=keep, parts=lambda calls: []),
        _response=lambda call: call,
        _report=lambda *_, **more: None,
    )
    batch._leave_open = lambda: CallBatch._leave_open(batch)
    await CallBatch._commit(batch)
    assert (stored, held) == ([], ["c2"])

"""What a face is told that comes while a turn runs: how each call stands, how long it has run (issue 7, R244)."""

from __future__ import annotations

from typing import Any

from jp_tui.engine.record.live_snapshot import LiveSnapshot
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, StoredEvent
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks


class Watched:
    """A conversation whose faces' events are kept; `now` is its clock."""

    def __init__(self) -> None:
        self.now = 10.0
        self.told: list[e.Event] = []
        self.live = LiveSnapshot(self.told.append, lambda: self.now, watched=True)

    def call(self, call: str, state: Any, **more: Any) -> None:
        self.live(e.CallChanged(conversation="c", turn=1, call=call, tool="t", state=state, **more))

    def again(self) -> list[tuple[str, str, int | None]]:
        self.told.clear()
        self.live.again()
        return [(one.call, one.state, one.ms) for one in self.told if isinstance(one, e.CallChanged)]


def test_a_call_that_has_ended_is_told_until_its_result_is_on_record() -> None:
    """A batch stores its results together: until then whoever comes back to it would see an ended call as queued."""
    watched = Watched()
    watched.call("a", "running")
    watched.call("b", "awaiting_input")
    watched.call("a", "completed", end="ok", ms=7)
    assert watched.again() == [("a", "completed", 7), ("b", "awaiting_input", None)]
    result = {"type": "tool_call_response", "id": "a", "content": "x"}
    watched.live(e.EventAppended(conversation="c", stored=StoredEvent(seq=4, turn=1, event=result)))
    assert watched.again() == [("b", "awaiting_input", None)]


def test_whoever_comes_back_is_told_since_when_a_call_runs() -> None:
    watched = Watched()
    watched.call("a", "running")
    watched.now += 4.0
    assert watched.again() == [("a", "running", 4000)]
    watched.call("a", "awaiting_input")
    watched.now += 1.0
    watched.call("a", "running")
    assert watched.again() == [("a", "running", 5000)]


def test_a_response_that_is_whole_is_not_said_again_to_whoever_comes_back(bench: Bench) -> None:
    """R244: it stands in the log, and a face would show it twice."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*text("I will ask."), *call("ask", {}, index=1), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    bench.forget()
    bench.send(c.OpenConversation(which="id", conversation=bench.conversation))
    bench.until(e.ConversationOpened)
    bench.send_and_wait()
    assert not any(isinstance(event, e.PartDelta) for event in bench.events)
    bench.answer(prompt, Answered(value=True))
    assert bench.turn().outcome == "done"

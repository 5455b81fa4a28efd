"""A conversation whose reasoning the server no longer takes says so in one line (wires.md W6)."""

from __future__ import annotations

from jp_tui.conversation.events import Unknown
from jp_tui.conversation.model import ModelError, ReasoningLeftOut
from jp_tui.conversation.reading import read_event
from jp_tui.view.wording.context import LEFT_OUT, context_note
from tests.engine.conftest import Bench
from tests.fakes.models import Script, end, text


def test_w6_what_was_left_out_is_said_before_the_answer_and_before_the_error(bench: Bench) -> None:
    refused = ModelError("bad_request", "The server refused the request (400).", "Look at the message.")
    bench.script = Script([ReasoningLeftOut(), *text("one"), *end()], [ReasoningLeftOut(), refused])
    bench.start()
    bench.say("a")
    assert bench.turn().outcome == "done"
    assert bench.kinds() == ["turn_start", "chat_request", "reasoning_left_out", "chat_response", "turn_outcome"]
    bench.say("b")
    assert bench.turn().outcome == "failed"
    assert bench.kinds()[-2:] == ["reasoning_left_out", "turn_outcome"]
    noted = read_event(bench.log()[-2])
    assert isinstance(noted, Unknown) and context_note(noted) == LEFT_OUT

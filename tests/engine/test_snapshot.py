"""What a reviewer, and a side question, learn of the other calls of the cycle (R121, Z3)."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jp_tui.conversation.model import Result, TextPart
from jp_tui.conversation.outcomes import Failure, Success
from jp_tui.engine.base.dependencies import ReviewListener, ReviewQuestion
from jp_tui.inquiry.values import ReviewerAnswered, Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks, gated

OK = [*text("Ok."), *end()]


class Sees:
    """A reviewer that approves, and keeps the results it was told."""

    def __init__(self) -> None:
        self.results: list[dict[str, tuple[str, bool]]] = []

    async def inquire(self, asked: ReviewQuestion, hears: ReviewListener) -> ReviewerAnswered:
        hears.asks("judge/one")
        self.results.append(results(asked))
        return ReviewerAnswered(asked.inquiry, True, "fine", "judge/one")

    async def close(self) -> None:
        return None


def results(asked: ReviewQuestion) -> dict[str, tuple[str, bool]]:
    parts = [part for message in asked.told for part in message.parts if isinstance(part, Result)]
    return {part.id: (part.content, part.is_error) for part in parts}


def cycle(bench: Bench, *calls: tuple[str, str]) -> None:
    items = [item for at, (name, id_) in enumerate(calls) for item in call(name, {}, id_, at)]
    bench.script = Script([*items, *end("tools")], OK)
    bench.start()
    bench.say("go")


@pytest.mark.parametrize("outcome", [Success("the figures"), Failure("no such file")], ids=["success", "error"])
def test_a_call_that_has_ended_is_told_with_its_result(bench: Bench, outcome: Success | Failure) -> None:
    """Z3: the last call has ended, although it is not committed before the first two (R95)."""
    running, asks_now = threading.Event(), threading.Event()
    bench.reviewer = seen = Sees()

    async def late(given: object) -> object:
        await asyncio.to_thread(asks_now.wait)
        return await asks(given)  # type: ignore[arg-type]

    bench.tools["slow"] = tool_setup("slow", Made(gated(running)))
    bench.tools["asker"] = tool_setup("asker", Made(late), rules={"sure": Rule("assistant")})  # type: ignore[arg-type]
    bench.tools["quick"] = tool_setup("quick", Made(lambda _: asyncio.sleep(0, outcome)))  # type: ignore[arg-type]
    cycle(bench, ("slow", "c1"), ("asker", "c2"), ("quick", "c3"))
    bench.until(e.CallChanged, lambda event: event.call == "c3" and event.state == "completed")
    asks_now.set()
    bench.until(e.CallChanged, lambda event: event.call == "c2" and event.state == "completed")
    running.set()
    bench.turn()
    said = outcome.content if isinstance(outcome, Success) else outcome.message
    assert seen.results == [
        {
            "c1": ("Tool is still running.", False),
            "c2": ("Tool paused: Sure?", False),
            "c3": (said, isinstance(outcome, Failure)),
        }
    ]


def test_a_side_question_is_told_the_same(bench: Bench) -> None:
    """Z3, E30: the model that answers a side question learns of the result as well."""
    running = threading.Event()
    bench.side = Script([*text("Because."), *end()])
    bench.tools["asker"] = tool_setup("asker", Made(asks))
    bench.tools["slow"] = tool_setup("slow", Made(gated(running)))
    bench.tools["quick"] = tool_setup("quick", Made(lambda _: asyncio.sleep(0, Success("the figures"))))  # type: ignore[arg-type]
    cycle(bench, ("slow", "c1"), ("asker", "c2"), ("quick", "c3"))
    bench.until(e.CallChanged, lambda event: event.call == "c3" and event.state == "completed")
    prompt = next((one.prompt for one in bench.events if isinstance(one, e.QuestionAsked)), None) or bench.prompt()
    bench.send(c.AskAside(conversation=bench.conversation, inquiry=prompt.inquiry, text="Why?"))
    bench.until(e.AsideEnded)
    (request,) = bench.side.requests
    parts = [part for message in request.messages for part in message.parts]
    assert {part.id: part.content for part in parts if isinstance(part, Result)} == {
        "c1": "Tool is still running.",
        "c2": "Tool paused: Sure?",
        "c3": "the figures",
    }
    assert any(isinstance(part, TextPart) and "Why?" in part.text for part in parts)
    running.set()
    bench.answer(prompt, Answered(value=True))
    bench.turn()

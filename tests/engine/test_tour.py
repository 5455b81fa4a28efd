"""Every walk of the tour, through engine, coordinator, real tools and store (issue: the embedded model, S22)."""

from __future__ import annotations

from pathlib import Path

import pytest

from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest
from jp_tui.providers.scripted.provider import DemoProvider, open_provider
from jp_tui.questions.types import BooleanAnswer, SelectAnswer
from tests.engine.conftest import Bench
from tests.fakes.script import without_pauses

TOUR = Path(__file__).parents[2] / "config" / "demo" / "tour.toml"
WALKS = {"change": 1, "boolean": 1, "select": 1, "text": 1, "tools": 0, "markdown": 0, "menu": 0, "what is love?": 0}


def answer(prompt: PromptRequest, yes: bool) -> Answered:
    match prompt.question.answer_type:
        case BooleanAnswer():
            return Answered(value=yes)
        case SelectAnswer(options=options):
            return Answered(value=options[0 if yes else -1].value)
        case _:
            return Answered(value="Earl Grey" if yes else "")


@pytest.mark.parametrize("yes", [True, False], ids=["yes", "no"])
@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_runs_to_its_end(bench: Bench, walk: str, yes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = open_provider("tour")
    assert isinstance(provider, DemoProvider)
    without_pauses(monkeypatch)
    bench.script = provider  # type: ignore[assignment]
    bench.greet = True
    opened = bench.start()
    assert opened.greeting is not None and len(opened.greeting.raw.splitlines()) < 17
    bench.say(walk)
    asked = 0
    while True:
        event = bench.until((e.QuestionAsked, e.TurnCompleted))  # type: ignore[arg-type]
        if isinstance(event, e.TurnCompleted):
            break
        assert isinstance(event, e.QuestionAsked)
        asked += 1
        bench.answer(event.prompt, answer(event.prompt, yes))
    assert event.outcome == "done", event.error
    bench.stop()
    assert asked == WALKS[walk]
    log = bench.log()
    assert log[-2]["type"] == "chat_response", "a walk ends with words, never with a call"
    assert list(bench.workspace.iterdir()) == [], "nothing of the user's is touched"
    assert not (bench.home / "scratch").exists() or not list((bench.home / "scratch").iterdir())
    if walk == "change":
        (response,) = [one for one in log if one.get("is_error") is not None and one["type"] == "tool_call_response"][
            -1:
        ]
        assert response["is_error"] is not yes

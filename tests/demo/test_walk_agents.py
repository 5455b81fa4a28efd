"""The tour's walk with sub-agents: two of them ask while another tool waits for approval (issue 7, 7; S22, E4, E51)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, PromptRequest, Replied, Response
from jp_tui.providers.scripted.provider import open_provider
from jp_tui.tools.registry import builtin
from tests.engine.cast import main_turn, results
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.script import without_pauses

TOUR = Path(__file__).parents[2] / "config" / "demo" / "tour.toml"
YES: Mapping[str, Response] = {  # by who asks
    "": Answered(value=True), "librarian": Answered(value="it should be added"),
    "taster": Answered(value="Darjeeling"),
}  # fmt: skip


@pytest.fixture
def waiting(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> dict[str, PromptRequest]:
    """The walk, all three questions asked and none answered."""
    without_pauses(monkeypatch)
    bench.script = open_provider("tour")  # type: ignore[assignment]
    bench.greet = True
    bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"])
    bench.start()
    bench.say("13")
    found = [bench.prompt() for _ in range(3)]
    return {one.agent.name.raw if one.agent else "": one for one in found}


def give(bench: Bench, prompt: PromptRequest, response: Response) -> None:
    key = {"conversation": prompt.conversation, "inquiry": prompt.inquiry, "digest": prompt.digest}
    bench.send(c.AnswerQuestion(**key, response=response))


def test_issue_7_7_two_sub_agents_ask_while_a_change_waits_and_each_says_who_asks(
    bench: Bench, waiting: dict[str, PromptRequest]
) -> None:
    assert set(waiting) == set(YES)
    assert waiting[""].question.id == "apply_changes"
    tasks = {name: one.agent.task.raw for name, one in waiting.items() if one.agent}
    assert tasks["librarian"].startswith("Read docs") and tasks["taster"].startswith("Find out")
    assert {waiting[name].question.id for name in tasks} == {"answer"}, "two of one name, and neither gets the other's"
    bench.send(c.WatchWaiting())
    listed = bench.until(e.WaitingListed, lambda event: len(event.waiting) == 3)
    assert all(one.here for one in listed.waiting)
    for name, prompt in waiting.items():
        give(bench, prompt, YES[name])
    assert main_turn(bench).outcome == "done"
    assert [words for words, _ in results(bench)[:2]] == [
        "The page names green tea, black tea and rooibos. Oolong is missing: it should be added, says the user.",
        "The house likes Darjeeling best.",
    ]  # fmt: skip
    assert "**written**" in last_words(bench) and list(bench.workspace.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Answered(value=False), "was rejected"), (Cancelled(), "left or answered in words"),
        (Replied(text="later"), "left or answered in words"),
    ],
)  # fmt: skip
def test_every_end_of_it_has_its_words(
    bench: Bench, waiting: dict[str, PromptRequest], change: Response, words: str
) -> None:
    give(bench, waiting["taster"], Replied(text="ask me later"))
    give(bench, waiting["librarian"], Replied(text="I do not know"))
    give(bench, waiting[""], change)
    assert main_turn(bench).outcome == "done"
    assert words in last_words(bench)
    assert "was not answered" in results(bench)[0][0] and "Nobody told me" in results(bench)[1][0]


def test_no_walk_of_a_sub_agent_is_in_the_menu() -> None:
    tour = open_provider("tour")
    assert tour.greeting is not None and "visitors" not in tour.greeting
    assert len(tour.greeting.splitlines()) <= 16, "it is seen whole at 80x24"


def last_words(bench: Bench) -> str:
    return str([one for one in bench.log() if one["type"] == "chat_response"][-1]["message"])

"""Many sub-agents at once (issue 7 "Reliability", acceptance rows 6 and 24: R95, R99, R100, R116, R222)."""

from __future__ import annotations

import gc
import random
import tracemalloc
from pathlib import Path

from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest
from tests.engine.cast import YES_NO, Cast, asked, begin, ends, main_turn, results, spawn, stored
from tests.engine.conftest import Bench
from tests.fakes.models import Item, end

AGENTS = 50
EACH = 20


def crew(bench: Bench, agents: int, each: int) -> Cast:
    """So many sub-agents, each of which asks so many questions in one response."""
    roles: dict[str, list[list[Item]]] = {}
    for number in range(agents):
        words = {**YES_NO, "text": f"Question of {number}?"}
        asks = [item for index in range(each) for item in asked(words, f"a{index}", index)]
        roles[f"task {number}"] = [[*asks, *end("tools")], ends(f"Done {number}.")]
    calls = [item for number in range(agents) for item in spawn(f"task {number}", f"s{number}", number)]
    return begin(bench, go=[[*calls, *end("tools")], ends("All.")], **roles)


def waiting(bench: Bench, count: int) -> list[PromptRequest]:
    """The first prompts, in the order in which they came."""
    return [bench.prompt() for _ in range(count)]


def test_two_that_ask_at_once_get_their_own_answers(bench: Bench) -> None:
    """Row 24: first in, first out; answered in the other order, each gets its own; results in request order."""
    crew(bench, 2, 1)
    prompts = waiting(bench, 2)
    assert [prompt.inquiry for prompt in prompts] == ["s0.go.1", "s1.go.1"]
    for prompt in reversed(prompts):
        bench.answer(prompt, Answered(value=prompt.call == "s0"))
    main_turn(bench)
    assert results(bench) == [("Done 0.", False), ("Done 1.", False)]
    for prompt in prompts:
        assert prompt.agent is not None
        said = '{"go": true}' if prompt.call == "s0" else '{"go": false}'
        assert results(bench, prompt.agent.conversation) == [(said, False)]


def test_a_thousand_questions_of_fifty(bench: Bench) -> None:
    """Answered in any order: each answer reaches the call that asked, every pair stands once in either record."""
    crew(bench, AGENTS, EACH)
    prompts = waiting(bench, AGENTS * EACH)
    assert len({prompt.inquiry for prompt in prompts}) == AGENTS * EACH
    by_call: dict[str, list[str]] = {}
    for prompt in prompts:
        assert prompt.question.text == f"Question of {prompt.call.removeprefix('s')}?" and prompt.agent is not None
        by_call.setdefault(prompt.call, []).append(prompt.inquiry)
    assert all(ids == [f"{call}.go.{n}" for n in range(1, EACH + 1)] for call, ids in by_call.items()), "R249"
    shuffled = random.Random(7).sample(prompts, len(prompts))
    yes = {prompt.inquiry: number % 2 == 0 for number, prompt in enumerate(shuffled)}
    for prompt in shuffled:
        bench.answer(prompt, Answered(value=yes[prompt.inquiry]))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [(f"Done {number}.", False) for number in range(AGENTS)]
    for call in ("s0", "s31", f"s{AGENTS - 1}"):
        agent = next(prompt.agent for prompt in prompts if prompt.call == call)
        assert agent is not None
        wanted = [('{"go": true}' if yes[id_] else '{"go": false}', False) for id_ in by_call[call]]
        assert results(bench, agent.conversation) == wanted, "the first asked is the first call's"
    record = [event for event in stored(bench, bench.conversation) if event["type"].startswith("inquiry_")]
    assert len(record) == 2 * AGENTS * EACH
    answers = {event["id"]: event["answer"] for event in record if event["type"] == "inquiry_response"}
    assert answers == yes
    refused = [event for event in bench.events if isinstance(event, e.AnswerRefused)]
    assert refused == []


def test_fifty_that_ask_end_with_their_parent(bench: Bench) -> None:
    """Nothing is left open anywhere, and nothing runs on."""
    crew(bench, AGENTS, 1)
    prompts = waiting(bench, AGENTS)
    bench.interrupt("stop")
    assert main_turn(bench).outcome == "interrupted"
    for conversation in (bench.conversation, *(p.agent.conversation for p in prompts[:5] if p.agent is not None)):
        events = stored(bench, conversation)
        assert events[-1]["type"] == "turn_outcome" and events[-1]["outcome"] == "interrupted"
        asked_ = [event["id"] for event in events if event["type"] == "inquiry_request"]
        assert asked_ and sorted(asked_) == sorted(e_["id"] for e_ in events if e_["type"] == "inquiry_response")


def test_fifty_that_ask_come_back(bench: Bench) -> None:
    """R237: killed with all of them waiting; the same questions, in either record once."""
    crew(bench, AGENTS, 1)
    before = {prompt.inquiry: prompt for prompt in waiting(bench, AGENTS)}
    bench.kill()
    bench.start("latest")
    again = waiting(bench, AGENTS)
    assert {prompt.inquiry for prompt in again} == set(before)
    for prompt in again:
        assert prompt.agent == before[prompt.inquiry].agent
        bench.answer(prompt, Answered(value=True))
    assert main_turn(bench).outcome == "done"
    assert results(bench) == [(f"Done {number}.", False) for number in range(AGENTS)]
    kinds = [event["type"] for event in stored(bench, bench.conversation)]
    assert kinds.count("inquiry_request") == kinds.count("inquiry_response") == AGENTS


def test_memory_grows_with_what_waits_and_is_given_back(tmp_path: Path) -> None:
    """Issue 7, "Reliability": four times as many questions take about four times as much; little of them stays."""
    took(tmp_path / "first", 1)  # what is loaded once is not counted
    few, left_of_few = took(tmp_path / "few", 2)
    many, left_of_many = took(tmp_path / "many", 8)
    assert 2 * few < many < 6 * few
    assert left_of_few < few / 3 and left_of_many < many / 3


def took(home: Path, each: int) -> tuple[int, int]:
    """Bytes of the engine while so many questions of each sub-agent wait, and when the turn is over."""

    def held() -> int:
        bench.send_and_wait()
        bench.forget()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    home.mkdir()
    bench = Bench(home)
    bench.start()
    tracemalloc.start()
    try:
        before = held()
        bench.stop()
        crew(bench, AGENTS, each)
        waiting(bench, AGENTS * each)
        full = held()
        bench.interrupt("stop")
        main_turn(bench)
        left = held()
        while (now := held()) < left * 0.99:  # fifty that end with it are still being let go
            left = now
        return full - before, now - before
    finally:
        tracemalloc.stop()
        bench.stop()

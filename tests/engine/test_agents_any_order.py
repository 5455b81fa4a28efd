"""Whatever happens in whatever order to a turn with sub-agents, every log is whole at its end (R95, R102, R200, R203,
R214, R237, issue 7 "Reliability"): answers, replies, refusals, looks, kills, restarts and the end of the turn."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from typing import Any

import pytest

from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, EndTurn, Permitted, PromptRequest, Replied, WentBack
from jp_tui.tools.registry import builtin
from tests.engine.cast import Cast, asked, ends, spawn, stored
from tests.engine.conftest import SECONDS, Bench, tool_setup
from tests.fakes.models import Item, call, end
from tests.fakes.tools import Made, asks, at_once
from tests.sampling import sampled

FORM: list[Any] = [
    {"id": "a", "text": "A?", "answer_type": "text"},
    {"id": "b", "text": "B?", "answer_type": "boolean"},
]
MANY = 4


class Endless(Cast):
    """Sub-agents that ask again and again, some rounds each, whatever became of it; each says how it ends."""

    def role(self, number: int, rounds: int) -> None:
        ask: list[list[Item]] = [
            [*asked(FORM, f"a{n}", 0), *call("ask", {}, f"t{n}", 1), *call("quick", {}, f"q{n}", 2), *end("tools")]
            for n in range(rounds)
        ]
        self.roles[f"task {number}"]._responses = [*ask, *[ends(f"Done {number}.") for _ in range(20)]]


class Play:
    """A face that does what the dice say."""

    def __init__(self, bench: Bench, seed: int) -> None:
        self.bench, self.dice = bench, random.Random(seed)
        self.waits: dict[tuple[str, str], PromptRequest] = {}
        self.done = False
        self.lives = 0

    def hear(self) -> None:
        """Until the engine has dealt with all that was sent."""
        seen = len(self.bench.events)
        self.bench.send_and_wait()
        for event in self.bench.events[seen:]:
            self._one(event)

    def _one(self, event: object) -> None:
        match event:
            case e.QuestionAsked(prompt=prompt):
                self.waits[prompt.conversation, prompt.inquiry] = prompt
            case e.QuestionSettled(conversation=conversation, inquiry=inquiry):
                self.waits.pop((conversation, inquiry), None)
            case e.TurnCompleted(conversation=self.bench.conversation):
                self.done = True

    def act(self) -> None:
        """One thing; mostly an answer."""
        if not (prompts := list(self.waits.values())):
            return
        what = self.dice.choices(["answer", "look", "cut", "restart", "end"], [40, 6, 3, 1, 1])[0]
        if what == "answer":
            prompt = self.dice.choice(prompts)
            digest = prompt.digest if self.dice.random() < 0.9 else "stale"
            for _ in range(self.dice.choice([1, 1, 2])):
                self.bench.send(
                    c.AnswerQuestion(
                        conversation=prompt.conversation,
                        inquiry=prompt.inquiry,
                        digest=digest,
                        response=self._response(prompt),
                    )
                )
        elif what == "look":
            self.bench.send(c.OpenConversation(which="id", conversation=self.dice.choice(prompts).conversation))
        elif what == "cut" and self.lives < 3:
            self._again(self.dice.choice(["kill", "leave"]))
        elif what == "restart" and self.dice.random() < 0.3:
            self.bench.interrupt("restart")
        elif what == "end" and self.dice.random() < 0.3:
            self.bench.interrupt("stop")

    def _response(self, prompt: PromptRequest) -> Any:
        if prompt.kind == "permission":
            return Permitted(run=self.dice.random() < 0.7, remember=self.dice.random() < 0.2)
        value = "x" if prompt.question.id == "a" else True
        return self.dice.choices(
            [Answered(value=value), Answered(value=[]), Replied(text="words"), Cancelled(), WentBack(), EndTurn()],
            [60, 5, 10, 5, 10, 0.5],
        )[0]

    def _again(self, how: str) -> None:
        self.lives += 1
        if how == "kill":
            _killed(self.bench, f"life{self.lives}")
        else:
            self.bench.stop()
            self.done = any(isinstance(one, e.TurnCompleted) and _over(one, self.bench) for one in self.bench.events)
        self.waits.clear()
        self.bench.start("id", self.bench.conversation)
        for event in self.bench.events:
            self._one(event)


def _killed(bench: Bench, name: str) -> None:
    """As Bench.kill, at one moment also while much is being written."""
    after, file = bench.home / name, "conversations.db"
    after.mkdir()
    with closing(sqlite3.connect(bench.home / file)) as now, closing(sqlite3.connect(after / file)) as then:
        now.backup(then)
    bench.stop()
    bench.home = after


def _over(event: e.TurnCompleted, bench: Bench) -> bool:
    return event.conversation == bench.conversation and event.outcome != "deferred"


@pytest.mark.parametrize("seed", sampled(range(16), 2))
def test_any_order(bench: Bench, seed: int) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["quick"] = tool_setup("quick", Made(at_once), run="ask")
    tasks = {f"task {number}": list[list[Item]]() for number in range(MANY)}
    calls = [item for number in range(MANY) for item in spawn(f"task {number}", f"s{number}", number)]
    bench.tools["spawn_agent"] = tool_setup("spawn_agent", builtin()["spawn_agent"])
    made = Endless(go=[[*calls, *end("tools")], *[ends("All.") for _ in range(9)]], **tasks)
    for number in range(MANY):
        made.role(number, 1 + seed % 3)
    bench.script = made
    bench.start()
    bench.say("go")
    play = Play(bench, seed)
    until = time.monotonic() + 3 * SECONDS
    while not play.done:
        assert time.monotonic() < until, [prompt.inquiry for prompt in play.waits.values()]
        play.hear()
        play.act()
    bench.send(c.ListConversations(agents=True))
    rows = bench.until(e.ConversationsListed).conversations
    assert len(rows) >= 2
    for row in rows:
        whole(stored(bench, row.id), row.id)
    bench.send(c.ListInquiries(pending=True))
    assert bench.until(e.InquiriesListed).inquiries == ()


def whole(events: list[dict[str, Any]], name: str) -> None:
    for kind in ("inquiry", "tool_call"):
        requests = [event["id"] for event in events if event["type"] == f"{kind}_request"]
        responses = [event["id"] for event in events if event["type"] == f"{kind}_response"]
        assert sorted(requests) == sorted(responses), (name, kind, requests, responses)
    kinds = [event["type"] for event in events]
    assert kinds.count("turn_outcome") == kinds.count("turn_start"), (name, kinds)
    assert kinds[-1] == "turn_outcome", (name, kinds)

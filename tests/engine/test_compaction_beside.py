"""What a compaction changes beside the messages: the window in sight, money, conversations that are deleted (context.md
K22-K24, K27)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jp_tui.engine.base.dependencies import CompactionSettings, ModelSetup, Prices
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol import library as p
from jp_tui.protocol.compaction import WindowLearned
from jp_tui.protocol.values import UsageTotals
from jp_tui.view.activity import status_reducer
from jp_tui.view.activity.status import Status
from tests.engine.conftest import Bench
from tests.engine.test_compaction import ANSWERS, WINDOW, Asking, answer, begin, compactions, lines
from tests.fakes.models import end, text
from tests.fakes.windowed import Windowed

PRICES = Prices(input=3.0, output=15.0, cached=0.3)
DEAR = Prices(input=100.0, output=500.0, cached=10.0)


def filled(bench: Bench, turns: int = 7) -> None:
    for at in range(turns):
        bench.say(f"turn {at}")
        answer(bench, ANSWERS[at])
        assert bench.turn().outcome == "done"


def test_k27_a_window_that_a_server_names_is_in_sight_at_once(bench: Bench) -> None:
    """The status line has it before the turn ends."""
    server = Windowed(Asking(), WINDOW)
    begin(bench, server, None)
    filled(bench)
    learned = next(at for at, one in enumerate(bench.events) if isinstance(one, WindowLearned))
    event = bench.events[learned]
    assert isinstance(event, WindowLearned) and event.window == WINDOW
    later = bench.events[learned + 1 :]
    assert any(isinstance(one, e.EventAppended) and one.stored.event["type"] == "compaction" for one in later)
    status = status_reducer.applied(Status(window=None, conversation=bench.conversation), event, 0.0)
    assert status.window == WINDOW


def priced(bench: Bench, server: Windowed, model: Windowed | None = None) -> None:
    """Models with prices: the conversation's, and perhaps another that summarises."""
    made = ModelSetup("fake/model", "model", server, window=WINDOW, retry=bench.retry, prices=PRICES)

    async def opens(name: str) -> ModelSetup:
        return made if name == "priced" else replace(made, id="other/dear", provider=model or server, prices=DEAR)

    bench.agent_model = opens
    if model is not None:

        async def other() -> ModelSetup:
            return await opens("dear")

        bench.compaction = CompactionSettings(open_model=other)
    bench.script, bench.window = server, WINDOW  # type: ignore[assignment]
    bench.tools = {"ask_user": bench.tools["ask_user"]}
    bench.start()
    bench.send(c.SwitchModel(conversation=bench.conversation, model="priced"))
    bench.until(e.ModelSwitched)


@pytest.mark.parametrize("other", [False, True], ids=["its own model", "a dearer one"])
def test_k24_a_summary_is_paid_for_in_the_turn_and_the_conversation(bench: Bench, other: bool) -> None:
    """At the prices of the model that wrote it; `/usage` lists it as a request."""
    server = Windowed(Asking(), WINDOW)
    dear = Windowed(Asking(), 10 * WINDOW)
    dear.summary = server.summary = lambda _: [*text("Goal: to go on."), *end(output=400)]
    priced(bench, server, dear if other else None)
    filled(bench)
    made = compactions(bench)
    prices = DEAR if other else PRICES
    for one in made:
        used = one["usage"]
        assert used["cost_usd"] == pytest.approx((used["input"] * prices.input + used["output"] * prices.output) / 1e6)
    ends = [one for one in bench.log() if one["type"] == "turn_outcome"]
    tokens = sum(one["usage"]["input"] * PRICES.input + one["usage"]["output"] * PRICES.output for one in ends)
    if not other:
        assert ends[-1]["metadata"]["total"]["cost_usd"] == pytest.approx(tokens / 1e6)
    summaries = sum(one["usage"]["cost_usd"] for one in made)
    assert ends[-1]["metadata"]["total"]["cost_usd"] > summaries > 0
    bench.send(c.ReadUsage(conversation=bench.conversation))
    read = bench.until(e.UsageRead)
    requests = [one for turn in read.turns for one in turn.requests]
    assert sum(one.what.raw == "summary" for one in requests) == len(made)
    assert sum(one.usage.cost_usd or 0.0 for one in requests) == pytest.approx(read.total.cost_usd)
    assert read.total.cost_usd == pytest.approx(ends[-1]["metadata"]["total"]["cost_usd"])


@pytest.mark.parametrize("restart", [True, False], ids=["restarted", "open"])
def test_k24_a_summary_by_hand_counts_in_the_total(bench: Bench, restart: bool) -> None:
    """It belongs to no turn: the status line, the next turn's total and a later process have it."""
    server = Windowed(Asking(200), 100_000)
    server.summary = lambda _: [*text("Goal: to go on."), *end(output=400)]
    priced(bench, server)
    filled(bench, 3)
    before = UsageTotals.model_validate(bench.log()[-1]["metadata"]["total"])
    bench.send(c.CompactConversation(conversation=bench.conversation))
    done = bench.until(e.Compacted)
    assert done.stored is not None
    used: Any = done.stored.event["usage"]
    status = Status(
        conversation=bench.conversation, tokens_in=before.input, tokens_out=before.output, cost=before.cost_usd
    )
    status = status_reducer.applied(status, done, 0.0)
    wanted = (before.input + used["input"], before.output + 400, pytest.approx(before.cost_usd + used["cost_usd"]))
    assert (status.tokens_in, status.tokens_out, status.cost) == wanted
    bench.send(c.ReadUsage(conversation=bench.conversation))
    total = bench.until(e.UsageRead).total
    assert (total.input, total.output, total.cost_usd) == wanted
    if restart:
        bench.stop()
        opened = bench.start("id", bench.conversation)
        assert (opened.usage.input, opened.usage.output, opened.usage.cost_usd) == wanted
    bench.say("on")
    answer(bench, "x")
    bench.turn()
    total = UsageTotals.model_validate(bench.log()[-1]["metadata"]["total"])
    assert total.output > before.output + 400


def test_k22_a_conversation_that_was_deleted_and_restored_has_its_overlay(bench: Bench) -> None:
    """Deleting takes nothing of the log, and compacting a deleted one does nothing."""
    server = Windowed(Asking(), WINDOW)
    begin(bench, server)
    filled(bench)
    conversation, told = bench.conversation, server.requests[-1].messages
    assert lines(server.requests[-1])
    bench.stop()
    bench.start()
    bench.send(p.DeleteConversation(conversation=conversation))
    bench.until(p.ConversationChanged)
    bench.send(c.CompactConversation(conversation=conversation))
    assert bench.until(e.Refused).command == "compact_conversation"
    bench.send(p.RestoreConversation(conversation=conversation))
    bench.until(p.ConversationChanged)
    bench.stop()
    bench.start("id", conversation)
    bench.say("on")
    bench.prompt()
    assert server.requests[-1].messages[: len(told)] == told


def test_k22_a_conversation_is_not_deleted_while_it_is_compacted(bench: Bench) -> None:
    """The summary ends, and the conversation is whole."""
    server = Windowed(Asking(200), 100_000)
    server.summary = lambda _: [0.3, *text("Goal: to go on."), *end()]
    begin(bench, server, 100_000)
    filled(bench, 3)
    bench.send(c.CompactConversation(conversation=bench.conversation))
    bench.until(e.TurnPhase, lambda one: one.phase == "compacting")
    bench.send(p.DeleteConversation(conversation=bench.conversation, now=True))
    seen: list[Any] = []
    while len(seen) < 2:
        seen.append(bench.until((e.Refused, e.Compacted, p.ConversationChanged)))  # type: ignore[arg-type]
    refused = [one for one in seen if isinstance(one, e.Refused)]
    assert refused and refused[0].command == "delete_conversation"
    assert [one.stored is not None for one in seen if isinstance(one, e.Compacted)] == [True]

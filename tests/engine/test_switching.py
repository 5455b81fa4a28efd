"""A conversation's model is switched between turns, for good or for one; what is used is counted and priced."""

from __future__ import annotations

from dataclasses import replace

from jp_tui.conversation.model import Effort, EffortChoice, ModelError, Usage
from jp_tui.engine.base.dependencies import ModelSetup, Prices
from jp_tui.engine.record.costs import cost_usd, counted
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.cast import agent, begin, main_turn, spawn, stored
from tests.engine.conftest import Bench
from tests.fakes.models import Script, call, end, text

PRICES = Prices(input=3.0, output=15.0, cached=0.3)


def offers(bench: Bench, **scripts: Script) -> None:
    """These models can be switched to, by their names."""

    async def opens(name: str) -> ModelSetup:
        if name not in scripts:
            raise ModelError("unknown_model", f"Unknown provider {name}.", "Name another.")
        return ModelSetup(f"other/{name}", name, scripts[name], window=200_000, prices=PRICES)

    bench.agent_model = opens


def switch(bench: Bench, model: str, *, once: bool = False) -> None:
    bench.send(c.SwitchModel(conversation=bench.conversation, model=model, once=once))


def turn(bench: Bench, words: str) -> str:
    bench.say(words)
    assert bench.turn().outcome == "done"
    return str(bench.log()[-1]["model"])


def test_from_the_next_turn_on_and_kept_with_the_conversation(bench: Bench) -> None:
    """R67: a change of configuration that belongs to the conversation is a delta in its log."""
    bench.script, other = Script([*text("one"), *end()]), Script([*text("two"), *end()], [*text("three"), *end()])
    offers(bench, big=other)
    bench.start()
    assert turn(bench, "a") == "fake/model"
    switch(bench, "big")
    switched = bench.until(e.ModelSwitched)
    assert (switched.model, switched.window, switched.once) == ("other/big", 200_000, False)
    assert turn(bench, "b") == turn(bench, "c") == "other/big"
    deltas = [event["delta"] for event in bench.log() if event["type"] == "config_delta"]
    assert deltas == [{"assistant": {"model": {"id": "other/big"}}}]
    assert [message.role for message in other.requests[0].messages] == ["user", "assistant", "user"]
    bench.send(c.ListConversations())
    assert bench.until(e.ConversationsListed).conversations[0].model == "other/big"


def test_for_one_turn_alone_and_then_as_before(bench: Bench) -> None:
    bench.script = Script([*text("two"), *end()])
    offers(bench, big=Script([*text("one"), *end()]))
    bench.start()
    switch(bench, "big", once=True)
    assert bench.until(e.ModelSwitched).once
    assert turn(bench, "a") == "other/big"
    back = bench.until(e.ModelSwitched)
    assert (back.model, back.once) == ("fake/model", False), "faces name what the next turn has"
    assert turn(bench, "b") == "fake/model"
    assert "config_delta" not in bench.kinds()


def test_a_turn_that_runs_keeps_its_model(bench: Bench) -> None:
    bench.script = Script([*text("one"), 0.2, *end()])
    offers(bench, big=Script([*text("two"), *end()]))
    bench.start()
    bench.say("a")
    bench.until(e.PartDelta)
    switch(bench, "big")
    bench.until(e.ModelSwitched)
    assert bench.turn().outcome == "done" and bench.log()[-1]["model"] == "fake/model"
    assert turn(bench, "b") == "other/big"


def test_a_model_that_there_is_not_changes_nothing(bench: Bench) -> None:
    bench.script = Script([*text("one"), *end()])
    offers(bench)
    bench.start()
    switch(bench, "nobody")
    refused = bench.until(e.Refused)
    assert (refused.command, refused.message) == ("switch_model", "Unknown provider nobody.")
    switch(bench, " ")
    assert "No model is selected" in bench.until(e.Refused).message
    assert turn(bench, "a") == "fake/model"


def test_a_conversation_in_which_nothing_was_said_used_nothing(bench: Bench) -> None:
    """It is open, and not in the log yet: that is no mistake of whoever asks."""
    bench.start()
    bench.send(c.ReadUsage(conversation=bench.conversation))
    read = bench.until(e.UsageRead)
    assert (read.model, read.turns, read.total.input) == ("fake/model", (), 0)
    bench.send(c.ReadUsage(conversation="nowhere1"))
    assert "There is no conversation nowhere1" in bench.until(e.Refused).message


def test_s54_a_new_conversation_has_no_inquiries_and_that_is_no_error(bench: Bench) -> None:
    bench.start()
    bench.send(c.ListInquiries(conversation=bench.conversation))
    assert bench.until(e.InquiriesListed).inquiries == ()
    bench.send(c.ListInquiries(conversation="nowhere1"))
    assert bench.until(e.Refused).command == "list_inquiries"


def test_what_was_used_is_counted_by_request_and_priced(bench: Bench) -> None:
    listing = call("fs_list_files", {})
    offers(bench, big=Script([*listing, *end("tools", 1000, 20)], [*text("done"), *end("end", 3000, 40)]))
    bench.start()
    switch(bench, "big")
    assert turn(bench, "look around") == "other/big"
    bench.send(c.ReadUsage(conversation=bench.conversation))
    read = bench.until(e.UsageRead)
    (one,) = read.turns
    assert (one.turn, one.asked.raw, one.outcome) == (1, "look around", "done")
    assert [(each.what.raw, each.usage.input, each.usage.output) for each in one.requests] == [
        ("fs_list_files", 1000, 20), ("answer", 3000, 40),
    ]  # fmt: skip
    assert [each.usage.cost_usd for each in one.requests] == [0.0033, 0.0096]
    assert one.usage.cost_usd == read.total.cost_usd == 0.0129 and read.window == 200_000
    assert read.total.context == 3040


def test_what_sub_agents_used_is_counted_with_the_turn_that_started_them(bench: Bench) -> None:
    """By agent and together, beside the turn's own requests, which alone are its usage (S3); nothing is written."""
    spawns = [*spawn("look\nthere", "s1", 0, name="scout"), *spawn("dig", "s2", 1), *end("tools", 1000, 20)]
    begin(
        bench,
        go=[spawns, [*text("Thanks."), *end("end", 3000, 40)]],
        **{
            "look\nthere": [[*call("fs_list_files", {}), *end("tools", 500, 5)], [*text("It."), *end("end", 700, 7)]],
            "dig": [[*text("Dug."), *end("end", 90, 9)]],
        },
    )
    ended = main_turn(bench)
    assert (ended.usage.input, ended.usage.output) == (4000, 60), "S3"
    before = stored(bench, bench.conversation)
    bench.send(c.ReadUsage(conversation=bench.conversation))
    read = bench.until(e.UsageRead)
    (one,) = read.turns
    used = {each.task.raw: (each.name.raw, each.usage.input, each.usage.output) for each in one.agents}
    assert used == {"look there": ("scout", 1200, 12), "dig": ("", 90, 9)}
    assert (one.usage.input, read.total.input) == (4000, 4000)
    assert (read.agent_total.input, read.agent_total.output, read.agent_total.context) == (1290, 21, 0)
    assert stored(bench, bench.conversation) == before
    bench.send(c.ReadUsage(conversation=agent(bench, "scout")))
    assert (own := bench.until(e.UsageRead)).total.input == 1200 and not own.turns[0].agents


def test_money_counts_a_cache_by_its_own_price_and_is_left_out_where_no_price_is_known() -> None:
    used = Usage(input=1_000_000, output=100_000, cached=400_000)
    assert cost_usd(used, PRICES) == 0.6 * 3 + 0.4 * 0.3 + 0.1 * 15
    assert "cost_usd" not in counted(used, None) and counted(used, PRICES)["cost_usd"] == 3.42


def test_w8_an_effort_stays_with_the_conversation_and_may_be_for_one_turn(bench: Bench) -> None:
    bench.script, other = Script(), Script(*[[*text("one"), *end()]] * 4)
    offers(bench, big=other)
    bench.start()
    sent: list[EffortChoice] = []
    for effort, once in (("high", False), ("low", True), (None, False)):
        bench.send(c.SwitchModel(conversation=bench.conversation, model="big", once=once, effort=effort))
        sent.append(bench.until(e.ModelSwitched).effort)
        turn(bench, "go")
        if once:
            sent.append(bench.until(e.ModelSwitched).effort)
    assert sent == ["high", "low", "high", "high"], "without one it is left as it is"
    assert [one.effort and one.effort.level for one in other.requests] == ["high", "low", "high"]
    bench.send(c.SwitchModel(conversation=bench.conversation, model="big", effort="default"))
    bench.until(e.ModelSwitched)
    turn(bench, "go")
    assert other.requests[-1].effort is None


def test_w8_a_resumed_conversation_keeps_its_effort_and_the_command_line_precedes_it(bench: Bench) -> None:
    """The log has it (R67)."""
    bench.script, other = Script(*[[*text("one"), *end()]] * 3), Script([*text("one"), *end()])
    offers(bench, big=other)
    bench.start()
    bench.send(c.SwitchModel(conversation=bench.conversation, model="big", effort="low"))
    turn(bench, "a")
    bench.stop()
    bench.start(which="latest")
    turn(bench, "b")
    assert (last := bench.script.requests[-1].effort) is not None and last.level == "low"
    bench.delta = {"assistant": {"model": {"effort": "high"}}}
    bench.stop()
    bench.start(which="latest")
    turn(bench, "c")
    assert (last := bench.script.requests[-1].effort) is not None and last.level == "high"


def test_w8_a_model_that_takes_no_effort_is_sent_none() -> None:
    model = ModelSetup("x/y", "y", Script(), takes_effort="none")
    assert model.thinking("high") is None and replace(model, takes_effort="budget").thinking("default") is None
    assert replace(model, takes_effort="budget").thinking("high") == Effort("high", "budget")

"""A turn that was cut off goes on with nobody there, as far as it can (S6, R95, R207, R230, E52)."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from jp_tui.conversation.outcomes import Success
from jp_tui.engine.base.dependencies import Policies
from jp_tui.inquiry.values import Policy, Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from jp_tui.tools.port import Outcome, ToolCall
from tests.engine.conftest import Bench, tool_setup
from tests.engine.test_taken_up import FORM, OK, deferred, go, whole
from tests.fakes.models import call, end
from tests.fakes.tools import Made, asks, forever
from tests.limits import LIMIT


def two_deferred(bench: Bench) -> tuple[Made, Made]:
    """Two calls that wait for a person, one that does not; one of the two is answered from another process."""
    bench.client = False
    first, second = Made(asks), Made(asks)
    bench.tools["one"] = tool_setup("one", first, policies=Policies(tool="defer"))
    bench.tools["two"] = tool_setup("two", second, policies=Policies(tool="defer"))
    go(bench, [*call("one", {}), *call("two", {}, "c2", 1), *end("tools")], OK, OK)
    assert bench.turn().outcome == "deferred"
    bench.stop()
    offer(bench, "c1.sure.1")
    first.calls.clear()
    second.calls.clear()
    return first, second


def offer(bench: Bench, inquiry: str) -> None:
    other = bench.other()
    other.run()
    other.send(c.OfferAnswer(inquiry=inquiry, value="yes"))
    assert other.until(e.OfferSettled).status == "accepted"
    other.stop()


def given(bench: Bench) -> list[tuple[str, str]]:
    return [(x["id"], x["content"]) for x in bench.log() if x["type"] == "tool_call_response"]


@pytest.mark.parametrize("policy", ["unset", "deny", "defaults", "defer"])
def test_what_was_answered_is_carried_on_while_the_rest_waits(bench: Bench, policy: Policy) -> None:
    """S6, R95, E52: with nobody there one call runs to its result; the other is not run, not asked, not closed."""
    first, second = two_deferred(bench)
    bench.tools["two"] = replace(bench.tools["two"], policies=Policies(tool=policy))
    bench.start("latest")
    bench.say("and now?")
    assert bench.until(e.TurnStarted).resumed
    assert bench.turn().outcome == "deferred"
    refused = bench.until(e.Refused)
    assert (refused.command, refused.pending) == ("start_turn", ("c2.sure.1",))
    assert "wasn't sent" in refused.advice and f"{bench.conversation}/c2.sure.1" in refused.advice
    assert given(bench) == [("c1", "heard True")] and len(first.calls) == 1 and not second.calls
    assert not {"inquiry_response", "inquiry_request", "turn_outcome"} & set(bench.kinds())
    bench.say("and now?")
    assert bench.until(e.Refused).pending == ("c2.sure.1",)
    assert len(bench.script.requests) == 1 and not second.calls
    bench.stop()
    assert bench.start("latest").drafts == {"composer": "and now?"}
    bench.stop()
    offer(bench, "c2.sure.1")
    bench.start("latest")
    bench.say("and now?")
    assert [bench.turn().outcome, bench.turn().outcome] == ["done", "done"]
    assert given(bench) == [("c2", "heard True")]


def test_a_person_answers_what_was_left(bench: Bench) -> None:
    two_deferred(bench)
    bench.start("latest")
    bench.turn()
    bench.stop()
    bench.client = True
    bench.start("latest")
    prompt = bench.prompt()
    assert prompt.inquiry == "c2.sure.1"
    bench.answer(prompt, Answered(value=True))
    assert bench.turn().outcome == "done"
    whole(bench)


def test_ending_the_run_answers_nothing(bench: Bench) -> None:
    """E52: Ctrl-C while the answered call runs leaves the other's question open."""
    two_deferred(bench)
    slow = bench.tools["one"] = tool_setup("one", Made(forever))
    bench.start("latest")
    assert isinstance(slow.tool, Made) and slow.tool.began.wait(LIMIT)
    bench.interrupt("stop")
    assert bench.turn().outcome == "deferred"
    assert not {"inquiry_response", "turn_outcome"} & set(bench.kinds())


SETTLED: list[tuple[dict[str, Any], bool]] = [
    ({"rules": {"sure": Rule(has_answer=True, answer=True)}}, True),
    ({"rules": {"sure": Rule(has_answer=True, answer=True)}, "run": "ask", "policies": Policies(run="auto")}, True),
    ({"rules": {"sure": Rule(has_answer=True, answer=True)}, "run": "ask"}, False),
    ({"rules": {"sure": Rule(has_answer=True, answer=True)}, "run": "skip"}, False),
    ({"rules": {"sure": Rule(has_answer=True, answer=True)}, "result": "ask"}, False),
    ({"rules": {"sure": Rule(has_answer=True, answer="perhaps")}}, False),
    ({"rules": {"sure": Rule(target="assistant")}}, False),
    ({"policies": Policies(tool="auto")}, False),
]


@pytest.mark.parametrize(("more", "goes_on"), SETTLED)
def test_only_a_setting_answers_for_whoever_is_missing(bench: Bench, more: dict[str, Any], goes_on: bool) -> None:
    """Row 2; a policy, a model, a value that does not fit and leave that nobody can give answer nothing."""
    deferred(bench)
    bench.stop()
    bench.tools["ask"] = tool_setup("ask", Made(asks), **more)
    bench.start("latest")
    bench.say("and now?")
    if goes_on:
        assert [bench.turn().outcome, bench.turn().outcome] == ["done", "done"]
        assert given(bench) == [("c1", "heard True")]
    else:
        assert bench.until(e.Refused).pending == ("c1.sure.1",)
        assert bench.kinds() == []


def test_a_secret_that_has_to_be_asked_again_waits_too(bench: Bench) -> None:
    """R237: a redacted answer is asked again, and a setting for another question of the call does not help."""
    bench.tools["tool"] = tool_setup("tool", Made(FORM))
    go(bench, [*call("tool", {}), *end("tools")], OK)
    bench.answer(bench.prompt(), Answered(value="1"))
    bench.answer(bench.prompt(), Answered(value="hush"))
    bench.prompt()
    bench.stop()
    bench.client = False
    bench.tools["tool"] = tool_setup("tool", Made(FORM), rules={"two": Rule(has_answer=True, answer="2")})
    bench.start("latest")
    bench.say("and now?")
    assert bench.until(e.Refused).pending == ("c1.two.1",)
    assert bench.kinds() == []


def test_settings_that_cannot_be_read_end_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """E52: the turn stays as it was, and the words are kept."""
    two_deferred(bench)

    def broken(self: Bench, deltas: object) -> object:
        raise ValueError("config.toml:3: what is that?")

    monkeypatch.setattr(Bench, "_reload", broken)
    bench.start("latest")
    bench.say("and now?")
    refused = bench.until(e.Refused)
    assert refused.command == "start_turn" and "config.toml:3" in refused.message and "wasn't sent" in refused.advice
    assert bench.kinds() == []
    bench.stop()
    assert bench.start("latest").drafts == {"composer": "and now?"}


def test_what_was_to_be_said_next_outlives_a_call_that_hangs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """R248: the program ends while a call of the turn that goes on does not; the words wait in the composer."""
    monkeypatch.setattr("jp_tui.engine.hub.PATIENCE_SECONDS", 0.1)
    two_deferred(bench)
    stuck = Made(stubborn)
    bench.tools["one"] = tool_setup("one", stuck)
    bench.start("latest")
    assert stuck.began.wait(LIMIT)
    bench.say("and now?")
    bench.send_and_wait()
    bench.stop()
    bench.tools["one"] = tool_setup("one", Made(asks))
    assert bench.start("latest").drafts == {"composer": "and now?"}


async def stubborn(call: ToolCall) -> Outcome:
    """Does not end when it is called off for the first time."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    return await forever(call)


def test_what_was_to_be_said_next_is_not_sent_once_the_client_is_gone(bench: Bench) -> None:
    """Z9: the turn that was taken up comes to its end, and no other begins; the words wait in the composer."""
    gate = threading.Event()

    async def asks_and_waits(call: ToolCall) -> Outcome:
        if "sure" not in call.answers:
            return await asks(call)
        await asyncio.to_thread(gate.wait, 30)
        return Success("done")

    bench.client = False
    bench.tools["slow"] = tool_setup("slow", Made(asks_and_waits), policies=Policies(tool="defer"))
    go(bench, [*call("slow", {}), *end("tools")], OK, OK)
    assert bench.turn().outcome == "deferred"
    bench.stop()
    offer(bench, "c1.sure.1")
    bench.start("latest")
    bench.until(e.CallChanged, lambda one: one.state == "running")
    bench.say("and then this")
    bench.send(c.ClientGone())
    bench.send_and_wait()
    gate.set()
    bench.turn()
    bench.say("more")  # waits for the end of all that the turn leaves to do
    bench.until((e.Refused, e.TurnStarted))  # type: ignore[arg-type]
    bench.stop()
    assert "and then this" not in [event["content"] for event in bench.log() if event["type"] == "chat_request"]
    assert "and then this" in bench.start("latest").drafts["composer"]

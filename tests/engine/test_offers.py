"""Answers from another process (surface S6, S12, E53, R245): acceptance row 29."""

from __future__ import annotations

import threading

import pytest

from jp_tui.conversation.strict_json import dump
from jp_tui.engine.session import answer_router
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from jp_tui.questions.types import (
    AnswerType,
    BooleanAnswer,
    MultiSelectAnswer,
    Option,
    Question,
    SchemaAnswer,
    SecretAnswer,
    SelectAnswer,
    TextAnswer,
)
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks, forever, series

OK: list[Item] = [*text("Ok."), *end()]
OPTIONS = (Option("red"), Option("blue"))
TYPES: list[tuple[AnswerType, str, str, object]] = [
    (BooleanAnswer(), "Yes", "maybe", True),
    (TextAnswer(), "true", "", "true"),
    (SelectAnswer(OPTIONS), "red", "green", "red"),
    (MultiSelectAnswer(OPTIONS), '["blue"]', "blue", ["blue"]),
    (SchemaAnswer({"type": "integer"}), "7", '"7"', 7),
]


def go(bench: Bench, kind: AnswerType | None = None, id_: str = "c1") -> None:
    question = Question("q", "What?", kind or BooleanAnswer())
    bench.tools["tool"] = tool_setup("tool", Made(series(question)))
    bench.script = Script([*call("tool", {}, id_), *end("tools")], OK)
    bench.start()
    bench.say("go")


def offer(bench: Bench, value: str, inquiry: str = "c1.q.1", conversation: str = "") -> e.OfferSettled:
    bench.send(c.OfferAnswer(conversation=conversation, inquiry=inquiry, value=value))
    return bench.until(e.OfferSettled)


@pytest.fixture
def other(bench: Bench):  # type: ignore[no-untyped-def]
    made = bench.other()
    made.run()
    yield made
    made.stop()


@pytest.mark.parametrize(("kind", "good", "bad", "value"), TYPES, ids=[kind.type for kind, *_ in TYPES])
def test_a_live_holder_takes_it_through_the_same_decision(
    bench: Bench, other: Bench, kind: AnswerType, good: str, bad: str, value: object
) -> None:
    """Read by the question's type; what does not fit is told and changes nothing."""
    go(bench, kind)
    prompt = bench.prompt()
    if bad:
        wrong = offer(other, bad)
        assert wrong.status == "invalid" and wrong.message
    assert offer(other, good).status == "accepted"
    bench.until(e.QuestionSettled, lambda settled: settled.inquiry == prompt.inquiry and settled.how == "answered")
    assert bench.turn().outcome == "done"
    (response,) = [event for event in bench.log() if event["type"] == "inquiry_response"]
    assert response["answer"] == value
    assert response["responder"]["kind"] == "user" and response["responder"]["via"] == "process"
    late = offer(other, good)
    assert late.status == "answered" and late.by == "user"


@pytest.mark.parametrize(("kind", "good", "bad", "value"), TYPES, ids=[kind.type for kind, *_ in TYPES])
def test_without_a_holder_it_is_decided_and_appended_here(
    bench: Bench, other: Bench, kind: AnswerType, good: str, bad: str, value: object
) -> None:
    """Durable, and no model is called; the next start goes on with it."""
    go(bench, kind)
    bench.prompt()
    bench.stop()
    if bad:
        assert offer(other, bad).status == "invalid"
    settled = offer(other, good, "/".join((bench.conversation, "c1.q.1")))
    assert (settled.status, settled.conversation) == ("accepted", bench.conversation)
    assert offer(other, good).status == "answered", "the first durable response wins"
    assert len(bench.script.requests) == 1
    bench.start("latest")
    assert bench.until(e.TurnStarted).resumed
    assert bench.turn().outcome == "done"
    (result,) = [event for event in bench.log() if event["type"] == "tool_call_response"]
    assert result["content"] == f"heard {value}" and "inquiry_request" not in bench.kinds()


def test_the_engine_that_asks_may_be_offered_it_too(bench: Bench) -> None:
    go(bench)
    bench.prompt()
    assert offer(bench, "no").status == "accepted"
    assert bench.turn().outcome == "done"


def test_a_secret_is_never_taken_from_a_command_line(bench: Bench, other: Bench) -> None:
    go(bench, SecretAnswer())
    bench.prompt()
    assert offer(other, "hunter22").status == "invalid"
    bench.stop()
    assert offer(other, "hunter22").status == "invalid"


def test_what_is_not_there_or_not_unique_is_told(bench: Bench, other: Bench) -> None:
    """S6: several matches come with their names."""
    assert offer(other, "yes", "nothing.q.1").status == "unknown"
    assert offer(other, "yes", "nowhere/nothing.q.1").status == "unknown"
    for _ in range(2):
        go(bench)
        bench.prompt()
        bench.stop()
    found = offer(other, "yes")
    assert found.status == "ambiguous" and len(found.candidates) == 2
    assert f"{bench.conversation}/c1.q.1" in found.candidates
    assert offer(other, "yes", found.candidates[0]).status == "accepted"
    assert offer(other, "yes", conversation=found.candidates[1].split("/")[0]).status == "accepted"


def test_ids_may_hold_slashes(bench: Bench, other: Bench) -> None:
    go(bench, id_="a/b")
    prompt = bench.prompt()
    bench.stop()
    assert offer(other, "yes", f"{bench.conversation}/{prompt.inquiry}").status == "accepted"
    assert offer(other, "yes", f"{bench.conversation}/{prompt.inquiry}").status == "answered"


def test_a_holder_that_does_not_react_is_named(bench: Bench, other: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the patience the offer is taken back: it is never decided behind the offerer's back."""
    monkeypatch.setattr(answer_router, "PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr("jp_tui.engine.recovery.offered_answers.LOOK_SECONDS", 60.0)
    go(bench)
    bench.prompt()
    settled = offer(other, "yes")
    assert settled.status == "no_reaction" and settled.message
    assert not bench.journal.offers(bench.conversation)


def test_a_holder_that_dies_leaves_the_lock_to_the_offerer(
    bench: Bench, other: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S12: the holder's death frees it."""
    monkeypatch.setattr("jp_tui.engine.recovery.offered_answers.LOOK_SECONDS", 60.0)
    go(bench)
    bench.prompt()
    other.send(c.OfferAnswer(inquiry="c1.q.1", value="yes"))
    while not bench.journal.offers(bench.conversation):
        threading.Event().wait(0.01)
    bench.stop()
    assert other.until(e.OfferSettled).status == "accepted"


@pytest.mark.parametrize(("said", "status"), [("yes", "accepted"), ("no", "answered")])
def test_a_holder_that_dies_before_it_says_what_it_took(
    bench: Bench, other: Bench, monkeypatch: pytest.MonkeyPatch, said: str, status: str
) -> None:
    """E53: whose answer is on record is told so, and nobody else."""
    monkeypatch.setattr("jp_tui.engine.recovery.offered_answers.LOOK_SECONDS", 60.0)
    go(bench)
    bench.prompt()
    other.send(c.OfferAnswer(inquiry="c1.q.1", value=said))
    while not bench.journal.offers(bench.conversation):
        threading.Event().wait(0.01)
    assert offer(bench, "yes").status == "accepted"
    bench.stop()
    assert other.until(e.OfferSettled).status == status


def test_an_offer_for_what_has_changed_is_stale(bench: Bench) -> None:
    """By the digest that the offerer saw (R235); a garbled payload is told, too."""
    go(bench)
    prompt = bench.prompt()
    numbers = [
        bench.journal.make_offer(bench.conversation, prompt.inquiry, payload, "now").result(10)
        for payload in (dump({"value": "yes", "digest": "other"}), "{", dump({"value": 3}))
    ]
    other = bench.journal.make_offer(bench.conversation, "c9.q.1", dump({"value": "yes"}), "now").result(10)
    while bench.journal.offers(bench.conversation):
        threading.Event().wait(0.01)
    states = [bench.journal.offer(number).state for number in (*numbers, other)]
    assert states == ["stale", "invalid", "invalid", "stale"]
    bench.answer(prompt, Answered(value=True))
    bench.turn()


def test_nothing_is_looked_for_while_nothing_waits(bench: Bench) -> None:
    """An idle engine, and one whose tools just run, does not wake up for offers."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    bench.script = Script([*call("ask", {}), *end("tools")], [*call("slow", {}), *end("tools")])
    bench.start()
    looks = 0
    real = bench.journal.offers

    def counted(conversation: str) -> object:
        nonlocal looks
        looks += 1
        return real(conversation)

    bench.journal.offers = counted  # type: ignore[attr-defined]
    bench.say("go")
    prompt = bench.prompt()
    while not looks:
        threading.Event().wait(0.01)
    bench.answer(prompt, Answered(value=True))
    bench.until(e.CallChanged, lambda event: event.tool == "slow" and event.state == "running")
    threading.Event().wait(0.3)  # the last look, for whoever came too late
    after = looks
    threading.Event().wait(0.5)
    assert looks == after

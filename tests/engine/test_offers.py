"""Answers from another process (surface S6, S12, E53, R245): acceptance row 29."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from jp_tui.conversation.strict_json import dump
from jp_tui.engine.asking.input_queue import Inputs, OfferedInput
from jp_tui.engine.session import answer_router
from jp_tui.inquiry.values import Input
from jp_tui.journal.port import JournalError, StorePerson
from jp_tui.journal.writer import PendingReceipt
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, PromptRequest
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
from tests.limits import LIMIT

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
    monkeypatch.setattr("jp_tui.engine.recovery.offered_answers.Offers.look", lambda _: None)
    go(bench)
    bench.prompt()
    settled = offer(other, "yes")
    assert settled.status == "no_reaction" and settled.message
    assert not bench.journal.offers(bench.conversation)


def test_a_holder_that_dies_leaves_the_lock_to_the_offerer(
    bench: Bench, other: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S12: the holder's death frees it."""
    monkeypatch.setattr("jp_tui.engine.recovery.offered_answers.Offers.look", lambda _: None)
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
    monkeypatch.setattr("jp_tui.engine.recovery.offered_answers.Offers.look", lambda _: None)
    go(bench)
    bench.prompt()
    other.send(c.OfferAnswer(inquiry="c1.q.1", value=said))
    while not bench.journal.offers(bench.conversation):
        threading.Event().wait(0.01)
    assert offer(bench, "yes").status == "accepted"
    bench.stop()
    assert other.until(e.OfferSettled).status == status


def test_s12_an_accepted_offer_is_one_write_and_needs_no_second(bench: Bench, other: Bench) -> None:
    """Its result is stored with the answer (store.md D10): a holder that ends in between leaves no doubt."""

    def unused(*_: object) -> None:
        raise AssertionError("not for an offer that was accepted")

    go(bench)
    prompt = bench.prompt()
    bench.journal.settle_offer = unused  # type: ignore[attr-defined]
    other.journal.withdraw_offer = unused  # type: ignore[attr-defined]
    assert offer(other, "yes").status == "accepted"
    bench.until(e.QuestionSettled, lambda settled: settled.inquiry == prompt.inquiry)
    bench.turn()


def three_questions(bench: Bench) -> dict[str, PromptRequest]:
    """A turn that waits for three answers: the prompts by call."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    calls = [part for name in ("c1", "c2", "c3") for part in call("ask", {}, name, "123".index(name[1]))]
    bench.script = Script([*calls, *end("tools")], OK)
    bench.start()
    bench.say("go")
    return {prompt.call: prompt for prompt in (bench.prompt() for _ in range(3))}


def test_s12_an_offer_that_is_withdrawn_while_it_is_decided_leads_to_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its maker was told that nobody took it; what was decided together with it counts all the same."""
    prompts = three_questions(bench)
    queued, process = threading.Event(), Inputs.process

    def noted(inputs: Inputs, given: Input, offered: OfferedInput | None = None):  # type: ignore[no-untyped-def]
        if offered is not None:
            queued.set()
        return process(inputs, given, offered)

    monkeypatch.setattr(Inputs, "process", noted)
    bench.journal.hold = lambda kind: kind == "inquiry_response"
    bench.answer(prompts["c1"], Answered(value=True))
    assert bench.journal.asked.wait(LIMIT)
    payload = dump({"value": "yes", "digest": prompts["c2"].digest})
    number = bench.journal.make_offer(bench.conversation, prompts["c2"].inquiry, payload, "now").result(LIMIT)
    assert queued.wait(LIMIT)
    bench.answer(prompts["c3"], Answered(value=True))
    bench.journal.withdraw_offer(number).result(LIMIT)
    bench.journal.hold = lambda kind: False
    bench.journal.gate.set()
    for name in ("c1", "c3"):
        bench.until(e.QuestionSettled, lambda one, name=name: one.inquiry == prompts[name].inquiry)  # type: ignore[misc]
    assert [one.entry.inquiry for one in bench.journal.open_inquiries()] == [prompts["c2"].inquiry]
    bench.answer(prompts["c2"], Answered(value=False))
    assert bench.turn().outcome == "done"
    answers = {event["id"]: event["answer"] for event in bench.log() if event["type"] == "inquiry_response"}
    assert answers == {prompts["c1"].inquiry: True, prompts["c2"].inquiry: False, prompts["c3"].inquiry: True}


def test_d18_an_offer_that_the_store_refuses_changes_nothing(bench: Bench, other: Bench) -> None:
    """Its maker is told why; the turn goes on, and the question is open."""
    go(bench)
    prompt = bench.prompt()
    append = bench.journal.append

    def judged(*args: Any, **more: Any) -> Any:
        if not more.get("accepts"):
            return append(*args, **more)
        receipt: PendingReceipt[None] = PendingReceipt()
        receipt.complete(None, JournalError("refused", "it waits for other people"))
        return receipt

    bench.journal.append = judged  # type: ignore[method-assign]
    refused = offer(other, "yes")
    assert (refused.status, refused.message) == ("invalid", "This answer isn't valid: it waits for other people.")
    bench.answer(prompt, Answered(value=False))
    assert bench.turn().outcome == "done"
    assert [event["answer"] for event in bench.log() if event["type"] == "inquiry_response"] == [False]


def test_d13_an_offer_of_another_role_is_recorded_as_its_own(bench: Bench, other: Bench) -> None:
    """With the number of the offer, and the owner's name where it is a deputy's (D17)."""
    go(bench)
    bench.prompt()
    offers = bench.journal.offers
    away = StorePerson("ada", "owner", away_until="2999-01-01 00:00:00", deputy="lead")
    bench.journal.offers = lambda id_: [replace(one, who="lead", machine="desk") for one in offers(id_)]  # type: ignore[method-assign]
    bench.journal.me = lambda: "ada"  # type: ignore[method-assign]
    bench.journal.people = lambda: [away, StorePerson("lead", "person")]  # type: ignore[method-assign]
    row = bench.journal.conversation
    bench.journal.conversation = lambda id_, **more: replace(row(id_, **more), owner="ada")  # type: ignore[method-assign]
    assert offer(other, "yes").status == "accepted"
    bench.turn()
    (response,) = [event for event in bench.log() if event["type"] == "inquiry_response"]
    by = response["responder"]
    assert (by["who"], by["machine"], by["for"], by["offer"], by["via"]) == ("lead", "desk", "ada", 1, "process")


def test_an_offer_for_what_has_changed_is_stale(bench: Bench) -> None:
    """By the digest that the offerer saw (R235); a garbled payload is told, too."""
    go(bench)
    prompt = bench.prompt()
    numbers = [
        bench.journal.make_offer(bench.conversation, prompt.inquiry, payload, "now").result(LIMIT)
        for payload in (dump({"value": "yes", "digest": "other"}), "{", dump({"value": 3}))
    ]
    other = bench.journal.make_offer(bench.conversation, "c9.q.1", dump({"value": "yes"}), "now").result(LIMIT)
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

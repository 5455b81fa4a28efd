"""What a model is told, whatever the log holds (inquiries.md R59, R204): servers refuse anything else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation import events as ev
from jp_tui.conversation.model import Call, Message, ReasoningPart, Result, TextPart
from jp_tui.engine.record.model_context import REPAIRED, History, messages

MODEL = "fake/model"
IDS = st.sampled_from(["a", "b", "c", ""])
WORDS = st.sampled_from(["", "  \n", "some words", "more"])
METADATA: st.SearchStrategy[Any] = st.sampled_from(
    [{}, {"incomplete": True}, {"provider": "fake"}, {"provider": "fake", "opaque": {"x": 1}}, {"discarded": True}]
)
EVENTS: st.SearchStrategy[ev.Event] = st.one_of(
    st.builds(ev.TurnStart),
    st.builds(ev.ChatRequest, content=WORDS),
    st.builds(ev.ChatResponse, kind=st.just("message"), content=WORDS | st.none() | st.integers(), metadata=METADATA),
    st.builds(ev.ChatResponse, kind=st.just("reasoning"), content=WORDS, metadata=METADATA),
    st.builds(ev.ChatResponse, kind=st.just("data"), content=st.integers()),
    st.builds(ev.ToolCallRequest, id=IDS, name=WORDS, arguments=st.just({})),
    st.builds(ev.ToolCallResponse, id=IDS, content=WORDS, is_error=st.booleans()),
    st.builds(ev.InquiryRequest, id=IDS, source=st.just(ev.Source("user")), question=st.just({})),
    st.builds(ev.InquiryCancelled, id=IDS),
    st.builds(
        ev.TurnOutcome, outcome=st.sampled_from(["done", "failed", "interrupted", "deferred"]), metadata=METADATA
    ),
    st.just(ev.Unknown({"type": "from the future"})),
)
LOGS = st.lists(st.tuples(st.integers(0, 4), EVENTS), max_size=40)


def check(told: tuple[Message, ...]) -> None:
    """What every wire may rely on."""
    assert all(message.parts for message in told)
    assert [message.role for message in told] == [("user", "assistant")[at % 2] for at in range(len(told))]
    for at, message in enumerate(told):
        ours = {TextPart, Result} if message.role == "user" else {TextPart, ReasoningPart, Call}
        assert {type(part) for part in message.parts} <= ours
        assert all(part.text.strip() for part in message.parts if isinstance(part, TextPart))
        if message.role == "assistant":
            assert not isinstance(message.parts[-1], ReasoningPart)
            calls = [part.id for part in message.parts if isinstance(part, Call)]
            assert len(set(calls)) == len(calls)
            after = told[at + 1].parts if at + 1 < len(told) else ()
            assert sorted(part.id for part in after if isinstance(part, Result)) == sorted(calls)
        elif any(isinstance(part, Result) for part in message.parts):
            kinds = [isinstance(part, Result) for part in message.parts]
            assert kinds == sorted(kinds, reverse=True), "results stand first"
            assert at > 0, "a result without its call"


@given(LOGS)
def test_whatever_is_in_the_log_the_request_is_one_that_servers_take(log: list[tuple[int, ev.Event]]) -> None:
    check(messages(log, MODEL))


@given(LOGS)
def test_what_is_told_grows_with_the_log(log: list[tuple[int, ev.Event]]) -> None:
    """Kept messages of finished turns are the ones that the whole log would give."""
    history = History(MODEL)
    for at, (turn, event) in enumerate(log):
        history.add(turn, event)
        assert history.messages() == messages(log[: at + 1], MODEL)


def turn(*events: ev.Event, number: int = 1) -> list[tuple[int, ev.Event]]:
    return [(number, event) for event in events]


ASK = ev.ChatRequest(content="do it")
DISCARDED = ev.TurnOutcome(outcome="interrupted", metadata={"discarded": True})


def call(id_: str) -> ev.ToolCallRequest:
    return ev.ToolCallRequest(id=id_, name=f"tool_{id_}", arguments={})


def result(id_: str, content: str = "ok") -> ev.ToolCallResponse:
    return ev.ToolCallResponse(id=id_, content=content)


def shape(log: list[tuple[int, ev.Event]]) -> list[Any]:
    names: dict[type, Any] = {
        TextPart: lambda part: part.text,
        ReasoningPart: lambda part: f"({part.text})",
        Call: lambda part: f"{part.id}?",
        Result: lambda part: f"{part.id}!{'~' if part.content == REPAIRED else ''}",
    }
    return [" ".join(names[type(part)](part) for part in message.parts) for message in messages(log, MODEL)]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        # a call that begins while another is open: the open one is answered where its answer belongs
        (
            [ASK, call("a"), call("b"), result("a"), call("c"), result("b"), result("c")],
            ["do it", "a? b?", "a! b!~", "c?", "c!"],
        ),
        # words of the user between a call and its result
        ([ASK, call("a"), ev.ChatRequest(content="wait"), result("a")], ["do it", "a?", "a!~ wait"]),
        # the prompt cannot be read: R204 drops what stands before a user's message, also its results
        ([ev.Unknown({"type": "chat_request"}), call("a"), result("a"), ASK], ["do it"]),
        # an event of a newer version after the end does not bring a failed turn back
        ([ASK, ev.TurnOutcome(outcome="failed"), ev.Unknown({"type": "new"})], []),
        # what failed after work was done stays
        ([ASK, call("a"), result("a"), ev.TurnOutcome(outcome="failed")], ["do it", "a?", "a!"]),
        # discarded after work was done: the work stands in the files, so the model knows of it
        ([ASK, call("a"), result("a"), DISCARDED], ["do it", "a?", "a!"]),
        ([ASK, DISCARDED], []),
        ([ASK, ev.ChatResponse(kind="reasoning", content="hm", metadata={"provider": "fake"})], ["do it"]),
        ([ASK, call("a"), call("a"), result("a"), result("a")], ["do it", "a?", "a!"]),
        ([ASK, call("a"), result("a"), call("a"), result("a", "x")], ["do it", "a?", "a!", "a?", "a!"]),
    ],
)
def test_repair(events: list[ev.Event], told: list[str]) -> None:
    assert shape(turn(*events)) == told


def test_pairing_never_crosses_a_turn() -> None:
    log = [*turn(ASK, call("a")), *turn(ev.ChatRequest(content="next"), result("a"), number=2)]
    assert shape(log) == ["do it", "a?", "a!~ next"]


def test_reasoning_goes_back_only_to_the_wire_it_came_from() -> None:
    thought = ev.ChatResponse(kind="reasoning", content="hm", metadata={"provider": "fake", "opaque": {"s": "x"}})
    log = turn(ASK, thought, ev.ChatResponse(kind="message", content="Yes."))
    assert messages(log, "fake/model")[1].parts == (ReasoningPart("hm", {"s": "x"}), TextPart("Yes."))
    assert messages(log, "other/model")[1].parts == (TextPart("Yes."),)

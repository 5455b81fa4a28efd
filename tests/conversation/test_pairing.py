"""Pairing by order, never across turns (R29, R100, R203; acceptance matrix 23)."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from jp_tui.conversation import events as ev
from jp_tui.conversation.pairing import CallPair, InquiryPair, calls, pair, turns, unanswered
from jp_tui.conversation.reading import read_event


def ask(id: str, number: int = 0) -> ev.InquiryRequest:
    return ev.InquiryRequest(id=id, source=ev.Source("tool", "t"), question={"text": "?"}, metadata={"n": number})


def yes(id: str, answer: int = 0) -> ev.InquiryAnswered:
    return ev.InquiryAnswered(id=id, answer=answer)


def call(id: str, number: int = 0) -> ev.ToolCallRequest:
    return ev.ToolCallRequest(id=id, name="t", arguments={"n": number})


def done(id: str, content: str = "") -> ev.ToolCallResponse:
    return ev.ToolCallResponse(id=id, content=content)


START, SAID = ev.TurnStart(), ev.ChatRequest(content="go on")


def test_an_id_that_repeats_is_paired_by_order() -> None:
    """R29: two-segment ids of old streams."""
    log = [
        START,
        ask("c.q", 1),
        yes("c.q", 1),
        ask("c.q", 2),
        ask("c.q", 3),
        ev.InquiryRedacted(id="c.q"),
        yes("c.q", 3),
    ]
    assert pair(log) == [
        InquiryPair(ask("c.q", 1), yes("c.q", 1)),
        InquiryPair(ask("c.q", 2), ev.InquiryRedacted(id="c.q")),
        InquiryPair(ask("c.q", 3), yes("c.q", 3)),
    ]
    assert unanswered(log[:5]) == [ask("c.q", 2), ask("c.q", 3)]


def test_nothing_is_paired_across_turns_or_backwards() -> None:
    log = [START, SAID, ask("a", 1), START, SAID, yes("a"), ask("a", 2), ask("b"), ev.InquiryCancelled(id="b")]
    assert pair(log) == [
        InquiryPair(ask("a", 1), None, 0),
        InquiryPair(ask("a", 2), None, 1),
        InquiryPair(ask("b"), ev.InquiryCancelled(id="b"), 1),
    ]
    assert unanswered(log) == [ask("a", 1), ask("a", 2)]


def test_an_answer_that_cannot_be_read_leaves_its_request_open() -> None:
    """R51: unknown outcomes are unanswered."""
    later = read_event({"type": "inquiry_response", "id": "a", "outcome": "postponed"})
    assert unanswered([ask("a"), later]) == [ask("a")]


def test_turns_of_old_files() -> None:
    """A turn starts at each `chat_request` where there is no `turn_start`; in newer files words may follow words."""
    told, other = ev.ChatResponse(kind="message", content="x"), ev.Unknown({"type": "compaction"})
    assert turns([other, SAID, told, SAID, told, START, SAID, told, SAID]) == [
        [other, SAID, told],
        [SAID, told],
        [START, SAID, told, SAID],
    ]
    assert turns([other, START, SAID]) == [[other], [START, SAID]] and turns([]) == []


def test_calls_are_paired_by_the_same_rule() -> None:
    """Ids of one provider repeat within a conversation (and its results have nothing else to go by)."""
    log = [START, call("x", 1), call("x", 2), done("x", "1"), done("x", "2"), done("x"), START, call("x", 3), call("y")]
    assert calls(log) == [
        CallPair(call("x", 1), done("x", "1"), 0),
        CallPair(call("x", 2), done("x", "2"), 0),
        CallPair(call("x", 3), None, 1),
        CallPair(call("y"), None, 1),
    ]


EVENTS = st.lists(
    st.one_of(
        st.builds(ask, st.sampled_from("ab"), st.integers(0, 9)),
        st.builds(yes, st.sampled_from("ab"), st.integers(0, 9)),
        st.just(START),
        st.just(SAID),
    ),
    max_size=30,
)


@given(EVENTS)
def test_every_request_stands_once_and_no_response_twice(log: list[ev.Event]) -> None:
    found = pair(log)
    assert [one.request for one in found] == [one for one in log if isinstance(one, ev.InquiryRequest)]
    used = [id(one.response) for one in found if one.response is not None]
    assert len(used) == len(set(used))
    for one in found:
        assert one.response is None or one.response.id == one.request.id
        if one.response is not None:
            order = [id(event) for event in log]
            assert order.index(id(one.request)) < order.index(id(one.response))


def test_recorded_conversations(jp_conversations: Path) -> None:
    """All inquiries of the recorded conversations find their response, whatever their ids look like."""
    seen = 0
    for file in sorted(jp_conversations.glob("*/events.json")):
        log = [read_event(raw) for raw in json.loads(file.read_text())]
        requests = [one for one in log if isinstance(one, ev.InquiryRequest)]
        answers = [one for one in log if isinstance(one, ev.InquiryAnswered | ev.InquiryCancelled | ev.InquiryRedacted)]
        found = pair(log)
        assert len(found) == len(requests) and len(unanswered(log)) == len(requests) - len(answers)
        assert all(one.response is not None for one in calls(log)), file
        seen += len(found)
    assert seen

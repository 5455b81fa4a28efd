"""All that waits for the human as one list (E51), and conversations that go on in the background (S12, issue 7.6)."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jp_tui.engine.session.inbox import BURST, PAUSE_SECONDS, InboxFeed
from jp_tui.engine.session.store_watch import StoreWatch
from jp_tui.journal.store import open_journal
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted, PromptRequest, WaitingInfo
from jp_tui.system.lock import holder, lock_path
from tests.engine.cast import YES_NO, Cast, agent, asked, begin, ends, main_turn, results, spawn
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import call, end
from tests.fakes.tools import Made, asks, at_once
from tests.limits import LIMIT

OK = ends("Ok.")
ASKS = [*call("ask", {"text": "Sure\nof it?"}, "t1"), *end("tools")]


@pytest.fixture
def other(bench: Bench) -> Iterator[Bench]:
    """A second process on the same data."""
    made = bench.other()
    made.run()
    yield made
    made.stop()


def listed(bench: Bench, where: Callable[[tuple[WaitingInfo, ...]], bool]) -> tuple[WaitingInfo, ...]:
    """The next list that is so."""
    return bench.until(e.WaitingListed, lambda event: where(event.waiting)).waiting


def answer(bench: Bench, prompt: PromptRequest, response: Any) -> None:
    command = c.AnswerQuestion(
        conversation=prompt.conversation, inquiry=prompt.inquiry, digest=prompt.digest, response=response
    )
    bench.send(command)


def left_behind(bench: Bench, *responses: Any) -> str:
    """A conversation that nobody holds and whose tool's question waits."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(bench, go=[ASKS, *(responses or (OK,))])
    bench.prompt()
    bench.stop()
    return bench.conversation


def test_everything_is_in_it_and_it_follows(bench: Bench, other: Bench) -> None:
    """A sub-agent's question once, a tool's in it, leave for a call: who asks, what, since when; the oldest first."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["quick"] = tool_setup("quick", Made(at_once), run="ask")
    begin(
        bench,
        go=[[*spawn("one", "s1", 0, name="first"), *spawn("two", "s2", 1), *end("tools")], OK],
        one=[[*asked(YES_NO), *end("tools")], [*call("quick", {}), *end("tools")], OK],
        two=[ASKS, OK],
    )
    for watches in (bench, other):
        watches.send(c.WatchWaiting())
    found = listed(bench, lambda items: len(items) == 2)
    assert [one.since for one in found] == sorted(one.since for one in found)
    question = next(one for one in found if one.tool == "ask_user")
    assert (question.conversation, question.inquiry, question.here) == (bench.conversation, "s1.go.1", True)
    assert question.agent is not None and question.agent.name.raw == "first" and question.text.raw == "Go on?"
    assert question.title.raw == "go" and question.label == "Assistant › first"
    tool = next(one for one in found if one.tool == "ask")
    assert tool.agent is not None and tool.conversation == tool.agent.parent and tool.text.raw == "Sure"
    assert (tool.source, tool.label) == ("tool", "Assistant › two"), "Z8"
    # Until the parent's commit, another process reads the sub-agents' own inquiries: a1.go.1 and t1.sure.1.
    seen = listed(other, lambda items: {one.inquiry for one in items} == {"s1.go.1", "s2.sure.1"})
    assert all(not one.here and one.question is not None for one in seen), "another process reads the record"
    assert all(one.held_by.startswith("a test (process ") for one in seen)
    assert {one.inquiry: one.agent for one in seen} == {one.inquiry: one.agent for one in found}, "E4: who, for what"
    assert {one.digest for one in seen} == {one.digest for one in found}
    bench.answer(bench.ever(e.QuestionAsked, lambda one: one.prompt.tool == "ask_user").prompt, Answered(value=True))
    found = listed(bench, lambda items: any(one.kind == "permission" for one in items))
    assert [one.tool for one in found] == ["ask", "quick"]
    assert [one.inquiry for one in listed(other, lambda items: len(items) == 1)] == ["s2.sure.1"]
    bench.stop()


def test_nothing_is_said_twice_and_nothing_to_whom_watches_no_more(bench: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(bench, go=[ASKS, ASKS, OK])
    first = bench.prompt()
    bench.send(c.WatchWaiting())
    assert len(listed(bench, lambda items: True)) == 1
    bench.answer(first, Answered(value=True))
    second = bench.prompt()
    assert [one.inquiry for one in listed(bench, lambda items: "t1_2.sure.1" in {i.inquiry for i in items})]
    lists = [event.waiting for event in bench.events if isinstance(event, e.WaitingListed)]
    assert all(one != after for one, after in itertools.pairwise(lists))
    bench.send(c.WatchWaiting(on=False))
    bench.answer(second, Answered(value=True))
    bench.turn()
    bench.send_and_wait()
    assert [event.waiting for event in bench.events if isinstance(event, e.WaitingListed)] == lists


def test_an_answer_from_the_inbox_carries_the_turn_on(bench: Bench) -> None:
    """S12, issue 7.6: taken, answered and carried on in the background; nothing is opened for anybody."""
    waits = left_behind(bench)
    bench.run()
    bench.send(c.WatchWaiting())
    (item,) = listed(bench, lambda items: len(items) == 1)
    assert (item.conversation, item.inquiry, item.here) == (waits, "t1.sure.1", False)
    assert item.question is not None and item.question["text"] == "Sure\nof it?" and item.held_by == ""
    bench.send(c.OfferAnswer(conversation=waits, inquiry=item.inquiry, value="yes", carry_on=True))
    assert bench.until(e.OfferSettled).status == "accepted"
    assert bench.until(e.TurnStarted).conversation == waits
    assert bench.turn().outcome == "done"
    lists = [event.waiting for event in bench.events if isinstance(event, e.WaitingListed)]
    assert not lists[-1] or listed(bench, lambda items: not items) == ()
    assert results(bench, waits) == [("heard True", False)]
    assert not [event for event in bench.events if isinstance(event, e.ConversationOpened)]
    other = bench.other()
    other.run()
    other.send(c.OpenConversation(which="id", conversation=waits))
    assert other.until(e.ConversationOpened).held_by == "", "its lock was let go"
    other.stop()


def test_without_the_wish_it_is_only_answered(bench: Bench) -> None:
    waits = left_behind(bench)
    bench.run()
    bench.send(c.OfferAnswer(conversation=waits, inquiry="t1.sure.1", value="yes"))
    assert bench.until(e.OfferSettled).status == "accepted"
    bench.send_and_wait()
    assert not [event for event in bench.events if isinstance(event, e.TurnStarted)]


def test_what_waits_elsewhere_can_be_asked_here(bench: Bench) -> None:
    """CarryOn: its question comes with its whole prompt and is answered as any, while another conversation is open."""
    waits = left_behind(bench)
    bench.script = Cast(go=[OK], hello=[ends("Hi.")])
    bench.start()
    bench.say("hello")
    assert main_turn(bench).outcome == "done"
    bench.send(c.CarryOn(conversation=waits))
    prompt = bench.prompt()
    assert (prompt.conversation, prompt.inquiry) == (waits, "t1.sure.1")
    bench.send(c.CarryOn(conversation=waits))
    answer(bench, prompt, Answered(value=False))
    done = bench.turn()
    assert (done.conversation, done.outcome) == (waits, "done")
    bench.send(c.CarryOn(conversation=waits))
    assert "nothing to resume" in bench.until(e.Refused).message
    assert holder(lock_path(bench.home / "locks", waits)) is None, "whoever wants it may have it"
    bench.send(c.CarryOn(conversation="nowhere"))
    assert "There is no conversation" in bench.until(e.Refused).message


def test_e52_what_is_asked_again_waits_since_it_was_asked_first(bench: Bench) -> None:
    waits = left_behind(bench)
    bench.script = Cast(go=[OK], hello=[ends("Hi.")])
    bench.start()
    bench.send(c.WatchWaiting())
    before = listed(bench, lambda items: bool(items))[0]
    bench.send(c.CarryOn(conversation=waits))
    prompt = bench.prompt()
    here = listed(bench, lambda items: any(one.here for one in items))[0]
    assert here.inquiry == before.inquiry == prompt.inquiry
    assert here.since == before.since < prompt.asked_at


def test_one_that_is_opened_meanwhile_stays_open(bench: Bench) -> None:
    waits = left_behind(bench)
    bench.script = Cast(go=[OK, ends("More.")])
    bench.run()
    bench.send(c.CarryOn(conversation=waits))
    prompt = bench.prompt()
    bench.send(c.OpenConversation(which="id", conversation=waits))
    bench.conversation = bench.until(e.ConversationOpened).conversation
    again = bench.prompt()
    assert again == prompt
    answer(bench, prompt, Answered(value=False))
    bench.turn()
    bench.say("and more")
    assert bench.turn().outcome == "done"


def test_one_that_somebody_holds_is_left_to_them(bench: Bench, other: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    begin(bench, go=[ASKS, OK])
    bench.prompt()
    other.send(c.CarryOn(conversation=bench.conversation))
    assert "is being written by" in other.until(e.Refused).message
    other.send(c.OfferAnswer(inquiry="t1.sure.1", value="yes", carry_on=True))
    assert other.until(e.OfferSettled).status == "accepted"
    assert bench.turn().outcome == "done"
    other.send_and_wait()
    assert not [event for event in other.events if isinstance(event, e.TurnStarted)]


@pytest.mark.parametrize("asks_for", ["the sub-agent's tool", "the sub-agent"])
def test_a_sub_agents_question_carries_its_parent_on(bench: Bench, asks_for: str) -> None:
    """Both were left; whichever is named, the parent goes on and takes the sub-agent up."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    own = ASKS if asks_for == "the sub-agent's tool" else [*asked(YES_NO), *end("tools")]
    begin(bench, go=[[*spawn("dig"), *end("tools")], OK], dig=[own, ends("Dug.")])
    first = bench.prompt()
    child, parent = agent(bench), bench.conversation
    bench.kill()
    bench.run()
    bench.send(c.WatchWaiting())
    (item,) = listed(bench, lambda items: len(items) == 1)
    assert (item.conversation, item.inquiry) == (first.conversation, first.inquiry)
    bench.send(c.ListInquiries(pending=True))
    (known,) = bench.until(e.InquiriesListed).inquiries
    assert known.agent is not None and (known.agent.conversation, known.agent.parent) == (child, parent), "E4"
    bench.send(c.OfferAnswer(conversation=item.conversation, inquiry=item.inquiry, value="yes", carry_on=True))
    done = bench.until(e.TurnCompleted, lambda event: event.conversation == parent)
    assert done.outcome == "done"
    assert results(bench, parent) == [("Dug.", False)]
    assert not [event for event in bench.events if isinstance(event, e.QuestionAsked)]
    bench.send(c.CarryOn(conversation=child))
    assert bench.until(e.Refused)


def test_a_permission_is_asked_for_again_in_the_background(bench: Bench) -> None:
    """What is not on record waits in no list of another process; whoever carries the conversation on is asked."""
    bench.tools["quick"] = tool_setup("quick", Made(at_once), run="ask")
    begin(
        bench,
        go=[[*spawn("dig"), *end("tools")], OK],
        dig=[[*call("quick", {}), *end("tools")], ends("Dug.")],
    )
    bench.prompt()
    bench.kill()
    bench.run()
    bench.send(c.WatchWaiting())
    assert listed(bench, lambda items: True) == ()
    bench.send(c.CarryOn(conversation=bench.conversation))
    leave = bench.prompt()
    assert leave.kind == "permission"
    assert listed(bench, lambda items: len(items) == 1)[0].kind == "permission"
    answer(bench, leave, Permitted(run=True))
    assert main_turn(bench).outcome == "done"


def test_n6_a_question_is_not_late_because_something_else_changed_just_before() -> None:
    """Some readings may follow each other at once; a reply that streams takes one each PAUSE_SECONDS."""
    now = [100.0]
    feed = InboxFeed(SimpleNamespace(monotonic=lambda: now[0]), print, {})  # type: ignore[arg-type]
    assert [round(feed._pause(), 3) for _ in range(6)] == [0, 0, 0, 0, PAUSE_SECONDS, 2 * PAUSE_SECONDS]
    now[0] += 60
    taken = 0
    while now[0] < 170:
        now[0] += max(feed._pause(), 0.001)
        taken += 1
    assert taken <= 10 / PAUSE_SECONDS + BURST + 1


async def test_d11_whatever_waits_for_the_same_commit_goes_before_the_queries_of_the_list(tmp_path: Path) -> None:
    """The result of an answer isn't late because the list is read for the same commit."""
    order: list[str] = []
    journal = open_journal(tmp_path / "conversations.db")
    made: dict[str, Any] = {
        "journal": journal, "workspace": "/w", "machine": "", "monotonic": time.monotonic, "outside_show": "all",
        "outside_arrive": "inbox", "commits": StoreWatch(journal), "holders": lambda _: order.append("list") or {},
    }  # fmt: skip
    listed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    feed = InboxFeed(SimpleNamespace(**made), listed.set_result, {})  # type: ignore[arg-type]

    async def answer() -> None:
        order.append("answer")

    feed.watch(on=True)
    waits = asyncio.create_task(answer())
    await asyncio.wait_for(listed, LIMIT)
    await waits
    feed.close()
    journal.close()
    assert order == ["answer", "list"]

"""Questions of other programs (intake.md N1-N8): one engine asks, another one answers, none holds it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from jp_tui.engine.base.dependencies import ReviewQuestion
from jp_tui.engine.session import outside
from jp_tui.engine.session.store_watch import StoreWatch
from jp_tui.inquiry.values import ReviewerAnswered, Rule
from jp_tui.journal.port import Journal
from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import open_journal
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.outside import Asker, Claimed, Waiter
from jp_tui.system import processes
from jp_tui.system.agents.presence import AgentSession
from tests.engine.conftest import LIMIT, Bench
from tests.fakes.models import Script, end, text

ASKER = Asker(
    program="make", exe="/usr/bin/make", pid=4711, started="2026-01-01T00:00:00Z", user="ada", uid=1000,
    folder="/srv/app", host=processes.host(),
)  # fmt: skip


def here() -> Waiter:
    me = processes.process(os.getpid())
    assert me is not None
    return Waiter(pid=os.getpid(), started=me.started, host=processes.host(), boot=processes.boot())


@pytest.fixture
def other(bench: Bench) -> Iterator[Bench]:
    """The process that answers."""
    made = bench.other()
    made.run()
    yield made
    made.stop()


def ask(bench: Bench, *, waiter: Waiter | None = None, asker: Asker = ASKER, seconds: float | None = None, **more: Any):  # type: ignore[no-untyped-def]
    question = {"id": "answer", "text": "Deploy?", "answer_type": "boolean", **more}
    bench.run()
    bench.send(c.AskOutside(asker=asker, waiter=waiter or here(), question=question, timeout_secs=seconds))
    return bench.until(e.OutsideAsked)


def answer(bench: Bench, asked: e.OutsideAsked, value: str = "yes", **more: Any) -> e.OfferSettled:
    bench.send(c.OfferAnswer(conversation=asked.conversation, inquiry=asked.inquiry, value=value, **more))
    return bench.until(e.OfferSettled)


def ask_form(bench: Bench, asking: str, **arguments: Any) -> None:
    claimed = Claimed(program="claude-code 2.1", title="t" * 500)
    bench.send(c.AskOutsideForm(asking=asking, asker=ASKER, waiter=here(), arguments=arguments, claimed=claimed))


def record(bench: Bench, asked: e.OutsideAsked) -> list[dict[str, Any]]:
    bench.send(c.ListInquiries(conversation=asked.conversation))
    return [one.model_dump() for one in bench.until(e.InquiriesListed).inquiries]


def test_n1_its_source_is_outside_and_its_conversation_is_in_no_list(bench: Bench, other: Bench) -> None:
    asked = ask(bench)
    (one,) = record(other, asked)
    assert (one["source"], one["source_name"], one["tool"]) == ("outside", "make", "outside.make")
    assert one["asker"]["pid"] == 4711 and one["asker"]["folder"] == "/srv/app" and one["waits"]
    reader = open_reader(bench.home / "conversations.db")
    row = reader.conversation(asked.conversation)
    assert row is not None and row.outside and not row.model
    assert reader.conversations() == [] and reader.conversations(include_archived=True) == []
    assert reader.latest(str(bench.workspace)) is None
    reader.close()
    assert not (bench.home / "locks" / f"{asked.conversation}.lock").exists()


@pytest.mark.parametrize("value", ["yes", "no"])
def test_n6_an_answer_of_another_process_arrives(bench: Bench, other: Bench, value: str) -> None:
    asked = ask(bench)
    settled = answer(other, asked, value, note="not on a Friday")
    assert settled.status == "accepted" and settled.outside
    ended = bench.until(e.OutsideSettled)
    assert (ended.outcome, ended.answer, ended.reason) == ("answered", value == "yes", "not on a Friday")
    assert ended.responder["kind"] == "user"


TYPES: list[tuple[dict[str, Any], str, str, object]] = [
    ({"answer_type": "select", "options": ["a", "b"]}, "c", "b", "b"),
    ({"answer_type": "multi_select", "options": ["a", "b"]}, '["c"]', '["b"]', ["b"]),
    ({"answer_type": "schema", "schema": {"type": "integer"}}, '"7"', "7", 7),
    ({"answer_type": "boolean"}, "maybe", "no", False),
]


@pytest.mark.parametrize(("question", "wrong", "right", "value"), TYPES, ids=lambda one: None)
def test_n8_an_answer_that_does_not_fit_leaves_it_open(
    bench: Bench, other: Bench, question: dict[str, Any], wrong: str, right: str, value: object
) -> None:
    asked = ask(bench, **question)
    assert answer(other, asked, wrong).status == "invalid"
    assert answer(other, asked, right).status == "accepted"
    assert bench.until(e.OutsideSettled).answer == value


def test_n6_the_first_answer_wins(bench: Bench, other: Bench) -> None:
    asked = ask(bench)
    assert answer(other, asked, "no").status == "accepted"
    late = answer(other, asked, "yes")
    assert late.status == "answered" and late.by == "user"
    assert bench.until(e.OutsideSettled).answer is False


def test_n6_two_answers_at_once_are_one(bench: Bench, tmp_path: Path) -> None:
    """Taken apart from the engine: each settles in a transaction of its own."""
    asked = ask(bench)
    one, two = (open_journal(bench.home / "conversations.db") for _ in range(2))
    settles = [journal.settle_outside(asked.conversation, asked.inquiry, []) for journal in (one, two)]
    assert [each.result() for each in settles] == [True, True], "nothing was appended, so it is still open"
    rows = [row.entry for row in one.read(asked.conversation)]
    response = rows[-1].__class__("inquiry_response", 1, '{"type":"inquiry_response"}', at="", inquiry=asked.inquiry)
    settles = [journal.settle_outside(asked.conversation, asked.inquiry, [response]) for journal in (one, two)]
    assert sorted(each.result() for each in settles) == [False, True]
    for journal in (one, two):
        journal.close()


def test_n8_only_permission_of_a_tool_can_be_remembered(bench: Bench, other: Bench) -> None:
    asked = ask(bench)
    assert answer(other, asked, remember=True).status == "invalid"
    assert answer(other, asked).status == "accepted"


def test_n8_it_can_be_declined_with_a_reason(bench: Bench, other: Bench) -> None:
    asked = ask(bench)
    assert answer(other, asked, "", decline=True, note="ask Ada").status == "accepted"
    ended = bench.until(e.OutsideSettled)
    assert (ended.outcome, ended.reason) == ("declined", "ask Ada")


def test_n8_only_a_question_from_outside_can_be_declined(bench: Bench) -> None:
    from tests.engine.test_offers import go

    go(bench)
    bench.until(e.QuestionAsked)
    bench.send(c.OfferAnswer(inquiry="c1.q.1", value="", decline=True))
    assert bench.until(e.OfferSettled).status == "invalid"


def test_n10_its_time_passes(bench: Bench, other: Bench) -> None:
    asked = ask(bench, seconds=0.1)
    assert bench.until(e.OutsideSettled).outcome == "timed_out"
    late = answer(other, asked)
    assert (late.status, late.message) == ("answered", "It timed out.")


def test_n6_its_end_withdraws_it(bench: Bench, other: Bench) -> None:
    asked = ask(bench)
    bench.send(c.WithdrawOutside())
    assert bench.until(e.OutsideSettled).outcome == "withdrawn"
    late = answer(other, asked)
    assert late.status == "answered" and "withdrawn" in late.message
    assert record(other, asked)[0]["response"]["reason"] == "withdrawn"


def gone() -> Waiter:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = processes.process(child.pid)
    child.communicate(b"\n")
    assert found is not None
    return Waiter(pid=found.pid, started=found.started, host=processes.host(), boot=processes.boot())


def test_n6_after_a_kill_the_next_look_closes_it(bench: Bench, other: Bench) -> None:
    ask(bench, waiter=gone())
    other.send(c.ListInquiries(pending=True))
    assert other.until(e.InquiriesListed).inquiries == ()
    assert bench.until(e.OutsideSettled).outcome == "withdrawn"


def test_n6_a_running_workspace_closes_it_and_shows_the_others(bench: Bench, other: Bench) -> None:
    other.send(c.WatchWaiting())
    other.until(e.WaitingListed)
    other.send(c.WatchWaiting(on=False))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = processes.process(child.pid)
    assert found is not None
    ask(bench, waiter=Waiter(pid=found.pid, started=found.started, host=processes.host(), boot=processes.boot()))
    (one,) = other.until(e.WaitingListed).waiting
    assert one.asker is not None and one.asker.program == "make" and one.question is not None and not one.folder
    child.communicate(b"\n")
    assert other.until(e.WaitingListed).waiting == ()


def test_n6_nothing_is_known_of_a_process_on_another_machine(bench: Bench, other: Bench) -> None:
    ask(bench, waiter=gone().model_copy(update={"host": "elsewhere"}))
    other.send(c.ListInquiries(pending=True))
    assert len(other.until(e.InquiriesListed).inquiries) == 1


def test_n2_a_setting_answers_at_once(bench: Bench) -> None:
    bench.outside_rule = Rule(has_answer=True, answer=True)
    bench.run()
    question = {"id": "answer", "text": "Deploy?", "answer_type": "boolean"}
    bench.send(c.AskOutside(asker=ASKER, waiter=here(), question=question))
    ended = bench.until(e.OutsideSettled)
    assert (ended.answer, ended.responder["kind"]) == (True, "static")


class Reviews:
    """A reviewer with one verdict."""

    def __init__(self, verdict: bool) -> None:
        self.verdict = verdict
        self.asked: list[ReviewQuestion] = []

    async def inquire(self, asked: ReviewQuestion, hears: object) -> ReviewerAnswered:
        self.asked.append(asked)
        return ReviewerAnswered(asked.inquiry, self.verdict, "as I see it", "fake/reviewer")

    async def close(self) -> None:
        """Nothing is open."""


def test_n2_a_reviewer_sees_the_question_and_its_context_only(bench: Bench) -> None:
    bench.outside_rule, bench.reviewer = Rule(target="assistant"), (reviews := Reviews(True))
    ask(bench, context="the plan")
    ended = bench.until(e.OutsideSettled)
    assert (ended.answer, ended.reason, ended.responder["kind"]) == (True, "as I see it", "assistant")
    assert reviews.asked[0].told == () and reviews.asked[0].question.context == "the plan"


def test_n2_a_no_of_the_reviewer_goes_to_a_person(bench: Bench, other: Bench) -> None:
    bench.outside_rule, bench.reviewer = Rule(target="assistant_with_escalation"), Reviews(False)
    first = ask(bench)
    asked = bench.until(e.OutsideAsked)
    assert asked.inquiry != first.inquiry
    assert answer(other, asked).status == "accepted"
    assert bench.until(e.OutsideSettled).answer is True


def test_n7_a_program_has_at_most_64_open(bench: Bench, other: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "MOST_OF_PROGRAM", 1)
    ask(bench)
    question = {"id": "answer", "text": "Again?", "answer_type": "boolean"}
    other.send(c.AskOutside(asker=ASKER, waiter=here(), question=question))
    ended = other.until(e.OutsideSettled)
    assert (ended.outcome, ended.reason) == ("failed", "Too many questions of make wait (1).")
    other.send(c.ListInquiries(pending=True))
    assert len(other.until(e.InquiriesListed).inquiries) == 1


BAD: list[dict[str, Any]] = [
    {"text": " "}, {"text": "two\nlines"}, {"answer_type": "select"}, {"answer_type": "number"},
    {"answer_type": "select", "options": ["a", "a"]}, {"answer_type": "select", "options": ["a"], "default": "b"},
    {"answer_type": "schema", "schema": {"type": "nothing"}}, {"answer_type": "secret", "default": "x"}, {"id": ""},
]  # fmt: skip


@pytest.mark.parametrize("more", BAD, ids=str)
def test_n10_a_question_that_breaks_a_rule_is_not_asked(bench: Bench, more: dict[str, Any]) -> None:
    question = {"id": "answer", "text": "Deploy?", "answer_type": "boolean", **more}
    bench.run()
    bench.send(c.AskOutside(asker=ASKER, waiter=here(), question=question))
    assert bench.until(e.Refused).message
    bench.send(c.ListInquiries())
    assert bench.until(e.InquiriesListed).inquiries == ()


def test_n8_a_secret_comes_through_a_socket_and_is_not_stored(bench: Bench, other: Bench) -> None:
    asked = ask(bench, answer_type="secret")
    assert asked.secret and (bench.home / "asking").stat().st_mode & 0o777 == 0o700
    assert answer(other, asked, "hunter2").status == "invalid", "it was on a command line"
    assert answer(other, asked, "hunter2", hidden=True).status == "accepted"
    assert bench.until(e.OutsideSettled).answer == "hunter2"
    assert record(other, asked)[0]["response"]["outcome"] == "redacted"
    bench.stop()
    other.stop()
    assert all(b"hunter2" not in file.read_bytes() for file in bench.home.rglob("*") if file.is_file())


def test_n8_a_secret_is_kept_before_its_commit_wakes_who_waits(
    bench: Bench, other: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits may see the commit first: the secret is there all the same, and its giver is told."""
    looks, closes, seen = outside.last_response, outside._close, asyncio.Event()

    def looked(*of: Any) -> Any:
        if (found := looks(*of)) is not None:
            seen.set()
        return found

    async def closed(*of: Any, **more: Any) -> bool:
        done = await closes(*of, **more)
        await seen.wait()
        return done

    asked = ask(bench, answer_type="secret")
    monkeypatch.setattr(outside, "last_response", looked)
    monkeypatch.setattr(outside, "_close", closed)
    assert answer(other, asked, "hunter2", hidden=True).status == "accepted"
    ended = bench.until(e.OutsideSettled)
    assert (ended.outcome, ended.answer) == ("answered", "hunter2")


def test_it_is_no_conversation_to_open_or_to_go_on_with(bench: Bench, other: Bench) -> None:
    asked = ask(bench)
    other.send(c.OpenConversation(which="id", conversation=asked.conversation))
    assert "another program" in other.until(e.Refused).message
    other.send(c.CarryOn(conversation=asked.conversation))
    assert "another program" in other.until(e.Refused).message


def test_n30_a_form_asks_one_question_after_the_other(bench: Bench, other: Bench) -> None:
    bench.run()
    asks = {"id": "which", "text": "Which?", "answer_type": "select", "options": ["a", "b"]}
    then = {"id": "why", "text": "Why b?", "answer_type": "text", "when": {"question_id": "which", "equals": "b"}}
    never = {"id": "no", "text": "Why a?", "answer_type": "text", "when": {"question_id": "which", "equals": "a"}}
    ask_form(bench, "one", questions=[asks, never, then])
    first = bench.until(e.OutsideAsked)
    assert first.asking == "one" and answer(other, first, "b", note="as before").status == "accepted"
    second = bench.until(e.OutsideAsked)
    assert answer(other, second, "it is smaller").status == "accepted"
    ended = bench.until(e.OutsideFormSettled)
    assert json.loads(ended.text) == {"which": "b", "no": None, "why": "it is smaller"}
    assert (ended.asking, ended.failed, ended.explained) == ("one", False, ("as before",))


def test_n30_a_form_that_is_declined_says_so(bench: Bench, other: Bench) -> None:
    bench.run()
    ask_form(bench, "one", question="Where?", answer_type="select", options=["a", "b"])
    asked = bench.until(e.OutsideAsked)
    assert answer(other, asked, "", decline=True, note="ask Ada").status == "accepted"
    ended = bench.until(e.OutsideFormSettled)
    assert json.loads(ended.text) == {"cancelled": True, "answered": {}, "reply": "ask Ada"} and not ended.failed


@pytest.mark.parametrize(
    "arguments", [{}, {"question": "a\nb"}, {"question": "Token?", "answer_type": "secret"}], ids=str
)
def test_n30_wrong_arguments_ask_nothing(bench: Bench, arguments: dict[str, Any]) -> None:
    bench.run()
    ask_form(bench, "one", **arguments)
    ended = bench.until(e.OutsideFormSettled)
    assert ended.failed and ended.text


def test_n30_several_are_asked_at_once_and_one_is_withdrawn(bench: Bench, other: Bench) -> None:
    bench.run()
    found = {}
    for name in ("one", "two"):
        ask_form(bench, name, question=f"{name}?", answer_type="boolean")
        found[name] = bench.until(e.OutsideAsked)
    bench.send(c.WithdrawOutside(asking="one"))
    ended = bench.until(e.OutsideFormSettled)
    assert (ended.asking, ended.failed) == ("one", True)
    assert answer(other, found["one"], "yes").status == "answered"
    assert answer(other, found["two"], "yes").status == "accepted"
    ended = bench.until(e.OutsideFormSettled)
    assert (ended.asking, json.loads(ended.text)["answer"]) == ("two", True)


def test_n4_what_a_program_claims_stands_apart(bench: Bench, other: Bench) -> None:
    bench.run()
    ask_form(bench, "one", question="Deploy?", answer_type="boolean")
    asked = bench.until(e.OutsideAsked)
    (one,) = record(other, asked)
    assert one["asker"]["program"] == "make" and one["tool"] == "outside.make"
    assert one["claimed"]["program"] == "claude-code 2.1" and len(one["claimed"]["title"]) == 200


async def test_n6_waiting_reads_the_log_only_after_a_commit(tmp_path: Path) -> None:
    """One look at the change counter serves all who wait."""
    journal, other = open_journal(tmp_path / "c.db"), open_journal(tmp_path / "c.db")
    watch, woken = StoreWatch(journal), asyncio.Queue[int]()

    async def wait(at: int) -> None:
        while True:
            await watch.wait(None)
            woken.put_nowait(at)

    tasks = [asyncio.create_task(wait(at)) for at in (0, 1)]
    assert {await woken.get(), await woken.get()} == {0, 1}, "the first look finds what came before"
    await watch.wait(0.35)  # looks without a commit wake nobody
    assert woken.empty()
    await other.create("c1", workspace="/", model="", at="2026-01-01 00:00:00.0")
    assert {await woken.get(), await woken.get()} == {0, 1}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await watch.wait(0.001)  # its time is over
    journal.close()
    other.close()


class _Counting:
    """A journal that counts its looks."""

    def __init__(self, journal: Journal, *, reports: bool) -> None:
        self._journal, self._reports, self.looks = journal, reports, 0

    def changed(self) -> bool:
        self.looks += 1
        return self._journal.changed()

    def write_events(self) -> int | None:
        return self._journal.write_events() if self._reports else None

    def locks(self) -> None:
        return None


@pytest.mark.parametrize("reports", [True, False])
async def test_n6_at_rest_the_store_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, reports: bool
) -> None:
    """Where the system reports writes nothing is looked at without one, and a commit wakes at once all the same."""
    for name, seconds in (("OPENS_SECONDS", 0.02), ("LOOK_SECONDS", 0.02), ("VISIBLE_SECONDS", 0.15)):
        monkeypatch.setattr(f"jp_tui.engine.session.store_watch.{name}", seconds)
    monkeypatch.setattr("jp_tui.engine.session.store_watch.UNTOLD_SECONDS", 10 * LIMIT)
    journal, other = open_journal(tmp_path / "c.db"), open_journal(tmp_path / "c.db")
    counting, news = _Counting(journal, reports=reports and sys.platform == "linux"), asyncio.Event()
    watch = StoreWatch(cast("Journal", counting))
    watch.follow(news)
    await asyncio.sleep(0.3)
    begun, counting.looks = news.is_set(), 0
    news.clear()
    await asyncio.sleep(0.3)
    assert begun and not news.is_set()
    assert counting.looks <= 1 if reports and sys.platform == "linux" else counting.looks > 1
    for id_ in ("c1", "c2"):
        await other.create(id_, workspace="/", model="", at="2026-01-01 00:00:00.0")
        async with asyncio.timeout(LIMIT):
            await news.wait()
        news.clear()
    watch.leave(news)
    await asyncio.sleep(0)
    journal.close()
    other.close()


def test_n24_who_works_here_ours_and_theirs(bench: Bench, other: Bench) -> None:
    """A program with a session waits as soon as it asks; one that only asks is there as long as it waits."""
    bench.start()
    agent = AgentSession(
        program="claude", pid=7, started=ASKER.started, host=ASKER.host, folder="/srv", way="mcp", doing="works",
        since="2026-01-01 00:00:00.0",
    )  # fmt: skip
    idle = replace(agent, pid=8, doing="idle", way="hook", session="s1", title="Tidy up")
    object.__setattr__(bench.setup, "agent_sessions", lambda: [agent, idle])
    asker = ASKER.model_copy(update={"program": "claude", "pid": 7})
    other.send(c.AskOutsideForm(asking="a", asker=asker, waiter=here(), arguments={"question": "One?"}))
    first = other.until(e.OutsideAsked)
    question = {"id": "answer", "text": "Deploy?", "answer_type": "boolean"}
    other.send(c.AskOutside(asking="b", asker=ASKER, waiter=here(), question=question))
    other.until(e.OutsideAsked)
    bench.send(c.ReadAgents())
    found = bench.until(e.AgentsRead).programs
    shown = [(one.asker.program, one.way, one.doing, one.open, one.claimed.title) for one in found]
    assert sorted(shown) == [
        ("claude", "hook", "idle", 0, "Tidy up"), ("claude", "mcp", "waits", 1, ""), ("make", "ask", "waits", 1, "")
    ]  # fmt: skip
    assert found[-1].doing == "idle", "those that wait come first"
    assert answer(bench, first, "two").status == "accepted"
    other.until(e.OutsideFormSettled)
    bench.send(c.ReadAgents())
    found = bench.until(e.AgentsRead).programs
    assert {(one.asker.pid, one.doing) for one in found} == {(4711, "waits"), (7, "works"), (8, "idle")}


def test_n24_conversations_here_and_in_another_process(bench: Bench, other: Bench) -> None:
    bench.script = Script([*text("Hello."), *end()])
    bench.start()
    bench.say("hello")
    bench.turn()
    bench.send(c.ReadAgents())
    (mine,) = bench.until(e.AgentsRead).conversations
    assert (mine.conversation, mine.doing, mine.held_by) == (bench.conversation, "idle", "")
    other.send(c.ReadAgents())
    (there,) = other.until(e.AgentsRead).conversations
    assert (there.conversation, there.doing) == (bench.conversation, "open") and there.held_by


@pytest.mark.parametrize(("show", "count"), [("all", 1), ("folder", 0)])
def test_n6_questions_of_other_folders_are_left_out_by_a_setting(
    bench: Bench, other: Bench, show: str, count: int
) -> None:
    other.stop()
    other.workspace = bench.home / "elsewhere"
    other.workspace.mkdir()
    asked = ask(bench)
    other.run()
    object.__setattr__(other.setup, "outside_show", show)
    other.send(c.WatchWaiting())
    listed = other.until(e.WaitingListed).waiting
    assert [one.conversation for one in listed] == [asked.conversation] * count

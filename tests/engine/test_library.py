"""Stored conversations through the link: search, names, forks, archive, deletion (issue 8, 2)."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.pairing import calls, unanswered
from jp_tui.conversation.reading import read_event
from jp_tui.engine.desks import upkeep
from jp_tui.engine.record.model_context import REPAIRED
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol import library as p
from jp_tui.protocol.values import ConversationInfo
from jp_tui.system.lock import Holder, acquire, lock_path
from tests.engine.cast import agent, begin, ends, spawn, stored
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks
from tests.limits import LIMIT


def talk(bench: Bench, *words: str, replies: tuple[str, ...] = ()) -> str:
    """A conversation in which so much was said."""
    bench.script = Script(*([*text(reply), *end()] for reply in replies or ["Well."] * len(words)))
    bench.start()
    for said in words:
        bench.say(said)
        bench.turn()
    return bench.conversation


def listed(bench: Bench, which: Any = "active") -> list[str]:
    bench.send(c.ListConversations(which=which))
    return [info.id for info in bench.until(e.ConversationsListed).conversations]


def search(bench: Bench, words: str, **more: Any) -> p.ConversationsFound:
    bench.send(p.SearchConversations(text=words, whole=True, **more))
    return bench.until(p.ConversationsFound)


def changed(bench: Bench, command: c.Command) -> ConversationInfo:
    bench.send(command)
    return bench.until(p.ConversationChanged).info


def refused(bench: Bench, command: c.Command) -> str:
    bench.send(command)
    return bench.until(e.Refused, lambda event: event.command == command.type).message


def forked(bench: Bench, conversation: str, at: int = 0, before: bool = False) -> tuple[ConversationInfo, str]:
    bench.send(p.ForkConversation(conversation=conversation, at=at, before=before))
    event = bench.until(p.ConversationForked)
    return event.info, event.text


def hold(bench: Bench, conversation: str) -> Any:
    """Another process has it."""
    held = acquire(lock_path(bench.home / "locks", conversation), Holder.me("jp-tui elsewhere", "noon"))
    assert not isinstance(held, Holder)
    return held


# --- search ---------------------------------------------------------------------------------------------------


def test_a_search_finds_titles_and_texts_with_a_line_and_marks(bench: Bench) -> None:
    long = "padding " * 40 + "the Émigré\n\n  config value " + "tail " * 100
    first = talk(bench, "About zebras", "and more", replies=(long, "No zebra here."))
    bench.stop()
    second = talk(bench, "Other things")
    found = search(bench, "zebr")
    assert [one.info.id for one in found.found] == [first] and not found.notice and found.unindexed == 0
    title, *texts = found.found[0].hits
    assert title.kind == "title" and title.text.raw == "About zebras" and title.marks == ((6, 10),)
    assert [(hit.kind, hit.turn, hit.text.raw) for hit in texts] == [
        ("chat_response", 2, "No zebra here."),
        ("chat_request", 1, "About zebras"),
    ]
    (hit,) = search(bench, '"emigre config" val').found[0].hits
    line = hit.text.raw
    assert "\n" not in line and line.startswith("…") and line.endswith("…") and len(line) < 210
    assert [line[a:b] for a, b in hit.marks] == ["Émigré config", "val"]
    assert [one.info.id for one in search(bench, "other").found] == [second]
    assert search(bench, "zebra", workspace="/elsewhere").found == () == search(bench, "").found


def test_what_was_just_said_is_found_without_waiting(bench: Bench) -> None:
    conversation = talk(bench, "unheard-of words")
    bench.send(p.SearchConversations(text="unheard", revision=7))
    found = bench.until(p.ConversationsFound)
    assert found.revision == 7 and [one.info.id for one in found.found] == [conversation]


@pytest.mark.parametrize("damage", ["DELETE FROM search_data WHERE id > 10", "DELETE FROM search_config"])
def test_an_index_that_another_program_damaged_is_made_anew(bench: Bench, damage: str) -> None:
    """Whether a search finds it so, what is indexed behind it, or a conversation that goes for good."""
    first = talk(bench, "words of the first")
    assert len(search(bench, "words").found) == 1
    for removes in (False, True):
        bench.stop()
        with closing(sqlite3.connect(bench.home / "conversations.db")) as raw:
            raw.executescript(damage)
        other = talk(bench, "words of another")
        if removes:
            changed(bench, p.DeleteConversation(conversation=first, now=True))
        found = {one.info.id for one in search(bench, "words").found}
        assert other in found and (first in found) is not removes


def test_a_later_search_makes_an_earlier_one_moot(bench: Bench) -> None:
    talk(bench, "words")
    for number in range(5):
        bench.send(p.SearchConversations(text="words", revision=number))
    bench.until(p.ConversationsFound, lambda event: event.revision == 4)
    assert len([event for event in bench.events if isinstance(event, p.ConversationsFound)]) < 5


def test_without_fts5_titles_are_searched_and_words_say_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from jp_tui.journal import search as index

    monkeypatch.setattr(index, "MODULE", "fts5_that_is_not_there")
    conversation = talk(bench, "About zebras")
    found = search(bench, "zebra")
    assert [one.info.id for one in found.found] == [conversation] and "FTS5" in found.notice
    assert [hit.kind for hit in found.found[0].hits] == ["title"]


# --- names and shelves ----------------------------------------------------------------------------------------


def test_renaming_and_taking_the_name_back(bench: Bench) -> None:
    conversation = talk(bench, "First line")
    info = changed(bench, p.RenameConversation(conversation=conversation[:-1], title="  New\nname "))
    assert info.title.raw == "New" and info.titled == "user"
    assert bench.until(e.TitleChanged).title.raw == "New"
    info = changed(bench, p.RenameConversation(conversation=conversation, title=" "))
    assert info.title.raw == "First line" and info.titled == "first_line"
    assert "There is no conversation nowhere" in refused(bench, p.RenameConversation(conversation="nowhere", title="x"))


def test_archived_ones_are_out_of_the_lists_and_come_back(bench: Bench) -> None:
    conversation = talk(bench, "First")
    assert changed(bench, p.ArchiveConversation(conversation=conversation)).archived
    assert listed(bench) == [] and listed(bench, "archived") == [conversation] == listed(bench, "all")
    assert search(bench, "first").found == ()
    assert [one.info.archived for one in search(bench, "first", archived=True).found] == [True]
    assert not changed(bench, p.ArchiveConversation(conversation=conversation, archived=False)).archived
    assert listed(bench) == [conversation]


def test_a_deleted_one_is_gone_at_once_and_can_be_restored(bench: Bench) -> None:
    conversation = talk(bench, "First")
    bench.stop()
    bench.run()
    assert changed(bench, p.DeleteConversation(conversation=conversation)).deleted
    assert bench.deleted == [conversation], "what is kept elsewhere of it goes, too"
    assert listed(bench) == listed(bench, "all") == [] and listed(bench, "deleted") == [conversation]
    assert search(bench, "first", archived=True).found == ()
    bench.send(c.ReadHistory())
    assert bench.until(e.HistoryRead).texts == ()
    bench.send(c.OpenConversation(which="latest"))
    assert bench.until(e.ConversationOpened).new
    assert "is deleted" in refused(bench, p.RenameConversation(conversation=conversation, title="x"))
    assert stored(bench, conversation), "its preview is there as long as it can be restored"
    assert not changed(bench, p.RestoreConversation(conversation=conversation)).deleted
    assert listed(bench) == [conversation] and search(bench, "first").found
    assert "is not deleted" in refused(bench, p.RestoreConversation(conversation=conversation))


def test_children_go_with_their_parent_and_return_with_it(bench: Bench) -> None:
    begin(bench, go=[[*spawn("task"), *end("tools")], ends("Done.")], task=[ends("Word.")])
    child = agent(bench)
    bench.until(e.TurnCompleted, lambda event: event.conversation == bench.conversation)
    parent = bench.conversation
    bench.stop()
    bench.copies = True
    (bench.home / "undo").mkdir()
    for id_ in (parent, child):
        (bench.home / "undo" / f"{id_}.jsonl").touch()
    bench.run()
    changed(bench, p.DeleteConversation(conversation=parent))
    bench.send(c.ListConversations(agents=True))
    assert bench.until(e.ConversationsListed).conversations == () == search(bench, "word").found
    changed(bench, p.RestoreConversation(conversation=parent))
    bench.send(c.ListConversations(agents=True))
    assert {info.id for info in bench.until(e.ConversationsListed).conversations} == {parent, child}
    bench.send(p.DeleteConversation(conversation=parent, now=True))
    assert bench.until(p.ConversationChanged).gone
    assert not list((bench.home / "undo").glob("*.jsonl")), "nor is it known what was changed in it"
    bench.send(c.ListConversations(agents=True, which="deleted"))
    assert bench.until(e.ConversationsListed).conversations == ()
    assert "There is no conversation" in refused(bench, p.RestoreConversation(conversation=child))


def test_what_was_deleted_a_week_ago_goes_for_good(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import timedelta

    first, second = talk(bench, "First"), ""
    bench.stop()
    second = talk(bench, "Second")
    changed(bench, p.DeleteConversation(conversation=first))
    bench.stop()
    bench.start()
    search(bench, "x")
    assert listed(bench, "deleted") == [first]
    bench.stop()
    monkeypatch.setattr(upkeep, "KEPT", timedelta(0))
    bench.start()
    while listed(bench, "deleted"):
        bench.send_and_wait()
    assert listed(bench) == [second]


def test_the_open_one_can_be_deleted_and_what_is_said_in_it_restores_it(bench: Bench) -> None:
    conversation = talk(bench, "First", replies=("One.", "Two."))
    changed(bench, p.DeleteConversation(conversation=conversation))
    assert "open here" in refused(bench, p.DeleteConversation(conversation=conversation, now=True))
    assert listed(bench) == []
    bench.script = bench.script
    bench.say("Second")
    bench.turn()
    assert listed(bench) == [conversation]


def test_one_whose_turn_runs_is_not_deleted(bench: Bench) -> None:
    gate = asyncio.Event()
    bench.script = Script([gate, *text("Late."), *end()])
    bench.start()
    bench.say("go")
    bench.until(e.TurnStarted)
    assert "still working" in refused(bench, p.DeleteConversation(conversation=bench.conversation))
    assert listed(bench) == [bench.conversation]


@pytest.mark.parametrize(
    "command",
    [
        lambda id_: p.RenameConversation(conversation=id_, title="x"),
        lambda id_: p.ArchiveConversation(conversation=id_),
        lambda id_: p.DeleteConversation(conversation=id_),
        lambda id_: p.DeleteConversation(conversation=id_, now=True),
    ],
)
def test_what_another_process_holds_is_refused_with_who_does(bench: Bench, command: Any) -> None:
    """S12."""
    conversation = talk(bench, "First")
    bench.stop()
    held = hold(bench, conversation)
    bench.run()
    assert "jp-tui elsewhere" in refused(bench, command(conversation))
    assert listed(bench) == [conversation]
    held.release()


def test_a_held_one_can_be_forked(bench: Bench) -> None:
    """It is only read."""
    conversation = talk(bench, "First")
    bench.stop()
    held = hold(bench, conversation)
    bench.run()
    assert forked(bench, conversation)[0].forked_from == conversation
    held.release()


# --- forks ----------------------------------------------------------------------------------------------------


def tooled(bench: Bench) -> str:
    """Two turns, the first with two calls, of which one asks."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["plain"] = tool_setup("plain", None)
    bench.script = Script(
        [*text("I look."), *call("ask", {}, "c1", 1), *call("plain", {}, "c2", 2), *end("tools")],
        [*text("Done."), *end(input_=40)],
        [*text("Again."), *end()],
    )
    bench.start()
    bench.say("one")
    bench.answer(bench.prompt(), p_answer())
    bench.turn()
    bench.say("two")
    bench.turn()
    return bench.conversation


def p_answer() -> Any:
    from jp_tui.protocol.values import Answered

    return Answered(value=True)


def test_a_fork_at_any_event_is_a_whole_conversation(bench: Bench) -> None:
    """R203, R204: nothing dangles wherever it is cut; what was before stands there byte for byte."""
    conversation = tooled(bench)
    events = stored(bench, conversation)
    assert {"inquiry_request", "inquiry_response", "tool_call_response"} <= {one["type"] for one in events}
    for at in range(1, len(events) + 1):
        info, words = forked(bench, conversation, at)
        ours = stored(bench, info.id)
        assert (info.forked_from, info.forked_at, words) == (conversation, info.forked_at, "")
        assert info.forked_at in (at, at + 1) and ours[: info.forked_at] == events[: info.forked_at]
        read = [read_event(one) for one in ours]
        assert not unanswered(read) and all(one.response is not None for one in calls(read))
        assert isinstance(read[-1], ev.TurnOutcome) and info.workspace == str(bench.workspace)
        added = {one.get("content") for one in ours[info.forked_at :] if one["type"] == "tool_call_response"}
        assert added <= {REPAIRED}
    assert stored(bench, conversation) == events, "the other one is what it was"


def test_a_fork_goes_on_by_itself(bench: Bench) -> None:
    conversation = tooled(bench)
    answer = next(row for row in range(1, 99) if stored(bench, conversation)[row - 1].get("message") == "Done.")
    info, _ = forked(bench, conversation, answer)
    assert info.turns == 1
    bench.stop()
    bench.script = Script([*text("Elsewhere."), *end()])
    opened = bench.start("id", info.id)
    assert opened.usage.input == 50, "the tokens of what was copied"
    bench.say("three")
    assert bench.turn().outcome == "done"
    said = [one.get("message") for one in stored(bench, info.id) if one["type"] == "chat_response"]
    assert said == ["I look.", "Done.", "Elsewhere."]


def test_a_fork_before_a_message_gives_its_words_back(bench: Bench) -> None:
    """Edit and send again: without the turn of the message."""
    conversation = tooled(bench)
    events = stored(bench, conversation)
    second = max(number for number, one in enumerate(events, 1) if one["type"] == "chat_request")
    info, words = forked(bench, conversation, second, before=True)
    assert words == "two" and info.turns == 1 and stored(bench, info.id)[-1]["type"] == "turn_outcome"
    info, words = forked(bench, conversation, 2, before=True)
    assert words == "one" and info.events == 0
    bench.stop()
    bench.script = Script([*text("New."), *end()])
    bench.start("id", info.id)
    bench.say("one, edited")
    assert bench.turn().outcome == "done" and bench.script.requests[0].messages[0].parts[0].text == "one, edited"  # type: ignore[union-attr]


def test_there_is_no_fork_of_what_is_not_there(bench: Bench) -> None:
    conversation = talk(bench, "First")
    last = len(stored(bench, conversation))
    words = refused(bench, p.ForkConversation(conversation=conversation, at=99))
    assert "no event 99" in words and f"1 to {last}" in words
    assert "no event -1" in refused(bench, p.ForkConversation(conversation=conversation, at=-1))


def test_a_fork_that_is_cancelled_leaves_nothing(bench: Bench) -> None:
    conversation = talk(bench, "First")
    bench.journal.hold = lambda kind: True
    bench.send(p.ForkConversation(conversation=conversation, job="j1"))
    assert bench.journal.asked.wait(LIMIT)
    bench.send(p.CancelWork(job="j1"))
    bench.journal.gate.set()
    refusal = bench.until(e.Refused)
    assert refusal.command == "fork_conversation" and "Nothing was changed" in refusal.message
    assert listed(bench, "all") == [conversation] and listed(bench, "deleted") == []
    bench.send(p.CancelWork(job="j1"))
    bench.send_and_wait()


def test_a_long_fork_tells_how_far_it_is(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(upkeep, "EACH_SECONDS", 0.0)
    conversation = talk(bench, "First")
    events = len(stored(bench, conversation))
    bench.send(p.ForkConversation(conversation=conversation, job="j2"))
    told = bench.until(p.LibraryProgress, lambda event: event.job == "j2")
    assert (told.what, told.done, told.total) == ("fork", events, events)

"""A store that is taken away, damaged or tampered with under an engine (Z23, Z24, Z25)."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.recovery import close_turn
from jp_tui.journal.port import MISSING
from jp_tui.journal.reader import has, open_reader
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks
from tests.limits import LIMIT


def texts(bench: Bench) -> list[str]:
    """The conversation's messages, as another program reads them."""
    reader = open_reader(bench.home / "conversations.db")
    try:
        return [one.entry.text for one in reader.read(bench.conversation) if one.entry.kind.startswith("chat_")]
    finally:
        reader.close()


def away(home: Path) -> None:
    for one in home.glob("conversations.db*"):
        one.unlink()


def emptied(home: Path) -> None:
    for name in ("conversations.db", "conversations.db-wal"):
        os.truncate(home / name, 0)


@pytest.mark.parametrize("what", [away, emptied])
def test_a_conversation_goes_on_and_the_user_is_told_before_the_next_event(bench: Bench, what: Any) -> None:
    """(Z23, Z24) Nothing that was shown is lost, also of the turn that runs."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*call("ask", {}), *end("tools")], [*text("Done."), *end()])
    bench.start()
    bench.say("first")
    prompt = bench.prompt()
    bench.at_once(lambda: what(bench.home))
    bench.forget()
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    notices = [place for place, event in enumerate(bench.events) if isinstance(event, e.UserNotice)]
    written = [place for place, event in enumerate(bench.events) if isinstance(event, e.EventAppended)]
    assert len(notices) == 1 and notices[0] < written[0]
    assert texts(bench) == ["first", "Done."]
    assert has(bench.home / "conversations.db", bench.conversation)
    bench.stop()
    assert bench.start("latest").last_seq == len(bench.kinds()) or texts(bench) == ["first", "Done."]


def test_another_engine_sees_the_new_file(bench: Bench) -> None:
    """(Z23) One that only looks on, and one that lists what waits."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*text("One."), *end()], [*call("ask", {}), *end("tools")], [*text("Done."), *end()])
    bench.start()
    bench.say("first")
    bench.turn()
    other = bench.other()
    assert other.start("latest").held_by
    bench.at_once(lambda: away(bench.home))
    bench.say("second")
    prompt = bench.prompt()
    other.until(e.EventAppended, lambda event: event.stored.event.get("content") == "second")
    other.send(c.ListInquiries(pending=True))
    (waits,) = other.until(e.InquiriesListed).inquiries
    assert waits.id == prompt.inquiry
    other.stop()


def test_a_notice_of_the_start_comes_before_the_first_answer(bench: Bench) -> None:
    """(Z24) A command that only lists says it as well."""
    bench.script = Script([*text("One."), *end()])
    bench.start()
    bench.say("first")
    bench.turn()
    bench.stop()
    with (bench.home / "conversations.db").open("r+b") as file:
        file.write(bytes(100))
    bench.run()
    bench.send(c.ListConversations())
    (info,) = bench.until(e.ConversationsListed).conversations
    assert info.title.raw == "first"
    (notice,) = [event for event in bench.events if isinstance(event, e.UserNotice)]
    assert "was damaged" in notice.message and ".damaged-" in notice.advice


@pytest.mark.parametrize("marked", [False, True])
def test_a_turn_of_which_something_was_lost_is_not_resumed(bench: Bench, marked: bool) -> None:
    """(Z24) What a call came to may have stood there: it is closed, not run again. The log may mark what is missing."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*call("ask", {}), *end("tools")], [*text("Fine."), *end()])
    bench.start()
    bench.say("first")
    bench.prompt()
    bench.stop()
    db = sqlite3.connect(bench.home / "conversations.db", isolation_level=None)
    db.execute("DELETE FROM events WHERE kind = 'turn_start'")
    if marked:
        db.execute("INSERT INTO events VALUES (1 << 32 | 1, 1, 1, 1, ?, NULL, '2026', 0, 1, '', '')", (MISSING,))
    db.close()
    bench.start("latest")
    bench.say("second")
    bench.turn()
    kinds = bench.kinds()
    assert kinds.count("inquiry_request") == 0, "nothing is asked again"
    assert len(bench.script.requests) == 2


def test_the_control_a_whole_turn_is_resumed(bench: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*call("ask", {}), *end("tools")], [*text("Fine."), *end()])
    bench.start()
    bench.say("first")
    bench.prompt()
    bench.stop()
    bench.start("latest")
    assert bench.prompt().question is not None


def test_lost_is_what_stands_for_events_that_are_gone() -> None:
    from jp_tui.conversation.reading import read_event

    assert close_turn.lost(read_event({"type": "unreadable", "problem": "1 events are missing here"}))
    assert not close_turn.lost(read_event({"type": "v99", "problem": "x"}))


def test_a_row_that_was_tampered_with_costs_no_turn(bench: Bench) -> None:
    """(Z25) `UPDATE conversations SET last_seq = 0` while it is open."""
    bench.script = Script([*text("One."), *end()], [*text("Two."), *end()], [*text("Three."), *end()])
    bench.start()
    for words, number in (("first", 0), ("second", 10**9), ("third", -5)):
        bench.say(words)
        assert bench.turn().outcome == "done"
        db = sqlite3.connect(bench.home / "conversations.db", isolation_level=None)
        db.execute("UPDATE conversations SET last_seq = ?, turns = ?, ended = ?", (number, number, number))
        db.close()
    bench.stop()
    opened = bench.start("latest")
    assert opened.turns == 3 and texts(bench) == ["first", "One.", "second", "Two.", "third", "Three."]


def test_the_folder_is_removed_and_the_conversation_is_still_held(tmp_path: Path) -> None:
    """(Z23, S12) Nobody else gets its lock while it is written again."""
    from jp_tui.engine.base.dependencies import HeldBy
    from jp_tui.journal.store import open_journal
    from jp_tui.startup.locks import Locks
    from tests.journal.made import begin, entry

    data = tmp_path / "data"
    journal = open_journal(data / "conversations.db")
    begin(journal)
    mine, others = Locks(data / "locks", "mine"), Locks(data / "locks", "another")
    journal.holds(mine.again)
    held = mine.take("c1")
    shutil.rmtree(data)
    journal.append("c1", [entry(1)]).result(LIMIT)
    assert isinstance(others.take("c1"), HeldBy)
    assert mine.again().held == {"c1"} and not isinstance(held, HeldBy)
    held.release()
    assert not isinstance(others.take("c1"), HeldBy) and mine.again().held == frozenset()
    shutil.rmtree(data)
    journal.close()


def test_a_lock_that_is_somebody_elses_now_is_named(tmp_path: Path) -> None:
    """(Z23, S12)"""
    from jp_tui.startup.locks import Locks

    mine, others = Locks(tmp_path / "locks", "mine"), Locks(tmp_path / "locks", "another")
    mine.take("c1")
    shutil.rmtree(tmp_path / "locks")
    others.take("c1")
    holding = mine.again()
    assert holding.held == frozenset() and "another" in holding.lost["c1"]

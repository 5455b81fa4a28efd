"""What outlives the program: resuming, a second process, a killed one, a log that fails (T14, S12, R207)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jp_tui.conversation import model as m
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Cancelled, EndTurn
from tests.engine.conftest import Bench
from tests.fakes.models import Script, call, end, text

ASK = {"question": "Which?", "answer_type": "boolean"}


def test_a_resumed_conversation_is_what_was_shown(bench: Bench) -> None:
    """The page is the same events, byte for byte, that were reported live."""
    bench.script = Script([*call("ask_user", ASK), *end("tools")], [*text("Done."), *end()], [*text("More."), *end()])
    bench.start()
    bench.say("first line\nand more")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    bench.stop()
    live = [event.stored for event in bench.events if isinstance(event, e.EventAppended)]
    again = bench.start("latest")
    assert not again.new and list(again.page) == live
    assert again.title.raw == "first line" and again.turns == 1
    bench.say("go on")
    bench.turn()
    assert [message.role for message in bench.script.requests[2].messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


def test_a_second_process_looks_on(bench: Bench, tmp_path: Path) -> None:
    """S12: it sees what is appended, says who holds the conversation, and cannot write."""
    bench.script = Script([*text("One."), *end()], [*text("Two."), *end()])
    bench.start()
    bench.say("hi")
    bench.turn()
    other = Bench(tmp_path)
    opened = other.start("id", bench.conversation[:5])
    assert "a test" in opened.held_by and len(opened.page) == 4
    other.say("me too")
    assert "being written by" in other.until(e.Refused).message
    bench.say("again")
    bench.turn()
    seen = other.until(e.EventAppended, lambda event: event.stored.event["type"] == "turn_outcome")
    assert seen.stored.seq == 8
    other.stop()
    bench.stop()
    assert other.start("id", bench.conversation).held_by == "", "the lock goes with its holder"
    other.stop()


def test_a_reply_that_was_streaming_is_kept_as_incomplete(bench: Bench) -> None:
    """Of a streaming reply at most the last second may be missing; what is there is marked."""
    never = asyncio.Event()
    bench.script = Script([m.PartOpened(0, "message"), m.PartGrew(0, "so far"), never])
    bench.start()
    bench.say("hi")
    bench.until(e.PartDelta)
    bench.stop()  # leaving in good order keeps it at once
    opened = bench.start("latest")
    kinds = [stored.event["type"] for stored in opened.page]
    assert kinds == ["turn_start", "chat_request", "chat_response", "turn_outcome"]
    assert opened.page[2].event["metadata"] == {"incomplete": True}
    assert opened.page[3].event["outcome"] == "interrupted"


def test_an_open_question_outlives_the_program(bench: Bench) -> None:
    """R207, R237, R248: leaving with an open question leaves it open, and the next start asks it again, same id; End
    Turn on its sheet discards it."""
    bench.script = Script([*call("ask_user", ASK), *end("tools")], [*text("Fresh."), *end()])
    bench.start()
    bench.say("go")
    first = bench.prompt()
    bench.stop()
    opened = bench.start("latest")
    assert [stored.event["type"] for stored in opened.page][-1] == "inquiry_request"
    assert bench.until(e.TurnStarted).resumed
    again = bench.prompt()
    assert (again.inquiry, again.digest) == (first.inquiry, first.digest)
    bench.answer(again, EndTurn())
    assert bench.turn().outcome == "interrupted"
    kinds = bench.kinds()
    assert kinds == ["inquiry_response", "tool_call_response", "turn_outcome"], "no second request"
    bench.say("never mind")
    bench.turn()
    told = bench.script.requests[-1].messages
    assert [message.role for message in told] == ["user", "assistant", "user"]


def test_the_title_is_the_first_line_and_drafts_are_kept(bench: Bench) -> None:
    bench.script = Script([*text("Ok."), *end()])
    opened = bench.start()
    bench.send(c.SaveDraft(conversation=opened.conversation, key="composer", text="half a thought"))
    bench.say("\n  the title \nrest")
    bench.turn()
    bench.send(c.ListConversations())
    (info,) = bench.until(e.ConversationsListed).conversations
    assert info.title.raw == "the title" and info.turns == 1 and info.model == "fake/model"
    bench.send(c.ReadHistory())
    assert bench.until(e.HistoryRead).texts == ("\n  the title \nrest",)
    bench.stop()
    assert bench.start("latest").drafts == {"composer": "half a thought"}


def test_a_log_that_cannot_be_written_says_so_and_gives_the_prompt_back(bench: Bench) -> None:
    """T13, T14: nothing is shown as done that is not durable; with room again it goes on."""
    bench.script = Script([*text("Ok."), *end()])
    bench.start()
    database = bench.home / "conversations.db"
    import sqlite3

    with sqlite3.connect(database) as db:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    db.close()
    bench.say("hello")
    failed = bench.until(e.StorageFailed)
    done = bench.turn()
    assert failed.message and done.outcome == "failed" and done.returned == "hello"
    assert bench.kinds() == []
    with sqlite3.connect(database) as db:
        db.execute("DROP TRIGGER full")
    db.close()
    bench.say("hello")
    assert bench.turn().outcome == "done"


def test_pages_come_when_asked_for(bench: Bench) -> None:
    bench.script = Script(*[[*text(f"Answer {number}."), *end()] for number in range(30)])
    bench.start()
    for number in range(30):
        bench.say(f"question {number}")
        bench.turn()
    bench.stop()
    bench.start("latest")
    bench.send(c.OpenConversation(which="latest", page=20))
    opened = bench.until(e.ConversationOpened)
    assert len(opened.page) == 20 and opened.last_seq == 120
    assert sum(span.events for span in opened.spans) == 120
    bench.send(c.ReadEvents(conversation=opened.conversation, around=50, count=30))
    read = bench.until(e.EventsRead)
    numbers = [stored.seq for stored in read.events]
    assert numbers == list(range(numbers[0], numbers[0] + 30)) and 50 in numbers
    bench.send(c.ReadConversation(conversation=opened.conversation[:4], after=100, count=15))
    stretch = bench.until(e.ConversationRead)
    assert [stored.seq for stored in stretch.events] == list(range(101, 116)) and stretch.more


def test_settings_are_written(bench: Bench) -> None:
    bench.start()
    bench.send(c.SetSetting(key="ui.theme", value="nord"))
    changed = bench.until(e.SettingChanged)
    assert bench.settings == {"ui.theme": "nord"} and changed.value == "nord"


def test_what_a_call_looked_like_is_kept_with_its_result(bench: Bench) -> None:
    """One rendering for live and reloaded: how long it took, how it ended, what it was about, whether it is shown."""
    (bench.workspace / "a.txt").write_text("alpha\n")
    edit = call("fs_modify_file", {"path": "a.txt", "patterns": [{"old": "alpha", "new": "beta"}]}, "c1", 0)
    bench.script = Script([*edit, *call("ask_user", ASK, "c2", 1), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("go")
    for _ in range(2):
        prompt = bench.prompt()
        bench.answer(prompt, Cancelled() if prompt.tool == "fs_modify_file" else Answered(value=True))
    bench.turn()
    first, second = (event["metadata"] for event in bench.log() if event["type"] == "tool_call_response")
    assert first["end"] == "cancelled" and first["title"] == "a.txt" and "hidden" not in first
    assert second["hidden"] is True and "end" not in second and second["ms"] >= 0

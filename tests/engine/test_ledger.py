"""What is remembered or allowed (E43), the record of exchanges (S6), and what a conversation changes of settings."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from jp_tui.inquiry.values import Rule
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, Permitted
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Item, Script, call, end, text
from tests.fakes.tools import Made, asks, at_once, forever

OK: list[Item] = [*text("Ok."), *end()]


def ledger(bench: Bench) -> e.LedgerRead:
    bench.send(c.ReadLedger(conversation=bench.conversation))
    return bench.until(e.LedgerRead)


def test_what_the_turn_remembers_is_listed_counted_and_taken_back(bench: Bench) -> None:
    """Published again whenever it changes; revoked, the next question is asked again (R236)."""
    bench.tools["ask"] = tool_setup("ask", Made(asks), run="ask")
    one = [*call("ask", {}), *end("tools")]
    bench.script = Script(one, one, one, OK)
    bench.start()
    assert ledger(bench).entries == ()
    bench.say("go")
    bench.answer(bench.prompt(), Permitted(run=True, remember=True))
    bench.until(e.LedgerRead, lambda read: any(entry.kind == "permission" for entry in read.entries))
    bench.answer(bench.prompt(), Answered(value=True, remember=True))
    read = bench.until(e.LedgerRead, lambda read: any(entry.uses for entry in read.entries if entry.kind == "answer"))
    answer = next(entry for entry in read.entries if entry.kind == "answer")
    assert (answer.tool, answer.question, answer.value, answer.scope) == ("ask", "sure", True, "turn")
    assert answer.since and answer.text.raw == "Sure?"
    bench.turn()
    assert bench.until(e.LedgerRead).entries == (), "a turn's memory ends with it (R40)"


def test_a_revoked_entry_is_asked_again(bench: Bench) -> None:
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.tools["slow"] = tool_setup("slow", Made(forever))
    calls = [*call("ask", {}, "c1", 0), *call("slow", {}, "c2", 1), *end("tools")]
    bench.script = Script(calls, [*call("ask", {}, "c3"), *end("tools")])
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True, remember=True))
    bench.ever(e.CallChanged, lambda event: event.call == "c1" and event.state == "completed")
    (entry,) = ledger(bench).entries
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=entry.key))
    assert bench.until(e.LedgerRead).entries == ()
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=entry.key))
    assert bench.until(e.Refused).command == "revoke_entry"
    bench.interrupt("respond", "go on")
    assert bench.prompt().call == "c3"


def test_what_settings_pin_and_allow_is_listed_and_unset(bench: Bench) -> None:
    """With its place; a built-in tool that runs unattended by itself is not the user's doing."""
    rules = {"sure": Rule(has_answer=True, answer=True, place="config.toml:7")}
    bench.tools = {
        "ask": tool_setup("ask", Made(asks), rules=rules, run_place="config.toml:9"),
        "plain": tool_setup("plain", Made(at_once)),
    }
    bench.script = Script([*call("ask", {}), *end("tools")], OK)
    bench.start()
    pinned, free = ledger(bench).entries
    assert (pinned.kind, pinned.place, pinned.value, pinned.question) == ("pinned", "config.toml:7", True, "sure")
    assert (free.kind, free.tool, free.place) == ("unattended", "ask", "config.toml:9")
    bench.tools = {"ask": tool_setup("ask", Made(asks))}
    bench.send(c.RevokeEntry(conversation=bench.conversation, key=pinned.key))
    assert bench.until(e.LedgerRead).entries == ()
    assert bench.unset == ["conversation.tools.ask.questions.sure.answer"]
    bench.say("go")
    bench.prompt()  # it counts at once


def test_what_settings_decide_is_counted(bench: Bench) -> None:
    """E43: how often a pinned answer answered and a tool ran unasked since the engine started, told when it changes."""
    rules = {
        "sure": Rule(has_answer=True, answer=True, place="config.toml:7"),
        "other": Rule(has_answer=True, answer=1),
    }
    ask = tool_setup("ask", Made(asks), rules=rules, run_place="config.toml:9")
    bench.tools = {"ask": ask, "plain": tool_setup("plain", Made(at_once), run_place="config.toml:11")}
    two = [*call("ask", {}), *call("ask", {}, "c2", 1), *end("tools")]
    bench.script = Script(two, OK, [*call("plain", {}), *end("tools")], OK)
    bench.start()
    assert [entry.uses for entry in ledger(bench).entries] == [0, 0, 0, 0]
    first = {"sure": 2, "ask": 2}
    bench.say("go")
    bench.until(e.LedgerRead, lambda read: counted(read) == first)
    assert bench.turn().outcome == "done"
    bench.say("go on")
    bench.until(e.LedgerRead, lambda read: counted(read) == {**first, "plain": 1})
    assert bench.turn().outcome == "done"
    bench.send(c.OpenConversation(which="new"))
    bench.conversation = bench.until(e.ConversationOpened).conversation
    assert counted(ledger(bench)) == {**first, "plain": 1}, "the settings are those of every conversation"


def counted(read: e.LedgerRead) -> dict[str, int]:
    return {entry.question or entry.tool: entry.uses for entry in read.entries if entry.uses}


def test_what_several_questions_fall_back_to_is_listed_once(bench: Bench) -> None:
    """R171: a pinned answer in the slot, beside questions that have settings of their own."""
    slot = Rule(has_answer=True, answer="x", place="config.toml:3")
    own = replace(slot, answer="y", place="config.toml:5")
    rules = {"env": replace(slot, slot="answer"), "answer": slot, "note": own}
    bench.tools = {"ask": tool_setup("ask", Made(asks), rules=rules)}
    bench.start()
    assert {(entry.question, entry.value, entry.place) for entry in ledger(bench).entries} == {
        ("answer", "x", "config.toml:3"),
        ("note", "y", "config.toml:5"),
    }
    assert len({entry.key for entry in ledger(bench).entries}) == 2


def test_a_conversation_keeps_what_the_command_line_changed(bench: Bench) -> None:
    """R67, S3: once, with its next turn, told like every event; read back before the first turn of a later start."""
    bench.delta = {"conversation": {"tools": {"ask": {"run": "ask"}}}}
    bench.script = Script(OK, OK, OK)
    bench.start()
    for _ in range(2):
        bench.say("go")
        assert bench.turn().outcome == "done"
    assert bench.kinds().count("config_delta") == 1
    bench.stop()
    with sqlite3.connect(bench.home / "conversations.db") as db:
        assert db.execute("SELECT count(*) FROM events WHERE kind = 'config_delta'").fetchone() == (1,)
    db.close()
    bench.reloads.clear()
    bench.start("latest")
    bench.say("go")
    assert bench.turn().outcome == "done"
    assert bench.reloads == [[bench.delta]]


def test_settings_that_cannot_be_read_fail_the_turn_with_words(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Bench, deltas: object) -> object:
        raise ValueError("config.toml:3: what is that?")

    monkeypatch.setattr(Bench, "_reload", broken)
    bench.start()
    bench.say("go")
    done = bench.turn()
    assert done.outcome == "failed" and done.error is not None and "config.toml:3" in done.error.message


def test_the_record_of_questions_and_answers(bench: Bench) -> None:
    """S6: all in order with their responses, or what waits, of one conversation or of all."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    one = [*call("ask", {"text": "Sure?"}), *end("tools")]
    bench.script = Script(one, one, OK)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=False, note="because"))
    prompt = bench.prompt()
    for name in (bench.conversation, ""):
        bench.send(c.ListInquiries(conversation=name))
        first, second = bench.until(e.InquiriesListed).inquiries
        assert (first.id, first.tool, first.call, first.turn) == ("c1.sure.1", "ask", "c1", 1)
        assert first.response is not None and first.response["answer"] is False and first.answered_at
        assert first.why and first.source == "tool" and first.question["text"] == "Sure?"
        assert (second.id, second.response, second.digest) == (prompt.inquiry, None, prompt.digest)
        bench.send(c.ListInquiries(conversation=name, pending=True))
        assert [one.id for one in bench.until(e.InquiriesListed).inquiries] == [prompt.inquiry]
    bench.send(c.ListInquiries(conversation="nowhere"))
    assert bench.until(e.Refused).command == "list_inquiries"
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    bench.send(c.ListInquiries(pending=True))
    assert bench.until(e.InquiriesListed).inquiries == ()


def test_what_waits_is_told_from_what_was_never_answered(bench: Bench) -> None:
    """S6, R51: a request without a response waits only while its turn is open and no response stands beside it."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    one = [*call("ask", {}), *end("tools")]
    bench.script = Script(one, OK, one)
    bench.start()
    bench.say("go")
    bench.answer(bench.prompt(), Answered(value=True))
    bench.turn()
    bench.say("more")
    bench.prompt()
    bench.stop()
    with sqlite3.connect(bench.home / "conversations.db") as db:  # an outcome that no program of today knows
        later = '{"type":"inquiry_response","id":"c1.sure.1","outcome":"postponed"}'
        db.execute("UPDATE events SET payload = ? WHERE kind = 'inquiry_response'", (later,))
    db.close()
    bench.run()
    for name in (bench.conversation, ""):
        bench.send(c.ListInquiries(conversation=name))
        first, second = bench.until(e.InquiriesListed).inquiries
        assert (first.response, first.waits) == (None, False)
        assert (second.response, second.waits) == (None, True)
        bench.send(c.ListInquiries(conversation=name, pending=True))
        assert [found.waits for found in bench.until(e.InquiriesListed).inquiries] == [True]


def test_the_key_of_an_odd_question_can_be_read_as_toml() -> None:
    """E43: whatever a tool calls its question, its setting can be taken back."""
    from jp_tui.engine.asking.permission_ledger import SETTING, pinned
    from jp_tui.settings.layers.toml import parse_key

    for question in ("plain-id", "really sure?", 'it\'s "so"', "a.b", "ä b"):
        path = parse_key(pinned("t", question).removeprefix(SETTING), "test")
        assert path == ("conversation", "tools", "t", "questions", question, "answer")

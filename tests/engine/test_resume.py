"""What a face gets of a conversation that it opens again: totals, drafts, what waits, another model (E6, E24, S10)."""

from __future__ import annotations

import asyncio
import sqlite3

import pytest

from jp_tui.conversation import model as m
from jp_tui.engine.turn.turn import Turn
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, EndTurn, UsageTotals
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, asks
from tests.limits import LIMIT


def draft(bench: Bench, words: str, key: str = "composer") -> None:
    bench.send(c.SaveDraft(conversation=bench.conversation, key=key, text=words))


def test_tokens_are_those_of_the_whole_conversation(bench: Bench) -> None:
    """As the live status line adds them up; `context` is that of the last request."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script(
        [*text("One."), *end(input_=10, output=5)],
        [*text("Two."), *end(input_=20, output=7)],
        [m.ModelError("server", "No.")],
        [*call("ask", {}), *end("tools", input_=40, output=1)],
    )
    bench.start()
    for words in ("a", "b", "c"):
        bench.say(words)
        bench.turn()
    bench.stop()
    opened = bench.start("latest")
    assert opened.usage == UsageTotals(input=30, output=12, context=27)
    bench.say("d")
    bench.prompt()
    bench.stop()
    assert bench.start("latest").usage == opened.usage, "a turn that has not ended counts when it does"


def test_counts_that_are_none_are_not_believed(bench: Bench) -> None:
    bench.script = Script([*text("One."), *end()])
    bench.start()
    bench.say("a")
    bench.turn()
    bench.stop()
    for bad in ('{"input":"9","output":true,"cached":-1,"reasoning":1e400}', "[1]", '{"input":18446744073709551616}'):
        with sqlite3.connect(bench.home / "conversations.db") as db:
            row = '{"type":"turn_outcome","outcome":"done","usage":' + bad + ',"metadata":{"total":' + bad + "}}"
            db.execute("UPDATE events SET payload = ? WHERE kind = 'turn_outcome'", (row,))
        db.close()
        assert bench.start("latest").usage == UsageTotals()
        bench.stop()


def test_an_unsent_prompt_is_there_after_a_restart(bench: Bench) -> None:
    """E6, E24: also in a conversation in which nothing was said, whose id nobody knows again."""
    bench.script = Script([*text("Ok."), *end()])
    bench.start()
    draft(bench, "half a tho")
    draft(bench, "half a thought")
    bench.stop()
    assert bench.start().drafts == {"composer": "half a thought"}
    draft(bench, "")
    bench.say("a whole one")
    bench.turn()
    draft(bench, "the next")
    bench.stop()
    assert bench.start().drafts == {}, "a started conversation has its own"
    bench.stop()
    assert bench.start("latest").drafts == {"composer": "the next"}


def test_a_draft_that_comes_after_its_conversation_was_left_is_kept(bench: Bench) -> None:
    """Drafts are sent a moment behind the keys; nobody is told off for that."""
    bench.script = Script([*text("Ok."), *end()])
    bench.start()
    bench.say("one")
    bench.turn()
    left = bench.conversation
    bench.send(c.OpenConversation(which="new"))
    bench.until(e.ConversationOpened)
    draft(bench, "typed just before")
    bench.send_and_wait()
    assert not any(isinstance(event, e.Refused) for event in bench.events)
    bench.send(c.OpenConversation(which="id", conversation=left))
    assert bench.until(e.ConversationOpened).drafts == {"composer": "typed just before"}


def test_a_draft_moves_along_when_something_else_was_said(bench: Bench) -> None:
    """A word of the greeting was clicked while something stood in the composer."""
    bench.script = Script([*text("Ok."), *end()])
    bench.start()
    draft(bench, "half a thought")
    bench.stop()
    bench.start()
    bench.say("menu")
    bench.turn()
    bench.stop()
    assert bench.start().drafts == {}
    bench.stop()
    assert bench.start("latest").drafts == {"composer": "half a thought"}


def test_an_answers_draft_lives_as_long_as_its_question(bench: Bench) -> None:
    """Ids come again in another turn (R29); what was typed for one question must not stand in another's field."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    asked = [*call("ask", {}), *end("tools")]
    bench.script = Script(asked, [*text("Ok."), *end()], asked, [*text("Ok."), *end()])
    bench.start()
    bench.say("a")
    prompt = bench.prompt()
    draft(bench, "because", prompt.inquiry)
    bench.send(c.OpenConversation(which="id", conversation=bench.conversation))
    bench.until(e.ConversationOpened)
    bench.send(c.OpenConversation(which="id", conversation=bench.conversation))
    assert bench.until(e.ConversationOpened).drafts == {prompt.inquiry: "because"}
    bench.answer(prompt, Answered(value=True))
    bench.turn()
    draft(bench, "too late", prompt.inquiry)
    bench.stop()
    assert bench.start("latest").drafts == {}
    bench.say("b")
    again = bench.prompt()
    draft(bench, "left", again.inquiry)
    bench.stop()
    assert bench.start("latest").drafts == {again.inquiry: "left"}, "it waits with its question"
    bench.answer(bench.prompt(), EndTurn())
    bench.turn()
    bench.stop()
    assert bench.start("latest").drafts == {}


def test_a_conversation_that_works_can_be_looked_at_again(bench: Bench) -> None:
    """Opened again while its turn runs: the same session, and what waits is asked again."""
    bench.tools["ask"] = tool_setup("ask", Made(asks))
    bench.script = Script([*call("ask", {}), *end("tools")], [*text("Ok."), *end()])
    bench.start()
    bench.say("a")
    first, working = bench.prompt(), bench.conversation
    bench.send(c.OpenConversation(which="new"))
    assert bench.until(e.ConversationOpened).conversation != working
    bench.send(c.OpenConversation(which="id", conversation=working))
    opened = bench.until(e.ConversationOpened)
    assert opened.conversation == working and opened.held_by == "" and not opened.new
    bench.until(e.TurnStarted)
    assert bench.prompt() == first
    bench.answer(first, Answered(value=True))
    assert bench.turn().outcome == "done"


def test_words_for_later_are_kept_when_the_program_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reply, and at once out: what was to be said next stands in the composer at the next start."""
    leave = Turn.leave

    def leaving(turn: Turn, **_: bool) -> None:
        leave(turn)
        bench.journal.gate.set()

    monkeypatch.setattr(Turn, "leave", leaving)
    bench.script = Script([m.PartOpened(0, "message"), m.PartGrew(0, "long"), asyncio.Event()])
    bench.start()
    bench.journal.hold = lambda kind: kind == "chat_response"
    bench.say("go")
    bench.until(e.PartDelta)
    bench.interrupt("reply", "be brief")
    assert bench.journal.asked.wait(LIMIT)
    bench.stop()
    assert bench.start("latest").drafts == {"composer": "be brief"}


def test_another_model_goes_on_with_the_conversation(bench: Bench) -> None:
    """`--model` with `-c`: the list and the next end of a turn name it; reasoning of the old one stays home."""
    bench.script = Script([*text("One."), *end()])
    bench.start()
    bench.say("a")
    bench.turn()
    bench.stop()
    bench.model = "other/model"
    bench.script = Script([*text("Two."), *end()])
    opened = bench.start("latest")
    assert opened.model == "other/model"
    bench.say("b")
    bench.turn()
    assert bench.log()[-1]["model"] == "other/model"
    bench.send(c.ListConversations())
    assert bench.until(e.ConversationsListed).conversations[0].model == "other/model"


def test_a_model_that_cannot_be_opened_leaves_the_open_conversation_alone(bench: Bench) -> None:
    bench.script = Script([*text("One."), *end()])
    bench.start()
    bench.model = ""
    bench.send(c.OpenConversation(which="new"))
    assert bench.until(e.Refused).command == "open_conversation"
    bench.say("still here")
    assert bench.turn().outcome == "done"


def test_a_new_conversation_leaves_nothing_behind_until_something_is_said(bench: Bench) -> None:
    bench.start()
    assert not list((bench.home / "locks").glob("*"))
    bench.send(c.ListConversations())
    assert bench.until(e.ConversationsListed).conversations == ()

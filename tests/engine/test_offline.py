"""A conversation whose store is out of reach: nothing typed is lost, nothing is shown as done that isn't, and nothing
starts that isn't recorded (store.md D12)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from jp_tui.engine.base.draft_spool import DraftSpool, Spooled
from jp_tui.engine.desks.message_queue import NOT_SENT
from jp_tui.engine.session.spooled_drafts import merged
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench, tool_setup
from tests.fakes.journals import Remote
from tests.fakes.models import Script, call, end, text
from tests.fakes.tools import Made, at_once
from tests.limits import LIMIT

OVER = [*text("Done."), *end()]


@pytest.fixture
def far(bench: Bench) -> Iterator[Bench]:
    bench.remote = ""
    yield bench
    store(bench).find()


def store(bench: Bench) -> Remote:
    assert isinstance(bench.journal, Remote)
    return bench.journal


def lose(bench: Bench) -> None:
    store(bench).lose()
    bench.until(e.StoreState, lambda state: bool(state.problem))


def find(bench: Bench) -> None:
    store(bench).find()
    bench.until(e.StoreState, lambda state: state.back and not state.problem)


def queue(bench: Bench, words: str) -> e.QueueChanged:
    bench.send(c.QueueTurn(conversation=bench.conversation, text=words))
    return bench.until(e.QueueChanged)


def said(bench: Bench) -> list[str]:
    return [event["content"] for event in bench.log() if event["type"] == "chat_request"]


def spooled(bench: Bench) -> dict[str, str]:
    """All that is kept on the machine."""
    found: dict[str, str] = {}
    for path in (bench.home / "unsent").glob("*.json"):
        with suppress(FileNotFoundError):
            assert path.stat().st_mode & 0o777 == 0o600
            found |= {key: words for key, (words, _) in json.loads(path.read_text())["drafts"].items()}
    return found


def nothing_kept(bench: Bench) -> None:
    """Until the store has all of it."""
    end = time.monotonic() + LIMIT
    while spooled(bench):
        assert time.monotonic() < end
        bench.send_and_wait()


def test_d12_messages_of_a_lost_store_are_not_sent_and_go_out_in_order_when_it_is_back(far: Bench) -> None:
    far.script = Script(OVER, OVER)
    far.start()
    assert far.ever(e.StoreState).name == "far/jp"
    lose(far)
    assert queue(far, "one").held == NOT_SENT
    assert [one.text for one in queue(far, "two").messages] == ["one", "two"]
    assert [one["text"] for one in json.loads(spooled(far)["queue"])] == ["one", "two"]
    assert not far.script.requests, "nothing is asked of a model"
    find(far)
    assert [far.turn().outcome for _ in range(2)] == ["done"] * 2
    assert said(far) == ["one", "two"]
    nothing_kept(far)


def test_d12_a_message_that_was_not_sent_can_be_taken_back(far: Bench) -> None:
    far.script = Script()
    far.start()
    lose(far)
    (waiting,) = queue(far, "one").messages
    far.send(c.TakeQueued(conversation=far.conversation, id=waiting.id))
    assert far.until(e.QueueTaken).message.text == "one"
    find(far)
    far.send_and_wait()
    assert said(far) == [] and not far.script.requests


def test_d4_it_opens_without_the_store_and_joins_what_that_has(far: Bench) -> None:
    far.start()
    far.send(c.SaveDraft(conversation=far.conversation, key="composer", text="from before"))
    far.stop()
    far.remote = "The store at far:5432 does not answer: gone"
    opened = far.start()
    assert opened.new and opened.drafts == {}
    far.send(c.SaveDraft(conversation=far.conversation, key="composer", text="typed on a train"))
    far.send_and_wait_offline()
    assert spooled(far)["composer"] == "typed on a train"
    find(far)
    assert far.until(e.DraftsFound).drafts == {"composer": "from before"}
    far.stop()
    far.remote = ""
    assert far.start().drafts["composer"] == "from before\n\ntyped on a train"


def test_d4_a_conversation_to_resume_opens_once_the_store_answers(far: Bench) -> None:
    far.script = Script(OVER)
    far.start()
    far.say("hello")
    far.turn()
    here = far.conversation
    far.stop()
    far.remote = "The store at far:5432 does not answer: gone"
    far.run()
    far.send(c.OpenConversation(which="latest"))
    far.until(e.StoreState, lambda state: bool(state.problem))
    find(far)
    assert far.until(e.ConversationOpened).conversation == here
    assert not any(isinstance(one, e.Refused) for one in far.events)


def test_d12_what_a_killed_workspace_kept_is_there_at_the_next_start(far: Bench) -> None:
    far.remote = "The store at far:5432 does not answer: gone"
    far.script = Script()
    far.start()
    far.send(c.SaveDraft(conversation=far.conversation, key="composer", text="half a sent"))
    queue(far, "a whole one")
    left = {path.name: path.read_bytes() for path in (far.home / "unsent").glob("*.json")}
    far.kill()
    (far.home / "unsent").mkdir()
    for name, content in left.items():
        (far.home / "unsent" / name).write_bytes(content)
        (far.home / "unsent" / name).chmod(0o600)
    far.remote = ""
    opened = far.start()
    assert opened.drafts["composer"] == "half a sent"
    far.send(c.ReadQueue(conversation=far.conversation))
    changed = far.until(e.QueueChanged)
    assert [one.text for one in changed.messages] == ["a whole one"] and changed.held, "sent only by the user"
    nothing_kept(far)


def test_d12_a_message_on_its_way_is_recorded_once_or_kept(far: Bench) -> None:
    far.script = Script(OVER)
    far.start()
    store(far).hold = lambda kind: kind == "chat_request"
    far.say("on its way")
    assert store(far).asked.wait(LIMIT)
    lose(far)
    far.send_and_wait_offline()
    assert json.loads(spooled(far)["sent"])["text"] == "on its way"
    store(far).find()
    store(far).gate.set()
    assert far.turn().outcome == "done"
    assert said(far) == ["on its way"]
    nothing_kept(far)


def asked(bench: Bench) -> Any:
    bench.script = Script([*call("ask_user", {"question": "Sure?", "answer_type": "boolean"}), *end("tools")], OVER)
    bench.start()
    bench.say("ask me")
    return bench.prompt()


def test_d12_an_answer_waits_for_the_store_and_is_sent_then(far: Bench) -> None:
    prompt = asked(far)
    lose(far)
    far.answer(prompt, Answered(value=True))
    assert far.until(e.AnswerHeld).held
    assert len(far.script.requests) == 1
    find(far)
    assert far.until(e.QuestionSettled).how == "answered"
    assert far.turn().outcome == "done"
    assert far.kinds().count("inquiry_response") == 1


def test_d12_no_side_question_goes_to_a_model(far: Bench) -> None:
    prompt = asked(far)
    lose(far)
    far.send(c.AskAside(conversation=far.conversation, inquiry=prompt.inquiry, text="Why?"))
    assert far.until(e.Refused).command == "ask_aside"
    assert len(far.script.requests) == 1


def test_d12_an_answer_that_was_not_sent_can_be_taken_back(far: Bench) -> None:
    prompt = asked(far)
    lose(far)
    far.answer(prompt, Answered(value=True))
    far.until(e.AnswerHeld)
    far.send(c.TakeBackAnswer(conversation=far.conversation, inquiry=prompt.inquiry))
    assert not far.until(e.AnswerHeld).held
    find(far)
    far.send_and_wait()
    assert "inquiry_response" not in far.kinds()
    far.answer(prompt, Answered(value=False))
    assert far.turn().outcome == "done"


def test_d12_an_answer_is_sent_later_only_for_the_same_digest(far: Bench) -> None:
    prompt = asked(far)
    lose(far)
    far.answer(prompt.model_copy(update={"digest": "0" * len(prompt.digest)}), Answered(value=True))
    far.until(e.AnswerHeld)
    find(far)
    assert not far.until(e.AnswerRefused).gone
    assert "inquiry_response" not in far.kinds()


def test_d12_a_call_that_is_not_recorded_does_not_start(far: Bench) -> None:
    """The model's reply came while the store was lost: its call waits for the record, and the next request for it."""
    gate, quick = asyncio.Event(), Made(at_once)
    far.tools["quick"] = tool_setup("quick", quick, run="unattended")
    far.script = Script([gate, *call("quick", {}), *end("tools")], OVER)
    far.start()
    far.say("go")
    far.until(e.TurnPhase)
    lose(far)
    gate.set()
    until = time.monotonic() + LIMIT
    while not any(name == "append" for name, *_ in store(far)._later):
        assert time.monotonic() < until
        far.send_and_wait_offline()
    assert not quick.calls and len(far.script.requests) == 1
    find(far)
    assert far.turn().outcome == "done" and len(quick.calls) == 1 and len(far.script.requests) == 2


def test_d12_a_turn_that_begins_to_read_waits_for_the_store(far: Bench) -> None:
    far.script = Script(OVER, OVER)
    far.start()
    far.say("one")
    far.turn()
    far.stop()
    far.start("latest")
    store(far).hold = lambda kind: kind == "chat_request"
    far.say("two")
    assert store(far).asked.wait(LIMIT)
    lose(far)
    store(far).gate.set()
    far.until(e.TurnStarted)
    far.send_and_wait_offline()
    assert not far.script.requests[1:]
    find(far)
    assert far.turn().outcome == "done" and len(far.script.requests) == 2


def test_d12_what_is_read_meanwhile_comes_later(far: Bench) -> None:
    far.script = Script(OVER)
    far.start()
    far.say("hello")
    far.turn()
    lose(far)
    far.send(c.ReadEvents(conversation=far.conversation, around=1, count=10))
    far.send_and_wait_offline()
    find(far)
    assert far.until(e.EventsRead).events
    assert not any(isinstance(one, e.Refused) for one in far.events)


def test_d12_what_would_be_recorded_is_refused_and_a_key_tries_again(far: Bench) -> None:
    far.start()
    lose(far)
    far.say("not now")
    refused = far.until(e.Refused)
    assert refused.command == "start_turn" and refused.storage and "does not answer" in refused.message
    far.send(c.RetryStore())
    far.send_and_wait_offline()
    assert store(far).retries == 1


@pytest.mark.parametrize(
    ("key", "stored", "kept", "expected"),
    [
        ("composer", "a", Spooled("b", ("a",)), "b"),
        ("composer", "", Spooled("b", ("a",)), "b"),
        ("composer", "other", Spooled("b", ("a",)), "other\n\nb"),
        ("composer", "b", Spooled("b"), "b"),
        ("composer", "b", Spooled("b and more"), "b and more"),
        ("composer", "other", Spooled("", ("a",)), "other"),
        ("composer", "a", Spooled("", ("a",)), ""),
        ("queue", '[{"text":"1"}]', Spooled('[{"text":"2"}]'), '[{"text": "1"}, {"text": "2"}]'),
        ("composer.folds", "x", Spooled("y"), ""),
        ("a.q", "x", Spooled("y"), "y"),
    ],
)
def test_d12_a_draft_that_changed_on_both_sides_loses_no_text(
    key: str, stored: str, kept: Spooled, expected: str
) -> None:
    assert merged(key, stored, kept) == expected


def test_d12_a_spool_belongs_to_its_process_while_that_lives(tmp_path: Path) -> None:
    one, other = DraftSpool(tmp_path, "far"), DraftSpool(tmp_path, "far")
    one.put("shelf", "composer", Spooled("text", ("before",)))
    one.put("shelf", "composer", Spooled("more", ("text",)))
    assert other.left("shelf") == [] and DraftSpool(tmp_path, "elsewhere").left("shelf") == []
    one.close()
    assert other.left("shelf") == [{"composer": Spooled("more", ("before", "text"))}]
    assert other.left("another") == []
    next(tmp_path.glob("*.json")).write_bytes(b"\xff{")
    assert other.left("shelf") == []
    other.forget("shelf")
    assert list(tmp_path.glob("*.json")), "what can't be read stays for the user"

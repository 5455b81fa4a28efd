"""Messages that wait for the turn before them: in order, on the disk, held by what went wrong (issue 8, 3)."""

from __future__ import annotations

import asyncio

import pytest

from jp_tui.conversation import model as m
from jp_tui.journal.port import JournalError
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from tests.engine.conftest import Bench
from tests.fakes.models import Item, Script, end, text

OVER: list[Item] = [*text("Done."), *end()]


def queue(bench: Bench, text: str, *, first: bool = False) -> e.QueueChanged:
    bench.send(c.QueueTurn(conversation=bench.conversation, text=text, first=first))
    return bench.until(e.QueueChanged)


def waits(changed: e.QueueChanged) -> list[str]:
    return [one.text for one in changed.messages]


def said(bench: Bench) -> list[str]:
    return [event["content"] for event in bench.log() if event["type"] == "chat_request"]


def busy(bench: Bench, *after: list[Item], opening: list[Item] | None = None) -> asyncio.Event:
    """A turn that runs until the gate is set, then these."""
    gate = asyncio.Event()
    bench.script = Script([*(opening or []), gate, *OVER], *after)
    bench.start()
    bench.say("first")
    bench.until(e.TurnStarted)
    return gate


def go(bench: Bench, gate: asyncio.Event) -> None:
    """Set the gate, in the engine's thread."""
    gate.set()
    bench.send(c.ReadHistory(limit=1))


def test_what_is_queued_is_said_turn_by_turn(bench: Bench) -> None:
    gate = busy(bench, OVER, OVER)
    assert waits(queue(bench, "second")) == ["second"]
    assert waits(queue(bench, "third")) == ["second", "third"]
    go(bench, gate)
    assert [bench.turn().outcome for _ in range(3)] == ["done"] * 3
    assert said(bench) == ["first", "second", "third"]


def test_one_that_is_taken_back_is_not_said(bench: Bench) -> None:
    gate = busy(bench, OVER)
    queue(bench, "second")
    third = queue(bench, "third").messages[1]
    bench.send(c.TakeQueued(conversation=bench.conversation, id=third.id))
    assert bench.until(e.QueueTaken).message.text == "third"
    go(bench, gate)
    bench.turn(), bench.turn()
    bench.send(c.TakeQueued(conversation=bench.conversation, id=1))
    assert "already sent" in bench.until(e.Refused).message
    assert said(bench) == ["first", "second"]


@pytest.mark.parametrize("how", ["failed", "interrupted"])
def test_a_turn_that_went_wrong_holds_the_queue_until_a_person_lets_it_go_on(bench: Bench, how: str) -> None:
    gate = asyncio.Event()
    broken = m.ModelError("other", "Broken.")
    bench.script = Script([gate, broken], OVER, OVER)
    bench.start()
    bench.say("first")
    bench.until(e.TurnStarted)
    queue(bench, "second")
    if how == "failed":
        go(bench, gate)
    else:
        bench.interrupt("stop")
    assert bench.turn().outcome == how
    held = bench.until(e.QueueChanged)
    assert waits(held) == ["second"] and held.held
    bench.send(c.SendQueued(conversation=bench.conversation))
    assert bench.turn().outcome == "done"
    assert said(bench)[-1] == "second"


def test_words_of_an_interruption_go_before_what_waits(bench: Bench) -> None:
    """R211: reply."""
    busy(bench, OVER, OVER, opening=[m.PartOpened(0, "message"), m.PartGrew(0, "begun")])
    bench.until(e.PartDelta)
    queue(bench, "later")
    bench.interrupt("reply", "no, this")
    bench.until(e.TurnCompleted, lambda _: said(bench)[-1] == "later")
    assert said(bench) == ["first", "no, this", "later"]


def test_what_is_said_by_hand_goes_ahead_of_what_is_held(bench: Bench) -> None:
    busy(bench, OVER, OVER)
    queue(bench, "later")
    bench.interrupt("stop")
    bench.turn()
    bench.until(e.QueueChanged, lambda changed: bool(changed.held))
    queue(bench, "now", first=True)
    bench.turn(), bench.turn()
    assert said(bench) == ["first", "now", "later"]


def test_nothing_that_waits_is_lost_by_a_kill_and_nothing_is_said_twice(bench: Bench) -> None:
    """R200's sister: the queue stands on the disk before it is shown; what was said leaves it with its turn."""
    gate, second = busy(bench, [asyncio.Event()]), "second"
    queue(bench, second)
    queue(bench, "third")
    go(bench, gate)
    bench.turn()
    bench.until(e.EventAppended, lambda one: one.stored.event.get("content") == second)
    bench.kill()
    bench.script = Script(OVER, OVER)
    bench.start("latest")
    bench.send(c.ReadQueue(conversation=bench.conversation))
    kept = bench.until(e.QueueChanged)
    assert waits(kept) == ["third"] and kept.held == "kept from before"


def test_without_a_turn_it_is_said_at_once(bench: Bench) -> None:
    bench.script = Script(OVER)
    bench.start()
    queue(bench, "hello")
    assert bench.turn().outcome == "done" and said(bench) == ["hello"]


def test_a_queue_that_the_disk_refuses_says_why_it_is_held(bench: Bench) -> None:
    """The turn before it has ended; what waits cannot be marked as sent, and is shown with the reason."""
    gate = busy(bench, OVER)
    queue(bench, "second")
    desk_fails = JournalError("full", "the disk is full")

    def refused(*_: object, **__: object) -> object:
        raise desk_fails

    bench.journal.save_draft = refused  # type: ignore[attr-defined]
    go(bench, gate)
    bench.turn()
    changed = bench.until(e.QueueChanged, lambda event: bool(event.held))
    assert changed.held == "the disk is full"

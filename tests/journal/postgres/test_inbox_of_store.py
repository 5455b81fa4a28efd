"""The inbox of a store that three machines share: it names them, and each can answer what the others ask (store.md D9,
D10; asking.md E51, E53)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jp_tui.journal.postgres.store import PostgresJournal, open_store
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered, WaitingInfo
from jp_tui.view.questions.offered_prompt import offer_of, prompt_of
from tests.engine.conftest import Bench
from tests.fakes import postgres
from tests.fakes.models import Script, call, end, text

DATABASE = "inbox"
ASKS = [*call("ask_user", {"question": "Sure?", "answer_type": "boolean"}), *end("tools")]
OVER = [*text("Done."), *end()]


@pytest.fixture
def at(postgres_server: postgres.Server, tmp_path: Path) -> Iterator[Callable[[str], Bench]]:
    """A workspace on a machine of this name, in a folder of its own."""
    url, made = postgres.emptied(postgres_server, DATABASE), list[Bench]()

    def machine(name: str) -> Bench:
        (tmp_path / name).mkdir(exist_ok=True)
        bench = Bench(tmp_path / name)
        bench.machine, bench.script = name, Script(ASKS, OVER)

        def opened() -> PostgresJournal:
            return open_store(postgres.settings_of(url, name, poll_secs=0.2), patience=None)

        bench.opens = opened
        bench.prefix = name
        made.append(bench)
        return bench

    yield machine
    for bench in made:
        bench.stop()


def listed(bench: Bench, number: int) -> dict[str, WaitingInfo]:
    """The list with so many entries, by machine."""
    found = bench.until(e.WaitingListed, lambda event: len(event.waiting) == number).waiting
    return {one.machine: one for one in found}


def test_e51_three_machines_have_one_inbox_and_each_answers_what_the_others_ask(at: Callable[[str], Bench]) -> None:
    laptop, desk, phone = at("laptop"), at("desk"), at("phone")
    laptop.start()
    laptop.say("go")
    laptop.prompt()
    laptop.stop()  # its question waits, and no process holds it
    desk.start()
    desk.say("go")
    desk.prompt()
    phone.start()
    phone.send(c.WatchWaiting())
    found = listed(phone, 2)
    assert {name: (one.folder, bool(one.held_by)) for name, one in found.items()} == {
        "laptop": (str(laptop.workspace), False),
        "desk": (str(desk.workspace), True),
    }
    assert "on desk" in found["desk"].held_by
    for name in ("desk", "laptop"):
        prompt = prompt_of(found[name])
        assert prompt is not None
        offer = offer_of(prompt, Answered(value=True))
        assert offer is not None and offer.digest == found[name].digest and not offer.carry_on
        phone.send(offer)
        assert phone.until(e.OfferSettled).status == "accepted"
    assert desk.turn().outcome == "done", "the holder goes on at once"
    phone.until(e.WaitingListed, lambda event: not event.waiting)
    laptop.start("id", found["laptop"].conversation)
    assert laptop.turn().outcome == "done", "and the other once it is opened in its folder"
    assert not phone.script.requests


def test_d12_an_offered_answer_is_only_for_the_digest_that_was_shown(at: Callable[[str], Bench]) -> None:
    laptop, phone = at("laptop"), at("phone")
    laptop.start()
    laptop.say("go")
    laptop.prompt()
    laptop.stop()
    phone.start()
    phone.send(c.WatchWaiting())
    one = listed(phone, 1)["laptop"]
    prompt = prompt_of(one.model_copy(update={"digest": "another"}))
    assert prompt is not None
    offer = offer_of(prompt, Answered(value=True))
    assert offer is not None
    phone.send(offer)
    assert phone.until(e.OfferSettled).status == "stale"
    phone.send(c.OpenConversation(which="id", conversation=one.conversation))
    opened = phone.until(e.ConversationOpened, lambda event: event.conversation == one.conversation)
    assert not any(stored.event["type"] == "inquiry_response" for stored in opened.page)


def test_s12_a_conversation_that_another_machine_holds_is_read_here(at: Callable[[str], Bench]) -> None:
    laptop, phone = at("laptop"), at("phone")
    laptop.start()
    laptop.say("go")
    prompt = laptop.prompt()
    opened = phone.start("id", laptop.conversation)
    assert "on laptop" in opened.held_by
    laptop.answer(prompt, Answered(value=True))
    assert laptop.turn().outcome == "done"
    phone.until(e.EventAppended, lambda event: event.stored.event["type"] == "turn_outcome")
    phone.send(c.ListConversations())
    (row,) = phone.until(e.ConversationsListed).conversations
    assert row.machine == "laptop"

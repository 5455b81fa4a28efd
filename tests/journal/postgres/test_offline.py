"""A store whose server goes away and comes back, under a journal and under a conversation (store.md D4, D12)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jp_tui.journal.port import JournalError
from jp_tui.journal.postgres import health, store, writer
from jp_tui.journal.postgres.store import PostgresJournal, open_store
from jp_tui.protocol import commands as c
from jp_tui.protocol import events as e
from jp_tui.protocol.values import Answered
from tests.engine.conftest import Bench
from tests.fakes import postgres
from tests.fakes.models import Script, call, end, text
from tests.fakes.postgres_proxy import Proxy
from tests.journal.made import begin, entry
from tests.limits import LIMIT

DATABASE = "offline"
OVER = [*text("Done."), *end()]


@pytest.fixture
def proxy(postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    for place, name in ((writer, "FIRST"), (writer, "LAST"), (health, "FIRST"), (health, "LAST")):
        monkeypatch.setattr(place, f"{name}_RETRY", 0.05)
    monkeypatch.setattr(health, "WATCH_SECONDS", 0.2)
    postgres.emptied(postgres_server, DATABASE)
    found = Proxy(postgres_server)
    yield found
    found.close()


def opened(proxy: Proxy, offline: bool = False) -> PostgresJournal:
    wanted = postgres.settings_of(proxy.url(DATABASE), poll_secs=0.2, connect_secs=1)
    return open_store(wanted, patience=None, offline=offline)


def until(journal: PostgresJournal, *, lost: bool) -> None:
    end = time.monotonic() + LIMIT
    while bool(journal.connection().problem) is not lost:
        assert time.monotonic() < end
        journal.noticed().result(LIMIT)
        journal.notices()


def test_d4_a_store_that_does_not_answer_is_opened_once_it_does(proxy: Proxy) -> None:
    proxy.down = True
    with pytest.raises(JournalError, match="does not answer") as trouble:
        opened(proxy)
    assert trouble.value.kind == "offline"
    journal = opened(proxy, offline=True)
    assert "does not answer" in journal.connection().problem
    with pytest.raises(JournalError) as trouble:
        journal.conversations()
    assert trouble.value.kind == "offline"
    made = journal.create("c1", workspace="/w", model="m", at="2026-03-05 20:00:00.0")
    proxy.down = False
    made.result(LIMIT)
    until(journal, lost=False)
    assert [row.id for row in journal.conversations()] == ["c1"]
    journal.close()


def test_d4_a_server_that_takes_its_time_does_not_hold_up_the_workspace(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "FIRST_SECONDS", 0.1)
    proxy.passing.clear()
    journal = opened(proxy, offline=True)
    assert "no reply yet" in journal.connection().problem
    proxy.passing.set()
    until(journal, lost=False)
    assert journal.conversations() == []
    journal.close()


def test_d4_a_store_that_answers_and_can_not_be_used_is_refused(proxy: Proxy, postgres_server: postgres.Server) -> None:
    """D6, D7: only silence opens offline."""
    postgres_server.sql("DROP DATABASE IF EXISTS bare")
    postgres_server.sql("CREATE DATABASE bare")
    with pytest.raises(JournalError, match="migrate") as trouble:
        open_store(postgres.settings_of(proxy.url("bare")), patience=None, offline=True)
    assert trouble.value.kind == "unusable"


def test_d12_a_stalled_server_counts_as_lost_and_blocks_no_reader(proxy: Proxy) -> None:
    journal = opened(proxy)
    begin(journal, "c1")
    journal.append("c1", [entry(1)]).result(LIMIT)
    journal.changed()
    began = time.monotonic()
    proxy.passing.clear()
    with pytest.raises(JournalError) as trouble:
        while True:
            journal.read("c1")
    assert trouble.value.kind == "offline" and time.monotonic() - began < health.STALLED_SECONDS - 5
    until(journal, lost=True)
    waits = journal.append("c1", [entry(2)])
    proxy.passing.set()
    assert waits.result(LIMIT) == [2]
    until(journal, lost=False)
    assert len(journal.read("c1")) == 2
    journal.close()


def test_d12_a_retry_does_not_wait_for_its_time(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "FIRST_RETRY", 300.0)
    monkeypatch.setattr(writer, "FIRST_RETRY", 300.0)
    proxy.down = True
    journal = opened(proxy, offline=True)
    waits = journal.create("c1", workspace="/w", model="m", at="2026-03-05 20:00:00.0")
    proxy.down = False
    end = time.monotonic() + LIMIT
    while not waits.done():
        assert time.monotonic() < end
        journal.retry()
        time.sleep(0.05)
    assert [row.id for row in journal.conversations()] == ["c1"]
    journal.close()


# -- a conversation on it


@pytest.fixture
def bench(proxy: Proxy, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    made.opens = lambda: opened(proxy, offline=True)
    yield made
    proxy.down = False
    proxy.passing.set()
    made.stop()


def lose(bench: Bench, proxy: Proxy) -> None:
    proxy.down = True
    proxy.cut_all()
    bench.until(e.StoreState, lambda state: bool(state.problem))


def find(bench: Bench, proxy: Proxy) -> None:
    proxy.down = False
    bench.send(c.RetryStore())
    bench.until(e.StoreState, lambda state: state.back)


def stored(server: postgres.Server) -> list[str]:
    """The payloads of all events, in order."""
    rows = server.sql("SELECT payload FROM jp_tui.events ORDER BY conversation, seq", DATABASE)
    return [str(payload) for (payload,) in rows]


def kinds(server: postgres.Server) -> list[str]:
    return [json.loads(one)["type"] for one in stored(server)]


def test_d12_a_new_conversation_that_begins_on_a_train(
    bench: Bench, proxy: Proxy, postgres_server: postgres.Server
) -> None:
    proxy.down = True
    bench.script = Script(OVER, OVER)
    assert bench.start().new
    for words in ("one", "two"):
        bench.send(c.QueueTurn(conversation=bench.conversation, text=words))
        bench.until(e.QueueChanged)
    find(bench, proxy)
    assert [bench.turn().outcome for _ in range(2)] == ["done"] * 2
    bench.stop()
    said = [json.loads(one)["content"] for one in stored(postgres_server) if '"chat_request"' in one]
    assert said == ["one", "two"]


def test_d12_a_reply_of_the_model_that_comes_without_the_store_is_recorded_once(
    bench: Bench, proxy: Proxy, postgres_server: postgres.Server
) -> None:
    """The turn waits, asks nothing more, and ends when the store is back."""
    ask = [*call("ask_user", {"question": "Sure?", "answer_type": "boolean"}), *end("tools")]
    bench.script = Script(ask, OVER)
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    lose(bench, proxy)
    bench.answer(prompt, Answered(value=True))
    assert bench.until(e.AnswerHeld).held and len(bench.script.requests) == 1
    find(bench, proxy)
    assert bench.turn().outcome == "done"
    bench.stop()
    found = kinds(postgres_server)
    assert found.count("inquiry_response") == 1 and found.count("turn_outcome") == 1
    numbers = [seq for (seq,) in postgres_server.sql("SELECT seq FROM jp_tui.events ORDER BY seq", DATABASE)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("when", ["before", "after"])
def test_d12_a_cut_at_any_statement_of_a_turn_doubles_and_loses_nothing(
    bench: Bench, proxy: Proxy, postgres_server: postgres.Server, when: str
) -> None:
    """Also where only the reply to a COMMIT is lost."""
    bench.script = Script(*[OVER] * 40)
    bench.start()
    turns = 0
    for number in range(1, 24, 3):
        proxy.plan(number, when)
        bench.say(f"turn {number}")
        while not isinstance(ended := bench.until((e.TurnCompleted, e.Refused)), e.TurnCompleted):  # type: ignore[arg-type]
            assert ended.storage and ended.command == "start_turn", ended
            bench.say(f"turn {number}")
        assert ended.outcome == "done"
        turns += 1
    proxy.plan(0)
    bench.stop()
    said = [json.loads(one)["content"] for one in stored(postgres_server) if '"chat_request"' in one]
    assert said == [f"turn {number}" for number in range(1, 24, 3)]
    assert kinds(postgres_server).count("turn_outcome") == turns


# -- a schema that is newer by now


VERSION = "UPDATE jp_tui.schema_version SET version = {0}, oldest_client = {0}"


@pytest.fixture
def newer(postgres_server: postgres.Server) -> Iterator[Callable[[], None]]:
    """Raise the schema beyond what this program knows; raised back at the end of the test at the latest."""
    yield lambda: postgres_server.sql(VERSION.format(7), DATABASE) and None
    postgres_server.sql(VERSION.format(2), DATABASE)


def test_d7_a_workspace_that_the_schema_overtakes_keeps_what_is_typed(
    bench: Bench, newer: Callable[[], None], postgres_server: postgres.Server
) -> None:
    """It notices by itself, asks no model, and writes nothing, not even its lease; the next start has all of it."""
    ask = [*call("ask_user", {"question": "Sure?", "answer_type": "boolean"}), *end("tools")]
    bench.script = Script(ask, OVER)
    bench.start()
    bench.say("go")
    prompt = bench.prompt()
    newer()
    state = bench.until(e.StoreState, lambda state: bool(state.problem))
    assert state.newer and "has a newer schema now" in state.problem and "Restart with a newer" in state.problem
    before = stored(postgres_server)
    bench.answer(prompt, Answered(value=True))
    assert bench.until(e.AnswerHeld).held
    bench.send(c.SaveDraft(conversation=bench.conversation, key="composer", text="half a sent"))
    bench.send(c.QueueTurn(conversation=bench.conversation, text="and then"))
    assert [one.text for one in bench.until(e.QueueChanged).messages] == ["and then"]
    assert any(bench.journal.read(bench.conversation)), "it reads on"
    expires = postgres_server.sql("SELECT max(expires) FROM jp_tui.leases", DATABASE)
    with pytest.raises(JournalError, match="newer schema") as trouble:
        bench.journal.locks().take("c9", "jp-tui", 1)
    assert trouble.value.kind == "newer"
    bench.stop()
    assert stored(postgres_server) == before and len(bench.script.requests) == 1
    assert postgres_server.sql("SELECT max(expires) FROM jp_tui.leases", DATABASE) == expires
    postgres_server.sql(VERSION.format(2), DATABASE)
    postgres_server.sql("UPDATE jp_tui.leases SET expires = now()", DATABASE)
    opened = bench.start("id", bench.conversation)
    assert opened.drafts["composer"] == "half a sent"
    bench.send(c.ReadQueue(conversation=bench.conversation))
    assert [one.text for one in bench.until(e.QueueChanged).messages] == ["and then"]


def test_d7_a_message_on_its_way_when_the_schema_overtakes_it(bench: Bench, newer: Callable[[], None]) -> None:
    """The refused write itself is what says so; the message returns, and the turn's end is no end in the log."""
    bench.script = Script(OVER)
    bench.start()
    bench.say("one")
    bench.turn()
    newer()
    bench.say("two")
    failed = bench.until((e.StorageFailed, e.Refused))  # type: ignore[arg-type]
    assert "newer schema" in failed.message
    assert "Free disk space" not in failed.advice
    assert bench.ever(e.StoreState, lambda state: bool(state.problem)).newer
    bench.send(c.QueueTurn(conversation=bench.conversation, text="two"))
    held = bench.until(e.QueueChanged)
    assert (held.held, held.unsent) == ("not sent, the store has a newer schema", True)

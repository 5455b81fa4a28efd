"""Every write cut at every statement, before the server gets it and before its reply: each is stored once, and what the
receipt says is what is there (store.md D10, D24)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from jp_tui.journal.port import OUTSIDE, Copied, Journal, JournalError, NewEvent, StoreConnection
from jp_tui.journal.postgres import writer
from jp_tui.journal.postgres.store import PostgresJournal, open_store
from tests.fakes import postgres
from tests.fakes.postgres_proxy import Proxy
from tests.journal.made import at, begin, entry
from tests.limits import LIMIT

DATABASE = "cuts"


@pytest.fixture
def proxy(postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setattr(writer, "FIRST_RETRY", 0.01)
    postgres.emptied(postgres_server, DATABASE)
    found = Proxy(postgres_server)
    yield found
    found.close()


def opened(proxy: Proxy, patience: float | None = 20.0) -> PostgresJournal:
    return open_store(postgres.settings_of(proxy.url(DATABASE), poll_secs=60), patience=patience)


def asked(number: int) -> NewEvent:
    return entry(number, kind="inquiry_request", inquiry=f"a.q.{number}")


def answered(number: int) -> list[NewEvent]:
    return [entry(9, kind="inquiry_response", inquiry=f"a.q.{number}")]


Write = Callable[[Journal, str], Any]
WRITES: dict[str, Write] = {
    "create": lambda j, c: j.create(f"{c}.new", workspace="/w", model="m", at=at(2)),
    "append": lambda j, c: j.append(c, [entry(3), asked(4)], closes_parts=["p"]),
    "ask_outside": lambda j, c: j.ask_outside(
        f"{c}.new", [entry(1, kind=OUTSIDE), asked(2)], workspace="/w", at=at(1), title="t", admits=lambda _: None
    ),
    "settle_outside": lambda j, c: j.settle_outside(c, "a.q.1", answered(1)),
    "partial": lambda j, c: j.partial(c, "q", "message", "more", durable=True),
    "set_title": lambda j, c: j.set_title(c, "new"),
    "make": lambda j, c: j.make(Copied(f"{c}.new", "/w", "m", at(3), "t")),
    "hide": lambda j, c: j.hide(c, at(5)),
    "set_archived": lambda j, c: j.set_archived(c, True),
    "save_draft": lambda j, c: j.save_draft(c, "composer", "half"),
    "make_offer": lambda j, c: j.make_offer(c, "a.q.1", "{}", at(1)),
    "accept": lambda j, c: j.append(c, answered(1), accepts=[one.id for one in j.offers(c)]),
    "index": lambda j, c: j.index(),
}


def begun(journal: Journal, conversation: str) -> None:
    begin(journal, conversation)
    journal.append(conversation, [entry(1), asked(1)]).result(LIMIT)
    journal.partial(conversation, "p", "message", "x", durable=True).result(LIMIT)
    journal.make_offer(conversation, "a.q.1", "{}", at(1)).result(LIMIT)


def state(journal: Journal, conversation: str) -> list[object]:
    """Everything that can be read of it, without numbers that a retry may skip."""
    names = [conversation, f"{conversation}.new"]
    rows = [journal.conversation(name) or journal.conversation(name, deleted=True) for name in names]
    return [
        *([journal.read(name), journal.partials(name), journal.spans(name), journal.drafts(name)] for name in names),
        [(one.inquiry, one.payload, one.state) for one in journal.offers(conversation)],
        [one.seq for one in journal.open_inquiries(conversation)],
        rows,
        sorted(at for id_, at in journal.hidden() if id_ in names),
    ]


def told(state: list[object], before: str, after: str) -> str:
    return repr(state).replace(before, after)


@pytest.mark.parametrize("name", WRITES)
def test_d24_a_write_that_is_cut_anywhere_is_stored_once(proxy: Proxy, name: str) -> None:
    plain = open_store(postgres.settings_of(proxy.url(DATABASE), poll_secs=60))
    begun(plain, "whole")
    proxy.plan(0)
    expected = WRITES[name](plain, "whole").result(LIMIT)
    statements = proxy.statements
    after = told(state(plain, "whole"), "whole", "c")
    assert statements >= 3
    cuts = 0
    for number in range(1, statements + 1):
        for when in ("before", "after"):
            conversation = f"x{number}{when}"
            begun(plain, conversation)
            journal = opened(proxy)
            journal.flush().result(LIMIT)
            proxy.plan(number, when)
            got = WRITES[name](journal, conversation).result(LIMIT)
            assert proxy.cuts == (cuts := cuts + 1)
            proxy.plan(0)
            if name not in ("make_offer", "index"):
                assert got == expected
            journal.close()
            assert told(state(plain, conversation), conversation, "c") == after, (number, when)
    plain.close()


def test_d24_a_server_that_stays_away_takes_nothing_half(proxy: Proxy) -> None:
    """The receipt says so, and nothing of it is there; the next write finds the server again."""
    journal = opened(proxy, patience=0.3)
    begun(journal, "c1")
    proxy.down = True
    proxy.cut_all()
    with pytest.raises(JournalError, match="does not answer") as trouble:
        journal.append("c1", [entry(5)]).result(LIMIT)
    assert trouble.value.kind == "offline"
    proxy.down = False
    assert journal.append("c1", [entry(6)]).result(LIMIT) == [3]
    journal.close()


def test_d24_closing_ends_a_wait_for_a_lost_server(proxy: Proxy) -> None:
    journal = opened(proxy, patience=None)
    begun(journal, "c1")
    proxy.down = True
    proxy.cut_all()
    waits = journal.append("c1", [entry(5)])
    journal.close()
    with pytest.raises(JournalError):
        waits.result(1)


def test_a_read_that_is_cut_is_asked_again(proxy: Proxy) -> None:
    journal = opened(proxy)
    begun(journal, "c1")
    for number in count(1):
        proxy.plan(number)
        before = proxy.cuts
        assert [one.seq for one in journal.read("c1")] == [1, 2]
        if proxy.cuts == before:
            break
    assert number == 2
    journal.close()


def test_a_stalled_server_blocks_nobody_for_long(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read is cut after a time; then the store counts as out of reach until it answers."""
    from jp_tui.journal.postgres import health

    monkeypatch.setattr(health, "STALLED_SECONDS", 0.4)
    monkeypatch.setattr(health, "FIRST_RETRY", 0.05)
    journal = open_store(postgres.settings_of(proxy.url(DATABASE), poll_secs=0.2, connect_secs=1))
    begun(journal, "c1")
    assert journal.changed()
    proxy.passing.clear()
    with pytest.raises(JournalError) as trouble:
        journal.read("c1")
    assert trouble.value.kind == "offline"
    proxy.passing.set()
    until = time.monotonic() + 20
    while True:
        try:
            assert len(journal.read("c1")) == 2
            break
        except JournalError:
            assert time.monotonic() < until
            time.sleep(0.02)
    journal.close()


def test_d12_a_lost_server_is_named_once_and_what_was_written_is_there_when_it_is_back(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jp_tui.journal.postgres import health

    monkeypatch.setattr(health, "FIRST_RETRY", 0.05)
    monkeypatch.setattr(health, "LAST_RETRY", 0.05)
    monkeypatch.setattr(writer, "LAST_RETRY", 0.05)
    journal = open_store(postgres.settings_of(proxy.url(DATABASE), poll_secs=0.2), patience=None)
    begun(journal, "c1")
    journal.changed()
    assert journal.notices() == [] and journal.connection() == StoreConnection("local/cuts")
    noticed = journal.noticed()
    proxy.down = True
    proxy.cut_all()
    waits = journal.append("c1", [entry(5)])
    noticed.result(LIMIT)
    assert "does not answer" in journal.connection().problem and not waits.done()
    assert journal.notices() == []
    with pytest.raises(JournalError) as trouble:
        journal.read("c1")
    assert trouble.value.kind == "offline"
    noticed = journal.noticed()
    proxy.down = False
    assert waits.result(LIMIT) == [3]
    noticed.result(LIMIT)
    assert journal.connection().problem == "" and len(journal.read("c1")) == 3
    journal.close()


def test_d24_a_server_that_only_reads_says_so(postgres_server: postgres.Server) -> None:
    """As a replica does: the server's words, at once, and nothing half written; what is there is read."""
    url = postgres.emptied(postgres_server, DATABASE)
    plain = open_store(postgres.settings_of(url))
    begun(plain, "c1")
    postgres_server.sql(f"ALTER DATABASE {DATABASE} SET default_transaction_read_only = on")
    try:
        journal = open_store(postgres.settings_of(url), patience=None)
        with pytest.raises(JournalError, match="read-only transaction") as trouble:
            journal.append("c1", [entry(3)]).result(LIMIT)
        assert trouble.value.kind == "readonly" and len(journal.read("c1")) == 2
        journal.close()
    finally:
        postgres_server.sql("SET default_transaction_read_only = off; "
                            f"ALTER DATABASE {DATABASE} RESET default_transaction_read_only")  # fmt: skip
    assert plain.append("c1", [entry(3)]).result(LIMIT) == [3]
    plain.close()


def test_d24_too_many_connections_are_the_servers_words(postgres_server: postgres.Server) -> None:
    url = postgres.emptied(postgres_server, DATABASE)
    postgres_server.sql("DROP ROLE IF EXISTS crowded; CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    with pytest.raises(JournalError, match="too many connections") as trouble:
        open_store(postgres.settings_of(url.replace(postgres.OWNER, "crowded")))
    assert trouble.value.kind == "offline"


def test_d24_an_event_has_a_largest_size(postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from jp_tui.journal.postgres import writes

    monkeypatch.setattr(writes, "LARGEST", 1000)
    journal = open_store(postgres.settings_of(postgres.emptied(postgres_server, DATABASE)))
    begun(journal, "c1")
    with pytest.raises(JournalError, match="more than") as trouble:
        journal.append("c1", [NewEvent("x", 1, "ü" * 501, at=at(1))]).result(LIMIT)
    assert trouble.value.kind == "invalid"
    assert journal.append("c1", [NewEvent("x", 1, "ü" * 500, at=at(1))]).result(LIMIT) == [3]
    journal.close()


def test_d7_a_client_that_the_schema_overtakes_stops_writing(postgres_server: postgres.Server) -> None:
    """It reads on; a newer schema that it still knows how to use stops nothing."""
    journal = open_store(postgres.settings_of(postgres.emptied(postgres_server, DATABASE)))
    begun(journal, "c1")
    version = "UPDATE jp_tui.schema_version SET version = {}, oldest_client = {}"
    try:
        postgres_server.sql(version.format(7, 1), DATABASE)
        assert journal.append("c1", [entry(3)]).result(LIMIT) == [3]
        postgres_server.sql(version.format(7, 7), DATABASE)
        for _ in range(2):
            with pytest.raises(JournalError, match="newer schema") as trouble:
                journal.append("c1", [entry(4)]).result(LIMIT)
            assert trouble.value.kind == "newer" and len(journal.read("c1")) == 3
    finally:
        postgres_server.sql(version.format(1, 1), DATABASE)
    assert journal.append("c1", [entry(4)]).result(LIMIT) == [4]
    journal.close()

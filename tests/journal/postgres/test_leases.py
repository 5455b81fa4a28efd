"""Leases: one writer at a time, by the server's clock, with a number that grows (store.md D9)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from jp_tui.journal.port import JournalError
from jp_tui.journal.postgres import writer
from jp_tui.journal.postgres.leases import Lease
from jp_tui.journal.postgres.store import PostgresJournal, open_store
from tests.fakes import postgres
from tests.fakes.postgres_proxy import Proxy
from tests.journal.made import begin, entry
from tests.limits import LIMIT
from tests.sampling import whole

T = TypeVar("T")
DATABASE = "leases"
PROJECT = Path(__file__).parents[3]
Opens = Callable[..., PostgresJournal]


@pytest.fixture
def opens(postgres_server: postgres.Server) -> Iterator[Opens]:
    """Clients of one store, each with a machine's name."""
    store = postgres.emptied(postgres_server, DATABASE)
    made: list[PostgresJournal] = []

    def one(machine: str, url: str = "", **more: float) -> PostgresJournal:
        made.append(open_store(postgres.settings_of(url or store, machine, **{"poll_secs": 0.2} | more)))
        return made[-1]

    yield one
    for journal in made:
        journal.close()


def taken(journal: PostgresJournal, name: str = "c1") -> Lease:
    found = journal.locks().take(name, "test", os.getpid())
    assert isinstance(found, Lease), found
    return found


def refused(journal: PostgresJournal, number: int) -> str:
    with pytest.raises(JournalError) as trouble:
        journal.append("c1", [entry(number)]).result(LIMIT)
    assert trouble.value.kind == "held"
    return str(trouble.value)


def expire(server: postgres.Server, name: str = "c1") -> None:
    """The time of a lease is over, by the server's clock: its holder was cut off, stopped or asleep."""
    server.sql(f"UPDATE jp_tui.leases SET expires = '-infinity' WHERE name = '{name}'", DATABASE)


def test_d21_a_former_holder_marks_no_run_as_begun(opens: Opens, postgres_server: postgres.Server) -> None:
    """What is durable before a call runs needs the lease, as an append does: so the call doesn't run."""
    laptop, desk = opens("laptop"), opens("desk")
    begin(laptop)
    taken(laptop)
    laptop.partial("c1", "begun.a", "begun", "1", durable=True).result(LIMIT)
    expire(postgres_server)
    taken(desk)
    with pytest.raises(JournalError) as trouble:
        laptop.partial("c1", "begun.b", "begun", "1", durable=True).result(LIMIT)
    assert trouble.value.kind == "held"
    assert [one.part for one in desk.partials("c1")] == ["begun.a"]


def test_d9_one_holds_it_and_the_others_are_told_who(opens: Opens) -> None:
    here, there = opens("laptop"), opens("desk")
    begin(here)
    lease = taken(here)
    held = there.locks().take("c1", "test", 1)
    assert isinstance(held, str) and "on laptop (test, process" in held and f" {os.getpid()})" in held and "UTC" in held
    assert there.locks().holder("c1") == held == here.locks().holder("c1")
    assert isinstance(here.locks().take("c1", "test", 1), str), "nor does the same process take it twice"
    assert here.append("c1", [entry(1)]).result(LIMIT) == [1]
    assert refused(there, 2).startswith(f"Held by {held}")
    lease.release()
    lease.release()
    here.flush().result(LIMIT)
    assert there.locks().holder("c1") == ""
    second = taken(there)
    assert second.fence == lease.fence + 1
    assert there.append("c1", [entry(3)]).result(LIMIT) == [2]
    assert [one.entry for one in here.read("c1")] == [entry(1), entry(3)]


def test_d9_released_and_taken_again_at_once(opens: Opens) -> None:
    """A session that closes and opens again is not in its own way."""
    here = opens("laptop")
    begin(here)
    for number in range(1, 6):
        lease = taken(here)
        receipt = here.append("c1", [entry(number)])
        lease.release()
        assert lease.fence == number
    assert receipt.result(LIMIT) == [5]


def test_d9_what_a_former_holder_sends_is_refused(opens: Opens, postgres_server: postgres.Server) -> None:
    here, there = opens("laptop"), opens("desk")
    begin(here)
    former = taken(here)
    expire(postgres_server)
    taken(there)
    assert "desk" in refused(here, 1)
    assert there.append("c1", [entry(2)]).result(LIMIT) == [1]
    former.release()  # frees nothing of the other's
    here.flush().result(LIMIT)
    assert "desk" in here.locks().holder("c1")
    assert there.append("c1", [entry(3)]).result(LIMIT) == [2]
    rows = postgres_server.sql("SELECT seq, fence FROM jp_tui.events ORDER BY seq", DATABASE)
    assert rows == [(1, 2), (2, 2)]


def test_d9_a_lease_that_no_one_took_stays_its_holders(opens: Opens, postgres_server: postgres.Server) -> None:
    here, there = opens("laptop"), opens("desk")
    begin(here)
    lease = taken(here)
    expire(postgres_server)
    assert here.append("c1", [entry(1)]).result(LIMIT) == [1]
    here.locks().poll(here._connect(), True)
    assert there.locks().holder("c1") != "" and isinstance(there.locks().take("c1", "t", 1), str)
    lease.release()


@pytest.mark.parametrize("before", ["released", "over"])
def test_d10_who_takes_it_reads_what_was_appended_without_one(
    opens: Opens, postgres_server: postgres.Server, before: str
) -> None:
    """An answer that is being appended where no process holds the conversation is in its log before one does."""
    import psycopg

    desk, laptop = opens("desk"), opens("laptop")
    begin(desk)
    lease = taken(desk)
    if before == "released":
        lease.release()
    else:
        postgres_server.sql("UPDATE jp_tui.leases SET expires = clock_timestamp()", DATABASE)
    done = threading.Event()

    def take() -> None:
        taken(laptop)
        done.set()

    with psycopg.connect(postgres_server.url(DATABASE)) as db:
        nothing = "'{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'"
        row = db.execute(
            f"SELECT status FROM jp_tui.append_events('c1', NULL, NULL, {nothing}, NULL, NULL, false)".encode()
        )
        assert row.fetchone() == (None,)
        thread = threading.Thread(target=take)
        thread.start()
        waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        end = time.monotonic() + LIMIT
        while not (done.is_set() or postgres_server.sql(waits, DATABASE)):
            assert time.monotonic() < end
        assert not done.is_set(), "it comes after the commit"
    thread.join(LIMIT)
    assert done.is_set()


def test_d9_it_is_renewed_while_it_is_held(opens: Opens, postgres_server: postgres.Server) -> None:
    here = opens("laptop", lease_secs=2)
    begin(here)
    taken(here)
    renewed = "SELECT expires - since > interval '2.5 s' FROM jp_tui.leases"
    until = time.monotonic() + 30
    while postgres_server.sql(renewed, DATABASE) != [(True,)]:
        assert time.monotonic() < until
        time.sleep(0.05)


HOLDER = """
import os, sys, time
from tests.fakes.postgres import settings_of
from jp_tui.journal.postgres.store import open_store
journal = open_store(settings_of(sys.argv[1], "gone", lease_secs=2, poll_secs=0.2))
assert not isinstance(journal.locks().take("c1", "test", os.getpid()), str)
from tests.journal.made import entry
print("held", flush=True)
sys.stdin.readline()
try:
    journal.append("c1", [entry(9)]).result(30)
    print("written", flush=True)
except Exception as problem:
    print(problem.kind, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_d9_a_dead_or_stopped_holder_is_followed_after_lease_secs(
    opens: Opens, postgres_server: postgres.Server, how: signal.Signals
) -> None:
    there = opens("desk")
    begin(there)
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, postgres_server.url(DATABASE)],
        cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None
    assert child.stdout.readline() == "held\n"
    child.send_signal(how)
    began = time.monotonic()
    while isinstance(found := there.locks().take("c1", "test", 1), str):
        assert "gone" in found and time.monotonic() - began < 20
        time.sleep(0.05)
    assert there.append("c1", [entry(1)]).result(LIMIT) == [1]
    if how == signal.SIGSTOP:
        child.send_signal(signal.SIGCONT)
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "held\n"
    child.kill()
    child.communicate()
    assert there.last_seq("c1") == 1


def test_a_thousand_answers_race_and_one_wins_each_time(opens: Opens) -> None:
    """D10, in each run in short: ten clients answer each of many questions at once."""
    questions, clients = 1_000 if whole() else 20, [opens(f"m{number}") for number in range(10)]
    begin(clients[0])
    for number in range(questions):
        asked = [entry(1, kind="inquiry_request", inquiry=f"a.q.{number}")]
        clients[0].append("c1", asked).result(LIMIT)
    won: list[list[bool]] = [[] for _ in range(questions)]
    start = threading.Barrier(len(clients))

    def answers(journal: PostgresJournal) -> None:
        start.wait()
        for number in range(questions):
            given = [entry(2, kind="inquiry_response", inquiry=f"a.q.{number}")]
            won[number].append(journal.settle_outside("c1", f"a.q.{number}", given).result(LIMIT))

    threads = [threading.Thread(target=answers, args=(journal,)) for journal in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [sum(one) for one in won] == [1] * questions and all(len(one) == len(clients) for one in won)
    events = clients[0].read("c1", limit=9_999)
    assert [one.seq for one in events] == list(range(1, 2 * questions + 1))
    assert clients[0].open_inquiries("c1") == []


NAMES = ("laptop", "desk", "worker")


def reached(journal: PostgresJournal, run: Callable[[], T]) -> T:
    """What it returns once the server is in reach again: a cut may have met the thread that listens."""
    until = time.monotonic() + LIMIT
    while True:
        try:
            return run()
        except JournalError as problem:
            assert problem.kind == "offline" and time.monotonic() < until
        journal.retry()
        time.sleep(0.01)


def test_d9_never_two_appends_under_different_numbers_out_of_order(
    opens: Opens, postgres_server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease as a state machine over holders, pauses, clocks and cuts: whoever appends holds the newest number."""
    monkeypatch.setattr(writer, "FIRST_RETRY", 0.01)
    proxies = {name: Proxy(postgres_server) for name in NAMES}
    journals = {name: opens(name, proxy.url(DATABASE), lease_secs=600, poll_secs=60) for name, proxy in proxies.items()}
    begin(journals["laptop"])
    cuts = 0

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            expire(postgres_server)
            self.leases: dict[str, Lease] = {}
            for name, journal in journals.items():
                proxies[name].plan(0)
                journal.locks()._held.clear()
            self.holder: str | None = None
            self.expired = True

        @rule(name=st.sampled_from(NAMES))
        def take(self, name: str) -> None:
            found = reached(journals[name], lambda: journals[name].locks().take("c1", name, 1))
            free = self.holder is None or self.expired
            assert isinstance(found, Lease) is free, found
            if isinstance(found, Lease):
                self.leases[name], self.holder, self.expired = found, name, False

        @rule(name=st.sampled_from(NAMES))
        def release(self, name: str) -> None:
            if (lease := self.leases.pop(name, None)) is not None:
                lease.release()
                journals[name].flush().result(LIMIT)
                if self.holder == name:
                    self.holder = None

        @rule()
        def clock_jumps(self) -> None:
            expire(postgres_server)
            self.expired = True

        @rule(name=st.sampled_from(NAMES), number=st.integers(1, 6), when=st.sampled_from(("before", "after")))
        def is_cut(self, name: str, number: int, when: str) -> None:
            """At one of its next statements, before the server gets it or before its reply."""
            proxies[name].plan(number, when)

        @rule(name=st.sampled_from(NAMES), other=st.sampled_from(NAMES))
        def pauses(self, name: str, other: str) -> None:
            """What it sends arrives only when its lease is over and another has taken it."""
            if name == other:
                return
            proxies[name].plan(0)
            proxies[name].passing.clear()
            late = journals[name].append("c1", [entry(1)])
            try:
                self.clock_jumps()
                self.take(other)
            finally:
                proxies[name].passing.set()
            with pytest.raises(JournalError):
                late.result(LIMIT)

        @rule(name=st.sampled_from(NAMES))
        def renews(self, name: str) -> None:
            proxies[name].plan(0)
            reached(journals[name], lambda: journals[name].locks().poll(journals[name]._ready(), True))
            if self.holder == name and name in self.leases:
                self.expired = False

        @rule(name=st.sampled_from(NAMES))
        def append(self, name: str) -> None:
            receipt = journals[name].append("c1", [entry(1)])
            free = self.holder is None or self.expired
            if self.holder == name if name in self.leases else free:
                assert receipt.result(LIMIT)
            else:
                with pytest.raises(JournalError):
                    receipt.result(LIMIT)

        def teardown(self) -> None:
            nonlocal cuts
            cuts += sum(proxy.cuts for proxy in proxies.values())

        @invariant()
        def in_order(self) -> None:
            found = postgres_server.sql(
                "SELECT count(*) FROM (SELECT seq, fence, max(fence) OVER (ORDER BY seq) AS most FROM jp_tui.events"
                " WHERE fence > 0) AS e WHERE fence < most",
                DATABASE,
            )
            assert found == [(0,)]

    quick = settings(
        max_examples=60 if whole() else 8,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Machine, settings=quick)  # type: ignore[no-untyped-call]
    assert cuts > 0 or not whole(), "few examples may have none"

"""Two workers and many schedules over a simulated day, one of them killed each hour (store.md D23): each due time once.
And a worker that is killed at each commit of a run.

The clock is the test's: it goes to the next due time once all earlier ones have begun. Each run tries a few schedules
for two hours; TESTS_WHOLE tries 100 for a day.
"""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.engine.record.event_codec import entry
from jp_tui.journal.port import Journal
from jp_tui.journal.store import open_journal
from tests.fakes import postgres
from tests.fakes.clock import Clock
from tests.headless.asking_tools import configure
from tests.headless.forked import CLOCK, KILLED_AT, Forked
from tests.headless.running import LIMIT, environment
from tests.headless.serving import SOON, Serving
from tests.headless.test_schedules import scheduled
from tests.headless.test_serve import wait_for
from tests.sampling import whole

DAY = datetime(2026, 11, 23, tzinfo=UTC)
SCHEDULES, HOURS = (100, 24) if whole() else (6, 2)


def crons(rng: random.Random) -> Iterator[tuple[str, str, list[datetime]]]:
    """Names, expressions and what each has due within the hours of this run."""
    for number in range(SCHEDULES):
        minute = 0 if number % 3 == 0 else rng.randrange(60)
        hours = range(24) if number % 5 == 0 else sorted(rng.sample(range(HOURS), min(HOURS, 1 + number % 4)))
        text = f"{minute} {'*' if len(hours) == 24 else ','.join(map(str, hours))} * * *"
        times = [DAY + timedelta(hours=hour, minutes=minute) for hour in hours if hour < HOURS]
        yield f"s{number}", text, times


def id_of(name: str, at: datetime) -> str:
    return f"{name}.{at:%Y%m%dT%H%M%SZ}"


class Workers:
    """Two workers on one store, of which one may be killed and replaced."""

    def __init__(self, home: Path, clock: Clock, more: dict[str, str]) -> None:
        self._home = home
        self._more = {**SOON, **more, CLOCK: str(clock.path), "JP_TUI_STORE__LEASE_SECS": "2"}
        self.running = [self._started(), self._started()]

    def _started(self) -> Forked:
        words, null = ["serve", "--workspace", str(self._home / "w")], subprocess.DEVNULL
        return Forked(words, env=environment(self._home, **self._more), stdin=null, stdout=null, stderr=null)

    def replace(self, number: int) -> None:
        self.kill(number)
        self.running[number] = self._started()

    def kill(self, number: int) -> None:
        self.running[number].kill()
        self.running[number].wait(LIMIT)


def seeded(journal: Journal, schedules: list[str]) -> None:
    """Let each schedule have run just before the day begins: so a worker knows what is due whenever it looks first."""
    with closing(journal):
        for name in schedules:
            id_, at = id_of(name, DAY - timedelta(seconds=1)), timestamp(DAY - timedelta(seconds=1))
            journal.create(id_, workspace="/w", model="m", at=at).result(LIMIT)
            turn = (ev.TurnStart(timestamp=at), ev.TurnOutcome(outcome="done", model="m", timestamp=at))
            journal.append(id_, [entry(event, 1, at)[0] for event in turn]).result(LIMIT)


def a_day(home: Path, opens: Callable[[], Journal], more: dict[str, str], seed: int, role: str = "") -> None:
    """`role` of the workers is in the ids of a shared store."""
    rng, clock = random.Random(seed), Clock(home / "clock", DAY - timedelta(minutes=1))
    model = configure(home, {})
    due: dict[datetime, list[str]] = {}
    names = []
    for name, text, times in crons(rng):
        names.append(name + role)
        scheduled(home, model, name, cron=text, overlap="queue")
        for at in times:
            due.setdefault(at, []).append(id_of(name + role, at))
    seeded(opens(), names)
    workers = Workers(home, clock, more)
    every: list[str] = []
    with closing(opens()) as reader:
        try:
            for at in sorted(due):
                every += due[at]
                clock.now = at + timedelta(seconds=1)
                if at.minute == 0:
                    enough = rng.randrange(len(due[at]))
                    wait_for(partial(has_begun, reader, due[at], enough))
                    workers.replace(rng.randrange(2))
                wait_for(partial(has_begun, reader, due[at], len(due[at])))
            wait_for(lambda: all(count(reader, id_)["turn_outcome"] for id_ in every))
        finally:
            for number in range(2):
                workers.kill(number)
        rows = reader.conversations(limit=10 * len(every))
        assert {row.id for row in rows} == {*every, *(id_of(name, DAY - timedelta(seconds=1)) for name in names)}
        for id_ in every:
            kinds = count(reader, id_)
            assert kinds["turn_start"] == kinds["chat_request"] == kinds["turn_outcome"] == 1, (id_, kinds)


def has_begun(reader: Journal, ids: list[str], enough: int) -> bool:
    return sum(row.turns > 0 for row in reader.rows(ids).values()) >= enough


def count(reader: Journal, conversation: str) -> Counter[str]:
    return Counter(item.entry.kind for item in reader.read(conversation))


@pytest.mark.slow
@pytest.mark.timeout(3600 if whole() else 120)
def test_d23_each_due_time_once_on_a_file(tmp_path: Path) -> None:
    a_day(tmp_path, lambda: open_journal(tmp_path / "data" / "conversations.db"), {}, seed=23)


@pytest.mark.slow
@pytest.mark.timeout(3600 if whole() else 120)
def test_d23_each_due_time_once_on_a_server(tmp_path: Path, postgres_server: postgres.Server) -> None:
    from jp_tui.journal.postgres.store import open_store

    url = postgres.emptied(postgres_server, "schedules")
    settings = postgres.settings_of(url, poll_secs=0.2)
    a_day(tmp_path, lambda: open_store(settings), {"JP_TUI_STORE": url}, seed=23, role=f"@{postgres.OWNER}")


@pytest.mark.slow
@pytest.mark.parametrize("moment", [f"after {number}" for number in ((*range(1, 12),) if whole() else (1, 2, 4))])
def test_d23_a_run_goes_on_wherever_its_worker_was_killed(tmp_path: Path, moment: str) -> None:
    """Also in the middle of a reply, which no other turn survives (R207)."""
    clock = Clock(tmp_path / "clock", DAY)
    scheduled(tmp_path, configure(tmp_path, {}))
    with closing(open_journal(tmp_path / "data" / "conversations.db")) as reader:
        seeded(reader, ["nightly"])
    clock.now, id_ = DAY + timedelta(seconds=1), id_of("nightly", DAY)
    with closing(open_journal(tmp_path / "data" / "conversations.db")) as reader:
        first = Serving(tmp_path, "serve", **{CLOCK: str(clock.path), KILLED_AT: moment})
        wait_for(lambda: first.process.poll() is not None or count(reader, id_)["turn_outcome"] > 0)
        first.kill()
        second = Serving(tmp_path, "serve", **{CLOCK: str(clock.path)})
        second.until("ready")
        wait_for(lambda: count(reader, id_)["turn_outcome"] > 0)
        assert second.end() == 0
        kinds = count(reader, id_)
        assert kinds["turn_start"] == kinds["chat_request"] == kinds["turn_outcome"] == 1, kinds
        (outcome,) = reader.of_kinds(id_, ["turn_outcome"])
        assert '"done"' in outcome.entry.payload

"""What a worker finds due (store.md D23), over a real store, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jp_tui.conversation import events as ev
from jp_tui.conversation.ids import timestamp
from jp_tui.engine.record.event_codec import entry
from jp_tui.engine.serving.schedules import FIRST_RETRY, DueTime, Schedules
from jp_tui.journal.port import Journal
from jp_tui.journal.store import open_journal
from jp_tui.settings.cron import Cron, time_zone
from jp_tui.settings.schedules import ScheduledPrompt
from tests.limits import LIMIT

NOON = datetime(2026, 11, 23, 12, 0, 10, tzinfo=UTC)
HOURLY = "0 * * * *"


class Looks:
    """One worker's look at the schedules of a store."""

    def __init__(self, journal: Journal, *schedules: ScheduledPrompt) -> None:
        self.journal, self.said = journal, list[str]()
        self.held: set[str] = set()
        self.again: list[float] = []
        self.clock = 0.0
        self.schedules = Schedules(journal, schedules, self._holder, self.said.append)

    def _holder(self, conversation: str) -> str:
        return "another" if conversation in self.held else ""

    def at(self, now: datetime) -> list[DueTime]:
        self.schedules.look(now)
        return list(self.schedules.ready(self.clock, self.again.append, 2.0))

    def ids(self, now: datetime) -> list[str]:
        return [one.conversation for one in self.at(now)]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = open_journal(tmp_path / "c.db")
    yield made
    made.close()


def schedule(folder: Path, cron: str = HOURLY, name: str = "nightly", **more: Any) -> ScheduledPrompt:
    return ScheduledPrompt(name, Cron(cron, UTC), "go", str(folder), **more)


def begin(journal: Journal, due: DueTime, *, ends: datetime | None = None) -> None:
    """What a run leaves in the store: a turn, with its end if it has ended."""
    journal.create(due.conversation, workspace="/w", model="m", at=timestamp(due.at), title=due.title).result(LIMIT)
    events: list[tuple[ev.Event, datetime]] = [(ev.TurnStart(), due.at), (ev.ChatRequest(content="go"), due.at)]
    events += [(ev.TurnOutcome(outcome="done", model="m"), ends)] if ends is not None else []
    rows = [entry(replace(event, timestamp=timestamp(at)), 1, timestamp(at))[0] for event, at in events]
    journal.append(due.conversation, rows).result(LIMIT)


def end(journal: Journal, conversation: str, at: datetime) -> None:
    said = ev.TurnOutcome(outcome="done", model="m", timestamp=timestamp(at))
    journal.append(conversation, [entry(said, 1, timestamp(at))[0]]).result(LIMIT)


def hours(count: float) -> datetime:
    return NOON + timedelta(hours=count)


def test_d23_a_due_time_is_ready_once_it_has_come(journal: Journal, tmp_path: Path) -> None:
    """Named after its schedule and its time; what was due before a schedule's first look isn't missed."""
    looks = Looks(journal, schedule(tmp_path))
    assert looks.at(NOON) == [] and looks.at(hours(0.9)) == []
    (due,) = looks.at(hours(1))
    assert due.conversation == "nightly.20261123T130000Z" and due.title == "nightly, 2026-11-23 13:00"
    assert due.about == {"name": "nightly", "due": "2026-11-23T13:00:00+00:00"}
    begin(journal, due, ends=due.at)
    assert looks.at(hours(1)) == [], "it has begun"
    assert not looks.schedules.look(hours(1.5)), "and nothing else is due"


def test_d23_times_are_shown_in_the_schedules_time_zone(tmp_path: Path) -> None:
    berlin = ScheduledPrompt("s", Cron("* * * * * 30", time_zone("Europe/Berlin")), "go", str(tmp_path))
    due = DueTime(berlin, datetime(2026, 7, 1, 22, 0, 30, tzinfo=UTC))
    assert due.title == "s, 2026-07-02 00:00:30" and due.conversation == "s.20260701T220030Z"
    assert due.about["due"] == "2026-07-02T00:00:30+02:00"


def test_d23_what_another_worker_began_or_begins_is_left_to_it(journal: Journal, tmp_path: Path) -> None:
    """Begun: forgotten. Held, also by one that was killed: looked at again."""
    looks = Looks(journal, schedule(tmp_path))
    looks.at(NOON)
    looks.held = {"nightly.20261123T130000Z"}
    assert looks.at(hours(1)) == [] and looks.again == [2.0]
    looks.held = set()
    (due,) = looks.at(hours(1))
    begin(journal, due, ends=due.at)
    assert looks.at(hours(1)) == []


def test_d23_people_of_one_store_may_have_schedules_of_the_same_name(journal: Journal, tmp_path: Path) -> None:
    """The role of the worker is in the id."""
    journal.me = lambda: "lead/2.x"  # type: ignore[method-assign]
    looks = Looks(journal, schedule(tmp_path))
    looks.at(NOON)
    begin(journal, DueTime(schedule(tmp_path), hours(1)), ends=hours(1))
    assert looks.ids(hours(1)) == ["nightly@lead%2F2.x.20261123T130000Z"]


def test_d23_a_deleted_run_does_not_begin_again(journal: Journal, tmp_path: Path) -> None:
    looks = Looks(journal, schedule(tmp_path))
    looks.at(NOON)
    (due,) = looks.at(hours(1))
    begin(journal, due, ends=due.at)
    journal.hide(due.conversation, timestamp(due.at)).result(LIMIT)
    assert looks.at(hours(1.1)) == []
    assert Looks(journal, schedule(tmp_path)).at(hours(1.1)) == [], "also not after a new start"


def test_d23_a_conversation_that_was_made_and_never_began_begins(journal: Journal, tmp_path: Path) -> None:
    """Its worker was killed in between."""
    journal.create("nightly.20261123T120000Z", workspace="/w", model="m", at=timestamp(NOON)).result(LIMIT)
    assert Looks(journal, schedule(tmp_path)).ids(NOON) == ["nightly.20261123T120000Z"]


def test_d23_missed_times(journal: Journal, tmp_path: Path) -> None:
    """After a pause the last of them begins late, or none does; what is due within a minute is in time."""
    begin(journal, DueTime(schedule(tmp_path), hours(-5).replace(second=0)), ends=hours(-5))
    assert Looks(journal, schedule(tmp_path)).ids(hours(0.5)) == ["nightly.20261123T120000Z"]
    looks = Looks(journal, schedule(tmp_path, missed="skip"))
    assert looks.at(hours(0.5)) == []
    assert looks.said == ["schedule.nightly, 2026-11-23 12:00, is left out: no worker ran."]
    assert Looks(journal, schedule(tmp_path, missed="skip")).ids(NOON) == ["nightly.20261123T120000Z"]


def test_d23_a_pause_within_a_running_worker_counts_too(journal: Journal, tmp_path: Path) -> None:
    """As when the machine slept."""
    looks = Looks(journal, schedule(tmp_path, overlap="queue"))
    looks.at(NOON)
    assert looks.ids(hours(3.5)) == ["nightly.20261123T150000Z"]


def test_d23_nothing_older_than_a_week_is_caught_up(journal: Journal, tmp_path: Path) -> None:
    """By then a deleted conversation may be gone for good, and its time would begin again."""
    monthly = schedule(tmp_path, "0 0 1 * *")
    begin(journal, DueTime(monthly, datetime(2026, 10, 1, tzinfo=UTC)), ends=datetime(2026, 10, 1, tzinfo=UTC))
    assert Looks(journal, monthly).at(datetime(2026, 11, 9, tzinfo=UTC)) == []
    assert len(Looks(journal, monthly).at(datetime(2026, 11, 7, tzinfo=UTC))) == 1


def test_d23_a_clock_that_was_put_back_begins_nothing_twice(journal: Journal, tmp_path: Path) -> None:
    looks = Looks(journal, schedule(tmp_path))
    looks.at(NOON)
    (due,) = looks.at(hours(1))
    begin(journal, due, ends=due.at)
    assert looks.at(NOON) == [] and looks.at(hours(1)) == []
    assert looks.ids(hours(2)) == ["nightly.20261123T140000Z"]


def test_d23_overlap(journal: Journal, tmp_path: Path) -> None:
    """While the run before hasn't ended, what is due is left out, or waits for it, in order."""
    skips, queues = schedule(tmp_path), schedule(tmp_path, name="q", overlap="queue")
    looks = Looks(journal, skips, queues)
    looks.at(NOON)
    for due in looks.at(hours(1)):
        begin(journal, due)
    assert looks.at(hours(2)) == []
    assert looks.said == ["schedule.nightly, 2026-11-23 14:00, is left out: nightly, 2026-11-23 13:00, hasn't ended."]
    assert looks.at(hours(3)) == []
    end(journal, "q.20261123T130000Z", hours(3))
    end(journal, "nightly.20261123T130000Z", hours(3))
    assert looks.ids(hours(3)) == ["q.20261123T140000Z"]
    assert Looks(journal, skips).at(hours(3)) == [], "what was left out on purpose wasn't missed"


def test_d23_what_cannot_begin_is_tried_again_and_only_its_last_time(journal: Journal, tmp_path: Path) -> None:
    """A folder that is gone is said once; a model without a key comes as a failure."""
    folder = tmp_path / "gone"
    looks = Looks(journal, schedule(folder))
    looks.at(NOON)
    assert looks.at(hours(1)) == [] and looks.again == [FIRST_RETRY]
    assert looks.said == [f"schedule.nightly waits: the folder {folder} is gone."]
    assert looks.at(hours(2)) == [] and looks.at(hours(3)) == []
    folder.mkdir()
    assert looks.at(hours(3)) == [], "not before its time"
    looks.clock = FIRST_RETRY
    (due,) = looks.at(hours(3))
    assert due.conversation == "nightly.20261123T150000Z" and len(looks.said) == 1
    looks.schedules.failed(due, looks.clock, looks.again.append)
    assert looks.again[-1] == 3 * FIRST_RETRY


def test_a_conversation_of_another_kind_is_no_run(journal: Journal, tmp_path: Path) -> None:
    journal.create("nightly.old", workspace="/w", model="m", at=timestamp(NOON)).result(LIMIT)
    looks = Looks(journal, schedule(tmp_path))
    assert looks.at(NOON) == [] and len(looks.at(hours(1))) == 1

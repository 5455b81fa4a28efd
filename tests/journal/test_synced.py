"""What is promised durable is synced before it is said to be written (R205), and nothing else costs a sync.

First by what SQLite is told before each commit; then, where a C compiler is there, by counting the system's syncs in a
child whose calls go through the shim of `tests/faults/failing.c`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jp_tui.journal.port import Receipt
from jp_tui.journal.store import SqliteJournal
from tests.faults.failing import shim
from tests.journal.made import at, entry
from tests.limits import LIMIT

Write = Callable[[SqliteJournal], Receipt[Any]]
PROJECT = Path(__file__).parents[2]

DURABLE: dict[str, Write] = {
    "create": lambda journal: journal.create("c2", workspace="/w", model="m", at=at(2)),
    "append": lambda journal: journal.append("c1", [entry(1)]),
    "append much": lambda journal: journal.append("c1", [entry(number) for number in range(40)]),
    "partial": lambda journal: journal.partial("c1", "p", "leave", "text", durable=True),
    "set_title": lambda journal: journal.set_title("c1", "A title"),
    "set_model": lambda journal: journal.set_model("c1", "other/model"),
    "set_archived": lambda journal: journal.set_archived("c1", True),
    "reveal": lambda journal: journal.reveal("c1"),
    "hide": lambda journal: journal.hide("c1", at(3)),
    "restore": lambda journal: journal.restore("c1"),
    "make_offer": lambda journal: journal.make_offer("c1", "c.q.1", "{}", at(4)),
    "settle_offer": lambda journal: journal.settle_offer(1, "taken"),
    "withdraw_offer": lambda journal: journal.withdraw_offer(1),
}
OTHER: dict[str, Write] = {
    "append": lambda journal: journal.append("c1", [entry(1)], durable=False),
    "partial": lambda journal: journal.partial("c1", "p", "message", "text"),
    "save_draft": lambda journal: journal.save_draft("c1", "k", "text"),
    "clear_draft": lambda journal: journal.clear_draft("c1", "k"),
    "flush": lambda journal: journal.flush(),
}
BEFORE = {"restore": "hide", "settle_offer": "make_offer", "withdraw_offer": "make_offer"}
"""What has to be there for the other to change anything: a commit of nothing needs no sync."""


class Commits:
    """What `synchronous` was at each commit of a connection."""

    def __init__(self, journal: SqliteJournal) -> None:
        self.seen: list[str] = []
        self._now = "as it was opened"
        connection = journal._writer._db
        assert connection is not None
        connection.set_trace_callback(self._statement)

    def _statement(self, sql: str) -> None:
        if sql.startswith("PRAGMA synchronous = "):
            self._now = sql.rpartition(" ")[2]
        elif sql == "COMMIT":
            self.seen.append(self._now)


@pytest.fixture
def commits(journal: SqliteJournal) -> Iterator[Commits]:
    found = Commits(journal)
    journal.flush().result(LIMIT)
    found.seen.clear()
    yield found


@pytest.mark.parametrize("name", DURABLE)
def test_r205_a_durable_write_is_committed_with_full_syncs(journal: SqliteJournal, commits: Commits, name: str) -> None:
    DURABLE[name](journal).result(LIMIT)
    assert commits.seen == ["FULL"]


@pytest.mark.parametrize("name", OTHER)
def test_what_may_be_lost_with_the_power_costs_no_sync(journal: SqliteJournal, commits: Commits, name: str) -> None:
    journal.append("c1", [entry(1)]).result(LIMIT)
    OTHER[name](journal)
    journal.flush().result(LIMIT)
    assert commits.seen[0] == "FULL" and set(commits.seen[1:]) == {"NORMAL"}


@pytest.mark.parametrize("name", [name for name in DURABLE if name not in ("append much", "partial")])
def test_r205_so_is_one_that_a_loop_commits_by_itself(journal: SqliteJournal, commits: Commits, name: str) -> None:
    """What a loop with nothing else to do commits, without the thread that writes."""
    writer = journal._writer
    writer._usual = 0.0  # as after a minute with a quick disk

    async def write() -> None:
        await asyncio.sleep(0)
        receipt = DURABLE[name](journal)
        assert receipt.done(), "it was committed here and now"
        await receipt

    journal.save_draft("c1", "k", "text").result(LIMIT)
    commits.seen.clear()
    asyncio.run(write())
    assert commits.seen == ["FULL"]


def test_r205_one_durable_write_makes_all_that_are_committed_with_it_durable(
    journal: SqliteJournal, commits: Commits
) -> None:
    """A piece that waits for more is written with it, in one commit that is synced."""
    piece = journal.partial("c1", "p", "message", "a piece")
    journal.append("c1", [entry(1)]).result(LIMIT)
    assert piece.done() and commits.seen == ["FULL"]


CHILD = """
import errno, json, sys
from pathlib import Path
from jp_tui.journal.store import open_journal
from tests.faults.failing import SYNCS, Arm, Fault
from tests.journal.made import begin
from tests.journal.test_synced import BEFORE, DURABLE, OTHER

folder = Path(sys.argv[1])
counts = {}
arm = Arm()
for kind, writes in (("durable", DURABLE), ("other", OTHER)):
    for name, write in writes.items():
        journal = open_journal(folder / f"{kind}-{name}.db")
        begin(journal)
        if kind == "durable" and name in BEFORE:
            DURABLE[BEFORE[name]](journal).result(10)
        arm(folder, Fault("", SYNCS, errno.EIO), 0)
        write(journal).result(10)
        arm.disarm()
        counts[f"{kind} {name}"] = arm.counted
        journal.close()
print(json.dumps(counts))
"""


def test_r205_the_system_is_told_to_sync(tmp_path: Path) -> None:
    """The syncs of SQLite itself, counted below it."""
    if not (library := shim()):
        pytest.skip("no C compiler to build the shim with; what SQLite is told is tested above")
    environment = {**os.environ, "LD_PRELOAD": library, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, tmp_path],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    assert len(counts) == len(DURABLE) + len(OTHER)
    unsynced = {name for name, count in counts.items() if name.startswith("durable") and count < 1}
    assert unsynced == {"durable reveal"}, "that one changes nothing here"
    assert {name for name, count in counts.items() if name.startswith("other") and count > 0} == set()

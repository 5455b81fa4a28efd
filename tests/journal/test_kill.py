"""Killed at any moment, shared by several processes (STORE-001, T14, surface.md S12)."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

from jp_tui.journal.port import Stored
from jp_tui.journal.reader import JournalReader, open_reader
from jp_tui.journal.store import open_journal
from tests.journal.made import begin, entry
from tests.limits import LIMIT

PROJECT = Path(__file__).parents[2]


def start(database: Path, conversation: str, *count: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.journal.appender", str(database), conversation, *count],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )


def whole(reader: JournalReader, conversation: str) -> list[Stored]:
    """Every event, after a look at numbers, spans and counts."""
    found = reader.read(conversation, limit=100_000)
    assert [one.seq for one in found] == list(range(1, len(found) + 1))
    row = reader.conversation(conversation)
    assert row is not None and row.events == row.last_seq == len(found)
    assert sum(span.events for span in reader.spans(conversation)) == len(found)
    return found


def test_killed_at_any_moment_nothing_acknowledged_is_lost(database: Path) -> None:
    """Twenty-five deaths of one conversation; pairs of events are there whole or not at all."""
    chance = random.Random(7)
    for _ in range(25):
        child = start(database, "c1")
        assert child.stdout is not None
        said = [child.stdout.readline()]
        killer = threading.Timer(chance.uniform(0.0, 0.05), child.kill)
        killer.start()
        said += child.stdout.readlines()
        child.wait(LIMIT)
        killer.join()
        child.stdout.close()
        stored = [int(line.split()[1]) for line in said if line.startswith("stored") and line.endswith("\n")]
        begun = [int(line.split()[1]) for line in said if line.startswith("partial") and line.endswith("\n")]

        looker = open_reader(database)
        found = whole(looker, "c1")
        assert len(found) >= max(stored, default=0) and len(found) % 2 == 0
        assert found[-2:] == [] or found[-2].entry == entry(found[-2].seq)
        left = looker.partials("c1")
        looker.close()
        last = begun[-1]
        if len(found) < last:  # the reply was being streamed: what was there is there, for the next to close
            assert [(one.part, one.text) for one in left] == [(f"p{last}", f"begin {last} ")]
        journal = open_journal(database)
        journal.append("c1", [], closes_parts=[one.part for one in left]).result(LIMIT)
        assert journal.partials("c1") == []
        journal.close()


def test_several_processes_open_and_write_at_once(database: Path) -> None:
    """All of them find no database at first; each has its own conversation."""
    children = [start(database, f"c{number}", "100") for number in range(4)]
    for child in children:
        child.communicate(timeout=LIMIT)
        assert child.returncode == 0
    looker = open_reader(database)
    for number in range(4):
        assert len(whole(looker, f"c{number}")) == 100
    looker.close()


def test_a_looker_sees_what_was_acknowledged_at_its_next_poll(database: Path) -> None:
    """S12: at most 250 ms behind is then a matter of polling so often; a poll looks at one number."""
    journal = open_journal(database)
    begin(journal)
    looker = open_reader(database)
    assert looker.changed() and not looker.changed()
    child = start(database, "c1", "200")
    assert child.stdout is not None
    stored = [0]
    for line in child.stdout:
        if line.startswith("stored"):
            stored.append(int(line.split()[1]))
            assert looker.last_seq("c1") >= stored[-1] and looker.tail("c1", 1)[0].seq >= stored[-1]
    child.communicate(timeout=LIMIT)
    assert stored[-1] == 200 and looker.changed()
    looker.close()
    journal.close()

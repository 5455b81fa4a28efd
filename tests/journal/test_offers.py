"""Answers that another process offers to the holder of a conversation (surface.md S12)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from jp_tui.journal.reader import open_reader
from jp_tui.journal.store import open_journal
from tests.journal.made import at, begin
from tests.limits import LIMIT

PROJECT = Path(__file__).parents[2]

OFFERER = """
import sys
from pathlib import Path
from jp_tui.journal.store import open_journal
journal = open_journal(Path(sys.argv[1]))
number = journal.make_offer("c1", "a.q.1", '{"value":true}', "2026-03-05 00:00:01.0").result(10)
print(number, flush=True)
while True:
    sys.stdin.readline()
    offer = journal.offer(number)
    print(offer.state if offer else "gone", offer.words if offer else "", flush=True)
"""


def test_two_processes_and_a_death_between(database: Path) -> None:
    """What was offered stands when the offerer dies; what the holder says reaches it at its next look."""
    journal = open_journal(database)
    begin(journal)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OFFERER, database],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    numbers = []
    for child in children:
        assert child.stdout is not None
        numbers.append(int(child.stdout.readline()))
    assert sorted(one.id for one in journal.offers("c1")) == sorted(numbers)
    children[0].kill()
    children[0].wait(LIMIT)
    assert len(journal.offers("c1")) == 2
    for number in numbers:
        journal.settle_offer(number, "stale", "the question has changed").result(LIMIT)
    journal.close()
    assert children[1].stdin is not None and children[1].stdout is not None
    children[1].stdin.write("\n")
    children[1].stdin.flush()
    assert children[1].stdout.readline() == "stale the question has changed\n"
    children[1].kill()
    for child in children:
        child.communicate(timeout=LIMIT)
    looker = open_reader(database)
    assert looker.offers("c1") == [] and all(looker.offer(number) is not None for number in numbers)
    looker.close()


def test_a_holder_killed_before_it_settled_leaves_the_offer_to_the_next(database: Path) -> None:
    """S12: the holder's death frees the lock; the offer is still there for whoever takes it."""
    journal = open_journal(database)
    begin(journal)
    number = journal.make_offer("c1", "a.q.1", "{}", at(1)).result(LIMIT)
    holder = (
        "import os, sys; from pathlib import Path; from jp_tui.journal.store import open_journal;"
        "j = open_journal(Path(sys.argv[1])); assert j.offers('c1'); os.kill(os.getpid(), 9)"
    )
    run = subprocess.run([sys.executable, "-c", holder, database], cwd=PROJECT, capture_output=True)
    assert run.returncode == -9
    assert [one.id for one in journal.offers("c1")] == [number]
    journal.close()

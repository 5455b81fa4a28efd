"""A database that was cut or damaged opens with what can be read; the original is kept (Z24)."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from jp_tui.journal.port import MISSING, Holding, JournalError, NewEvent
from jp_tui.journal.reader import open_reader
from jp_tui.journal.repair import examine, recovery
from jp_tui.journal.repair.recovery import kept_aside
from jp_tui.journal.store import SqliteJournal, open_journal
from jp_tui.journal.writer import WriteJob
from tests.journal.damaged import PAGE, copied, cut, damages, fill, made, over, places, stored, swapped, whole
from tests.journal.made import begin, entry
from tests.limits import LIMIT
from tests.sampling import whole as all_cases

ROOT = Path(__file__).parents[2]
Events = dict[tuple[str, int], NewEvent]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("damaged") / "data" / "conversations.db")


@pytest.fixture(scope="module")
def events(template: Path) -> Events:
    reader = open_reader(template)
    try:
        return stored(reader)
    finally:
        reader.close()


@pytest.fixture(scope="module")
def lies(template: Path) -> dict[tuple[str, int], set[int]]:
    return places(template)


def test_the_pages_of_every_event_are_known(lies: dict[tuple[str, int], set[int]], events: Events) -> None:
    """The control of what follows."""
    assert set(lies) == set(events)
    assert max(map(len, lies.values())) > 2 and min(map(len, lies.values())) == 1


def test_every_event_that_was_not_touched_is_there_after_each_damage(
    template: Path, events: Events, lies: dict[tuple[str, int], set[int]], tmp_path: Path
) -> None:
    """(Z24) Cuts at and in every page, pages overwritten, emptied, swapped: it opens, nothing is wrong in what it
    shows, it goes on, and the next start finds nothing to do."""
    failed = []
    for name, touched, damage in damages(template, 1 if all_cases() else 2):
        path = copied(template, tmp_path / "data")
        damage(path)
        before = path.read_bytes()
        journal = open_journal(path)
        found = stored(journal)
        begin(journal, "new")
        journal.append("new", [entry(1)]).result(LIMIT)
        told, aside = journal.notices(), kept_aside(path)
        journal.close()
        if lost := whole(lies, touched) - set(found):
            failed.append(f"{name}: lost {len(lost)}")
        wrong = [one for one, event in found.items() if event != events[one] and not shortened(event, events[one])]
        if wrong:
            failed.append(f"{name}: {len(wrong)} are not what they were")
        if (len(told), len(aside)) not in ((0, 0), (1, 1)) or (aside and aside[0].read_bytes() != before):
            failed.append(f"{name}: {len(told)} notices, {len(aside)} files kept")
        again = open_journal(path)
        if again.notices() or stored(again) != found:
            failed.append(f"{name}: the next start finds something else")
        again.close()
    assert failed == []


def shortened(event: NewEvent, before: NewEvent) -> bool:
    """Of an event that lies on several pages the beginning may be left."""
    return before.payload.startswith(event.payload) or before.payload[:100] == event.payload[:100]


def test_what_is_known_to_be_gone_is_counted_and_marked(template: Path, events: Events, tmp_path: Path) -> None:
    """(Z24) The notice says how many; the conversation has one line for each stretch; numbers are not given again."""
    path = copied(template, tmp_path / "data")
    cut(os.path.getsize(path) * 2 // 3)(path)
    journal = open_journal(path)
    found = stored(journal)
    lost = len(events) - len(found)
    cut_short = sum(found[one] != events[one] for one in found)
    (notice,) = journal.notices()
    assert 0 < lost < len(events)
    assert f"3 conversations, {len(found)} events; {lost} events couldn't be read" in notice.message
    assert ("only in part" in notice.message) == (cut_short > 0)
    assert str(kept_aside(path)[0]) in notice.advice
    marks = [one for name in ("c0", "c1", "c2") for one in journal.read(name, limit=999) if one.entry.kind == MISSING]
    assert sum(one.entry.characters or 0 for one in marks) == lost
    assert journal.append("c0", [entry(61)]).result(LIMIT) == [61]
    journal.close()


def test_where_a_conversation_comes_from_is_read_too(tmp_path: Path) -> None:
    """(Z24) Each column of its row, also where the events are read without SQLite."""
    path = tmp_path / "data" / "conversations.db"
    journal = open_journal(path)
    begin(journal, "first")
    journal.append("first", [entry(number) for number in range(1, 6)]).result(LIMIT)
    columns = ("origin", "imported", "copied", "titled", "archived")
    values = ("first", "jp-c17", 4, 1, 1)
    journal._writer.submit(
        WriteJob(
            lambda db: db.execute(f"UPDATE conversations SET {', '.join(f'{one} = ?' for one in columns)}", values)
        )
    ).result(LIMIT)
    journal.close()
    over(0, bytes(100))(path)
    again = open_journal(path)
    assert again.notices()
    db = sqlite3.connect(path)
    assert db.execute(f"SELECT {', '.join(columns)} FROM conversations").fetchone() == values
    db.close()
    again.close()


@pytest.mark.parametrize("size", [0, 1, 50])
def test_a_file_of_nothing_is_damage_where_conversations_were_known(template: Path, tmp_path: Path, size: int) -> None:
    """(Z24)"""
    path = copied(template, tmp_path / "data")
    cut(size)(path)
    journal = open_journal(path)
    (notice,) = journal.notices()
    journal.close()
    assert "0 of 3 conversations" in notice.message
    assert [one.stat().st_size for one in kept_aside(path)] == [size]


def test_a_new_file_of_nothing_is_none(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    path.touch()
    journal = open_journal(path)
    assert journal.notices() == [] and kept_aside(path) == []
    journal.close()


def test_a_file_that_is_gone_is_told(template: Path, tmp_path: Path) -> None:
    """(Z24) "No conversations" is not all that is to be said."""
    path = copied(template, tmp_path / "data")
    path.unlink()
    journal = open_journal(path)
    (notice,) = journal.notices()
    assert "no longer exists. It had 3 conversations" in notice.message
    journal.close()
    again = open_journal(path)
    assert again.notices() == []
    again.close()


# -- with a log


KILLED = """
import os, sys
from pathlib import Path
from jp_tui.journal.store import open_journal
from tests.journal.damaged import fill
journal = open_journal(Path(sys.argv[1]))
fill(journal, events=30)
if sys.argv[2] == "moved":
    journal._writer._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
for number in range(31, 61):
    from tests.journal.made import entry
    for one in range(3):
        journal.append(f"c{one}", [entry(number)]).result(10)
os._exit(9)
"""


@pytest.fixture(scope="module", params=["moved", "not moved"])
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose process was killed: its log holds a half, or everything."""
    path = tmp_path_factory.mktemp("killed") / "data" / "conversations.db"
    run = subprocess.run([sys.executable, "-c", KILLED, path, request.param], cwd=ROOT)
    assert run.returncode == 9 and os.path.getsize(f"{path}-wal") > 100_000
    return path


def test_what_the_log_holds_is_read_with_a_file_that_was_cut(killed: Path, tmp_path: Path) -> None:
    """(Z24) The log may hold everything while the file holds nothing."""
    whole_ = stored(opened := open_journal(copied(killed, tmp_path / "sound")))
    opened.close()
    moved = os.path.getsize(killed) > PAGE
    for size in (*range(0, os.path.getsize(killed), PAGE), 1, 99, 5000):
        path = copied(killed, tmp_path / "data")
        cut(size)(path)
        journal = open_journal(path)
        found = stored(journal)
        assert all(found[one] == whole_[one] or shortened(found[one], whole_[one]) for one in found)
        assert moved or len(found) == len(whole_) == 180
        assert {("c0", number) for number in range(31, 61)} <= set(found), size
        journal.close()


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_log_takes_nothing_of_the_file_with_it(killed: Path, tmp_path: Path, seed: int) -> None:
    """(Z24) Cut, overwritten, without its head."""
    chance = random.Random(seed)
    path = copied(killed, tmp_path / "data")
    log = Path(f"{path}-wal")
    at = chance.randrange(os.path.getsize(log))
    if seed % 3 == 0:
        os.truncate(log, at)
    else:
        over(0 if seed % 3 == 1 else at, chance.randbytes(200))(log)
    if seed % 2:
        over(0, bytes(100))(path)
    journal = open_journal(path)
    found = stored(journal)
    moved = os.path.getsize(killed) > PAGE
    assert {("c0", number) for number in range(1, 31)} <= set(found) or not moved
    journal.close()


def test_the_log_of_another_file_is_not_taken_for_its_own(template: Path, killed: Path, tmp_path: Path) -> None:
    """(Z24) A backup is put in the place of a file whose process was killed: the log that stays is not the backup's."""
    path = copied(killed, tmp_path / "data")
    open_journal(path).close()
    journal = open_journal(path)
    begin(journal, "late")
    journal.append("late", [entry(number) for number in range(1, 40)]).result(LIMIT)
    shutil.copytree(path.parent, tmp_path / "left", ignore=shutil.ignore_patterns("*.guard"))
    left = tmp_path / "left"
    known = (left / "conversations.db.known").read_text()
    for name in ("conversations.db", "conversations.db-wal"):  # the copies stand for the files that the record names
        there, here = os.stat(path.parent / name), os.stat(left / name)
        known = known.replace(f"{there.st_dev}:{there.st_ino}", f"{here.st_dev}:{here.st_ino}")
    (left / "conversations.db.known").write_text(known)
    journal.close()
    backup = shutil.copy(template, tmp_path / "backup.db")
    os.replace(backup, left / "conversations.db")
    other = open_journal(left / "conversations.db")
    (notice,) = other.notices()
    assert "-wal" in notice.advice and Path(notice.advice.split()[-1].rstrip(".")).exists()
    assert {row.id for row in other.conversations()} == {"c0", "c1", "c2"}
    other.close()
    db = sqlite3.connect(left / "conversations.db")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


# -- found while it is open


@pytest.fixture
def live(database: Path) -> SqliteJournal:
    journal = open_journal(database)
    fill(journal)
    journal._writer._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]
    return journal


def emptied(path: Path) -> None:
    cut(0)(path)


def emptied_with_its_log(path: Path) -> None:
    cut(0)(path)
    os.truncate(f"{path}-wal", 0)


def halved(path: Path) -> None:
    cut(os.path.getsize(path) // 2)(path)


@pytest.mark.parametrize("damage", [emptied, emptied_with_its_log, halved])
def test_nothing_that_this_process_wrote_is_lost_with_the_file(
    live: SqliteJournal, database: Path, damage: Callable[[Path], None]
) -> None:
    """(Z24) The file is cut while it is open, whatever was moved from its log into it."""
    before = stored(live)
    damage(database)
    assert live.append("c0", [entry(61)]).result(LIMIT) == [61]
    assert stored(live) == before | {("c0", 61): entry(61)}
    (notice,) = live.notices()
    assert "was damaged" in notice.message and kept_aside(database)
    live.close()
    reader = open_reader(database)
    assert stored(reader) == before | {("c0", 61): entry(61)}
    reader.close()


@pytest.mark.parametrize("kind", ["zeros", "noise", "swapped"])
def test_a_page_that_is_damaged_while_it_is_open_is_found_by_reading(
    live: SqliteJournal, database: Path, kind: str
) -> None:
    """(Z24) By another journal, which has nothing of it in memory; who wrote it adds what was lost."""
    live.holds(lambda: Holding(frozenset({"c0", "c1", "c2"})))
    before, lies = stored(live), places(database)
    pages = sorted(set().union(*lies.values()))
    page = pages[len(pages) // 2]
    second = open_journal(database)
    if kind == "swapped":
        swapped(page, pages[len(pages) // 2 + 3])(database)
    else:
        over((page - 1) * PAGE, bytes(PAGE) if kind == "zeros" else random.Random(1).randbytes(PAGE))(database)
    found = stored(second)
    assert second.notices()
    assert set(found) >= whole(lies, set() if kind == "swapped" else {page})
    assert second.append("c1", [entry(61)]).result(LIMIT) == [61]
    assert live.append("c0", [entry(61)]).result(LIMIT) == [61]  # what it wrote lately it adds
    assert stored(live) == stored(second) == before | {("c0", 61): entry(61), ("c1", 61): entry(61)}
    for journal in (live, second):
        journal.close()


# -- killed, full, not allowed


STEPS = """
import os, sys
from pathlib import Path
from jp_tui.journal import store
from jp_tui.journal.repair import recovery
path, left = Path(sys.argv[1]), int(sys.argv[2])
def killing(call):
    def made(*values, **more):
        global left
        left -= 1
        if left == 0:
            os._exit(9)
        return call(*values, **more)
    return made
for module, names in ((os, ("rename", "replace", "unlink", "fsync")), (recovery, ("salvage",))):
    for name in names:
        setattr(module, name, killing(getattr(module, name)))
store.open_journal(path)
os._exit(0)
"""


def test_killed_at_any_step_of_a_recovery_the_next_start_finishes_it(
    template: Path, events: Events, tmp_path: Path
) -> None:
    """(Z24) Neither what was found nor the original is lost."""
    step, code = 0, 9
    while code == 9:
        step += 1
        path = copied(template, tmp_path / "data")
        over(0, bytes(100))(path)
        original = path.read_bytes()
        code = subprocess.run([sys.executable, "-c", STEPS, path, str(step)], cwd=ROOT).returncode
        journal = open_journal(path)
        assert stored(journal) == events, step
        journal.close()
        assert [one.read_bytes() for one in kept_aside(path)] == [original], step
        assert not [one for one in os.listdir(path.parent) if ".recovering" in one or ".new" in one], step
    assert code == 0 and step > 8


def held(folder: Path) -> dict[str, bytes]:
    """What is in the files of a database, but for what SQLite makes anew."""
    return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.endswith((".guard", "-shm"))}


@pytest.mark.parametrize(
    "problem", [JournalError("full", "no space is left on the disk"), OSError(28, "no space is left")]
)
def test_where_no_copy_can_be_made_everything_stays_and_is_told(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    """(Z24, S1) A full disk: nothing is changed, and it says so."""
    path = copied(template, tmp_path / "data")
    over(0, bytes(100))(path)
    before = held(path.parent)

    def full(*_: object) -> None:
        raise problem

    monkeypatch.setattr(recovery, "salvage", full)
    with pytest.raises(JournalError, match="no space is left") as trouble:
        open_journal(path)
    assert trouble.value.kind == ("full" if isinstance(problem, JournalError) else "unusable")
    assert str(path) in str(trouble.value)
    assert held(path.parent) == before


def test_only_one_process_recovers(template: Path, events: Events, tmp_path: Path) -> None:
    """(Z24) Four start at once: one copy is made, one original kept."""
    path = copied(template, tmp_path / "data")
    over(0, bytes(100))(path)
    script = "import sys, pathlib; from jp_tui.journal.store import *; open_journal(pathlib.Path(sys.argv[1])).close()"
    runs = [subprocess.Popen([sys.executable, "-c", script, path], cwd=ROOT) for _ in range(4)]
    assert [run.wait(LIMIT) for run in runs] == [0] * 4
    assert len(kept_aside(path)) == 1
    reader = open_reader(path)
    assert stored(reader) == events
    reader.close()


def test_what_was_removed_for_good_is_not_brought_back(tmp_path: Path) -> None:
    """(Z24) Its pages are free, or its key is another conversation's now."""
    path = tmp_path / "data" / "conversations.db"
    journal = open_journal(path)
    journal._writer._db.execute("PRAGMA secure_delete = OFF")  # type: ignore[union-attr]
    fill(journal)
    journal.hide("c2", "2026-01-01 00:00:00.0").result(LIMIT)
    while journal.remove("c2").result(LIMIT):
        pass
    begin(journal, "next", number=9_999)
    journal.append("next", [entry(10_000)]).result(LIMIT)
    before = stored(journal, 2)
    journal.close()
    swapped(3, 5)(path)
    again = open_journal(path)
    assert again.notices() and {row.id for row in again.conversations()} == {"c0", "c1", "next"}
    assert [one.entry for one in again.read("next")] == [entry(10_000)]
    assert stored(again, 2) == before
    again.close()


def test_looking_for_damage_ends_when_its_time_is_over(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(Z24) A large store opens at once; what is not looked at in time counts as sound."""
    path = copied(template, tmp_path / "data")
    db = sqlite3.connect(path, isolation_level=None)
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    db.execute(f"INSERT INTO drafts {rows} SELECT 'c0', 'key ' || i, 'x' FROM n")
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, 'text          TEXT', 'text TEXT CHECK (0)') WHERE name = 'drafts'"
    )
    db.close()
    db = sqlite3.connect(path, isolation_level=None)
    assert "drafts" in examine.find_damage(db)
    looks = itertools.count()
    monkeypatch.setattr(examine, "time", SimpleNamespace(monotonic=lambda: next(looks)))
    assert examine.find_damage(db, 0.5) == "" and next(looks) == 2
    db.close()

"""A database that is deleted, moved or replaced while it is open (Z23)."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jp_tui.journal.doubt import Displaced
from jp_tui.journal.port import MISSING, Holding, JournalError
from jp_tui.journal.reader import find_resumable, has, open_reader
from jp_tui.journal.repair.file_keeper import FileKeeper
from jp_tui.journal.repair.recovery import kept_aside
from jp_tui.journal.schema import STEPS
from jp_tui.journal.store import SqliteJournal, open_journal
from tests.journal.damaged import PAGE, made, over, places
from tests.journal.made import begin, entry
from tests.limits import LIMIT

BEFORE = 40


def numbers(path: Path, conversation: str = "c1") -> list[int]:
    """What another program reads there."""
    reader = open_reader(path)
    try:
        return [one.seq for one in reader.read(conversation, limit=100_000)]
    finally:
        reader.close()


def sound(path: Path) -> bool:
    db = sqlite3.connect(path)
    try:
        return db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        db.close()


@pytest.fixture
def filled(journal: SqliteJournal) -> SqliteJournal:
    """Some events are in the file, some in its log alone."""
    journal.append("c1", [entry(number) for number in range(1, BEFORE)]).result(LIMIT)
    journal._writer._db.execute("PRAGMA wal_checkpoint(PASSIVE)")  # type: ignore[union-attr]
    journal.append("c1", [entry(BEFORE)]).result(LIMIT)
    journal.save_draft("c1", "composer", "half a thought").result(LIMIT)
    return journal


def unlink(path: Path) -> None:
    path.unlink()


def unlink_all(path: Path) -> None:
    for one in path.parent.glob(f"{path.name}*"):
        one.unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("mine.db"))


def remove_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


AWAY = (unlink, unlink_all, rename, remove_folder, move_folder)


@pytest.mark.parametrize("away", AWAY)
def test_what_was_taken_away_is_written_again_before_the_next_event(
    filled: SqliteJournal, database: Path, away: Callable[[Path], None]
) -> None:
    """(Z23) Everything is in the new file when the receipt says so, also what stood in the log alone; once told."""
    away(database)
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]
    assert numbers(database) == list(range(1, BEFORE + 2)) and sound(database)
    (notice,) = filled.notices()
    assert str(database) in notice.message and "moved or deleted" in notice.message
    assert filled.drafts("c1") == {"composer": "half a thought"}
    assert stat.S_IMODE(database.stat().st_mode) == 0o600 and stat.S_IMODE(database.parent.stat().st_mode) == 0o700
    filled.append("c1", [entry(BEFORE + 2)]).result(LIMIT)
    assert filled.read("c1")[-1].entry == entry(BEFORE + 2) and filled.notices() == []
    filled.close()
    assert numbers(database) == list(range(1, BEFORE + 3)) and sound(database)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems report no writes")
@pytest.mark.parametrize("away", AWAY)
def test_writes_are_reported_wherever_the_file_is_now(
    filled: SqliteJournal, database: Path, away: Callable[[Path], None]
) -> None:
    """(N6, Z23) Also in a folder that took the place of the first one, where another process writes."""
    events = filled.write_events()
    assert events is not None and events == filled.write_events()
    away(database)
    filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    filled.read("c1")  # finds the new file
    with contextlib.suppress(BlockingIOError):
        while os.read(events, 1 << 16):
            pass
    other = open_journal(database)
    other.append("c1", [entry(BEFORE + 2)]).result(LIMIT)
    assert select.select([events], [], [], 10)[0] == [events]
    other.close()
    filled.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(events)


@pytest.mark.parametrize("parts", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_a_log_that_is_taken_from_its_file_takes_nothing_with_it(
    filled: SqliteJournal, database: Path, parts: tuple[str, ...]
) -> None:
    """(Z23) Another program would write to a log of its own, and a kill would lose what stands in this one alone."""
    for part in parts:
        Path(f"{database}{part}").unlink()
    second = open_journal(database)
    begin(second, "c2")
    second.append("c2", [entry(1)]).result(LIMIT)
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]
    assert [one.seq for one in second.read("c1", limit=999)] == list(range(1, BEFORE + 2))
    second.append("c2", [entry(2)]).result(LIMIT)
    assert [one.seq for one in filled.read("c2")] == [1, 2]
    assert any("log" in notice.message for notice in filled.notices())
    filled.close()
    second.close()
    assert numbers(database) == list(range(1, BEFORE + 2)) and numbers(database, "c2") == [1, 2] and sound(database)


def test_what_was_renamed_is_whole_as_well(filled: SqliteJournal, database: Path) -> None:
    """(Z23) Whoever moved the file away has all of it, though a part stood in the log that stayed behind."""
    rename(database)
    filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    filled.close()
    assert numbers(database.with_name("mine.db")) == list(range(1, BEFORE + 1))
    assert sound(database.with_name("mine.db")) and sound(database)


@pytest.mark.parametrize("away", AWAY)
def test_reading_and_the_end_write_it_again_too(
    filled: SqliteJournal, database: Path, away: Callable[[Path], None]
) -> None:
    """(Z23) An exit line names a conversation that can be opened."""
    away(database)
    filled.close()
    assert numbers(database) == list(range(1, BEFORE + 1)) and len(filled.notices()) == 1


def empty(path: Path) -> None:
    path.unlink()
    path.touch()


def text(path: Path) -> None:
    path.unlink()
    path.write_text("not a database\n" * 500)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere") / "else.db")


def link_to_text(path: Path) -> None:
    text(path)
    path.rename(path.with_name("text.txt"))
    path.symlink_to("text.txt")


def newer(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE x (y)")
        db.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    db.close()


def another_program(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs (x)")
    db.close()


@pytest.mark.parametrize("replace", [empty, text, folder, pipe, link_to_nothing, link_to_text, newer, another_program])
def test_what_was_replaced_by_something_else_is_written_again_and_that_is_kept(
    filled: SqliteJournal, database: Path, replace: Callable[[Path], None]
) -> None:
    """(Z23)"""
    replace(database)
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]
    filled.close()
    assert numbers(database) == list(range(1, BEFORE + 2)) and sound(database)
    (notice,) = filled.notices()
    aside = kept_aside(Path(os.path.realpath(database)))
    assert len(aside) == (replace not in (empty, link_to_nothing))
    assert all(str(one) in notice.advice for one in aside)
    if replace is text:
        assert aside[0].read_text().startswith("not a database")


def other(folder: Path, *conversations: str, events: int = 3) -> Path:
    """Another journal."""
    path = folder / "other" / "conversations.db"
    journal = open_journal(path)
    for name in conversations:
        begin(journal, name)
        journal.append(name, [entry(number) for number in range(1, events + 1)]).result(LIMIT)
    journal.close()
    return path


def test_another_journal_in_the_place_gets_what_it_does_not_have(
    filled: SqliteJournal, database: Path, tmp_path: Path
) -> None:
    """(Z23) Also beside the log of the one before, which SQLite would take for its own."""
    os.replace(other(tmp_path, "theirs"), database)
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]
    assert {row.id for row in filled.conversations()} == {"c1", "theirs"}
    filled.close()
    assert numbers(database) == list(range(1, BEFORE + 2)) and numbers(database, "theirs") == [1, 2, 3]
    assert sound(database)
    (notice,) = filled.notices()
    assert "1 conversation and 40 events" in notice.message


def test_an_older_state_in_the_place_is_brought_up_to_date(
    filled: SqliteJournal, database: Path, tmp_path: Path
) -> None:
    """(Z23) A restored backup."""
    backup = tmp_path / "backup.db"
    with sqlite3.connect(backup) as target, sqlite3.connect(database) as source:
        source.backup(target)
    target.close()
    source.close()
    filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    begin(filled, "c2")
    os.replace(backup, database)
    filled.append("c2", [entry(1)]).result(LIMIT)
    assert filled.append("c1", [entry(BEFORE + 2)]).result(LIMIT) == [BEFORE + 2]
    filled.close()
    assert numbers(database) == list(range(1, BEFORE + 3)) and numbers(database, "c2") == [1]


def test_what_went_apart_is_kept_beside(filled: SqliteJournal, database: Path, tmp_path: Path) -> None:
    """(Z23) Nothing of either is lost: the conversation as it was here becomes one of its own."""
    path = other(tmp_path, "c1", events=5)
    journal = open_journal(path)
    journal.append("c1", [entry(99)]).result(LIMIT)
    journal.close()
    os.replace(path, database)
    filled.flush().result(LIMIT)
    (notice,) = filled.notices()
    assert "c1 as c1-2" in notice.advice
    assert [one.entry for one in filled.read("c1")][-1] == entry(99)
    copy = filled.conversation("c1-2")
    assert copy is not None and (copy.origin, copy.copied, copy.last_seq) == ("c1", 5, BEFORE)
    assert [one.entry for one in filled.read("c1-2")] == [entry(number) for number in range(1, BEFORE + 1)]


def test_a_conversation_whose_lock_is_somebody_elses_now_is_not_written(
    filled: SqliteJournal, database: Path, tmp_path: Path
) -> None:
    """(Z23, S12) One writer: what is new here becomes a copy, and the next event is refused with who writes."""
    path = other(tmp_path, "c1", events=5)
    filled.holds(lambda: Holding(lost={"c1": "jp-tui (process 7)"}))
    os.replace(path, database)
    with pytest.raises(JournalError, match=r"jp-tui \(process 7\) has been writing c1") as trouble:
        filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    assert trouble.value.kind == "held"
    assert numbers(database) == [1, 2, 3, 4, 5] and numbers(database, "c1-2") == list(range(1, BEFORE + 1))


@pytest.fixture
def two(filled: SqliteJournal, database: Path) -> Iterator[tuple[SqliteJournal, SqliteJournal]]:
    """Two journals on one file, with a conversation each."""
    second = open_journal(database)
    begin(second, "c2")
    second.append("c2", [entry(1), entry(2)]).result(LIMIT)
    yield filled, second
    second.close()


@pytest.mark.parametrize("away", AWAY)
def test_two_with_the_same_file_find_each_other_again(
    two: tuple[SqliteJournal, SqliteJournal], database: Path, away: Callable[[Path], None]
) -> None:
    """(Z23) Each adds what it wrote to the file that was taken away, whoever writes first."""
    first, second = two
    away(database)
    second.append("c2", [entry(3)]).result(LIMIT)
    first.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    second.append("c2", [entry(4)]).result(LIMIT)
    assert [one.seq for one in first.read("c2")] == [1, 2, 3, 4]
    assert [one.seq for one in second.read("c1")] == list(range(1, BEFORE + 2))
    for journal in two:
        journal.close()
    assert numbers(database) == list(range(1, BEFORE + 2)) and numbers(database, "c2") == [1, 2, 3, 4]
    assert sound(database)


def test_a_second_process_that_makes_a_new_one_first_gets_everything(filled: SqliteJournal, database: Path) -> None:
    """(Z23) It starts after the folder was removed and before the first has noticed."""
    shutil.rmtree(database.parent)
    second = open_journal(database)
    begin(second, "c2")
    assert second.conversation("c1") is None
    filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    assert [one.seq for one in second.read("c1", limit=100)] == list(range(1, BEFORE + 2))
    second.append("c2", [entry(1)]).result(LIMIT)
    assert [one.seq for one in filled.read("c2")] == [1]
    second.close()
    filled.close()
    assert sound(database)


def test_a_new_process_does_not_take_the_log_of_the_file_before(
    filled: SqliteJournal, database: Path, tmp_path: Path
) -> None:
    """(Z23) It opens the file that was put in the place while the first one's log lies beside it."""
    os.replace(other(tmp_path, "theirs"), database)
    second = open_journal(database)
    assert {row.id for row in second.conversations()} == {"theirs"} and sound(database)
    filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    assert {row.id for row in second.conversations()} == {"c1", "theirs"}
    second.close()
    filled.close()
    assert sound(database) and numbers(database) == list(range(1, BEFORE + 2))


def test_where_it_cannot_be_written_again_nothing_is_told_as_written(filled: SqliteJournal, database: Path) -> None:
    """(Z23) It can still be read, and is written as soon as that is possible."""
    shutil.rmtree(database.parent)
    database.parent.write_text("a file")
    with pytest.raises(JournalError, match=str(database.parent)) as trouble:
        filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    assert trouble.value.kind == "unusable"
    assert len(filled.read("c1")) == BEFORE
    database.parent.unlink()
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]
    filled.close()
    assert numbers(database) == list(range(1, BEFORE + 2))


def test_what_cannot_be_written_again_at_the_end_is_told(filled: SqliteJournal, database: Path) -> None:
    """(Z23)"""
    shutil.rmtree(database.parent)
    database.parent.write_text("a file")
    filled.close()
    (notice,) = filled.notices()
    assert str(database.parent) in notice.message and "lost" in notice.advice


def test_a_file_that_comes_back_is_used_as_it_is(filled: SqliteJournal, database: Path) -> None:
    """(Z23) Moved away and back before anything was written."""
    os.rename(database, database.with_name("moved"))
    os.rename(database.with_name("moved"), database)
    filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    assert filled.notices() == []


def test_what_is_taken_away_between_the_look_and_the_commit_is_written_before_it_is_told(
    filled: SqliteJournal, database: Path
) -> None:
    """(Z23)"""
    from jp_tui.journal.writer import WriteJob

    taken = WriteJob(lambda db: (db.execute("INSERT INTO drafts VALUES ('c9', 'k', 'x')"), database.unlink()))
    filled._writer.submit(taken).result(LIMIT)
    reader = open_reader(database)
    assert reader.drafts("c9") == {"k": "x"}
    reader.close()


_LOOKS = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('SELECT * FROM drafts').fetchall()"


def test_a_second_journal_of_this_process_keeps_the_locks_of_the_first(filled: SqliteJournal, database: Path) -> None:
    """(Z23) To open one must not make another process think that nobody has the file open: it removes the log."""
    second = open_journal(database)
    log = os.stat(f"{database}-wal").st_ino
    subprocess.run([sys.executable, "-c", _LOOKS, database], check=True)
    assert os.stat(f"{database}-wal").st_ino == log
    second.close()


async def test_a_loop_that_commits_by_itself_tells_nothing_before_it_is_where_it_must_be(
    filled: SqliteJournal, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(Z23) Before the commit, and between the look and the commit."""
    from jp_tui.journal import writer

    monkeypatch.setattr(writer, "QUICK", 60.0)
    filled._writer._usual = 0.0
    unlink_all(database)
    assert await filled.append("c1", [entry(BEFORE + 1)]) == [BEFORE + 1]
    assert numbers(database)[-1] == BEFORE + 1
    filled._writer._usual = 0.0

    def work(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO drafts VALUES ('c9', 'k', 'x')")
        unlink_all(database)

    await filled._writer.write(work)
    reader = open_reader(database)
    assert reader.drafts("c9") == {"k": "x"}
    reader.close()


def test_what_went_apart_is_copied_once_by_all_who_had_it(
    two: tuple[SqliteJournal, SqliteJournal], database: Path, tmp_path: Path
) -> None:
    """(Z23)"""
    path = other(tmp_path, "c1", events=5)
    journal = open_journal(path)
    journal.append("c1", [entry(99)]).result(LIMIT)
    journal.close()
    os.replace(path, database)
    for journal in two:
        journal.flush().result(LIMIT)
    assert {row.id for row in two[0].conversations()} == {"c1", "c1-2", "c2"}


def test_a_glimpse_of_what_would_be_resumed(journal: SqliteJournal, database: Path) -> None:
    """The one that the journal itself would give; nothing is left behind."""
    begin(journal, "c2")
    journal.append("c2", [entry(1), entry(2)]).result(LIMIT)
    found = journal.conversation("c2")
    assert found is not None and found.last_seq == 2
    latest = journal.latest(found.workspace)
    journal.close()
    before = sorted(os.listdir(database.parent))
    assert find_resumable(database, "/elsewhere", "c2") == found
    assert find_resumable(database, found.workspace, None) == latest is not None
    assert find_resumable(database, "/elsewhere", None) is None is find_resumable(database, found.workspace, "nobody")
    assert find_resumable(database, found.workspace, "c") is None, "it could be either"
    assert sorted(os.listdir(database.parent)) == before
    again = open_journal(database)
    again.save_draft("c2", "composer", "begun").result(LIMIT)
    again.hide("c1", "2026-01-01 00:00:00").result(LIMIT)
    again.close()
    assert find_resumable(database, found.workspace, "c2") is None, "the composer has something in it"
    assert find_resumable(database, found.workspace, "c1") is None, "it is deleted"
    database.write_text("no database" * 99)
    assert find_resumable(database, found.workspace, None) is None


def test_only_what_can_be_opened_is_named(filled: SqliteJournal, database: Path) -> None:
    """(Z23) A look that leaves nothing behind."""
    filled.close()
    before = sorted(os.listdir(database.parent))
    assert has(database, "c1") and not has(database, "c") and not has(database, "nobody")
    assert sorted(os.listdir(database.parent)) == before
    database.unlink()
    assert not has(database, "c1")
    database.write_text("no database" * 99)
    assert not has(database, "c1")


def test_what_was_undone_is_not_written_again(filled: SqliteJournal, database: Path) -> None:
    """(Z24) The memory of what was written lately forgets a transaction that failed."""
    from jp_tui.journal.writer import WriteJob

    tends = filled._writer._tends
    assert isinstance(tends, FileKeeper)

    def fails(db: sqlite3.Connection) -> None:
        tends.lately.writes("c1", [BEFORE + 9], [entry(999)])
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        filled._writer.submit(WriteJob(fails)).result(LIMIT)
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]
    os.truncate(f"{database}-wal", 0)
    os.truncate(database, 0)
    filled.append("c1", [entry(BEFORE + 2)]).result(LIMIT)
    found = [one.entry for one in filled.read("c1", limit=999) if one.seq > BEFORE]
    assert found == [entry(BEFORE + 1), entry(BEFORE + 2)]


def test_a_damaged_file_that_was_replaced_gives_what_can_be_read_of_it(
    filled: SqliteJournal, database: Path, tmp_path: Path
) -> None:
    """(Z23, Z24) A page of the file that is open here is damaged, and another journal stands in its place."""
    tends = filled._writer._tends
    assert isinstance(tends, FileKeeper)
    damaged = made(tmp_path / "damaged" / "conversations.db")
    middle = min(places(damaged)["c2", 30])
    over((middle - 1) * PAGE, b"\xff" * PAGE)(damaged)
    old = sqlite3.connect(damaged, isolation_level=None)
    new = sqlite3.connect(other(tmp_path, "theirs"), isolation_level=None)
    merged = tends._merged(old, new, Holding())
    lost = new.execute("SELECT count(*) FROM events WHERE kind = ?", (MISSING,)).fetchone()[0]
    assert merged.conversations == 3 and merged.events - lost > 100 and lost > 0
    old.close()
    new.close()


def test_a_file_that_is_changed_all_the_time_is_an_error_that_says_so(
    filled: SqliteJournal, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(Z23) It is put right once; what is taken away again just then is not written, and nobody is told that it is."""
    tends = filled._writer._tends
    assert isinstance(tends, FileKeeper)
    monkeypatch.setattr(tends, "moved", lambda: True)
    with pytest.raises(JournalError, match="keeps being changed by another program") as trouble:
        filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT)
    assert trouble.value.kind == "corrupt"
    monkeypatch.undo()
    assert filled.append("c1", [entry(BEFORE + 1)]).result(LIMIT) == [BEFORE + 1]


def test_a_repair_gives_the_connection_that_is_used_from_then_on(filled: SqliteJournal, database: Path) -> None:
    """(Z23) No second one is opened for it."""
    tends = filled._writer._tends
    assert isinstance(tends, FileKeeper)
    unlink_all(database)
    db = tends.repair(filled._writer._db, Displaced())
    assert db.execute("SELECT count(*) FROM events").fetchone() == (BEFORE,)
    filled._writer._db = db


def test_nothing_is_remembered_of_a_file_that_cannot_be_put_right_at_the_end(
    filled: SqliteJournal, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(Z23) What the record says of the file that stood there before stays as it was."""
    tends, db = filled._writer._tends, filled._writer._db
    assert isinstance(tends, FileKeeper) and db is not None
    record = Path(f"{database}.known")
    before = record.read_text()
    monkeypatch.setattr(tends, "moved", lambda: True)
    tends.closing(db)()
    assert record.read_text() == before
    monkeypatch.undo()
    tends.closing(db)()
    assert record.read_text() != before, "the control"

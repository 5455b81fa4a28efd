"""A disk that is full, fails, or is taken away; files that are not ours to open."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jp_tui.journal.connect import open_writing
from jp_tui.journal.migrate import migrate
from jp_tui.journal.port import JournalError
from jp_tui.journal.reader import open_reader
from jp_tui.journal.schema import APPLICATION, STEPS
from jp_tui.journal.store import SqliteJournal, open_journal
from jp_tui.journal.writer import JournalWriter, WriteJob
from tests.journal.made import Untended, at, begin, entry
from tests.limits import LIMIT

PROJECT = Path(__file__).parents[2]


def kind(trouble: pytest.ExceptionInfo[JournalError]) -> str:
    return trouble.value.kind


def test_private_files(journal: SqliteJournal, database: Path) -> None:
    """STORE-024: also the log and its index beside the database."""
    journal.append("c1", [entry(1)]).result(LIMIT)
    assert stat.S_IMODE(database.parent.stat().st_mode) == 0o700
    for suffix in ("", "-wal", "-shm"):
        assert stat.S_IMODE(os.stat(f"{database}{suffix}").st_mode) == 0o600


def test_a_full_disk_stores_nothing_says_so_and_goes_on_when_there_is_space(
    journal: SqliteJournal, database: Path
) -> None:
    """STORE-011, T13."""
    journal.append("c1", [entry(1)]).result(LIMIT)
    big = [entry(number) for number in range(2000)]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(f"{database}-wal") + 8192, limits[1]))
    try:
        for _ in range(2):
            with pytest.raises(JournalError, match=str(database)) as trouble:
                journal.append("c1", big).result(LIMIT)
            assert kind(trouble) in ("full", "io")
            assert [one.entry for one in journal.read("c1")] == [entry(1)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert journal.append("c1", [entry(2)]).result(LIMIT) == [2]
    assert journal.append("c1", big).result(LIMIT) == list(range(3, 2003))


def test_no_more_pages(database: Path) -> None:
    """A disk that is full says "full", with what to do."""
    journal = open_journal(database)
    begin(journal)
    journal._writer.submit(WriteJob(lambda db: None)).result(LIMIT)
    limit = "PRAGMA max_page_count = 20"
    assert journal._writer._db is not None
    journal._writer._db.execute(limit)
    with pytest.raises(JournalError, match="no space is left") as trouble:
        journal.append("c1", [entry(number) for number in range(2000)]).result(LIMIT)
    assert kind(trouble) == "full"
    journal._writer._db.execute("PRAGMA max_page_count = 100000")
    assert journal.append("c1", [entry(1)]).result(LIMIT) == [1]
    journal.close()


class FailsOnce(sqlite3.Connection):
    """A connection whose disk fails at one commit."""

    broken = 0

    def execute(self, statement: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
        if statement == "COMMIT" and FailsOnce.broken:
            FailsOnce.broken -= 1
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error
        return super().execute(statement, *values)  # type: ignore[arg-type]


def test_after_a_failed_sync_the_connection_is_not_trusted_again(database: Path) -> None:
    """STORE-013: nothing is acknowledged, the file is opened anew, and then it goes on."""
    open_journal(database).close()
    opened: list[sqlite3.Connection] = []

    def reopen() -> sqlite3.Connection:
        opened.append(sqlite3.connect(database, factory=FailsOnce, isolation_level=None, check_same_thread=False))
        return opened[-1]

    writer = JournalWriter(database, reopen(), Untended(reopen))
    insert = "INSERT INTO drafts VALUES ('c', 'k', ?)"
    FailsOnce.broken = 1
    with pytest.raises(JournalError, match="the disk reports an error") as trouble:
        writer.submit(WriteJob(lambda db: db.execute(insert, ("lost",)))).result(LIMIT)
    assert kind(trouble) == "io" and len(opened) == 1
    writer.submit(WriteJob(lambda db: db.execute(insert, ("kept",)))).result(LIMIT)
    assert len(opened) == 2
    writer.close()
    looker = open_reader(database)
    assert looker.drafts("c") == {"k": "kept"}
    looker.close()


def newer_version(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(STEPS) + 3}")
    db.close()


def foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs (x)")
    db.close()


@pytest.mark.parametrize(
    ("change", "expected", "words"),
    [
        (newer_version, "newer", f"version {len(STEPS) + 3}, this one supports {len(STEPS)}"),
        (foreign, "foreign", "another program"),
    ],
)
def test_a_file_that_is_not_for_us_is_refused_and_left_alone(
    database: Path, change: Callable[[Path], None], expected: str, words: str
) -> None:
    open_journal(database).close()
    change(database)
    before = database.read_bytes()
    for open_it in (open_journal, open_reader):
        with pytest.raises(JournalError, match=words) as trouble:
            open_it(database)
        assert kind(trouble) == expected and str(database) in str(trouble.value)
    assert database.read_bytes() == before


def test_nothing_there_yet(tmp_path: Path) -> None:
    with pytest.raises(JournalError) as trouble:
        open_reader(tmp_path / "none/c.db")
    assert kind(trouble) == "missing" and not (tmp_path / "none").exists()
    (tmp_path / "c.db").touch()
    with pytest.raises(JournalError) as trouble:
        open_reader(tmp_path / "c.db")
    assert kind(trouble) == "missing"
    open_journal(tmp_path / "c.db").close()
    (tmp_path / "folder.db").mkdir()
    for open_it in (open_journal, open_reader):
        with pytest.raises(JournalError, match=r"folder\.db") as trouble:
            open_it(tmp_path / "folder.db")
        assert kind(trouble) == "unusable"


AS_SOMEBODY = """
import os, sys
from pathlib import Path
from jp_tui.journal.store import open_journal
from jp_tui.journal.reader import open_reader
import jp_tui.journal.writer, jp_tui.journal.port, concurrent.futures, asyncio, encodings.idna
os.setuid(61234) if os.getuid() == 0 else None
path = Path(sys.argv[1])
try:
    open_journal(path)
except Exception as error:
    print(type(error).__name__, error.kind, error)
reader = open_reader(path)
print([one.seq for one in reader.read("c1")])
"""


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_read_only_home_can_be_read_and_says_why_it_cannot_be_written(tmp_path: Path, what: str) -> None:
    home = Path("/tmp") / f"jp-tui-test-{os.getpid()}-{what}"  # where another user may come
    database = home / "conversations.db"
    try:
        journal = open_journal(database)
        begin(journal)
        journal.append("c1", [entry(1)]).result(LIMIT)
        journal.close()
        if os.getuid() == 0:
            os.chmod(database, 0o644)
            os.chmod(home, 0o555 if what == "folder" else 0o777)
        else:
            os.chmod(database, 0o400)
            os.chmod(home, 0o500 if what == "folder" else 0o700)
        run = subprocess.run([sys.executable, "-c", AS_SOMEBODY, database], cwd=PROJECT, capture_output=True, text=True)
        assert run.stdout.splitlines()[1:] == ["[1]"], run.stderr
        assert run.stdout.startswith("JournalError unusable ") and str(home) in run.stdout
    finally:
        os.chmod(home, 0o700)
        shutil.rmtree(home)


def test_steps_run_in_order_and_whole(database: Path) -> None:
    """STORE-027: an older file is brought up to date in one transaction; a step that fails leaves it as it was."""
    first = ("CREATE TABLE a (x)", "INSERT INTO a VALUES (1)")
    second = ("ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x + 1")
    broken = ("ALTER TABLE a ADD COLUMN z", "INSERT INTO none VALUES (1)")
    db = open_writing(database)
    migrate(db, database, [first])
    with pytest.raises(JournalError):
        migrate(db, database, [first, second, broken])
    assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert db.execute("SELECT * FROM a").fetchall() == [(1,)]
    migrate(db, database, [first, second])
    migrate(db, database, [first, second])
    assert db.execute("SELECT * FROM a").fetchall() == [(1, 2)]
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    with pytest.raises(JournalError) as trouble:
        migrate(db, database, [first])
    assert kind(trouble) == "newer"
    db.close()


def test_a_linked_database_stays_linked(tmp_path: Path) -> None:
    (tmp_path / "big disk").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data/c #1?.db").symlink_to("../big disk/real.db")
    journal = open_journal(tmp_path / "data/c #1?.db")
    journal.create("c1", workspace="/w", model="m", at=at(1)).result(LIMIT)
    journal.close()
    assert (tmp_path / "big disk/real.db").stat().st_size > 0
    assert (tmp_path / "data/c #1?.db").is_symlink()


def test_what_sqlite_repeats_of_a_damaged_file_acts_nowhere(tmp_path: Path) -> None:
    """R195: its words hold what stands in the file."""
    path = tmp_path / "conversations.db"
    open_journal(path).close()
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute(
        "UPDATE sqlite_master SET name = ?, sql = 'CREATE ' || ? WHERE name = 'events'", ("e\x1b[2J", "\x1b]0;x\x07")
    )
    raw.close()
    with pytest.raises(JournalError) as trouble:
        open_reader(path)
    said = str(trouble.value).removeprefix(str(path))
    assert kind(trouble) == "corrupt" and said.isprintable(), said

"""The pages of a database read without SQLite (Z24): the same rows as SQLite reads, and bounded for a hostile file."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from jp_tui.journal.repair.pages import DatabasePages, log_covers
from tests.journal.damaged import PAGE, made


def cells(pages: DatabasePages) -> set[tuple[object, ...]]:
    return {
        (cell.rowid, *cell.columns)
        for number in pages.numbers()
        for cell in pages.cells(pages.page(number), first=number == 1)
    }


@pytest.mark.parametrize("size", [512, 1024, 4096, 65536])
def test_every_row_of_every_kind_is_read_as_sqlite_reads_it(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA page_size = {size}")
    db.execute("CREATE TABLE t (a, b, c)")
    db.execute("CREATE TABLE w (a TEXT, b, PRIMARY KEY (a)) WITHOUT ROWID")
    values = [
        0,
        1,
        -1,
        127,
        -129,
        40_000,
        -(1 << 20),
        1 << 30,
        -(1 << 40),
        (1 << 62),
        1.5,
        None,
        "",
        "é🙂",
        b"\x00\xff",
    ]
    rows = [(value, "x" * (7 * number * number), number) for number, value in enumerate(values)]
    db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    db.executemany("INSERT INTO w VALUES (?, ?)", [(f"k{number:04}", "y" * number) for number in range(300)])
    wanted = {(rowid, *row) for rowid, *row in db.execute("SELECT rowid, * FROM t")}
    wanted |= {(0, *row) for row in db.execute("SELECT * FROM w")}
    db.close()
    found = cells(DatabasePages(path, tmp_path / "none"))
    assert found >= wanted and not any(isinstance(one[0], int) and one[0] < 0 for one in found)


def test_free_pages_are_known(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("CREATE TABLE t (a)")
    db.executemany("INSERT INTO t VALUES (?)", [("x" * 3_000,)] * 50)
    db.execute("DROP TABLE t")
    free = db.execute("PRAGMA freelist_count").fetchone()[0]
    db.close()
    assert len(DatabasePages(path, tmp_path / "none").free()) == free > 40


def test_a_hostile_file_is_read_in_bounded_work(tmp_path: Path) -> None:
    """Each page has two thousand rows that all claim the same chain of all pages, which ends nowhere."""
    count = 200
    page = bytearray(PAGE)
    cell = bytes([0xA0, 0x80, 0x00, 1]) + bytes(3_000)
    page[0], page[3:5] = 0x0D, (2_000).to_bytes(2, "big")
    for slot in range(2_000):
        page[8 + 2 * slot : 10 + 2 * slot] = (4_050).to_bytes(2, "big")
    page[4_050 : 4_050 + 40] = cell[:40]
    path = tmp_path / "x.db"
    path.write_bytes(bytes(page) * count)
    pages = DatabasePages(path, tmp_path / "none")
    total = sum(len(str(cell.columns)) for number in pages.numbers() for cell in pages.cells(pages.page(number)))
    assert total <= 20 * count * PAGE


def test_whether_a_log_has_the_pages_that_its_file_has_not(tmp_path: Path) -> None:
    log = tmp_path / "x-wal"
    log.write_bytes(bytes(32) + b"".join(number.to_bytes(4, "big") + bytes(20 + PAGE) for number in (3, 4, 6)))
    assert log_covers(log, PAGE, 2, 4) and log_covers(log, PAGE, 5, 6)
    assert not log_covers(log, PAGE, 2, 6) and not log_covers(log, PAGE, 1, 4)
    assert not log_covers(log, PAGE, 2, 1 << 31) and not log_covers(tmp_path / "none", PAGE, 0, 1)


def test_what_a_log_still_holds_of_before_is_found(tmp_path: Path) -> None:
    """(Z24) A log that was begun anew keeps older images behind its newest one: the last resort for a lost row."""
    path, log = tmp_path / "x.db", tmp_path / "x.db-wal"
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE t (a)")
    for number in range(5):
        db.execute("INSERT INTO t VALUES (?)", (f"only before {number} " + "x" * 3_000,))
    db.execute("PRAGMA wal_checkpoint(RESTART)")
    db.execute("DELETE FROM t")
    frames = (os.path.getsize(log) - 32) // (24 + PAGE)
    pages = DatabasePages(path, log)
    older = list(pages.superseded())
    db.close()
    assert 0 < len(pages._frames) < frames
    assert len(older) > len(pages._frames), "those of the file, and what the log holds of before"
    assert any(b"only before 4" in image for image in older[len(pages._frames) :])


def test_a_file_that_is_not_there_has_no_pages(tmp_path: Path) -> None:
    assert cells(DatabasePages(tmp_path / "none", tmp_path / "none either")) == set()


def test_a_sound_store_is_read_whole(tmp_path: Path) -> None:
    """The control: as many events as there are."""
    path = made(tmp_path / "data" / "conversations.db")
    assert len([one for one in cells(DatabasePages(path, tmp_path / "none")) if len(one) == 12]) == 180
    assert os.path.getsize(path) % PAGE == 0

"""Opening the database for writing, whatever became of it since the last time: alone among all processes, what was
begun is finished, what is damaged is replaced by a copy of what can be read, what is derived is made to agree (Z24,
Z25). What nobody touched since it was closed is opened with no look at what is in it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from jp_tui.journal import derived
from jp_tui.journal.connect import open_reading, open_writing, trouble
from jp_tui.journal.doubt import Suspect
from jp_tui.journal.migrate import migrate
from jp_tui.journal.port import JournalError, StoreNotice
from jp_tui.journal.repair import examine, recovery
from jp_tui.journal.repair.file_identity import (
    FileIdentity,
    StoreRecord,
    beside,
    guarded,
    look,
    recall,
    remember,
    sealed,
)
from jp_tui.journal.repair.pages import log_covers
from jp_tui.journal.repair.recovery import many

AGREE_SECONDS = 2.0
"""How long conversations are compared with their events at a start; the others are when they are used."""
CHECK_SECONDS = 0.5
"""How long a file is checked that another program wrote to."""
HEAD = 100
"""Bytes at the beginning of every database."""


@dataclass(slots=True)
class Opened:
    """A connection, which file it is on, with which log, and what to tell the user. `path` has no links."""

    path: Path
    writing: sqlite3.Connection
    there: FileIdentity
    log: str
    version: int
    notices: list[StoreNotice] = field(default_factory=list)


def opened(path: Path) -> tuple[Opened, sqlite3.Connection]:
    """With a connection to read. JournalError `unusable`, `readonly`, `foreign`, `newer`, `full`, `busy`, `io`;
    `corrupt` where no readable copy can be made of a damaged one."""
    path = Path(os.path.realpath(path))
    with guarded(path):
        known = recall(path)
        notices = list(_before(path, known))
        writing = _sound(path, known, notices)
        try:
            return noted(path, writing, notices, known), open_reading(path)
        except BaseException:
            writing.close()
            raise


def noted(
    path: Path, writing: sqlite3.Connection, notices: list[StoreNotice], known: StoreRecord | None = None
) -> Opened:
    """What stands there, remembered; `known` is what was. Raises JournalError."""
    there, log, known = look(path), look(beside(path, "-wal")), known or recall(path)
    if there is None:
        raise JournalError("unusable", f"{path} was taken away while it was opened; try again")
    name = log.file if log is not None else ""
    if notices or (there.file, name) != (known.file, known.log):
        same = known.conversations if not notices and there.file == known.file else 0
        remember(path, StoreRecord(same or many_conversations(writing), there.file, name))
    return Opened(path, writing, there, name, version(writing), notices)


def many_conversations(db: sqlite3.Connection) -> int:
    """How many there are; 0 where that cannot be told."""
    with suppress(sqlite3.Error):
        return int(db.execute("SELECT count(*) FROM conversations WHERE hidden = ''").fetchone()[0])
    return 0


def left(path: Path, conversations: int, *, alone: bool) -> None:
    """Everything is closed: remember how, if nobody else wrote or writes."""
    log = look(beside(path, "-wal"))
    there = look(path)
    if there is not None:
        state = sealed(path) if alone and log is None else ""
        remember(path, StoreRecord(conversations, there.file, log.file if log is not None else "", state))


def version(db: sqlite3.Connection) -> int:
    """A number that changes when another connection has written."""
    return int(db.execute("PRAGMA data_version").fetchone()[0])


def _before(path: Path, known: StoreRecord) -> list[StoreNotice]:
    """What has to be done before SQLite may open it: it would take a log that is not its own for its own, and delete
    one that lies beside an empty file."""
    notices = []
    if recovery.begun(path):
        notices.append(_tried(lambda: recovery.finish(path, known.conversations), path))
        known = StoreRecord()
    there, log = look(path), look(beside(path, "-wal"))
    if there is not None and known.foreign_log(there, log):
        with suppress(OSError):
            kept = recovery.put_aside_log(path)
            notices.append(_other_log(path, kept))
        log = None
    logged = log is not None and log.size > 0
    if there is None and not logged and known.conversations:
        held = many(known.conversations, "conversation")
        words = f"The database {path} is gone, with {held}. A new one was begun."
        notices.append(StoreNotice(words, "If it was moved, put it back while no jp-tui runs."))
    elif there is None and not logged:
        pass
    elif there is None or (there.regular and _empty(there, known, logged=logged)):
        notices.append(recovery.recover(path, known.conversations))
    return notices


def _empty(there: FileIdentity, known: StoreRecord, *, logged: bool) -> bool:
    """Whether it is no database any more; a file of no bytes is a new one where nothing was known."""
    return 0 < there.size < HEAD or (there.size == 0 and (logged or known.conversations > 0))


def _other_log(path: Path, kept: Path) -> StoreNotice:
    return StoreNotice(f"{path} was replaced: the log beside it was another file's.", f"It is kept as {kept}.")


def _tried(work: Callable[[], StoreNotice], path: Path) -> StoreNotice:
    try:
        return work()
    except OSError as error:
        raise JournalError("unusable", f"{path} cannot be repaired: {error.strerror}") from error


def _sound(path: Path, known: StoreRecord, notices: list[StoreNotice]) -> sqlite3.Connection:
    """A connection to a database that can be read, of our form, with what is derived as it must be."""
    try:
        return _checked(path, known)
    except Suspect:
        pass
    except JournalError as problem:
        if problem.kind != "corrupt":
            raise
    notices.append(recovery.recover(path, known.conversations))
    return usable(path)


def _checked(path: Path, known: StoreRecord) -> sqlite3.Connection:
    """Raises Suspect, JournalError."""
    there, log = look(path), look(beside(path, "-wal"))
    db = usable(path)
    try:
        if there is None or known.untouched(there, log):
            return db
        if log is None or not log.size:
            if there.size and (said := examine.find_damage(db, CHECK_SECONDS)):
                raise Suspect(said)
        elif cut_short(db, path):
            raise Suspect("it was cut")
        agreed(db)
    except sqlite3.Error as error:
        db.close()
        raise trouble(error, path) from error
    except BaseException:
        db.close()
        raise
    return db


def usable(path: Path) -> sqlite3.Connection:
    """A connection to a database of our form, made or brought up to date. Raises Suspect, JournalError."""
    db = open_writing(path)
    try:
        migrate(db, path)
        if missing := examine.lacking(db):
            db.execute("BEGIN IMMEDIATE")
            examine.complete(db, missing)
            examine.agree(db, AGREE_SECONDS)
            db.execute("COMMIT")
    except sqlite3.Error as error:
        db.close()
        raise trouble(error, path) from error
    except BaseException:
        db.close()
        raise
    return db


def cut_short(db: sqlite3.Connection, path: Path) -> bool:
    """Whether pages are neither in the file nor in its log: SQLite reads them as zeros."""
    size = int(db.execute("PRAGMA page_size").fetchone()[0])
    pages = int(db.execute("PRAGMA page_count").fetchone()[0])
    has = -1
    while (there := look(path)) is not None and there.size // size != has:
        has = there.size // size  # another process moves pages from the log to the file meanwhile: it only grows
        if pages <= has or log_covers(beside(path, "-wal"), size, has, pages):
            return False
    return there is not None


def agreed(db: sqlite3.Connection) -> int:
    """Make what is derived agree with the events, if the file is sound; of how many conversations. Raises Suspect,
    sqlite3.Error."""
    if not any(derived.disagreeing(db, AGREE_SECONDS)):
        return 0
    if said := examine.find_damage(db):
        raise Suspect(said)
    db.execute("BEGIN IMMEDIATE")
    try:
        count = examine.agree(db, AGREE_SECONDS)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return count

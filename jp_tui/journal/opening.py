"""Open the database for writing in any state. Under a lock against other processes: finish interrupted recoveries,
replace a damaged file by a copy of what is readable, and repair derived data (Z24, Z25). A file unchanged since it was
closed is opened without an examination."""

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
    companion,
    guarded,
    identify,
    read_record,
    sealed,
    write_record,
)
from jp_tui.journal.repair.pages import log_covers
from jp_tui.journal.repair.recovery import many

AGREE_SECONDS = 2.0
"""Time for comparing conversations with their events at a start; the rest follow when they are used."""
CHECK_SECONDS = 0.5
"""Time for checking a file that another program wrote to. Both limits keep the start fast."""
HEAD = 100
"""Bytes at the beginning of every database."""


@dataclass(slots=True)
class Opened:
    """Connection data: the file's identity, its log, and notices for the user. `path` has no links."""

    path: Path
    writing: sqlite3.Connection
    there: FileIdentity
    log: str
    version: int
    notices: list[StoreNotice] = field(default_factory=list)


def opened(path: Path) -> tuple[Opened, sqlite3.Connection]:
    """Open the database and a reading connection. Raises JournalError `unusable`, `readonly`, `foreign`, `newer`,
    `full`, `busy`, `io`; `corrupt` if a damaged file has nothing readable."""
    path = Path(os.path.realpath(path))
    with guarded(path):
        known = read_record(path)
        notices = list(_before(path, known))
        writing = _sound(path, known, notices)
        try:
            return record_open(path, writing, notices, known), open_reading(path)
        except BaseException:
            writing.close()
            raise


def record_open(
    path: Path, writing: sqlite3.Connection, notices: list[StoreNotice], known: StoreRecord | None = None
) -> Opened:
    """Record the present file; `known` is the earlier record. Raises JournalError."""
    there, log, known = identify(path), identify(companion(path, "-wal")), known or read_record(path)
    if there is None:
        raise JournalError("unusable", f"{path} was moved while it was being opened. Try again")
    name = log.file if log is not None else ""
    if notices or (there.file, name) != (known.file, known.log):
        same = known.conversations if not notices and there.file == known.file else 0
        write_record(path, StoreRecord(same or many_conversations(writing), there.file, name))
    return Opened(path, writing, there, name, version(writing), notices)


def many_conversations(db: sqlite3.Connection) -> int:
    """Return the number of conversations; 0 if unknown."""
    with suppress(sqlite3.Error):
        return int(db.execute("SELECT count(*) FROM conversations WHERE hidden = ''").fetchone()[0])
    return 0


def record_close(path: Path, conversations: int, *, alone: bool) -> None:
    """Record the final state after everything is closed, if no other process writes."""
    log = identify(companion(path, "-wal"))
    there = identify(path)
    if there is not None:
        state = sealed(path) if alone and log is None else ""
        write_record(path, StoreRecord(conversations, there.file, log.file if log is not None else "", state))


def version(db: sqlite3.Connection) -> int:
    """Return a number that changes when another connection writes."""
    return int(db.execute("PRAGMA data_version").fetchone()[0])


def _before(path: Path, known: StoreRecord) -> list[StoreNotice]:
    """Prepare the file before SQLite opens it: SQLite would apply another file's log, and delete a log beside an empty
    file."""
    notices = []
    if recovery.is_interrupted(path):
        notices.append(_tried(lambda: recovery.finish(path, known.conversations), path))
        known = StoreRecord()
    there, log = identify(path), identify(companion(path, "-wal"))
    if there is not None and known.foreign_log(there, log):
        with suppress(OSError):
            kept = recovery.move_log_aside(path)
            notices.append(_other_log(path, kept))
        log = None
    logged = log is not None and log.size > 0
    if there is None and not logged and known.conversations:
        held = many(known.conversations, "conversation")
        words = f"The database {path} no longer exists. It had {held}. A new one was created."
        notices.append(StoreNotice(words, "If you moved it, put it back while jp-tui isn't running."))
    elif there is None and not logged:
        pass
    elif there is None or (there.regular and _empty(there, known, logged=logged)):
        notices.append(recovery.recover(path, known.conversations))
    return notices


def _empty(there: FileIdentity, known: StoreRecord, *, logged: bool) -> bool:
    """True if the file isn't a database any more. An empty file is a new one if nothing was known."""
    return 0 < there.size < HEAD or (there.size == 0 and (logged or known.conversations > 0))


def _other_log(path: Path, kept: Path) -> StoreNotice:
    return StoreNotice(f"{path} was replaced: its log belongs to another file.", f"The log is kept as {kept}.")


def _tried(work: Callable[[], StoreNotice], path: Path) -> StoreNotice:
    try:
        return work()
    except OSError as error:
        raise JournalError("unusable", f"{path} cannot be repaired: {error.strerror}") from error


def _sound(path: Path, known: StoreRecord, notices: list[StoreNotice]) -> sqlite3.Connection:
    """Return a connection to a readable database of the current version with correct derived data."""
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
    there, log = identify(path), identify(companion(path, "-wal"))
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
    """Connect to the database; create or migrate it. Raises Suspect, JournalError."""
    db = open_writing(path)
    try:
        migrate(db, path)
        if missing := examine.find_missing(db):
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
    """True if pages are missing in the file and its log: SQLite reads them as zeros."""
    size = int(db.execute("PRAGMA page_size").fetchone()[0])
    pages = int(db.execute("PRAGMA page_count").fetchone()[0])
    has = -1
    while (there := identify(path)) is not None and there.size // size != has:
        # another process may move pages from the log to the file meanwhile, which only grows it
        has = there.size // size
        if pages <= has or log_covers(companion(path, "-wal"), size, has, pages):
            return False
    return there is not None


def agreed(db: sqlite3.Connection) -> int:
    """Repair derived data if the file is sound; return the number of conversations. Raises Suspect, sqlite3.Error."""
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

"""Opening the one database file, for writing or for reading, and the words for what SQLite says.

A file is made 0600 and never made anew where one stands: damaged, newer and foreign files are refused with what to
do about them (surface.md S10, S12). Knows the file, not what is in its tables.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from pathlib import Path
from urllib.parse import quote

from jp_tui.conversation.neutral import first_line
from jp_tui.journal.port import JournalError, Trouble
from jp_tui.system.paths import PathsError, because, private_folder, private_open

BUSY_SECONDS = 5.0
"""How long one process waits for another's commit before it gives up."""

_CACHE = "PRAGMA cache_size = -512"
"""KiB of pages that a connection keeps, a quarter of what is usual: the system keeps them as well, and in a day of work
the two of a process fill theirs."""
_INDEX = 32 * 1024
"""The smallest file that SQLite needs beside a log."""

_ADVICE = {
    "corrupt": "is damaged",
    "readonly": "cannot be written; check the owner and mode of the file and its folder",
    "unusable": "cannot be opened; check that its folder exists and can be written",
    "full": "cannot be written: no space is left on the disk. Nothing is lost that was saved before; free some space",
    "busy": "is held by another process and stayed so; try again",
    "io": "could not be written or read: the disk reports an error",
    "invalid": "cannot store this",
    "index": "cannot be searched: its index of texts is damaged",
}  # fmt: skip
_KINDS: dict[int, Trouble] = {
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
    sqlite3.SQLITE_READONLY: "readonly",
    sqlite3.SQLITE_CANTOPEN: "unusable",
    sqlite3.SQLITE_PERM: "unusable",
    sqlite3.SQLITE_AUTH: "unusable",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_IOERR: "io",
    sqlite3.SQLITE_NOMEM: "io",
    sqlite3.SQLITE_TOOBIG: "invalid",
    sqlite3.SQLITE_CONSTRAINT: "invalid",
    sqlite3.SQLITE_MISMATCH: "invalid",
}


_SAID = 300
"""Characters of SQLite's own words that are repeated."""


class IndexDamaged(sqlite3.DatabaseError):
    """Only what a search reads cannot be used, not the file it is in."""


def trouble(error: sqlite3.Error, path: Path) -> JournalError:
    """What SQLite said, in words and with what to do."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, IndexDamaged):
        kind: Trouble = "index"
    elif code is None:  # from the module itself: a value that cannot be stored
        kind = "invalid"
    else:
        kind = _KINDS.get(code & 0xFF, "io")
        if code == sqlite3.SQLITE_ERROR and "module" not in str(error):
            kind = "corrupt"  # a table or a column that is missing, or stands where none should
        if code == sqlite3.SQLITE_IOERR_SHORT_READ:
            kind = "corrupt"  # the file or its log was cut
        elif kind == "io" and _no_space(path):
            kind = "full"
    return JournalError(kind, f"{path} {_ADVICE[kind]} ({first_line(str(error))[:_SAID]})")  # it repeats what it read


def _no_space(path: Path) -> bool:
    """Whether an unnamed disk error is a full disk: the log's index fails so."""
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < _INDEX


def open_writing(path: Path, *, create: bool = True) -> sqlite3.Connection:
    """The writing connection; proves that it can write and changes nothing.

    The file is made, empty and 0600, with its folder when missing, if `create`.
    """
    path = Path(os.path.realpath(path))  # a database that was moved to another disk and linked
    try:
        if create:
            private_folder(path.parent)
            _made(path)
    except PathsError as error:
        raise JournalError("unusable", str(error)) from error
    except OSError as error:
        raise JournalError("unusable", f"{path} cannot be opened: {because(error)}") from error
    connection = connect(path, "rw")
    try:
        connection.execute(_CACHE)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA fullfsync = ON")  # macOS only: its fsync alone stops at the drive's cache
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        connection.close()
        raise trouble(error, path) from error
    return connection


def _made(path: Path) -> None:
    """Make the file, or keep the mode of the one that is there private. It is not opened for that: closing it would
    drop the locks of another connection of this process. Raises OSError."""
    try:
        os.close(private_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        there = os.stat(path)
        if not stat.S_ISREG(there.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file") from None
        if not os.access(path, os.R_OK | os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES)) from None
        if there.st_uid == os.geteuid() and there.st_mode & 0o077:
            os.chmod(path, there.st_mode & 0o700)


def open_reading(path: Path) -> sqlite3.Connection:
    """A connection that cannot write; JournalError `missing` when there is no database yet."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        raise JournalError("missing", f"there is no {path} yet") from None
    except OSError as error:
        raise JournalError("unusable", f"{path} cannot be opened: {because(error)}") from error
    if not stat.S_ISREG(there.st_mode):
        raise JournalError("unusable", f"{path} cannot be opened: it is no regular file")
    if there.st_size == 0 and not _has_log(path):
        raise JournalError("missing", f"{path} is still empty")
    connection = connect(path, "ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute(_CACHE)
    except sqlite3.OperationalError as error:
        connection.close()
        # a folder that is read-only or full has no place for the log's index; without a log none is needed
        words = trouble(error, path)
        if words.kind == "busy" or _has_log(path):
            raise words from error
        return connect(path, "ro&immutable=1")
    except sqlite3.Error as error:
        connection.close()
        raise trouble(error, path) from error
    return connection


def look_in(path: Path) -> sqlite3.Connection:
    """A connection for one look, which leaves no files beside the database. Raises JournalError."""
    if not os.path.isfile(path):
        raise JournalError("missing", f"there is no {path}")
    return connect(path, "ro" if _has_log(path) else "ro&immutable=1")


def _has_log(path: Path) -> bool:
    """Whether commits stand beside the database that are not in it yet."""
    try:
        return os.path.getsize(f"{path}-wal") > 0
    except OSError:
        return False


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to an existing file; statements outside of any implicit transaction."""
    name = f"file:{quote(os.fspath(path))}?mode={mode}"
    try:
        # made by one thread and used by another, never by two at a time
        return sqlite3.connect(
            name, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
    except sqlite3.Error as error:
        raise trouble(error, path) from error

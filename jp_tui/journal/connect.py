"""Open the one database file for writing or reading, and translate SQLite's errors.

The file has mode 0600 and an existing one is never recreated: damaged, newer and foreign files are refused with advice
(surface.md S10, S12). This module doesn't know the tables.
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
"""Time to wait for another process's commit. A commit takes milliseconds; 5 s also cover a slow disk."""

_CACHE = "PRAGMA cache_size = -512"
"""KiB of cached pages per connection, a quarter of SQLite's default: the system caches them as well, and after a day
both connections of a process have filled theirs."""
_INDEX = 32 * 1024
"""Smallest index file that SQLite needs beside a log."""

_ADVICE = {
    "corrupt": "is damaged",
    "readonly": "can't be written. Check owner and mode of the file and its folder",
    "unusable": "can't be opened. Check that its folder exists and is writable",
    "full": "can't be written: no space is left on the disk. Saved data isn't lost. Free some space",
    "busy": "is locked by another process. Try again",
    "io": "couldn't be read or written: the disk reports an error",
    "invalid": "cannot store this",
    "index": "can't be searched: its text index is damaged",
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
"""Characters of SQLite's own messages that are quoted."""


class IndexDamaged(sqlite3.DatabaseError):
    """Only the search index is damaged, not its file."""


def trouble(error: sqlite3.Error, path: Path) -> JournalError:
    """Convert SQLite's error to a message with advice."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, IndexDamaged):
        kind: Trouble = "index"
    elif code is None:  # from the module itself: a value that can't be stored
        kind = "invalid"
    else:
        kind = _KINDS.get(code & 0xFF, "io")
        if code == sqlite3.SQLITE_ERROR and "module" not in str(error):
            kind = "corrupt"  # a missing or unexpected table or column
        if code == sqlite3.SQLITE_IOERR_SHORT_READ:
            kind = "corrupt"  # the file or its log was truncated
        elif kind == "io" and _no_space(path):
            kind = "full"
    # SQLite repeats what it read
    return JournalError(kind, f"{path} {_ADVICE[kind]} ({first_line(str(error))[:_SAID]})")


def _no_space(path: Path) -> bool:
    """True if an unspecified disk error is a full disk: the log's index fails that way."""
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < _INDEX


def open_writing(path: Path) -> sqlite3.Connection:
    """Open the writing connection and prove that it can write, without changes.

    A missing file is made, empty and 0600, with its folder.
    """
    path = Path(os.path.realpath(path))  # a database on another disk behind a link
    try:
        private_folder(path.parent)
        _made(path)
    except PathsError as error:
        raise JournalError("unusable", str(error)) from error
    except OSError as error:
        raise JournalError("unusable", f"{path} can't be opened: {because(error)}") from error
    connection = connect(path, "rw")
    try:
        connection.execute(_CACHE)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA fullfsync = ON")  # macOS only: its fsync stops at the drive's cache
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        connection.close()
        raise trouble(error, path) from error
    return connection


def _made(path: Path) -> None:
    """Create the file, or make an existing one private. It isn't opened for that: closing it would drop the locks of
    another connection in this process. Raises OSError."""
    try:
        os.close(private_open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        there = os.stat(path)
        if not stat.S_ISREG(there.st_mode):
            raise OSError(errno.EINVAL, "it isn't a regular file") from None
        if not os.access(path, os.R_OK | os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES)) from None
        if there.st_uid == os.geteuid() and there.st_mode & 0o077:
            os.chmod(path, there.st_mode & 0o700)


def open_reading(path: Path) -> sqlite3.Connection:
    """Open a connection that can't write. Raises JournalError `missing` if there is no database."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        raise JournalError("missing", f"{path} doesn't exist yet") from None
    except OSError as error:
        raise JournalError("unusable", f"{path} can't be opened: {because(error)}") from error
    if not stat.S_ISREG(there.st_mode):
        raise JournalError("unusable", f"{path} can't be opened: it isn't a regular file")
    if there.st_size == 0 and not _has_log(path):
        raise JournalError("missing", f"{path} is still empty")
    connection = connect(path, "ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute(_CACHE)
    except sqlite3.OperationalError as error:
        connection.close()
        # a read-only or full folder has no space for the log's index; without a log none is needed
        words = trouble(error, path)
        if words.kind == "busy" or _has_log(path):
            raise words from error
        return connect(path, "ro&immutable=1")
    except sqlite3.Error as error:
        connection.close()
        raise trouble(error, path) from error
    return connection


def open_for_one_query(path: Path) -> sqlite3.Connection:
    """Open a connection for one query that leaves no files beside the database. Raises JournalError."""
    if not os.path.isfile(path):
        raise JournalError("missing", f"there is no {path}")
    return connect(path, "ro" if _has_log(path) else "ro&immutable=1")


def _has_log(path: Path) -> bool:
    """True if commits beside the database aren't in it yet."""
    try:
        return os.path.getsize(f"{path}-wal") > 0
    except OSError:
        return False


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect to an existing file, without implicit transactions."""
    name = f"file:{quote(os.fspath(path))}?mode={mode}"
    try:
        # made by one thread and used by another, never by two at once
        return sqlite3.connect(
            name, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
    except sqlite3.Error as error:
        raise trouble(error, path) from error

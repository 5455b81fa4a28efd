"""Identity of the file at the database's path and its log, compared with the previous record.

The record beside it, `conversations.db.known`, has the number of conversations, the file they were in, its log, and the
state in which it was left. Losing it is harmless: more is then examined.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jp_tui.journal.port import JournalError
from jp_tui.system.lock import FileLock, Holder, LockError, acquire
from jp_tui.system.paths import PathsError, private_open

LOCK_SECONDS = 120.0
"""Time to wait for a process that opens or repairs the database. Repairing a large file takes minutes."""
_PAUSE = 0.01
_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Identity and size of the file at a path. `changed` is its time of change in nanoseconds."""

    device: int
    inode: int
    size: int
    changed: int
    regular: bool

    @property
    def file(self) -> str:
        """Return which file it is, independent of its content."""
        return f"{self.device}:{self.inode}"

    @property
    def state(self) -> str:
        """Return the same with its last change, to detect writes."""
        return f"{self.file}:{self.size}:{self.changed}"


def identify(path: Path | str) -> FileIdentity | None:
    """Return the file at the path, links followed; None if there is none or it can't be examined."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, stat.S_ISREG(found.st_mode))


def companion(path: Path, suffix: str) -> Path:
    """Return a file that belongs to the database: its log (`-wal`), the log's index (`-shm`), and the record
    (`.known`)."""
    return Path(f"{path}{suffix}")


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """Stored record. `log` belongs to `file`; `left` is the state in which the only writing process left the file."""

    conversations: int = 0
    file: str = ""
    log: str = ""
    left: str = ""

    def foreign_log(self, there: FileIdentity, log: FileIdentity | None) -> bool:
        """True if the log beside this file belongs to another: SQLite would write its pages into this one."""
        return log is not None and log.file == self.log and there.file != self.file

    def untouched(self, there: FileIdentity, log: FileIdentity | None) -> bool:
        """True if the file is unchanged since it was left."""
        return there.state == self.left and (log is None or log.size == 0)


def read_record(path: Path) -> StoreRecord:
    """Read the record; return an empty one if it is missing or unreadable."""
    try:
        descriptor = private_open(companion(path, ".known"), os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return StoreRecord()
    try:
        raw = json.loads(os.read(descriptor, _LIMIT))
        conversations = min(max(int(raw["conversations"]), 0), 1 << 31)
        return StoreRecord(conversations, str(raw["file"]), str(raw["log"]), str(raw["left"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return StoreRecord()
    finally:
        os.close(descriptor)


def write_record(path: Path, known: StoreRecord) -> None:
    """Write the record; a failure is harmless."""
    record = {"conversations": known.conversations, "file": known.file, "log": known.log, "left": known.left}
    data = json.dumps(record).encode()
    with contextlib.suppress(OSError):
        descriptor = private_open(companion(path, ".known"), os.O_RDWR | os.O_CREAT | os.O_NONBLOCK)
        try:
            os.pwrite(descriptor, data, 0)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)


def sealed(path: Path) -> str:
    """Return a state of the file that differs from any later one: no write produces this time of change."""
    with contextlib.suppress(OSError):
        os.utime(path, ns=(now := time.time_ns(), now))
    there = identify(path)
    return there.state if there is not None and there.regular else ""


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Lock against all other processes that open, repair or replace the database.

    Raises JournalError `busy`. If no lock can be made (a read-only folder), continue without repairs.
    """
    until = time.monotonic() + LOCK_SECONDS
    me = Holder.me("jp-tui", "")
    lock: FileLock | None = None
    while lock is None:
        try:
            found = acquire(companion(path, ".guard"), me)
        except (LockError, PathsError, OSError):
            break
        if isinstance(found, FileLock):
            lock = found
        elif time.monotonic() > until:
            raise JournalError("busy", f"{found} is repairing {path}. Try again")
        else:
            time.sleep(_PAUSE)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()

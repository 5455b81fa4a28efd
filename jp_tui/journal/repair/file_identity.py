"""What stands at the database's path: which file, with which log, and what is known of it from before.

The record beside it, `conversations.db.known`, says how many conversations there were, which file they were in, which
log belongs to that file, and how the file was left. It is harmless to lose: then more is looked at.
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
"""How long one process waits for another that opens or repairs the database."""
_PAUSE = 0.01
_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What stands at a path: which file it is, and how long. `changed` is its time of change in nanoseconds."""

    device: int
    inode: int
    size: int
    changed: int
    regular: bool

    @property
    def file(self) -> str:
        """Which file it is, whatever is in it."""
        return f"{self.device}:{self.inode}"

    @property
    def state(self) -> str:
        """The same, and that nobody wrote to it since."""
        return f"{self.file}:{self.size}:{self.changed}"


def look(path: Path | str) -> FileIdentity | None:
    """What stands there, links followed; None where nothing does, or nothing that can be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, stat.S_ISREG(found.st_mode))


def beside(path: Path, suffix: str) -> Path:
    """A file that belongs to the database: its log (`-wal`), the log's index (`-shm`), and ours (`.known`)."""
    return Path(f"{path}{suffix}")


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """The record. `log` belongs to `file`; `left` is the state in which a process that wrote alone left the file."""

    conversations: int = 0
    file: str = ""
    log: str = ""
    left: str = ""

    def foreign_log(self, there: FileIdentity, log: FileIdentity | None) -> bool:
        """Whether the log beside this file belongs to another: SQLite would write its pages into this one."""
        return log is not None and log.file == self.log and there.file != self.file

    def untouched(self, there: FileIdentity, log: FileIdentity | None) -> bool:
        """Whether nobody wrote to the file since it was left."""
        return there.state == self.left and (log is None or log.size == 0)


def recall(path: Path) -> StoreRecord:
    """What is known; nothing where there is no record that can be read."""
    try:
        descriptor = private_open(beside(path, ".known"), os.O_RDONLY | os.O_NONBLOCK)
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


def remember(path: Path, known: StoreRecord) -> None:
    """Keep it; where that is impossible nothing is lost."""
    record = {"conversations": known.conversations, "file": known.file, "log": known.log, "left": known.left}
    data = json.dumps(record).encode()
    with contextlib.suppress(OSError):
        descriptor = private_open(beside(path, ".known"), os.O_RDWR | os.O_CREAT | os.O_NONBLOCK)
        try:
            os.pwrite(descriptor, data, 0)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)


def sealed(path: Path) -> str:
    """The state of the file, told from any later one: its time of change is one that no write gives it."""
    with contextlib.suppress(OSError):
        os.utime(path, ns=(now := time.time_ns(), now))
    there = look(path)
    return there.state if there is not None and there.regular else ""


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Alone among all processes that open, repair or replace the database. Raises JournalError `busy`.

    Where no lock can be made (a folder that cannot be written), nothing is repaired either: go on without.
    """
    until = time.monotonic() + LOCK_SECONDS
    me = Holder.me("jp-tui", "")
    lock: FileLock | None = None
    while lock is None:
        try:
            found = acquire(beside(path, ".guard"), me)
        except (LockError, PathsError, OSError):
            break
        if isinstance(found, FileLock):
            lock = found
        elif time.monotonic() > until:
            raise JournalError("busy", f"{path} is being repaired by {found}; try again")
        else:
            time.sleep(_PAUSE)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()

"""One lock per conversation, which names its holder (surface.md S12).

`flock` on a file of ours: the system lets go when the holder dies, however it dies. The file stays; who holds it
stands in it. Never waits, never breaks a lock, never guesses when the system cannot lock.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from jp_tui.system.paths import because, private_folder, private_open, write_fully

_LIMIT = 4096
_TRIES, _PAUSE = 10, 0.002


class LockError(Exception):
    """The lock cannot be used at all; the words name the file and the reason. Nothing is held."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock. `started` is a timestamp as the holder wrote it; all text is foreign to us."""

    pid: int
    host: str
    started: str
    command: str

    @classmethod
    def me(cls, command: str, started: str) -> Holder:
        """This process, with the words that it wants to be known by."""
        return cls(os.getpid(), socket.gethostname(), started, command)

    def __str__(self) -> str:
        if not self.pid:
            return "another process"
        return f"{self.command} (process {self.pid} on {self.host}, since {self.started})"


UNKNOWN = Holder(0, "", "", "")
"""Somebody holds it and has not yet said who."""


@dataclass(slots=True)
class FileLock:
    """A lock that is held; let go with `release`, or by the end of this process."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Let go; harmless twice."""
        if self.descriptor >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self.descriptor, 0)
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_path(folder: Path, conversation: str) -> Path:
    """The lock's file; LockError for an id that is no plain file name."""
    if not conversation or conversation[0] == "." or not set(conversation).isdisjoint("/\0") or len(conversation) > 200:
        raise LockError(f"{conversation!r} cannot be the id of a conversation")
    return folder / f"{conversation}.lock"


def acquire(path: Path, holder: Holder) -> FileLock | Holder:
    """The lock, or who holds it. Does not wait (20 ms at most, for a holder that is just going)."""
    private_folder(path.parent)
    for attempt in range(_TRIES):
        if attempt:  # somebody who only looked, or a holder in its first or last moment
            time.sleep(_PAUSE)
        try:
            found = _attempt(path, holder)
        except OSError as error:
            raise LockError(f"the lock {path} cannot be used: {because(error)}") from error
        if isinstance(found, FileLock) or _alive(found):
            return found
    return UNKNOWN


def _attempt(path: Path, holder: Holder) -> FileLock | Holder:
    descriptor = private_open(path, os.O_RDWR | os.O_CREAT)
    kept = False
    try:
        if not _lock(descriptor, path):
            return _read(descriptor)
        if not _is_at(descriptor, path):
            return UNKNOWN
        os.ftruncate(descriptor, 0)
        write_fully(descriptor, json.dumps(asdict(holder)).encode())
        kept = True
        return FileLock(path, descriptor)
    finally:
        if not kept:
            os.close(descriptor)


def held_again(lock: FileLock, me: Holder) -> Holder | None:
    """Hold a lock also where its file was taken away, and with it the name under which others look; who holds it there
    instead, or None. Raises LockError, PathsError."""
    if lock.descriptor < 0 or _is_at(lock.descriptor, lock.path):
        return None
    found = acquire(lock.path, me)
    if isinstance(found, Holder):
        return found
    old, lock.descriptor = lock.descriptor, found.descriptor
    os.close(old)
    return None


def holder(path: Path) -> Holder | None:
    """Who holds the lock now; None when nobody does. A look, never a claim."""
    try:
        descriptor = private_open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LockError(f"the lock {path} cannot be read: {because(error)}") from error
    try:
        if _lock(descriptor, path, shared=True):
            return None
        return _read(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise LockError(
            f"the lock {path} cannot be used: {because(error)}; "
            "put the data folder on a disk that supports locks (JP_TUI_HOME or XDG_DATA_HOME)"
        ) from error
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether what was locked is still the file at that path (it may have been deleted in between)."""
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _read(descriptor: int) -> Holder:
    try:
        found = json.loads(os.pread(descriptor, _LIMIT, 0))
        return Holder(int(found["pid"]), str(found["host"]), str(found["started"]), str(found["command"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return UNKNOWN


def _alive(found: Holder) -> bool:
    """Whether the named holder can be believed: on another host always, here when its process lives."""
    if not found.pid:
        return False
    if found.host != socket.gethostname():
        return True
    try:
        os.kill(found.pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True

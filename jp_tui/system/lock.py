"""One lock per conversation, which names its holder (surface.md S12).

It uses `flock` on a private file: the system releases it when the holder dies in any way. The file stays and contains
the holder. Acquiring never waits, never breaks a lock, and raises if the system can't lock.
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
_TRIES, _PAUSE = 50, 0.002


class LockError(Exception):
    """The lock can't be used; the message names the file and the reason. Nothing is locked."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Holder of a lock. `started` is a timestamp as the holder wrote it; all text is untrusted."""

    pid: int
    host: str
    started: str
    command: str

    @classmethod
    def me(cls, command: str, started: str) -> Holder:
        """Return this process as a holder, with the description that it gives itself."""
        return cls(os.getpid(), socket.gethostname(), started, command)

    def __str__(self) -> str:
        if not self.pid:
            return "another process"
        return f"{self.command} (process {self.pid} on {self.host}, since {self.started})"


UNKNOWN = Holder(0, "", "", "")
"""A holder that hasn't written its entry yet."""


@dataclass(slots=True)
class FileLock:
    """Acquired lock; release it with `release`, or by the end of this process."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Release the lock; may be called twice."""
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
    """Return the lock's file. Raises LockError for an id that isn't a plain file name."""
    if not conversation or conversation[0] == "." or not set(conversation).isdisjoint("/\0") or len(conversation) > 200:
        raise LockError(f"{conversation!r} can't be the ID of a conversation")
    return folder / f"{conversation}.lock"


def acquire(path: Path, holder: Holder) -> FileLock | Holder:
    """Return the lock, or its holder. Doesn't wait (0.1 s at most, for readers or a holder that is just ending)."""
    private_folder(path.parent)
    for attempt in range(_TRIES):
        if attempt:  # a reader, or a holder at its start or end
            time.sleep(_PAUSE)
        try:
            found = _attempt(path, holder)
        except OSError as error:
            raise LockError(f"the lock {path} can't be used: {because(error)}") from error
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


def reacquire(lock: FileLock, me: Holder) -> Holder | None:
    """Acquire a lock again whose file was deleted or moved, so that others see this holder. Return the other holder if
    it is taken there, or None. Raises LockError, PathsError."""
    if lock.descriptor < 0 or _is_at(lock.descriptor, lock.path):
        return None
    found = acquire(lock.path, me)
    if isinstance(found, Holder):
        return found
    old, lock.descriptor = lock.descriptor, found.descriptor
    os.close(old)
    return None


def holder(path: Path) -> Holder | None:
    """Return the present holder; None if there is none. Reads only."""
    try:
        descriptor = private_open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LockError(f"the lock {path} can't be read: {because(error)}") from error
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
            f"the lock {path} can't be used: {because(error)}; "
            "put the data folder on a disk that supports locks (JP_TUI_HOME or XDG_DATA_HOME)"
        ) from error
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """True if the locked file is still the one at that path (it may have been deleted)."""
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
    """True if the entry is credible: always on another host, here if its process runs."""
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

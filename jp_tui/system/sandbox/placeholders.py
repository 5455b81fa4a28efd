"""Empty folders that reserve missing paths in a workspace while commands run.

A mount can't protect a missing path; an empty folder can. Every call has a shared lock on one file for its workspace,
which lists the folders made. The last holder of the lock removes those still empty: usually the keeper process
(`child_keeper.py`), which also outlives a killed jp-tui; after a power failure, the next call.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterable, Iterator

_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES, _PAUSE = 500, 0.002


def acquire(folder: str, root: str) -> int:
    """Return a descriptor with the lock for the workspace `root`. `folder` exists and is private. Raises OSError."""
    import hashlib  # the keeper process doesn't need it

    path = os.path.join(folder, hashlib.sha256(os.fsencode(root)).hexdigest()[:32])
    for _ in range(_TRIES):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if _is_at(descriptor, path):
                return descriptor
        os.close(descriptor)  # another process is removing it
        time.sleep(_PAUSE)
    raise BlockingIOError(11, "another process doesn't release its lock", path)


def listed(descriptor: int) -> set[str]:
    """Return every path that was made, or was about to be."""
    size = os.fstat(descriptor).st_size
    return {os.fsdecode(one) for one in os.pread(descriptor, size, 0).split(b"\0") if one}


def make(descriptor: int, paths: Iterable[str]) -> None:
    """Make each folder with its missing parents, after listing it. Absolute paths without links. Raises OSError."""
    for path in paths:
        missing = [path]
        while not os.path.lexists(os.path.dirname(missing[-1])):
            missing.append(os.path.dirname(missing[-1]))
        for one in reversed(missing):
            os.write(descriptor, os.fsencode(one) + b"\0")
            with contextlib.suppress(FileExistsError), _opened(os.path.dirname(one)) as above:
                os.mkdir(os.path.basename(one), 0o755, dir_fd=above)


def release(descriptor: int) -> None:
    """Close it. The last holder removes the folders that are still empty."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for path in sorted(listed(descriptor), reverse=True):
            with contextlib.suppress(OSError), _opened(os.path.dirname(path)) as above:
                os.rmdir(os.path.basename(path), dir_fd=above)
        with contextlib.suppress(OSError):
            os.unlink(os.readlink(f"/proc/self/fd/{descriptor}"))
    except OSError:
        pass  # another call still runs there and will do it
    finally:
        os.close(descriptor)


def sweep(folder: str) -> None:
    """Remove leftovers of finished calls: after a power failure, or if all processes were killed at once."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if len(name) == 32:
                with contextlib.suppress(OSError):
                    release(os.open(os.path.join(folder, name), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC))


@contextlib.contextmanager
def _opened(folder: str) -> Iterator[int]:
    """Open a folder without following any link. Raises OSError."""
    here = os.open("/", _STEP)
    try:
        for step in folder.strip("/").split("/"):
            if step:
                there = os.open(step, _STEP, dir_fd=here)
                os.close(here)
                here = there
        yield here
    finally:
        os.close(here)


def _is_at(descriptor: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False

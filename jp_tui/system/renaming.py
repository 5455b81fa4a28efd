"""Rename without replacing: atomic if the system supports it, else through a second name."""

from __future__ import annotations

import errno
import functools
import os
import stat
import sys
from collections.abc import Callable

_NOREPLACE = 1


def rename_new(source: str, target: str, source_folder: int, target_folder: int) -> None:
    """Rename, never over an existing entry: OSError EEXIST. Atomic if the system supports it."""
    rename = _renameat2()
    if rename is not None:
        code = rename(source_folder, os.fsencode(source), target_folder, os.fsencode(target), _NOREPLACE)
        if code == 0:
            return
        if code not in (errno.ENOSYS, errno.EINVAL, errno.EPERM):
            raise OSError(code, os.strerror(code))
    rename_new_portably(source, target, source_folder, target_folder)


def rename_new_portably(source: str, target: str, source_folder: int, target_folder: int) -> None:
    """Do the same with a hard link for a file; for a folder check first, which leaves a race."""
    if stat.S_ISDIR(os.stat(source, dir_fd=source_folder, follow_symlinks=False).st_mode):
        try:
            os.stat(target, dir_fd=target_folder, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)
            return
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.link(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder, follow_symlinks=False)
    os.unlink(source, dir_fd=source_folder)


@functools.cache
def _renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return `renameat2` of the C library, which returns 0 or the errno; None if it lacks it."""
    if sys.platform != "linux":
        return None
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return None

    def attempt(source_folder: int, source: bytes, target_folder: int, target: bytes, flags: int) -> int:
        done = call(source_folder, source, target_folder, target, ctypes.c_uint(flags))
        return 0 if done == 0 else ctypes.get_errno()

    return attempt

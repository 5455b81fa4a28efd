"""Regular files by descriptor: check the type, open the current one, copy attributes, sync a rename."""

from __future__ import annotations

import contextlib
import os
import stat

from jp_tui.system.problem import FileProblem

READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Flags that prevent a blocking open and a controlling terminal."""


def regular(descriptor: int, path: str) -> os.stat_result:
    """Return fstat of a regular file. Raises FileProblem for anything else."""
    there = os.fstat(descriptor)
    if stat.S_ISDIR(there.st_mode):
        raise FileProblem("is_directory", path, "is a folder")
    if not stat.S_ISREG(there.st_mode):
        raise FileProblem("not_a_file", path, "is not a regular file")
    return there


def current(folder: int, name: str, path: str) -> int | None:
    """Open the regular file that is currently there; None if there is none. Links aren't followed."""
    try:
        descriptor = os.open(name, READ | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        regular(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def dress(descriptor: int, old: int) -> None:
    """Give a copy the owner, mode and attributes of the old file, as far as permitted."""
    was, now = os.fstat(old), os.fstat(descriptor)
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, was.st_uid, was.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(was.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for attribute in os.listxattr(old):
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, attribute, os.getxattr(old, attribute))


def sync(folder: int) -> None:
    """Make a rename durable; skip a folder that can't be opened for reading."""
    with contextlib.suppress(PermissionError):
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

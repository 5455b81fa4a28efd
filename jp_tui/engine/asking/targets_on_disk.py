"""Disk lookups for `named_targets`: links, case, hard links.

Read-only. An inaccessible path is taken as written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import lru_cache


class OnDisk:
    """For one check: results are cached. `there`: an entry with this name exists, also a link; `is_folder`: a folder
    exists, links followed."""

    def __init__(self) -> None:
        self.there = lru_cache(maxsize=None)(os.path.lexists)
        self.real = lru_cache(maxsize=None)(_real)
        self.is_folder = lru_cache(maxsize=None)(os.path.isdir)
        self.twin = lru_cache(maxsize=None)(_twin)

    def folds(self, path: str) -> bool:
        """True if the file system ignores case there, detected by any part of the path that is also found with its case
        swapped."""
        while (folder := os.path.dirname(path)) != path:
            name = os.path.basename(path)
            if name.swapcase() != name and _same(os.path.join(folder, name.swapcase()), path):
                return True
            path = folder
        return False

    def names(self, folder: str) -> Iterator[str]:
        """Iterate over a folder's entries; empty if it is unreadable."""
        try:
            yield from os.listdir(folder)
        except (OSError, ValueError):
            return


def _real(path: str) -> str:
    """Return an absolute path after links, as far as it exists; a leading `~` is a home folder."""
    try:
        return os.path.realpath(os.path.expanduser(path))
    except (OSError, ValueError):
        return path


def _twin(path: str) -> tuple[int, int] | None:
    """Return an identity shared by all names of a file; None for a file with one name, and for anything else."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode) else None


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False

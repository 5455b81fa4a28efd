"""What taking a change back needs beyond the file layer: links as they were, and permission bits.

Beneath the same root and by the same rules as `files.Root`. Decides nothing about what is taken back.
"""

from __future__ import annotations

import os
import stat

from jp_tui.system.files import FileProblem, Root
from jp_tui.system.problem import problem
from jp_tui.system.regular import READ, sync


class RestoringRoot(Root):
    """See `files.Root`."""

    def __enter__(self) -> RestoringRoot:
        return self

    def make_link(self, path: str, target: bytes) -> None:
        """A symbolic link where nothing stands; FileProblem `exists` when something does."""
        with self._locate_folder(path) as place:
            if place.name is None:
                raise FileProblem("is_directory", path, "is a folder")
            try:
                os.symlink(target, place.name, dir_fd=place.folder)
            except OSError as error:
                raise problem(error, path) from error
            sync(place.folder)

    def set_mode(self, path: str, mode: int) -> None:
        """The permission bits of a regular file; no others than `0777` are ever set."""
        descriptor, _ = self._open(path, READ | os.O_NOFOLLOW)
        try:
            there = os.fstat(descriptor)
            if stat.S_ISREG(there.st_mode) and stat.S_IMODE(there.st_mode) & 0o777 != mode & 0o777:
                os.fchmod(descriptor, mode & 0o777)
        except OSError as error:
            raise problem(error, path) from error
        finally:
            os.close(descriptor)

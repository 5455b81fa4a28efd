"""Operations for undo beyond the file layer: restore links and permission bits.

Same root and rules as `files.Root`. Decides nothing about what is restored.
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
        """Make a symbolic link at a free path. Raises FileProblem `exists`."""
        with self._locate_folder(path) as place:
            if place.name is None:
                raise FileProblem("is_directory", path, "is a folder")
            try:
                os.symlink(target, place.name, dir_fd=place.folder)
            except OSError as error:
                raise problem(error, path) from error
            sync(place.folder)

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a regular file, only those of `0777`."""
        descriptor, _ = self._open(path, READ | os.O_NOFOLLOW)
        try:
            there = os.fstat(descriptor)
            if stat.S_ISREG(there.st_mode) and stat.S_IMODE(there.st_mode) & 0o777 != mode & 0o777:
                os.fchmod(descriptor, mode & 0o777)
        except OSError as error:
            raise problem(error, path) from error
        finally:
            os.close(descriptor)

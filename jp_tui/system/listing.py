"""Walk a folder: sorted, bounded, never through a link. Folders are opened only by the given function."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from jp_tui.system.problem import FileProblem, problem

EntryKind = Literal["file", "folder", "link", "other"]


@dataclass(frozen=True, slots=True)
class DirEntry:
    """Entry of a folder; `path` from the root. Names are unchanged from the disk, so untrusted text."""

    path: str
    kind: EntryKind


class FolderListing:
    """Entries below a folder, read lazily.

    Iterate once. Afterwards `truncated` tells whether a limit (entries, depth) was reached, `problems` lists unreadable
    folders.
    """

    def __init__(
        self,
        start: str,
        enter: Callable[[str], int],
        skip: Callable[[str, bool], bool] | None,
        limit: int,
        depth: int,
    ) -> None:
        self.truncated = False
        self.problems: list[FileProblem] = []
        self._start = start
        self._enter = enter
        self._skip = skip
        self._left = limit
        self._depth = depth

    def __iter__(self) -> Iterator[DirEntry]:
        waiting: list[tuple[Iterator[DirEntry], int]] = [(self._folder(self._start), 1)]
        while waiting:
            entries, depth = waiting[-1]
            entry = next(entries, None)
            if entry is None:
                waiting.pop()
                continue
            if self._left <= 0:
                self.truncated = True
                return
            self._left -= 1
            yield entry
            if entry.kind == "folder":
                if depth < self._depth:
                    waiting.append((self._folder(entry.path), depth + 1))
                else:
                    self.truncated = True

    def _folder(self, path: str) -> Iterator[DirEntry]:
        """Iterate over the entries of one folder by name, within the limit."""
        try:
            descriptor = self._enter(path)
        except FileProblem as trouble:
            self.problems.append(trouble)
            return iter(())
        try:
            with os.scandir(descriptor) as found:
                wanted = (one for one in (self._entry(path, item) for item in found) if one is not None)
                return iter(heapq.nsmallest(self._left + 1, wanted, key=lambda one: one.path))
        except OSError as error:
            self.problems.append(problem(error, path))
            return iter(())
        finally:
            os.close(descriptor)

    def _entry(self, folder: str, item: os.DirEntry[str]) -> DirEntry | None:
        path = item.name if folder == "." else f"{folder}/{item.name}"
        is_folder = item.is_dir(follow_symlinks=False)
        if self._skip is not None and self._skip(path, is_folder):
            return None
        if is_folder:
            return DirEntry(path, "folder")
        if item.is_symlink():
            return DirEntry(path, "link")
        return DirEntry(path, "file" if item.is_file(follow_symlinks=False) else "other")

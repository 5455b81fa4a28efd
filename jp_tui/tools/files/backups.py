"""Backups of files before a tool changes them (issue 8, 7), and the root that makes them.

File tools use a `BackupRoot` instead of a Root: every write, move and delete goes through it, so no tool can forget the
backup. If the backup fails, the change is refused. Files over the size limit are recorded without content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from jp_tui.system.files import FileProblem, Root, WrittenFile, sha256
from jp_tui.system.problem import problem


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """Content of a path: nothing, a file or a link (`data` is its target). `data` is None if unknown: the file exceeds
    the backup limit, or only its hash is stored. `size` in bytes, `mode` the permission bits."""

    kind: Literal["absent", "file", "link"]
    data: bytes | None = None
    sha256: str = ""
    size: int = 0
    mode: int = 0


ABSENT = FileSnapshot("absent")


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """Real path with its current and its future content."""

    path: str
    before: FileSnapshot
    after: FileSnapshot


class Copies(Protocol):
    """Destination of backups; files up to `most` bytes are copied."""

    @property
    def most(self) -> int: ...

    def keep(self, root: str, changes: Sequence[PlannedChange]) -> Callable[[], None]:
        """Back up these files durably before they change together. Call the returned function if they weren't changed
        after all. Raises CopyFailed."""


class CopyFailed(FileProblem):
    """The backup failed, so nothing was changed."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__("io", path, f"was not changed, because no copy of it could be kept for /undo ({why})")


def snapshot_of(root: Root, real: str, most: int) -> FileSnapshot | None:
    """Return the content of a real path without following links; None if it is neither file nor link. Raises
    FileProblem."""
    try:
        there = root.stat(real, follow=False)
    except FileProblem as gone:
        if gone.kind != "not_found":
            raise
        return ABSENT
    if there.kind == "link":
        data = os.fsencode(there.link or "")
        return FileSnapshot("link", data, sha256(data), len(data), there.mode)
    if there.kind != "file":
        return None
    found = root.read(real, most)
    if found.truncated:
        return FileSnapshot("file", None, "", found.size, found.mode)
    return FileSnapshot("file", found.data, found.sha256, found.size, found.mode)


class BackupRoot(Root):
    """Root that backs up files before it changes them."""

    def __init__(
        self, path: str | os.PathLike[str], copies: Copies, *, hidden: Callable[[str, bool], str] | None = None
    ) -> None:
        super().__init__(os.fspath(path), hidden=hidden)
        self._copies = copies

    @contextmanager
    def _kept(self, *paths: tuple[str, FileSnapshot | None]) -> Iterator[None]:
        """Back up around one change: each path with its future content, None for the present content of the first
        path."""
        found = [snapshot_of(self, path, self._copies.most) for path, _ in paths]
        undo: Callable[[], None] = lambda: None  # noqa: E731
        if all(one is not None for one in found):  # otherwise the change itself reports the problem
            pairs = zip(paths, found, strict=True)
            changes = [
                PlannedChange(path, before, after or found[0] or ABSENT)
                for (path, after), before in pairs
                if before is not None
            ]
            undo = self._copies.keep(self.path, changes)
        try:
            yield
        except BaseException:
            undo()
            raise

    def write(self, path: str, data: bytes, *, expect_sha256: str | None) -> WrittenFile:
        try:
            with self._locate(path, follow=True) as place:
                real = place.real
        except OSError as error:
            raise problem(error, path) from error
        after = FileSnapshot("file", data, sha256(data), len(data))
        with self._kept((real, after)):
            return super().write(path, data, expect_sha256=expect_sha256)

    def move(
        self,
        source: str,
        target: str,
        *,
        overwrite: bool = False,
        expect_sha256: str | None = None,
        expect_target_sha256: str | None = None,
    ) -> str:
        with self._locate_folder(source) as here, self._locate_folder(target) as there:
            ends = here.real, there.real
        with self._kept((ends[0], ABSENT), (ends[1], None)):
            return super().move(
                source,
                target,
                overwrite=overwrite,
                expect_sha256=expect_sha256,
                expect_target_sha256=expect_target_sha256,
            )

    def delete(self, path: str, *, expect_sha256: str | None = None) -> None:
        with self._locate_folder(path) as place:
            real = place.real
        with self._kept((real, ABSENT)):
            super().delete(path, expect_sha256=expect_sha256)

"""The layer for all files under a workspace's root (traps.md T11-T13): read, write, move, delete, make folders.

All access is below one open folder; regular files only; a change is atomic and applies only to the bytes it was made
for. No questions, no policy, no line endings or encodings.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jp_tui.system.listing import FolderListing
from jp_tui.system.paths import write_fully
from jp_tui.system.problem import FileProblem, display_path, problem
from jp_tui.system.regular import READ, current, dress, regular, sync
from jp_tui.system.renaming import rename_new
from jp_tui.system.rooted_open import OpenedPath, names, open_beneath, walk

__all__ = ["FileBytes", "FileProblem", "FolderListing", "Root", "StaleBase", "Stat", "WrittenFile", "sha256"]

_CHUNK = 1 << 20
_SNIFF = 8192


class StaleBase(FileProblem):
    """The file isn't the one that the change was made for: read it again (kind `changed`)."""

    def __init__(self, path: str, message: str = "changed since it was read; read it again") -> None:
        super().__init__("changed", path, message)


class HiddenFile(FileProblem):
    """The file is on an ignore list (AR41)."""

    def __init__(self, path: str, by: str) -> None:
        message = f"is on an ignore list ({by}), so it is neither read nor changed"
        super().__init__("permission", path, message)
        self.args = (f"{display_path(path)} {message}.",)


@dataclass(frozen=True, slots=True)
class FileBytes:
    """Content of a file: at most `limit` bytes, their hash, and the size of the whole file.

    `real` is the path from the root with links resolved; apply name rules to it. If `truncated`, the hash is that of
    the part, so a change based on it is refused.
    """

    path: str
    real: str
    data: bytes
    sha256: str
    mode: int
    size: int
    truncated: bool

    @property
    def binary(self) -> bool:
        """True if it isn't text: a NUL in the first 8 KiB."""
        return b"\0" in self.data[:_SNIFF]


@dataclass(frozen=True, slots=True)
class Stat:
    """Entry at a path. `link` is its target, only for `kind` link (links not followed)."""

    path: str
    real: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    mode: int
    mtime_ns: int
    link: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file after a change: its real path, its hash and permission bits."""

    path: str
    real: str
    sha256: str
    mode: int


class Root:
    """A folder and everything below it.

    Paths are relative to it and `/`-separated; all errors are FileProblem. It keeps one descriptor, so the folder may
    be renamed meanwhile. A context manager. `kernel=False` never uses openat2 (tests). `hidden(real path, is folder)`
    names the ignore list that hides an entry: it is as if it weren't there, and a HiddenFile if it is named (AR41).
    """

    def __init__(
        self, path: Path | str, *, kernel: bool = True, hidden: Callable[[str, bool], str] | None = None
    ) -> None:
        self.path = os.path.realpath(path)
        self._kernel, self._hidden = kernel, hidden
        with _words(str(path)):
            self._root = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Root:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor; may be called twice."""
        if self._root >= 0:
            os.close(self._root)
            self._root = -1

    def read(self, path: str, limit: int = 1 << 22) -> FileBytes:
        """Return the first `limit` bytes of a regular file."""
        with _words(path):
            descriptor, real = self._open(path, READ)
            try:
                there = regular(descriptor, path)
                data = bytearray()
                while len(data) <= limit and (more := os.read(descriptor, min(_CHUNK, limit + 1 - len(data)))):
                    data += more
            finally:
                os.close(descriptor)
        whole = bytes(data[:limit])
        size = max(there.st_size, len(data))
        mode = stat.S_IMODE(there.st_mode)
        return FileBytes(path, real, whole, sha256(whole), mode, size, len(data) > limit)

    def stat(self, path: str, *, follow: bool = True) -> Stat:
        """Return the entry at `path`. Raises FileProblem `not_found`."""
        with _words(path), self._locate(path, follow=follow) as place:
            if place.name is None:
                there = os.fstat(place.folder)
            else:
                there = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
            if stat.S_ISDIR(there.st_mode):
                self._refuse(path, place.real, folder=True)
            link = None
            if stat.S_ISLNK(there.st_mode) and place.name is not None:
                link = os.readlink(place.name, dir_fd=place.folder)
            mode = stat.S_IMODE(there.st_mode)
            return Stat(path, place.real, _kind(there), there.st_size, mode, there.st_mtime_ns, link)

    def walk(
        self,
        path: str = ".",
        *,
        skip: Callable[[str, bool], bool] | None = None,
        limit: int = 10_000,
        depth: int = 64,
    ) -> FolderListing:
        """List everything below a folder, sorted, parents first; links are listed but not entered.

        `skip(real path, is folder)` leaves out an entry and its content. At most `limit` entries.
        """

        def enter(folder: str) -> int:
            steps = [] if folder == "." else folder.split("/")
            flags = os.O_RDONLY | os.O_DIRECTORY
            with _words(folder):
                return open_beneath(self._root, self.path, steps, flags, kernel=self._kernel)[0]

        start = self.stat(path)
        if start.kind != "folder":
            raise FileProblem("not_a_directory", path, "is not a folder")
        return FolderListing(start.real, enter, self._skipping(skip), limit, depth)

    def write(self, path: str, data: bytes, *, expect_sha256: str | None) -> WrittenFile:
        """Make a file contain exactly `data`, durably and atomically, with its mode, owner and attributes.

        `expect_sha256` is the hash of its present content, compared at the last moment (StaleBase); None means that it
        must not exist (kind `exists`). Links are followed. The folder must exist.
        """
        with _words(path), self._locate(path, follow=True) as place:
            name = _name(place, path)
            spare = f".jp-tui-{os.urandom(8).hex()}.tmp"
            try:
                mode = self._fill(spare, place, path, data, fresh=expect_sha256 is None)
                if expect_sha256 is None:
                    rename_new(spare, name, place.folder, place.folder)
                else:
                    _unchanged(place, path, expect_sha256)
                    os.rename(spare, name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(spare, dir_fd=place.folder)
                raise
            sync(place.folder)
            return WrittenFile(path, place.real, sha256(data), mode)

    def _fill(self, spare: str, place: OpenedPath, path: str, data: bytes, *, fresh: bool) -> int:
        """Write the temporary file beside the target with the target's attributes; return its permission bits."""
        old = current(place.folder, _name(place, path), path)
        try:
            if fresh and old is not None:
                raise FileProblem("exists", path, "exists already")
            if not fresh and old is None:
                raise StaleBase(path, "is gone since it was read")
            if old is not None and not os.fstat(old).st_mode & 0o222:
                raise FileProblem("permission", path, "is marked read-only")
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            # a new file gets the user's umask; the copy of an old one is private until it has its attributes
            descriptor = os.open(spare, flags, 0o666 if old is None else 0o600, dir_fd=place.folder)
            try:
                if old is not None:
                    dress(descriptor, old)
                write_fully(descriptor, data)
                os.fsync(descriptor)
                return stat.S_IMODE(os.fstat(descriptor).st_mode)
            finally:
                os.close(descriptor)
        finally:
            if old is not None:
                os.close(old)

    def move(
        self,
        source: str,
        target: str,
        *,
        overwrite: bool = False,
        expect_sha256: str | None = None,
        expect_target_sha256: str | None = None,
    ) -> str:
        """Rename within the root; return the target's real path.

        Links are moved, not followed. Without `overwrite` the target must not exist; a folder is never replaced. The
        given hashes are compared at the last moment (StaleBase). The target's folder must exist (`not_found`).
        """
        with self._locate_folder(source) as here, self._locate_folder(target) as there:
            old, new = _name(here, source), _name(there, target)
            with _words(source):
                os.stat(old, dir_fd=here.folder, follow_symlinks=False)
                if expect_sha256 is not None:
                    _unchanged(here, source, expect_sha256)
            with _words(target):
                if overwrite:
                    self._replaceable(there, target, expect_target_sha256)
                    os.rename(old, new, src_dir_fd=here.folder, dst_dir_fd=there.folder)
                else:
                    rename_new(old, new, here.folder, there.folder)
                sync(there.folder)
                sync(here.folder)
            return there.real

    def _replaceable(self, place: OpenedPath, path: str, expect: str | None) -> None:
        try:
            there = os.stat(_name(place, path), dir_fd=place.folder, follow_symlinks=False)
        except FileNotFoundError:
            if expect is not None:
                raise StaleBase(path, "is gone since it was read") from None
            return
        if stat.S_ISDIR(there.st_mode):
            raise FileProblem("is_directory", path, "is a folder; name the whole target path")
        if expect is not None:
            _unchanged(place, path, expect)

    def delete(self, path: str, *, expect_sha256: str | None = None) -> None:
        """Delete a file or a link (not its target, never a folder).

        `expect_sha256`, if given, is the hash of its content, for a link of its target's text, compared at the last
        moment (StaleBase).
        """
        with _words(path), self._locate_folder(path) as place:
            name = _name(place, path)
            if stat.S_ISDIR(os.stat(name, dir_fd=place.folder, follow_symlinks=False).st_mode):
                raise FileProblem("is_directory", path, "is a folder; only files are deleted")
            if expect_sha256 is not None:
                _unchanged(place, path, expect_sha256)
            os.unlink(name, dir_fd=place.folder)
            sync(place.folder)

    def mkdirs(self, path: str) -> list[str]:
        """Make the folder with its missing parents; return the real paths that were made, outermost first."""
        made: list[str] = []
        steps = names(path, self.path)
        for count in range(1, len(steps) + 1):
            part = steps[:count]
            self._refuse(path, "/".join(part), folder=True)
            with _words(path), walk(self._root, self.path, part, follow=True) as place:
                if place.name is None:
                    continue
                try:
                    os.mkdir(place.name, 0o777, dir_fd=place.folder)
                    made.append(place.real)
                    sync(place.folder)
                except FileExistsError:
                    there = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
                    if not stat.S_ISDIR(there.st_mode):
                        raise FileProblem(
                            "not_a_directory", path, f"{display_path('/'.join(part))} is no folder"
                        ) from None
        return made

    def _open(self, path: str, flags: int) -> tuple[int, str]:
        steps = names(path, self.path)
        self._refuse(path, "/".join(steps))
        descriptor, real = open_beneath(self._root, self.path, steps, flags, kernel=self._kernel)
        try:
            self._refuse(path, real)
        except FileProblem:
            os.close(descriptor)
            raise
        return descriptor, real

    def _locate(self, path: str, *, follow: bool) -> OpenedPath:
        steps = names(path, self.path)
        self._refuse(path, "/".join(steps))
        place = walk(self._root, self.path, steps, follow=follow)
        try:
            self._refuse(path, place.real)
        except FileProblem:
            with place:
                raise
        return place

    def _refuse(self, path: str, real: str, *, folder: bool = False) -> None:
        """Raise HiddenFile for what an ignore list hides."""
        if self._hidden is not None and real not in ("", ".") and (by := self._hidden(real, folder)):
            raise HiddenFile(path, by)

    def _skipping(self, skip: Callable[[str, bool], bool] | None) -> Callable[[str, bool], bool] | None:
        hidden = self._hidden
        if hidden is None:
            return skip
        return lambda path, folder: bool(hidden(path, folder)) or (skip is not None and skip(path, folder))

    def _locate_folder(self, path: str) -> OpenedPath:
        with _words(path):
            return self._locate(path, follow=False)


@contextlib.contextmanager
def _words(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise problem(error, path) from error


def _name(place: OpenedPath, path: str) -> str:
    if place.name is None:
        raise FileProblem("is_directory", path, "is a folder")
    return place.name


def _kind(there: os.stat_result) -> Literal["file", "folder", "link", "other"]:
    mode = there.st_mode
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "other"


def sha256(data: bytes) -> str:
    """Return the hash that a change is based on, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _unchanged(place: OpenedPath, path: str, expect: str) -> None:
    """Raise StaleBase unless the entry has this hash: the last check before a change."""
    name = _name(place, path)
    try:
        descriptor = current(place.folder, name, path)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EMLINK):
            raise
        if sha256(os.fsencode(os.readlink(name, dir_fd=place.folder))) != expect:
            raise StaleBase(path) from None
        return
    if descriptor is None:
        raise StaleBase(path, "is gone since it was read")
    with open(descriptor, "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != expect:
            raise StaleBase(path)

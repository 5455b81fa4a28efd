"""Locations of jp-tui's own files (surface.md S10), and creation of private files and folders.

Folders have mode 0700 and files 0600, whatever the umask. Querying a location creates nothing. Modes of existing
folders change only if they are jp-tui's.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "jp-tui"
_FOLDER, _FILE = 0o700, 0o600
_DEFAULTS = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}


class PathsError(Exception):
    """Folder or file that can't be used; `str(error)` is a message for stderr and exit 2 (S1)."""


def because(error: OSError) -> str:
    """Return the system's own reason ("Permission denied"), without errno and path."""
    return error.strerror or type(error).__name__


@dataclass(frozen=True, slots=True)
class Paths:
    """The four folders of a user, absolute; they need not exist."""

    config: Path
    data: Path
    state: Path
    cache: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Paths:
        """Return them by the XDG variables, or all four under `JP_TUI_HOME`. Raises PathsError if there is no home
        folder."""
        own = environment.get("JP_TUI_HOME", "")
        if own:
            home = Path(_absolute(own))
            return cls(home / "config", home / "data", home / "state", home / "cache")
        config, data, state, cache = (_xdg(environment, name) for name in _DEFAULTS)
        return cls(config, data, state, cache)

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def keys_file(self) -> Path:
        return self.config / "keys.toml"

    @property
    def themes(self) -> Path:
        return self.config / "themes"

    @property
    def database(self) -> Path:
        return self.data / "conversations.db"

    @property
    def locks(self) -> Path:
        return self.data / "locks"

    @property
    def undo(self) -> Path:
        return self.state / "undo"

    def prepare(self) -> None:
        """Make the folders required for a start (data, locks, state). Raises PathsError."""
        for folder in (self.data, self.locks, self.state):
            private_folder(folder)


def _absolute(path: str) -> str:
    try:
        return os.path.abspath(os.path.expanduser(path))
    except OSError as error:
        raise PathsError(
            f"the current folder can't be found: {because(error)}. Enter an absolute path or change the folder"
        ) from error


def _xdg(environment: Mapping[str, str], name: str) -> Path:
    given = environment.get(name, "")
    if os.path.isabs(given):  # the XDG rules: a relative path is not valid and is ignored
        return Path(given) / NAME
    home = environment.get("HOME", "") or os.path.expanduser("~")
    if not os.path.isabs(home):
        raise PathsError("no home folder found. Set HOME, or set JP_TUI_HOME to a folder")
    return Path(home) / _DEFAULTS[name] / NAME


def private_folder(folder: Path) -> Path:
    """Make `folder` (and missing parents) 0700; tighten an existing one if owned. Raises PathsError if unusable."""
    try:
        missing = [folder]
        while not os.path.lexists(missing[-1].parent):
            missing.append(missing[-1].parent)
        for one in reversed(missing):
            _make(one)
        there = os.stat(folder)
        if there.st_uid == os.geteuid() and there.st_mode & 0o077:
            os.chmod(folder, there.st_mode & _FOLDER)
    except OSError as error:
        raise PathsError(f"can't create the folder {folder}: {because(error)} ({error.filename})") from error
    if not folder.is_dir():
        raise PathsError(f"{folder} isn't a folder. Move it or set JP_TUI_HOME")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PathsError(f"the folder {folder} can't be read and written. Check its owner and mode")
    return folder


def _make(folder: Path) -> None:
    try:
        os.mkdir(folder, _FOLDER)
    except FileExistsError:
        return  # it exists, or another jp-tui process was faster
    os.chmod(folder, _FOLDER)


def private_open(path: Path, flags: int) -> int:
    """Open a private file, made 0600 and never through a link. Raises OSError as `os.open`."""
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, _FILE)
    try:
        if flags & os.O_CREAT and os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, _FILE)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def write_fully(descriptor: int, data: bytes) -> None:
    """Write all of `data`, also after partial writes (T13). Raises OSError if no more is accepted."""
    left = memoryview(data)
    while left:
        written = os.write(descriptor, left)
        if written == 0:
            raise OSError(28, os.strerror(28))
        left = left[written:]


def write_private(path: Path, data: bytes) -> None:
    """Replace a private file atomically: readers see the old or the new one, also after a power failure.

    Raises PathsError on failure; the old file is then unchanged, or, if only the last sync failed, completely replaced.
    """
    private_folder(path.parent)
    _replace(Path(os.path.realpath(path)), data, lasting=True)  # a linked configuration stays linked


def write_passing(path: Path, data: bytes) -> None:
    """As `write_private`, for data that is harmless to lose: without waiting for the disk, in an existing folder."""
    _replace(path, data, lasting=False)


def _replace(path: Path, data: bytes, *, lasting: bool) -> None:
    spare = path.with_name(f".{path.name[:80]}.{os.urandom(6).hex()}.tmp")
    try:
        descriptor = private_open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_fully(descriptor, data)
            if lasting:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(spare, path)
        if lasting:
            _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):  # already gone, or the disk accepts no changes
            spare.unlink()
        raise PathsError(f"can't write {path}: {because(error)}") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def workspace_root(given: str | None = None) -> Path:
    """Return the workspace's folder, absolute with links resolved, so that every path to it gives the same result.

    `given` as typed, or None for the current folder. Raises PathsError if it can't be read.
    """
    asked = _absolute(given or ".")
    try:
        root = os.path.realpath(asked)
        with os.scandir(root) as entries:
            next(entries, None)
    except ValueError as error:  # a NUL in the path
        raise PathsError(f"the workspace {asked!r} isn't a valid path") from error
    except OSError as error:
        raise PathsError(f"the workspace {asked} can't be read: {because(error)}") from error
    if not os.access(root, os.X_OK):
        raise PathsError(f"the workspace {asked} can't be entered: Permission denied")
    return Path(root)

"""Bounded store of file contents by hash: folders 0700, files 0600, each durable before `put` returns.

Beyond the size or age limit, the oldest entries are removed first; putting an entry again renews it. `get` returns
exactly what was put, or nothing. Doesn't know the purpose of the contents.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from jp_tui.system.files import sha256
from jp_tui.system.paths import private_folder, write_private

_NAME = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """At most `most` bytes in `folder`, nothing older than `seconds`. Raises PathsError if it can't be written."""

    def __init__(self, folder: Path, *, most: int, seconds: float) -> None:
        self._folder, self._most, self._seconds = folder, most, seconds
        self._size: int | None = None

    def put(self, data: bytes, now: float) -> str:
        """Store the data and return its SHA-256. `now` in seconds since 1970."""
        name = sha256(data)
        path = self._path(name)
        if self.get(name) is not None:
            os.utime(path, (now, now))
            return name
        private_folder(self._folder)
        write_private(path, data)
        os.utime(path, (now, now))
        if self._size is not None:
            self._size += len(data)
        if self._size is None or self._size > self._most:
            self.prune(now, keep=name)
        return name

    def get(self, name: str) -> bytes | None:
        """Return the data with that hash; None if it is missing or damaged."""
        if _NAME.fullmatch(name) is None:
            return None
        try:
            data = self._path(name).read_bytes()
        except OSError:
            return None
        return data if sha256(data) == name else None

    def holds(self, name: str) -> bool:
        """True if there is an entry with that hash, without reading it."""
        return _NAME.fullmatch(name) is not None and self._path(name).is_file()

    def prune(self, now: float, keep: str = "") -> None:
        """Remove entries that are too old, then the oldest until the rest fits; never remove `keep`."""
        found: list[tuple[float, int, Path]] = []
        for path in self._folder.glob("??/*"):
            with contextlib.suppress(OSError):
                there = path.stat()
                found.append((there.st_mtime, there.st_size, path))
        size = sum(one[1] for one in found)
        for at, bytes_, path in sorted(found):
            if size <= self._most and now - at <= self._seconds:
                break
            if path.name != keep:
                with contextlib.suppress(OSError):
                    path.unlink()
                    size -= bytes_
        self._size = size

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name

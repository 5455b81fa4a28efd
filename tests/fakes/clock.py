"""A clock in a file, which the test moves and workers of other processes read: schedules are due by it."""

from __future__ import annotations

import mmap
import struct
from datetime import UTC, datetime
from pathlib import Path


class Clock:
    """`now` is an aware datetime, and may be set."""

    def __init__(self, path: Path, now: datetime) -> None:
        self.path = path
        path.write_bytes(struct.pack("d", now.timestamp()))
        self._bytes = _mapped(str(path))

    @property
    def now(self) -> datetime:
        return _time(self._bytes)

    @now.setter
    def now(self, at: datetime) -> None:
        self._bytes[:8] = struct.pack("d", at.timestamp())


def follow(file: str) -> None:
    """Let this process's workers read it."""
    from jp_tui.startup.serving import command

    read = _mapped(file)
    command.utc_now = lambda: _time(read)


def _time(read: mmap.mmap) -> datetime:
    return datetime.fromtimestamp(struct.unpack("d", read[:8])[0], UTC)


def _mapped(path: str) -> mmap.mmap:
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), 8)

"""Read the pages of a SQLite file without SQLite, for a file that SQLite refuses.

Tolerant: content of a damaged page is checked against the file's bounds, and invalid data is skipped. The newest
committed image of a page in the write-ahead log replaces the one in the file. Read-only; it knows the file format
(sqlite.org/fileformat2.html), not jp-tui's tables.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TABLE_LEAF, INDEX_LEAF, INDEX_INNER = 0x0D, 0x0A, 0x02
PAGE_SIZES = frozenset(1 << power for power in range(9, 17))
USUAL = 4096
"""Default page size of SQLite since 2016."""
_MAGIC = b"SQLite format 3\0"
_LOG_MAGIC = (0x377F0682, 0x377F0683)
_LOG_HEAD, _FRAME_HEAD = 32, 24
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_MOST_COLUMNS = 64

Value = int | float | str | bytes | None
KEPT: list[int] = []
"""Descriptors that are never closed: closing one drops SQLite's locks on that file in this process."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Row of a leaf: its rowid (0 in an index) and its columns. `cut`: a part is missing, `columns` are the rest."""

    rowid: int
    columns: tuple[Value, ...]
    cut: bool


class DatabasePages:
    """Pages of one file and its log, either of which may be missing."""

    def __init__(self, file: Path, log: Path) -> None:
        """Raises OSError for an existing file that can't be read."""
        self._file, self._length = _opened(file)
        self._log, self._log_length = _opened(log)
        head = self._read(self._file, 0, 100).ljust(100, b"\0")
        self.headed = head[:16] == _MAGIC
        log_head = self._read(self._log, 0, _LOG_HEAD)
        self.size = _page_size(head, log_head)
        reserved = head[20] if self.headed and head[20] < 64 else 0
        self.usable = self.size - reserved
        self._frames, self._stale = self._logged(log_head)
        self._count = -(-self._length // self.size)
        self._left = (1 << 20) + 4 * (self._length + self._log_length)
        """Limit of row bytes to read: a sound file has each byte once, a hostile one could repeat all bytes in each
        row."""

    def numbers(self) -> Iterator[int]:
        """Iterate over all page numbers, from 1."""
        yield from range(1, self._count + 1)
        yield from sorted(number for number in self._frames if number > self._count)

    def page(self, number: int) -> bytes:
        """Return the newest committed image of a page, from 1; empty if there is none, shorter if truncated."""
        if (frame := self._frames.get(number)) is not None:
            return self._read(self._log, frame, self.size)
        return self._main(number)

    def superseded(self) -> Iterator[bytes]:
        """Iterate over older images of pages: from the file if the log has a newer one, and earlier ones in the log."""
        for number in self._frames:
            yield self._main(number)
        for offset in self._stale:
            yield self._read(self._log, offset, self.size)

    def free(self) -> set[int]:
        """Return the free pages, as far as their list is readable."""
        found: set[int] = set()
        head = self.page(1)
        trunk = _int(head, 32) if head[:16] == _MAGIC else 0
        while self._further(trunk) and trunk not in found:
            found.add(trunk)
            page = self.page(trunk)
            leaves = min(_int(page, 4), self.usable // 4 - 2)
            found.update(filter(self._further, (_int(page, 8 + 4 * at) for at in range(leaves))))
            trunk = _int(page, 0)
        return found

    def _further(self, number: int) -> bool:
        """True for any page but the first."""
        return 1 < number <= self._count or (number > 1 and number in self._frames)

    def cells(self, page: bytes, *, first: bool = False) -> Iterator[Cell]:
        """Iterate over the rows of a leaf of a table or an index, or of an index's inner page; nothing for other pages.
        `first`: page 1, which begins with the file header."""
        at = 100 if first else 0
        if len(page) < at + 12 or page[at] not in (TABLE_LEAF, INDEX_LEAF, INDEX_INNER):
            return
        kind, head = page[at], at + (12 if page[at] == INDEX_INNER else 8)
        count = page[at + 3] << 8 | page[at + 4]
        for slot in range(min(count, (len(page) - head) // 2)):
            offset = page[head + 2 * slot] << 8 | page[head + 2 * slot + 1]
            if head + 2 * count <= offset < self.usable and (cell := self._cell(page, kind, offset)) is not None:
                yield cell

    def _cell(self, page: bytes, kind: int, at: int) -> Cell | None:
        try:
            at += 4 if kind == INDEX_INNER else 0
            size, at = _varint(page, at)
            rowid = 0
            if kind == TABLE_LEAF:
                rowid, at = _varint(page, at)
                rowid -= (rowid >> 63) << 64
        except IndexError:
            return None
        if not 0 < size <= self._length + self._log_length:
            return None
        payload = self._payload(page, at, min(size, self._left), self._local(size, kind))
        self._left -= len(payload)
        columns = _columns(payload, size)
        return None if columns is None else Cell(rowid, tuple(columns), len(payload) < size)

    def _local(self, size: int, kind: int) -> int:
        """Return how many bytes of a row are in its page; the rest is in overflow pages."""
        usable = self.usable
        most = usable - 35 if kind == TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return size
        least = (usable - 12) * 32 // 255 - 23
        fits = least + (size - least) % (usable - 4)
        return fits if fits <= most else least

    def _payload(self, page: bytes, at: int, size: int, local: int) -> bytes:
        """Return the bytes of a row, fewer if its chain of overflow pages is broken."""
        if size <= local:
            return page[at : min(at + size, self.usable)]
        if at + local + 4 > self.usable:
            return page[at : self.usable]
        pieces, left, following = [page[at : at + local]], size - local, _int(page, at + local)
        seen: set[int] = set()
        while left > 0 and self._further(following) and following not in seen:
            seen.add(following)
            further = self.page(following)
            following = _int(further, 0)
            if self._further(following) != (left > self.usable - 4):
                break  # not part of this chain: its last page has no successor
            pieces.append(further[4 : min(4 + left, self.usable)])
            left -= len(pieces[-1])
        return b"".join(pieces)

    def _main(self, number: int) -> bytes:
        return self._read(self._file, (number - 1) * self.size, self.size)

    def _logged(self, head: bytes) -> tuple[dict[int, int], list[int]]:
        """Return the offset of the newest committed image of each page, and those of all other images."""
        step = _FRAME_HEAD + self.size
        salts = head[16:24] if _int(head, 0) in _LOG_MAGIC else self._read(self._log, _LOG_HEAD + 8, 8)
        found: dict[int, int] = {}
        pending: dict[int, int] = {}
        stale: list[int] = []
        for offset in range(_LOG_HEAD, self._log_length - step + 1, step):
            frame = self._read(self._log, offset, _FRAME_HEAD)
            number, image = _int(frame, 0), offset + _FRAME_HEAD
            if not number or frame[8:16] != salts:
                stale.append(image)
                continue
            pending[number] = image
            if _int(frame, 4):  # the last frame of a commit
                stale += [found[page] for page in pending if page in found]
                found |= pending
                pending = {}
        return found, stale

    @staticmethod
    def _read(descriptor: int, offset: int, size: int) -> bytes:
        return os.pread(descriptor, size, offset) if descriptor >= 0 else b""


def log_covers(log: Path, size: int, has: int, pages: int) -> bool:
    """True if every page from `has` up to `pages` is in the log. It can be opened beside SQLite, which keeps no locks
    on it."""
    step = _FRAME_HEAD + size
    with contextlib.suppress(OSError), open(log, "rb", buffering=0) as file:
        descriptor, length = file.fileno(), os.fstat(file.fileno()).st_size
        if pages - has > length // step:
            return False
        missing = set(range(has + 1, pages + 1))
        for offset in range(_LOG_HEAD, length - step + 1, step):
            missing.discard(_int(os.pread(descriptor, 4, offset), 0))
        return not missing
    return False


def _opened(path: Path) -> tuple[int, int]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return -1, 0
    KEPT.append(descriptor)
    return descriptor, os.fstat(descriptor).st_size


def _page_size(head: bytes, log_head: bytes) -> int:
    named = []
    if head[:16] == _MAGIC:
        size = head[16] << 8 | head[17]
        named.append(1 << 16 if size == 1 else size)
    if _int(log_head, 0) in _LOG_MAGIC:
        named.append(_int(log_head, 8))
    return next((size for size in named if size in PAGE_SIZES), USUAL)


def _int(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of one to nine bytes; return it and the next position. Raises IndexError."""
    value = 0
    for _ in range(8):
        byte = data[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at
    return value << 8 | data[at], at + 1


def _columns(payload: bytes, size: int) -> list[Value] | None:
    """Decode the columns of a row, as far as present; None if its header is invalid."""
    try:
        head, at = _varint(payload, 0)
        if not at <= head <= min(len(payload), size):
            return None
        types: list[int] = []
        while at < head:
            kind, at = _varint(payload, at)
            types.append(kind)
            if len(types) > _MOST_COLUMNS:
                return None
    except IndexError:
        return None
    if at != head or head + sum(map(_length, types)) != size or any(kind in (10, 11) for kind in types):
        return None
    columns: list[Value] = []
    for kind in types:
        columns.append(_value(kind, payload[at : at + _length(kind)]))
        at += _length(kind)
    return columns


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return 8 if kind == 7 else _INTEGERS.get(kind, 0)


def _value(kind: int, data: bytes) -> Value:
    if kind >= 12:
        return data.decode("utf-8", "replace") if kind % 2 else data
    if kind in (8, 9):
        return kind - 8
    if len(data) < _length(kind) or kind == 0:
        return None
    if kind == 7:
        return float(struct.unpack(">d", data)[0])
    return int.from_bytes(data, "big", signed=True)

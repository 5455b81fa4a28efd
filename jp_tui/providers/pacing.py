"""Batch small stream chunks, up to 15 reads per second, because each read, and each frame that shows it, costs more
than many tokens.

The first chunks are read at once, and a fast stream is never delayed. Nothing is lost, reordered or buffered: unread
data waits in the network. Independent of wires.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from jp_tui.conversation.model import Delta, PartGrew

GULP = 1 / 15
"""Seconds between two reads of a long stream: more than between two frames or wake-ups of a front end, so that data
never waits for the next of those, and one is enough for it (designs.md B)."""
AT_ONCE = 8
"""Reads made at once before that, and again after a pause."""
MUCH = 16 * 1024
"""Bytes between two reads that mark a fast stream, which isn't delayed."""


class ReadPacer:
    """Reads the chunks of one response. Chunks that arrived with the previous one aren't delayed."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._loop = asyncio.get_running_loop()
        self._free, self._at = float(AT_ONCE), self._loop.time()
        self._pause, self._since, self._from_line = 0.0, 0, False

    async def next(self) -> bytes | None:
        """Return the next chunk, None at the end."""
        if self._pause:
            pause, self._pause = self._pause, 0.0
            await asyncio.sleep(pause)
        self._from_line = False
        mark = self._loop.call_soon(self._waited)  # only runs if the chunk isn't available yet
        chunk = await anext(self._chunks, None)
        mark.cancel()
        if self._from_line:
            self._read()
        self._since += len(chunk or b"")
        return chunk

    def _waited(self) -> None:
        self._from_line = True

    def _read(self) -> None:
        """Record a chunk from the network, and whether to delay the next read."""
        now, much, self._since = self._loop.time(), self._since >= MUCH, 0
        self._free, self._at = min(self._free + (now - self._at) / GULP, AT_ONCE) - 1, now
        if self._free < 0:
            self._pause, self._free = (0.0, 0.0) if much else (-self._free * GULP, self._free)


def joined(deltas: Iterable[Delta]) -> list[Delta]:
    """Merge neighbouring pieces of one part."""
    found: list[Delta] = []
    pieces: list[str] = []
    for delta in deltas:
        before = found[-1] if found else None
        if isinstance(delta, PartGrew) and isinstance(before, PartGrew) and before.index == delta.index:
            pieces = pieces or [before.text]
            pieces.append(delta.text)
            continue
        _close(found, pieces)
        pieces = []
        found.append(delta)
    _close(found, pieces)
    return found


def _close(found: list[Delta], pieces: list[str]) -> None:
    if pieces and isinstance(before := found[-1], PartGrew):
        found[-1] = PartGrew(before.index, "".join(pieces))

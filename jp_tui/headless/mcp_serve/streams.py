"""Standard input and output as lines of a bounded size, for the SDK's transport.

A client that doesn't read delays answers, never the end of input; a line that is too long is not stored, and refused as
one that isn't JSON.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

import anyio

from jp_tui.headless.rpc.pipes import CHUNK, PipeLines

MOST_BYTES = 8 << 20
"""Bytes of a message (intake.md N22)."""
NO_MESSAGE = "null"
"""Stands for a line that isn't read."""


class InputText:
    """Lines of a descriptor, as text."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines = PipeLines(MOST_BYTES)

    async def __aiter__(self) -> AsyncIterator[str]:
        while data := await self._read():
            for line in self._lines.feed(data):
                yield NO_MESSAGE if line is None else line.decode("utf-8", "replace")

    async def _read(self) -> bytes:
        try:
            await _ready(anyio.wait_readable, self._descriptor)
            return os.read(self._descriptor, 1 << 16)
        except OSError:
            return b""


class OutputText:
    """Text to a descriptor; without a reader it is dropped."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._gone = False

    async def write(self, text: str) -> None:
        """Write all of it, also to a reader that is slow."""
        left = memoryview(text.encode("utf-8", "replace"))
        while left and not self._gone:
            try:
                await _ready(anyio.wait_writable, self._descriptor)
                left = left[os.write(self._descriptor, left[:CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError:
                self._gone = True

    async def flush(self) -> None:
        """Do nothing: `write` doesn't buffer."""


async def _ready(wait: Any, descriptor: int) -> None:
    """Wait; a file is always ready."""
    try:
        await wait(descriptor)
    except PermissionError:
        await anyio.lowlevel.checkpoint()

"""Follow one request on its connection: close a socket that httpcore leaves open, and see whether a final answer came.

httpcore passes over informational responses (1xx) and reports a server that sends nothing else like a broken
connection. That would be tried again, and a 1xx is no reason for it (Z21), so the status lines are read here too.
Knows no wire and no setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpcore

_LOOKED = 64 * 1024
"""Bytes of the head that are looked at; httpcore itself takes no more than 100 KiB of one."""
_STATUS = re.compile(rb"HTTP/[0-9]\.[0-9] ([0-9]{3})[^0-9]")
_NOW: ContextVar[Dialled | None] = ContextVar("dialled", default=None)
"""Whose answer is being read: a connection outlives the request that made it."""


class Dialled:
    """The trace of one request (httpx's extension `trace`)."""

    def __init__(self) -> None:
        self._line: httpcore.AsyncNetworkStream | None = None
        self._head = b""

    async def __call__(self, step: str, info: dict[str, Any]) -> None:
        if step.endswith("connect_tcp.complete"):
            self._line = info["return_value"]
            _listen(info["return_value"])
        elif step.endswith("start_tls.complete"):
            self._head = b""  # what a proxy answered
            _listen(info["return_value"])
        elif step.endswith("start_tls.failed") and self._line is not None:
            await self._line.aclose()  # httpcore leaves it open when it is cancelled in a handshake

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While this lasts, what the current task reads is the head of this request's answer."""
        token = _NOW.set(self)
        try:
            yield
        finally:
            _NOW.reset(token)

    @property
    def informational(self) -> int | None:
        """The last status when only informational responses came; None when another one did, or nothing."""
        head, last = self._head, None
        while (found := _STATUS.match(head)) is not None:
            last = int(found[1])
            if not 100 <= last < 200:
                return None
            _, _, head = head.partition(b"\r\n\r\n")
        return None if len(self._head) >= _LOOKED else last

    def _read(self, data: bytes) -> None:
        self._head = (self._head + data)[:_LOOKED]


def _listen(line: httpcore.AsyncNetworkStream) -> None:
    """Note what is read from a connection for whoever reads it. httpcore has no hook for bytes."""
    read = line.read

    async def noted(max_bytes: int, timeout: float | None = None) -> bytes:
        data = await read(max_bytes, timeout)
        if (now := _NOW.get()) is not None:
            now._read(data)
        return data

    line.read = noted  # type: ignore[method-assign]

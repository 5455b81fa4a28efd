"""Trace one request on its connection: close a socket that httpcore leaves open, and detect whether a final status
arrived.

httpcore skips informational responses (1xx) and reports a server that sends only those like a broken connection. That
would be retried, which a 1xx doesn't justify (Z21), so the status lines are read here too. Independent of wires and
settings.
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
"""Bytes of the head that are examined; httpcore itself reads at most 100 KiB."""
_STATUS = re.compile(rb"HTTP/[0-9]\.[0-9] ([0-9]{3})[^0-9]")
_NOW: ContextVar[Dialled | None] = ContextVar("dialled", default=None)
"""The request whose response is being read: a connection outlives the request that made it."""


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
            self._head = b""  # a proxy's reply
            _listen(info["return_value"])
        elif step.endswith("start_tls.failed") and self._line is not None:
            await self._line.aclose()  # httpcore leaves it open if cancelled during a handshake

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Attribute everything the current task reads meanwhile to this request's head."""
        token = _NOW.set(self)
        try:
            yield
        finally:
            _NOW.reset(token)

    @property
    def informational(self) -> int | None:
        """Return the last status if only informational responses arrived; None for any other status, or none."""
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
    """Record what is read from a connection. httpcore has no hook for bytes."""
    read = line.read

    async def noted(max_bytes: int, timeout: float | None = None) -> bytes:
        data = await read(max_bytes, timeout)
        if (now := _NOW.get()) is not None:
            now._read(data)
        return data

    line.read = noted  # type: ignore[method-assign]

"""A model server without a socket: the bytes of one HTTP response, handed to the real HTTP client and its parser.

It can end properly, hang up, reset, stall or send a bad chunk after any byte, thousands of times a second. What only
a socket can show (timeouts that really pass, who closed what) is for `model_server.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import httpcore
import httpx

from jp_tui.providers.endpoint import Endpoint
from jp_tui.providers.http import HttpProvider
from jp_tui.providers.registry import make_wire

MemoryEnd = Literal["end", "hangup", "reset", "stall", "bad_chunk"]
ENDS: tuple[MemoryEnd, ...] = ("end", "hangup", "reset", "stall", "bad_chunk")
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_TAIL: dict[MemoryEnd, bytes] = {"end": b"0\r\n\r\n", "bad_chunk": b"zz\r\nnot a chunk\r\n"}


class _Line(httpcore.AsyncNetworkStream):
    """One connection."""

    def __init__(self, server: MemoryServer) -> None:
        self._server, self._left = server, list(server.pieces)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._left:
            piece = self._left.pop(0)
            if len(piece) > max_bytes:
                self._left.insert(0, piece[max_bytes:])
            return piece[:max_bytes]
        if self._server.end == "reset":
            raise httpcore.ReadError("Connection reset by peer") from ConnectionResetError(104, "reset")
        if self._server.end in ("hangup", "bad_chunk"):
            return b""
        # a complete response after which nothing comes, or a server that stalls: both wait for their limit
        self._server.waited.append(timeout)
        raise httpcore.ReadTimeout

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._server.received.append(buffer)

    async def aclose(self) -> None:
        self._server.open -= 1

    def get_extra_info(self, info: str) -> Any:
        return False if info == "is_readable" else None


class MemoryServer(httpcore.AsyncNetworkBackend):
    """Answers every request with the present `pieces` and `end`; `open` are connections that nobody closed, `waited`
    the limits (seconds) of reads that found nothing, `received` what was sent, in pieces."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.end: MemoryEnd = "end"
        self.open = 0
        self.waited: list[float | None] = []
        self.received: list[bytes] = []

    def answers(self, body: Iterable[bytes], end: MemoryEnd) -> None:
        """From now on this body, each piece a chunk of its own."""
        chunks = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in body if piece]
        self.pieces, self.end = [_HEAD, *chunks, _TAIL.get(end, b"")], end
        self.pieces = [piece for piece in self.pieces if piece]

    async def connect_tcp(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        self.open += 1
        return _Line(self)

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        raise NotImplementedError

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("the client sleeps")

    def provider(self, endpoint: Endpoint) -> HttpProvider:
        """The real provider, which reaches this server instead of the network."""
        made = HttpProvider(endpoint, make_wire(endpoint))
        client = made._open()
        transport = client._transport
        assert isinstance(transport, httpx.AsyncHTTPTransport)
        transport._pool = httpcore.AsyncConnectionPool(network_backend=self, keepalive_expiry=0)
        return made

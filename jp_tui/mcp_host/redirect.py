"""The way back of a login: a listener on 127.0.0.1 that takes one answer of the browser (mcp.md P60).

It takes only the answer to the login that is open, known by its state. Whatever else comes gets an error page and
changes nothing. It never imports the SDK.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from asyncio import StreamReader, StreamWriter
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

HOST, PATH = "127.0.0.1", "/callback"
_HEAD = 16 << 10
_PATIENCE = 10.0
_TAKEN = "jp-tui received the answer. You can close this page; the terminal shows the result."
_OTHER = "This isn't the answer that jp-tui waits for. Nothing was taken from it."


@dataclass(frozen=True, slots=True)
class BrowserAnswer:
    """Parameters of the answer: `code`, or an `error` with its `description`. All of it is another server's text."""

    code: str
    state: str
    iss: str | None
    error: str
    description: str


class RedirectListener:
    """Listens between `open` and `close`; `answer` returns the first answer that fits `state`. `refused` counts
    those that don't."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._answer: asyncio.Future[BrowserAnswer] | None = None
        self._state = ""
        self.port = 0
        self.refused = 0

    @property
    def address(self) -> str:
        """Return the address to which the browser is sent back."""
        return f"http://{HOST}:{self.port}{PATH}"

    async def open(self, port: int = 0) -> None:
        """Listen on a port, 0 for any. Raises OSError."""
        self._answer = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._serve, HOST, port, limit=_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]

    def expect(self, state: str) -> None:
        """Take only an answer with this state."""
        self._state = state

    async def answer(self, seconds: float) -> BrowserAnswer:
        """Return the answer. Raises TimeoutError, also after `abort`."""
        assert self._answer is not None
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self._answer)

    def abort(self) -> None:
        """Wait no longer."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(TimeoutError())
            self._answer.exception()

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.abort()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        status, text = "400 Bad Request", _OTHER
        with contextlib.suppress(Exception):  # whatever speaks to the port
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                status, text = self._taken(head)
        body = f"<!doctype html><meta charset=utf-8><title>jp-tui</title><p>{text}</p>\n".encode()
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
            "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        ).encode()
        with contextlib.suppress(Exception):
            writer.write(head + body)
            async with asyncio.timeout(_PATIENCE):
                await writer.drain()
        with contextlib.suppress(Exception):
            writer.close()

    def _taken(self, head: bytes) -> tuple[str, str]:
        method, target, _ = head.split(b"\r\n", 1)[0].decode("ascii").split(" ")
        parts = urlsplit(target)
        if method != "GET" or parts.path != PATH:
            return "404 Not Found", _OTHER
        given = parse_qs(parts.query, keep_blank_values=True)
        state = given.get("state", [""])
        fits = len(state) == 1 and self._state and hmac.compare_digest(state[0].encode(), self._state.encode())
        known = ("code", "iss", "error", "error_description")
        if not fits or any(len(given.get(name, ())) > 1 for name in known):
            self.refused += 1
            return "400 Bad Request", _OTHER
        code, iss, error, description = (given.get(name, [""])[0] for name in known)
        if self._answer is not None and not self._answer.done():
            found = BrowserAnswer(code, state[0], iss if "iss" in given else None, error, description)
            self._answer.set_result(found)
        return "200 OK", _TAKEN

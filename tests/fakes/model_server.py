"""A model server for tests: a real socket on 127.0.0.1 that answers what it was told to answer.

Pieces go out as HTTP chunks of their own, so a client sees them apart. It can also break off, reset, stall, send a
bad chunk, or accept and never say a word. It interprets nothing and checks nothing; it keeps what it received.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.limits import LIMIT

End = Literal["fin", "cut", "rst", "stall", "bad_chunk"]


@dataclass(frozen=True)
class Answer:
    """One response. `end`: fin whole; cut FIN in the middle; rst; stall until the client leaves; bad_chunk.

    `framing`: chunked, length (Content-Length) or close (till the connection ends). `blackhole` answers nothing.
    `before`: bytes in front of the status line; `headless`: these are all.
    """

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    end: End = "fin"
    framing: Literal["chunked", "length", "close"] = "chunked"
    blackhole: bool = False
    before: bytes = b""
    headless: bool = False


@dataclass
class Received:
    """One request; `gone` is set when the client closed its socket."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    connection: int = 0

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def split(body: bytes, offsets: Sequence[int]) -> list[bytes]:
    """`body` cut at these byte offsets; empty pieces are left out."""
    marks = [0, *sorted(offset for offset in offsets if 0 < offset < len(body)), len(body)]
    return [body[start:end] for start, end in itertools.pairwise(marks) if start < end]


class ModelServer:
    """Answers in order; the last answer is repeated. Use as an async context manager."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.received: list[Received] = []
        self.arrived = asyncio.Condition()
        self.url = ""
        self._connections = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> ModelServer:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def wait_for_request(self, number: int = 1) -> Received:
        """The request with this number (from 1), as soon as it is there."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.received) >= number)
        return self.received[number - 1]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._connections += 1
        try:
            connection = self._connections
            while (request := await _read(reader)) is not None:
                request.connection = connection
                answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                async with self.arrived:
                    self.received.append(request)
                    self.arrived.notify_all()
                if not await self._answer(answer, request, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the test is over
        finally:
            writer.close()

    async def _answer(
        self, answer: Answer, request: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """True when the connection can serve another request."""
        watch = asyncio.ensure_future(_until_gone(reader, request.gone))
        try:
            writer.write(answer.before)
            if answer.headless:
                await writer.drain()
                return False
            if not answer.blackhole:
                await _write(answer, writer)
            if answer.blackhole or answer.end == "stall":
                await watch
                return False
            if answer.end == "rst":
                raw = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
                return False
            return answer.end == "fin" and answer.framing != "close"
        except ConnectionError:
            request.gone.set()
            return False
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)


async def _until_gone(reader: asyncio.StreamReader, gone: asyncio.Event) -> None:
    """Waits for the end of what the client sends, without taking the next request's bytes."""
    while not reader.at_eof():
        if reader._buffer:  # type: ignore[attr-defined]  # the next request is there already
            return
        await reader._wait_for_data("watch")  # type: ignore[attr-defined]
    gone.set()


async def _read(reader: asyncio.StreamReader) -> Received | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body)


async def _write(answer: Answer, writer: asyncio.StreamWriter) -> None:
    headers = dict(answer.headers)
    if answer.framing == "chunked":
        headers["transfer-encoding"] = "chunked"
    elif answer.framing == "length":
        missing = 10 if answer.end != "fin" else 0
        headers["content-length"] = str(sum(map(len, answer.pieces)) + missing)
    else:
        headers["connection"] = "close"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {answer.status} X\r\n{lines}\r\n".encode("latin-1"))
    for piece in answer.pieces:
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if answer.framing == "chunked" else piece)
        await writer.drain()
    if answer.framing == "chunked":
        writer.write({"fin": b"0\r\n\r\n", "bad_chunk": b"zz\r\nnot a chunk\r\n"}.get(answer.end, b""))
    await writer.drain()


@contextmanager
def in_thread(*answers: Answer) -> Iterator[ModelServer]:
    """The same server on a loop and thread of its own, for tests that run the whole program."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> ModelServer:
        return await ModelServer(*answers).__aenter__()

    server = asyncio.run_coroutine_threadsafe(start(), loop).result(LIMIT)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(LIMIT)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(LIMIT)
        loop.close()

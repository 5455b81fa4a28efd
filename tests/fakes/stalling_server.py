"""A server that stalls at a place of its own choice: real sockets on 127.0.0.1, blocking, a thread for each.

It says when the place is reached (`reached`) and when the client left (`gone`). With `drip` it does not fall silent but
sends a byte now and then, which is never enough. It checks nothing.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args

from tests.limits import LIMIT

Nine = Literal[
    "no connection",
    "accepts and reads nothing",
    "TLS handshake",
    "before the headers",
    "in the headers",
    "before the first event",
    "between events",
    "in an event",
    "after the last event",
]
Place = Literal[Nine, "in a refusal", "proxy's answer"]
NINE: tuple[Nine, ...] = get_args(Nine)
DRIP_SECS = 0.03
_HEAD = b"HTTP/1.1 %d OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_SYN_SENT = "02"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""


class StallingServer:
    """Use as a context manager. `body` is a whole event stream, of which `half` is said before a stall inside it.

    `whole` requests are answered properly on the same connection before the one that stalls.
    """

    def __init__(self, place: Place, body: bytes, half: int, *, drip: bytes = b"", whole: int = 0) -> None:
        self.place, self._body, self._half, self._drip, self._whole = place, body, half, drip, whole
        self.reached, self.gone = threading.Semaphore(0), threading.Semaphore(0)
        self._listening = socket.socket()
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._listening.bind(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._drains = threading.Event()
        self._over = False

    @property
    def url(self) -> str:
        return f"{'https' if self.place == 'TLS handshake' else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> StallingServer:
        self._listening.listen(0 if self.place == "no connection" else 16)
        if self.place == "no connection":
            # whoever comes after these gets no answer to its SYN: the queue is full, and nobody takes from it
            for _ in range(2):
                filler = socket.socket()
                filler.setblocking(False)
                filler.connect_ex(("127.0.0.1", self.port))
                self._open.append(filler)
        else:
            self._thread(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._drains.set()
        for one in [self._listening, *self._open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(LIMIT)

    def wait_reached(self) -> None:
        """Until a client is at the place; AssertionError when none comes."""
        if self.place != "no connection":
            assert self.reached.acquire(timeout=LIMIT), f"nobody came to: {self.place}"
            return
        end = time.monotonic() + LIMIT
        while not self._knocking():
            assert time.monotonic() < end, "nobody knocks"
            time.sleep(0.002)

    def wait_gone(self) -> None:
        """Until that client closed its socket."""
        self._drains.set()
        if self.place != "no connection":
            assert self.gone.acquire(timeout=LIMIT), f"a connection is left open: {self.place}"
            return
        end = time.monotonic() + LIMIT
        while self._knocking():
            assert time.monotonic() < end, "a connection is left open"
            time.sleep(0.002)

    def _knocking(self) -> bool:
        """Whether somebody waits for an answer to a SYN, beside our own fillers."""
        ours = {one.getsockname()[1] for one in self._open}
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, state, *_ = line.split()
            knocks = state == _SYN_SENT and int(remote.split(":")[1], 16) == self.port
            if knocks and int(local.split(":")[1], 16) not in ours:
                return True
        return False

    # --- one connection -----------------------------------------------------------------------------------

    def _thread(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, daemon=True, name="stalling server")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._over:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._open.append(connection)
            self._thread(lambda connection=connection: self._serve(connection))  # type: ignore[misc]

    def _serve(self, connection: socket.socket) -> None:
        try:
            for _ in range(self._whole):
                self._read_request(connection)
                connection.sendall(_HEAD % 200 + _chunk(self._body) + b"0\r\n\r\n")
            if self.place not in ("accepts and reads nothing", "TLS handshake"):
                self._read_request(connection)
            for data in self._said():
                connection.sendall(data)
            self.reached.release()
            self._stay(connection)
        except OSError:
            pass
        finally:
            connection.close()
            self.gone.release()

    def _said(self) -> Iterator[bytes]:
        """What is sent before it stalls."""
        match self.place:
            case "in the headers":
                yield _HEAD[:30] % 200
            case "before the first event":
                yield _HEAD % 200
            case "between events":
                yield _HEAD % 200
                yield _chunk(self._body[: self._body.index(b"\n\n", self._half) + 2])
            case "in an event":
                yield _HEAD % 200
                yield _chunk(self._body[: self._body.index(b"\n\n", self._half) - 9])
            case "after the last event":
                yield _HEAD % 200 + _chunk(self._body)
            case "in a refusal":
                yield b"HTTP/1.1 500 X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
                yield _chunk(b'{"error": ')

    def _stay(self, connection: socket.socket) -> None:
        """Until the client leaves."""
        if self.place == "accepts and reads nothing":
            # the end of a client stands behind what it wrote: it is read only when somebody waits for that end
            self._drains.wait()
        connection.settimeout(DRIP_SECS)
        while not self._over:
            try:
                if not connection.recv(1 << 16):
                    return
            except TimeoutError:
                if self._drip:
                    connection.sendall(self._drip)

    @staticmethod
    def _read_request(connection: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(1 << 16)
            if not more:
                raise ConnectionError
            data += more
        head, _, rest = data.partition(b"\r\n\r\n")
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if b"content-length" in line.lower()), 0
        )
        left = length - len(rest)
        while left > 0:
            more = connection.recv(min(left, 1 << 16))
            if not more:
                raise ConnectionError
            left -= len(more)

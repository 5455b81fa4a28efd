"""A proxy between a client and a PostgreSQL server on a socket: it can cut a connection at any statement, before the
server gets it or before the client gets the reply, and stall."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
from pathlib import Path

from tests.fakes.postgres import OWNER, Server


class Proxy:
    """`plan(number)` cuts at the statement with this number, counted from 1 over all connections since: `before` the
    server gets it, or `after` it was carried out and before its reply. `down` accepts no connection."""

    def __init__(self, server: Server) -> None:
        self._there = f"{server.folder}/.s.PGSQL.{server.port}"
        self._folder = tempfile.TemporaryDirectory(prefix="px-", dir="/tmp")
        self.folder = Path(self._folder.name)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(f"{self.folder}/.s.PGSQL.5432")
        self._listening.listen(50)
        self._gate = threading.Lock()
        self.statements, self._at, self._when = 0, 0, "before"
        self.cuts = 0
        self.down = False
        self.passing = threading.Event()
        """Cleared, nothing passes in either direction."""
        self.passing.set()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database: str, role: str = OWNER) -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}&port=5432"

    def plan(self, number: int, when: str = "before") -> None:
        with self._gate:
            self.statements, self._at, self._when = 0, number, when

    def cut_all(self) -> None:
        """Cut every connection that is open now."""
        for pair in self._pairs:
            _end(*pair)
        self._pairs.clear()

    def close(self) -> None:
        self._listening.close()
        self.passing.set()
        self.cut_all()
        self._folder.cleanup()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.down:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._there)
                except OSError:
                    client.close()
                    continue
                self._pairs.append((client, server))
                swallow = threading.Event()
                threading.Thread(target=self._forth, args=(client, server, swallow), daemon=True).start()
                threading.Thread(target=self._back, args=(client, server, swallow), daemon=True).start()

    def _forth(self, client: socket.socket, server: socket.socket, swallow: threading.Event) -> None:
        try:
            server.sendall(_exactly(client, length := int.from_bytes(head := _exactly(client, 4)), head, length))
            while True:
                kind = _exactly(client, 1)
                size = _exactly(client, 4)
                message = kind + size + _exactly(client, int.from_bytes(size) - 4)
                self.passing.wait()
                if kind in (b"Q", b"S") and self._is_planned():
                    if self._when == "before":
                        break
                    swallow.set()
                server.sendall(message)
        except OSError:
            pass
        if not swallow.is_set():
            _end(client, server)

    def _is_planned(self) -> bool:
        with self._gate:
            self.statements += 1
            planned = self.statements == self._at
            self.cuts += planned
            return planned

    def _back(self, client: socket.socket, server: socket.socket, swallow: threading.Event) -> None:
        ready = b""
        try:
            while data := server.recv(65536):
                self.passing.wait()
                if swallow.is_set():
                    ready = (ready + data)[-6:]
                    if ready[:5] == b"Z\0\0\0\5":  # ReadyForQuery: it is done
                        break
                    continue
                client.sendall(data)
        except OSError:
            pass
        _end(client, server)


def _exactly(source: socket.socket, count: int, head: bytes = b"", length: int = 0) -> bytes:
    """Read `count` bytes; with a head, the rest of a message of this length, and return it whole."""
    wanted = length - len(head) if head else count
    found = b""
    while len(found) < wanted:
        some = source.recv(wanted - len(found))
        if not some:
            raise ConnectionResetError
        found += some
    return head + found


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            one.close()
